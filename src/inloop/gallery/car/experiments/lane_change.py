"""Double lane changes between cones at increasing speeds: ISO 3888-1 and -2.

The preview driver holds the speed; in part 2 he releases the pedal in the first lane, as the
standard requires. Cones touched by the outline of the car count as hit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.car.cones import BACK, WIDTH, LaneChange, iso_3888_1, iso_3888_2
from inloop.gallery.car.drivers import PreviewDriver, SpeedHold, speed_of
from inloop.gallery.car.experiments.caster import SPEED
from inloop.gallery.car.experiments.plots import COLORS, GRAY, dress

PERIOD = 5e-3
RUN_UP = 130.0  # distance to reach the test speed [m]
OFF = 2.0  # from the first cones until the pedal is released, in part 2 [m]
SPEEDS = {1: (60.0, 70.0, 80.0, 90.0), 2: (45.0, 50.0, 55.0, 60.0, 65.0)}  # [km/h]
SLOWING = 0.25  # brake pedal per excess speed [s/m]


class Driver:
    """Brings the car to a speed, then follows the path through the lanes."""

    def __init__(self, change: LaneChange, speed: float, *, lets_go: bool) -> None:
        self.change, self.speed, self.lets_go = change, speed, lets_go
        self.hold = SpeedHold(speed, PERIOD)
        self.driver = PreviewDriver(speed, PERIOD, look=0.6, delay=0.1, arms=4.0, practised=True)

    def reset(self) -> None:
        """Return to the state before the run."""
        self.hold.reset()
        self.driver.reset()

    def __call__(self, t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        """Pedals and angle of the steering wheel."""
        x, begin = outputs["chassis_tx.q"], self.change.lanes[0].begin
        throttle, brake = self.hold(outputs), 0.0
        if x < begin - 20.0:
            brake = min(max(SLOWING * (speed_of(outputs) - self.speed), 0.0), 0.4)
        if (self.lets_go and x > begin + OFF) or brake > 0.05:
            throttle = 0.0
        angle = self.driver(outputs, self.change.path)
        return {"throttle": throttle, "brake": brake, "steering.q": angle}


@dataclass(frozen=True)
class Passage:
    """A run through cones.

    Attributes:
        wanted: desired speed [m/s].
        entry: speed at the first cones [m/s].
        exit: speed at the last cones [m/s].
        hit: indices of the cones that were hit.
        run: run of the car.
    """

    wanted: float
    entry: float
    exit: float
    hit: np.ndarray
    run: il.Result


def drive(plant: il.Plant, change: LaneChange, speed: float, *, lets_go: bool) -> Passage:
    """Drive through a lane change at a speed [m/s]."""
    begin, end = change.lanes[0].begin, change.lanes[-1].end - BACK
    seconds = round(begin / min(speed, SPEED) + 1.6 * (end - begin) / speed, 1)
    run = plant.simulate(
        t_end=seconds, step=1e-3, method="rk4",
        sample=PERIOD, controller=Driver(change, speed, lets_go=lets_go), period=PERIOD,
    )  # fmt: skip
    x, y, yaw = (run[f"chassis_{axis}.q"] for axis in ("tx", "ty", "rz"))
    v = np.hypot(run["chassis_tx.qd"], run["chassis_ty.qd"])
    through = x < end
    first, last = int(np.argmax(x >= begin)), int(np.argmin(through)) - 1
    hit = change.hit(x[through], y[through], yaw[through])
    return Passage(speed, float(v[first]), float(v[last]), hit, run)


def _experiment(part: int, make: Callable[[float], LaneChange]) -> Callable[[Bench], Outcome]:
    def _run(bench: Bench) -> Outcome:
        plant = bench.compile(pedals=True, bars_as_laws=True, speed=SPEED)
        change = make(RUN_UP)
        passages = [drive(plant, change, v / 3.6, lets_go=part == 2) for v in SPEEDS[part]]
        clean = [p.entry * 3.6 for p in passages if not len(p.hit)]
        width = change.lanes[0].left - change.lanes[0].right
        return Outcome(
            figures={
                "speed at the start [km/h]": tuple(3.6 * p.entry for p in passages),
                "speed at the end [km/h]": tuple(3.6 * p.exit for p in passages),
                "cones hit": tuple(float(len(p.hit)) for p in passages),
                "fastest without a cone [km/h]": max(clean, default=0.0),
                "largest speed times yaw rate [m/s²]": tuple(_lateral(p.run) for p in passages),
                "width of the first lane by the standard [m]": width,
            },
            draw=lambda figure: _draw(figure, change, passages),
            size=(9.0, 6.0),
            notes=(f"{change.name}, {len(change.cones)} cones, car {WIDTH:g} m wide",),
        )

    return _run


def _lateral(run: il.Result) -> float:
    """Largest speed times yaw rate: lateral acceleration of a car that does not spin [m/s²]."""
    v = np.hypot(run["chassis_tx.qd"], run["chassis_ty.qd"])
    return float(np.abs(v * run["chassis_rz.qd"]).max())


def _draw(figure: Any, change: LaneChange, passages: list[Passage]) -> None:
    path, angle = figure.subplots(2, 1)
    for lane in change.lanes:
        for edge in (lane.right, lane.left):
            path.plot([lane.begin, lane.end], [edge, edge], color=GRAY, linewidth=1.0)
    path.plot(*change.cones.T, "^", color="#d97706", markersize=4)
    for passage, color in zip(passages, COLORS * 2, strict=False):
        run, label = passage.run, f"{3.6 * passage.entry:.0f} km/h: {len(passage.hit)} cones"
        path.plot(run["chassis_tx.q"], run["chassis_ty.q"], color=color, label=label)
        path.plot(*change.cones[passage.hit].T, "x", color=color)
        angle.plot(run["chassis_tx.q"], np.degrees(run["steering.q"]), color=color)
    path.legend(fontsize="small")
    for axis, label in ((path, "y [m]"), (angle, "steering wheel [deg]")):
        dress(axis, "x [m]", label)
        axis.set_xlim(change.lanes[0].begin - 10.0, change.lanes[-1].end + 20.0)


ISO_1 = Experiment(
    "double lane change of ISO 3888-1 between cones", _experiment(1, iso_3888_1), fixed_length=True
)
ISO_2 = Experiment(
    "obstacle avoidance of ISO 3888-2 between cones", _experiment(2, iso_3888_2), fixed_length=True
)
