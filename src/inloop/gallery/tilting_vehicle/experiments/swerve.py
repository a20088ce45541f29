"""A sudden turn: direct tilt control lifts the inner wheel, combined control keeps it down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.tilting_vehicle.controllers.design import PERIOD
from inloop.gallery.tilting_vehicle.controllers.signals import Signals
from inloop.gallery.tilting_vehicle.controllers.tilting import Gains, TiltControl
from inloop.gallery.tilting_vehicle.experiments.plots import BLUE, GRAY, GREEN, ORANGE, dress
from inloop.gallery.tilting_vehicle.model import straight

SPEED = 2.5  # [m/s]
SECONDS = 4.0
BEGIN, RAMP = 1.0, 0.15  # start and duration of the driver's action [s]
ASKED = (2.5, 3.5)  # demanded lateral accelerations [m/s²]
SHARES = {"direct": 0.0, "combined": 0.5}


class Sudden:
    """A driver who suddenly demands a turn to the left.

    Args:
        across: final lateral acceleration [m/s²].
        speed: [m/s].
    """

    def __init__(self, across: float, speed: float) -> None:
        self.curvature = across / speed**2
        self.t = 0.0

    def __call__(self, place: tuple[float, float], yaw: float, speed: float) -> float:
        """Desired curvature [1/m]."""
        return self.curvature * min(max((self.t - BEGIN) / RAMP, 0.0), 1.0)


class _Timed:
    """A controller whose driver knows the time."""

    def __init__(self, control: TiltControl, driver: Sudden) -> None:
        self.control, self.driver = control, driver

    def reset(self) -> None:
        self.control.reset()

    def __call__(self, t: float, outputs: Signals) -> dict[str, float]:
        self.driver.t = t
        return self.control(t, outputs)


def swerve(plant: il.Plant, share: float, across: float, seconds: float = SECONDS) -> il.Result:
    """A sudden turn under control.

    Args:
        plant: the demonstrator.
        share: of the steering in tilting, see `Gains`.
        across: demanded lateral acceleration [m/s²].
        seconds: [s].
    """
    gains = Gains(SPEED, share=share)
    driver = Sudden(across, SPEED)
    control = TiltControl(driver, plant.parameters, gains)
    return plant.simulate(
        t_end=seconds, step=PERIOD, controller=_Timed(control, driver),
        period=PERIOD, **straight(SPEED),
    )  # fmt: skip


def transfer(run: il.Result) -> float:
    """Maximum load transfer between the rear wheels [N]."""
    return 0.5 * float(np.abs(run["tyre_right.load"] - run["tyre_left.load"]).max())


def in_the_air(run: il.Result) -> float:
    """Time during which the inner wheel had no load [s]."""
    return PERIOD * float(np.sum(run["tyre_left.load"] <= 0.0))


def rise(run: il.Result) -> float:
    """Maximum height of the inner wheel above the road [m]."""
    return max(0.0, -float(run["tyre_left.depth"].min()))


def _run(bench: Bench) -> Outcome:
    plant, seconds = bench.compile(), bench.seconds or SECONDS
    runs = {
        (name, across): swerve(plant, share, across, seconds)
        for across in ASKED
        for name, share in SHARES.items()
    }
    figures: dict[str, float | tuple[float, ...]] = {"lateral acceleration asked for [m/s²]": ASKED}
    for name in SHARES:
        chosen = [runs[name, across] for across in ASKED]
        figures |= {
            f"{name}: load transfer [N]": tuple(transfer(run) for run in chosen),
            f"{name}: inner wheel in the air [ms]": tuple(1e3 * in_the_air(run) for run in chosen),
            f"{name}: inner wheel above the road [mm]": tuple(1e3 * rise(run) for run in chosen),
        }
    less = [1.0 - transfer(runs["combined", a]) / transfer(runs["direct", a]) for a in ASKED]
    figures["load transfer lowered by [%]"] = tuple(100.0 * x for x in less)
    return Outcome(
        figures=figures,
        draw=lambda figure: _draw(figure, runs),
        size=(9.0, 8.0),
        notes=("on CLEVER the load transfer was lowered by 36 % (Robertson et al. 2014)",),
    )


def _draw(figure: Any, runs: Mapping[tuple[str, float], il.Result]) -> None:
    axes = figure.subplots(4, len(ASKED), sharex="col", sharey="row")
    for column, across in zip(axes.T, ASKED, strict=True):
        column[0].set_title(f"{across:g} m/s² within {RAMP:g} s", fontsize=10)
        for name, color in zip(SHARES, (ORANGE, BLUE), strict=True):
            run = runs[name, across]
            near = (run.t > BEGIN - 0.2) & (run.t < BEGIN + 1.6)
            t = run.t[near]
            tilt = np.degrees(run["tilt.q"] - run["rear_rx.q"])
            for axis, values in zip(
                column,
                (np.degrees(run["steering.q"]), tilt, run["torque_cell"], run["tyre_left.load"]),
                strict=True,
            ):
                axis.plot(t, values[near], color=color, label=name)
            if in_the_air(run):
                up = near & (run["tyre_left.load"] <= 0.0)
                column[3].fill_between(run.t, 0.0, 1.0, where=up, color=color, alpha=0.25,
                                       transform=column[3].get_xaxis_transform())  # fmt: skip
                middle = float(run.t[up].mean())
                column[3].annotate("in the air", (middle, 0.5), color=GRAY, fontsize=8, ha="center",
                                   xycoords=("data", "axes fraction"))  # fmt: skip
        for axis in column:
            dress(axis, "")
        column[3].axhline(0.0, color=GREEN, linewidth=0.8)
        column[3].set_xlabel("t [s]")
    for axis, label in zip(
        axes[:, 0], ("fork [deg]", "tilt [deg]", "shaft [N m]", "inner wheel [N]"), strict=True
    ):
        axis.set_ylabel(label)
    axes[0, 0].legend(fontsize=9)


SWERVE = Experiment("a sudden turn: the inner wheel lifts, except with combined control", _run)
