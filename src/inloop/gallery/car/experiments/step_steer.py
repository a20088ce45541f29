"""Step of the steering: response time and magnitude.

Results are scaled to 0.02 rad of the front wheels and compared with those of three cars of
CommonRoad's multi-body model (commonroad-vehicle-models 3.0.2: Ford Escort, BMW 320i, VW Vanagon).
There the wheel angle is given. Here the rack position is, and the wheels turn back by a sixth as
the body rolls; so the rack is corrected, from run to run, until the wheels keep their angle.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.car.experiments.plots import COLORS, dress
from inloop.gallery.car.experiments.steady import rolling_start, wheel_angle

SPEEDS = (15.0, 75.0 / 3.6)
BEGIN, RAMP = 0.5, 0.05  # [s]
PER_RACK = 1.0 / 9.16  # rack per angle of the wheels [m/rad]
CORRECTIONS = 3
RACK, ANGLE = 0.0025, 0.02  # [m], and the angle of the wheels that results are scaled to [rad]
SECONDS = 4.0
# yaw rate [rad/s], time to 90 % [s] and roll per lateral acceleration [deg s²/m] of these cars
COMMONROAD = {
    15.0: ((0.11996, 0.11723, 0.12036), (0.22, 0.24, 0.25), (0.887, 0.905, 0.660)),
    75.0 / 3.6: ((0.15942, 0.16351, 0.16534), (0.27, 0.31, 0.33), (0.891, 0.909, 0.661)),
}


@dataclass(frozen=True)
class Answer:
    """Response of the car to a step.

    Attributes:
        yaw_rate: final value, with wheels at `ANGLE` [rad/s].
        peak: maximum yaw rate over the final one.
        rise: time from the middle of the ramp to 90 % [s].
        roll: final roll per lateral acceleration [deg s²/m].
        run: run of the car.
    """

    yaw_rate: float
    peak: float
    rise: float
    roll: float
    run: il.Result


def ramp(t: Any) -> Any:
    """From 0 to 1, with continuous acceleration."""
    s = il.maximum(0.0, il.minimum((t - BEGIN) / RAMP, 1.0))
    return s * s * s * (10.0 - 15.0 * s + 6.0 * s * s)


def step(plant: il.Plant, speed: float, seconds: float = SECONDS, *, held: bool = False) -> Answer:
    """Steer left at a speed [m/s]; then the rack, or with `held` the wheel angle, is constant."""
    start = rolling_start(plant, speed)
    run = _drive(plant, start, seconds, lambda t: -RACK * ramp(t))
    if held:
        run = _held(plant, start, seconds, run)
    return _answer(plant, speed, run)


def _drive(plant: il.Plant, start: Any, seconds: float, rack: Callable[[Any], Any]) -> il.Result:
    q, qd = start
    return plant.simulate(
        t_end=seconds, step=1e-3, method="rk4", sample=5e-3, q=q, qd=qd, rack=rack
    )


def _held(plant: il.Plant, start: Any, seconds: float, run: il.Result) -> il.Result:
    """Correct the rack by the error of the wheel angle; keep the ramp itself."""
    share = np.array([float(ramp(t)) for t in run.t])
    there = share > 0.5
    wanted = RACK / PER_RACK
    scale = np.ones(len(run.t))
    for _ in range(CORRECTIONS):
        turned = np.array([wheel_angle(plant, q) for q in run.q[there]])
        scale[there] *= wanted * share[there] / turned
        scale[: int(np.argmax(there))] = scale[there][0]
        correction = partial(il.table, xs=run.t.tolist(), ys=scale.tolist(), kind="cubic")
        run = _drive(plant, start, seconds, partial(_corrected, correction))
    return run


def _corrected(correction: Callable[[Any], Any], t: Any) -> Any:
    return -RACK * ramp(t) * correction(t)


def _answer(plant: il.Plant, speed: float, run: il.Result) -> Answer:
    rate, last = run["chassis_rz.qd"], run.q[-1]
    risen = run.t[int(np.argmax(rate >= 0.9 * rate[-1]))]
    return Answer(
        float(rate[-1]) * ANGLE / wheel_angle(plant, last),
        float(rate.max() / rate[-1]),
        float(risen) - (BEGIN + 0.5 * RAMP),
        math.degrees(run["chassis_rx.q"][-1]) / (speed * float(rate[-1])),
        run,
    )


def _run(bench: Bench) -> Outcome:
    # CommonRoad's tyres have neither relaxation nor aligning moments
    plant = bench.compile(hands=True, speed=SPEEDS[0], relaxation=0.0, aligning=False)
    answers = [step(plant, speed, bench.seconds or SECONDS, held=True) for speed in SPEEDS]
    figures: dict[str, float | tuple[float, ...]] = {"speed [m/s]": SPEEDS}
    for what, name in (("yaw rate [rad/s]", "yaw_rate"), ("time to 90 % [s]", "rise"),
                       ("peak over final value", "peak"), ("roll [deg s²/m]", "roll")):  # fmt: skip
        figures[what] = tuple(getattr(answer, name) for answer in answers)
    for speed, (rates, times, rolls) in COMMONROAD.items():
        figures[f"CommonRoad at {speed:.1f} m/s: yaw rate [rad/s]"] = rates
        figures[f"CommonRoad at {speed:.1f} m/s: time to 90 % [s]"] = times
        figures[f"CommonRoad at {speed:.1f} m/s: roll [deg s²/m]"] = rolls
    return Outcome(figures=figures, draw=lambda figure: _draw(figure, answers), size=(8.0, 6.0))


def _draw(figure: Any, answers: list[Answer]) -> None:
    rate, roll = figure.subplots(2, 1)
    for answer, speed, color in zip(answers, SPEEDS, COLORS, strict=False):
        run, scale = answer.run, answer.yaw_rate / answer.run["chassis_rz.qd"][-1]
        rate.plot(run.t, scale * run["chassis_rz.qd"], color=color, label=f"{speed:.1f} m/s")
        roll.plot(run.t, np.degrees(scale * run["chassis_rx.q"]), color=color)
    rate.legend()
    dress(rate, "t [s]", "yaw rate [rad/s]")
    dress(roll, "t [s]", "roll [deg]")


STEP = Experiment("step of the steering: yaw rate, rise and roll, compared with other cars", _run)
