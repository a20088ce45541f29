"""A slalom: true tilt, estimate of the filter, and estimates from each sensor alone.

Single sensors are used as well as possible: the potentiometer also with its own Kalman filter, the
gyro integrated from the true initial tilt, the accelerometer as a plumb line, which is the
classical mistake: in a balanced turn it reads zero.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.tilting_vehicle.controllers.course import CONES, Driver, slalom
from inloop.gallery.tilting_vehicle.controllers.design import PERIOD
from inloop.gallery.tilting_vehicle.controllers.signals import Signals
from inloop.gallery.tilting_vehicle.controllers.tilting import Gains, TiltControl
from inloop.gallery.tilting_vehicle.data import G
from inloop.gallery.tilting_vehicle.experiments.plots import (
    BLUE,
    GRAY,
    GREEN,
    ORANGE,
    PURPLE,
    dress,
)
from inloop.gallery.tilting_vehicle.model import straight

SPEED = 2.5  # [m/s]
SECONDS = 11.0
SHARES = {"direct": 0.0, "combined": 0.5}
JERK = 300.0  # of the potentiometer's own filter: the best of 10, 30, ..., 1000 rad/s³


@dataclass(frozen=True)
class Weaving:
    """A run through the slalom.

    Attributes:
        run: all signals.
        tilts: of the cabin from the road's normal [rad], by source; "truth" is the first.
        bias: of the gyro, as estimated by the filter [rad/s].
    """

    run: il.Result
    tilts: Mapping[str, np.ndarray]
    bias: np.ndarray

    def errors(self) -> dict[str, float]:
        """Root mean square of the error of each estimate [rad]."""
        truth = self.tilts["truth"]
        return {
            name: float(np.sqrt(np.mean((tilt - truth) ** 2)))
            for name, tilt in self.tilts.items()
            if name != "truth"
        }

    @property
    def least_load(self) -> float:
        """Minimum load of the rear wheels [N]."""
        return float(min(self.run[f"tyre_{side}.load"].min() for side in ("left", "right")))


class _Noted:
    """A controller, and the recorded readings of its sensors."""

    def __init__(self, control: TiltControl) -> None:
        self.control = control
        self.reset()

    def reset(self) -> None:
        self.control.reset()
        self.seen: list[tuple[float, float, float]] = []

    def __call__(self, t: float, outputs: Signals) -> dict[str, float]:
        answer, known = self.control(t, outputs), self.control.known
        assert known is not None
        self.seen.append((known.potentiometer, known.gyro, known.accelerometer))
        return answer


def weave(plant: il.Plant, share: float, seconds: float = SECONDS, seed: int = 1) -> Weaving:
    """Drive through the slalom under control.

    Args:
        plant: the demonstrator.
        share: of the steering in tilting, see `Gains`.
        seconds: [s].
        seed: of the sensor noise.
    """
    driver = Driver(slalom(), closed=False)
    noted = _Noted(
        TiltControl(driver.along, plant.parameters, Gains(SPEED, share=share), seed=seed)
    )
    run = plant.simulate(
        t_end=seconds,
        step=PERIOD,
        controller=noted,
        period=PERIOD,
        **straight(SPEED),
    )
    pot, gyro, across = np.array(noted.seen).T
    count = min(len(pot), len(run.t))
    truth = (run["tilt.q"] - run["rear_rx.q"])[:count]
    alone = il.devices.KalmanEstimator(PERIOD, plant.parameters["potentiometer_noise"], JERK)
    tilts = {
        "truth": truth,
        "filter": run["estimate.tilt"][:count],
        "potentiometer": pot[:count],
        "potentiometer, filtered": np.array([alone.update(x)[0] for x in pot[:count]]),
        "gyro": truth[0] + PERIOD * np.cumsum(gyro[:count]),
        "accelerometer": np.arcsin(np.clip(-across[:count] / G, -1.0, 1.0)),
    }
    return Weaving(run, tilts, run["estimate.bias"][:count])


def _run(bench: Bench) -> Outcome:
    plant, seconds = bench.compile(), bench.seconds or SECONDS
    runs = {name: weave(plant, share, seconds) for name, share in SHARES.items()}
    figures: dict[str, float | tuple[float, ...]] = {}
    for name, weaving in runs.items():
        errors = weaving.errors()
        best = min(error for what, error in errors.items() if what != "filter")
        figures |= {f"{name}: {what}, error [deg]": math.degrees(e) for what, e in errors.items()}
        figures[f"{name}: better than the best single sensor [times]"] = best / errors["filter"]
        figures[f"{name}: bias of the gyro found [rad/s]"] = float(weaving.bias[-1])
        figures[f"{name}: least load of a rear wheel [N]"] = weaving.least_load
    true_bias = plant.parameters["gyro_bias"]
    return Outcome(
        figures=figures | {"bias of the gyro [rad/s]": true_bias},
        draw=lambda figure: _draw(figure, runs, true_bias),
        size=(9.0, 10.0),
        notes=("errors are root mean squares over the whole run, including the first seconds",),
    )


def _draw(figure: Any, runs: Mapping[str, Weaving], true_bias: float) -> None:
    way, tilt, error, bias, load = figure.subplots(5, 1, height_ratios=(2, 3, 3, 2, 2))
    shown = runs["direct"]
    t = shown.run.t[: len(shown.bias)]
    for name, color in zip(runs, (BLUE, GREEN), strict=True):
        run = runs[name].run
        way.plot(run["rear_tx.q"], run["rear_ty.q"], color=color, label=name)
        inner = np.minimum(run["tyre_left.load"], run["tyre_right.load"])
        load.plot(run.t, inner, color=color, label=name)
        bias.plot(t, runs[name].bias, color=color, label=name)
    way.plot(*np.array(CONES).T, "^", color=ORANGE, markersize=8)
    way.set_ylim(-0.6, 0.6)
    way.legend(loc="upper right", fontsize=8)
    dress(way, "y [m]", "x [m]")
    styles = {
        "accelerometer": (PURPLE, 0.5), "gyro": (ORANGE, 1.2), "potentiometer": (GRAY, 0.5),
        "truth": ("black", 2.2), "filter": (BLUE, 1.0),
    }  # fmt: skip
    for name, (color, width) in styles.items():
        tilt.plot(t, np.degrees(shown.tilts[name]), color=color, linewidth=width, label=name)
    truth = shown.tilts["truth"]
    for name, (color, width) in {
        "potentiometer": (GRAY, 0.4), "potentiometer, filtered": (ORANGE, 0.9), "filter": (BLUE, 1),
    }.items():  # fmt: skip
        off = np.degrees(shown.tilts[name] - truth)
        error.plot(t, off, color=color, linewidth=width, label=name)
    bias.axhline(true_bias, color="black", linestyle=":", label="truth")
    tilt.set_ylim(-24.0, 32.0)
    tilt.legend(loc="upper left", fontsize=8, ncols=5)
    error.legend(loc="upper left", fontsize=8, ncols=3)
    bias.legend(loc="lower right", fontsize=8, ncols=3)
    bias.set_ylim(0.0, 1.6 * abs(true_bias) + 1e-3)
    load.set_ylim(0.0, None)
    dress(tilt, "tilt [deg]\ndirect control")
    dress(error, "error [deg]")
    dress(bias, "bias found\n[rad/s]")
    dress(load, "load of the\ninner wheel [N]", "t [s]")


SLALOM = Experiment("tilt in a slalom: truth, Kalman filter, and each sensor alone", _run)
