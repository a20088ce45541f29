"""A lap of the track with two drivers: banked turns, a hill, a wet patch.

Stanley's driver goes by heading and offset of the front axle, MacAdam's by what he sees ahead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.car.course import Course
from inloop.gallery.car.drivers import PreviewDriver, SpeedHold
from inloop.gallery.car.experiments.caster import SPEED
from inloop.gallery.car.experiments.plots import COLORS, GRAY, dress
from inloop.gallery.car.roads import road_of
from inloop.gallery.car.stanley import Stanley

PERIOD = 0.01
LANE = -1
HALF_LANE = 1.75  # [m]
RADIUS = 90.0 + HALF_LANE  # of the lane in turns [m]
LOOK = 0.8  # ahead, of the preview driver [s]
BANK = 0.07  # [rad]


def lane_course(road: il.tyres.LineRoad, number: int = LANE) -> Course:
    """The middle of a lane, a point about every half meter."""
    lanes = [lane for lane in road.lanes(0.5) if lane.number == number]
    if not lanes:
        raise il.InputError(f"{road.name} has no lane {number}", fix="Give a road with that lane.")
    return Course(np.concatenate([0.5 * (a.left + a.right) for a in lanes])[:-1], closed=True)


Steer = Callable[[Mapping[str, float]], float]


def stanley(course: Course) -> Steer:
    """By heading and offset of the front axle."""
    return Stanley(course)


def preview(course: Course) -> Steer:
    """By what lies ahead."""
    driver = PreviewDriver(SPEED, PERIOD, look=LOOK)
    return lambda outputs: driver.follow(outputs, course)


DRIVERS = {"Stanley": stanley, "preview": preview}


def lap(plant: il.Plant, road: il.tyres.LineRoad, steer: Steer, seconds: float) -> il.Result:
    """A run along the lane of a road at a held speed."""
    hold = SpeedHold(SPEED, PERIOD)

    def drive(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        return {"throttle": hold(outputs), "steering.q": steer(outputs)}

    return plant.simulate(
        t_end=seconds, step=1e-3, method="rk4", sample=0.02, controller=drive, period=PERIOD
    )


def _run(bench: Bench) -> Outcome:
    road = road_of("track")
    plant = bench.compile(pedals=True, bars_as_laws=True, speed=SPEED, road=road)
    seconds = bench.seconds or round(road.length / SPEED, 1)
    runs = {name: lap(plant, road, driver(lane_course(road)), seconds)
            for name, driver in DRIVERS.items()}  # fmt: skip
    aside = {name: aside_of(run, road) for name, run in runs.items()}
    run = runs["Stanley"]
    x, y = run["chassis_tx.q"], run["chassis_ty.q"]
    v = np.hypot(run["chassis_tx.qd"], run["chassis_ty.qd"])
    return Outcome(
        figures={
            "distance [m]": float(np.sum(np.hypot(np.diff(x), np.diff(y)))),
            "lap [m]": road.length,
            **{f"farthest from the middle of the lane, {name} [m]": float(np.abs(left).max())
               for name, left in aside.items()},
            "speed, lowest and highest [km/h]": (3.6 * float(v.min()), 3.6 * float(v.max())),
            "largest yaw rate [rad/s]": float(np.abs(run["chassis_rz.qd"]).max()),
            "V / R of the turns [rad/s]": SPEED / RADIUS,
            "lateral acceleration less bank, by hand [m/s²]": SPEED**2 / RADIUS
            - 9.81 * math.tan(BANK),
            "height of the hill [m]": float(np.ptp(run["chassis_tz.q"])),
        },
        draw=lambda figure: _draw(figure, road, runs, aside),
        size=(9.0, 7.0),
    )  # fmt: skip


def aside_of(run: il.Result, road: il.tyres.LineRoad) -> np.ndarray:
    """How far the front axle is to the left of the middle of its lane [m]."""
    return np.asarray(road.place(run["chassis_tx.q"], run["chassis_ty.q"])[1] + HALF_LANE)


def _draw(
    figure: Any,
    road: il.tyres.LineRoad,
    runs: dict[str, il.Result],
    aside: dict[str, np.ndarray],
) -> None:
    path, across, height = figure.subplots(3, 1)
    for mark in road.marks():
        path.plot(*mark.points[:, :2].T, color=GRAY, linewidth=0.7)
    for (name, run), color in zip(runs.items(), COLORS, strict=False):
        path.plot(run["chassis_tx.q"], run["chassis_ty.q"], color=color)
        across.plot(run.t, aside[name], color=color, label=name)
        height.plot(run.t, run["chassis_tz.q"], color=color)
    path.set_aspect("equal")
    across.legend()
    dress(path, "x [m]", "y [m]")
    dress(across, "t [s]", "left of the lane's middle [m]")
    dress(height, "t [s]", "height [m]")


LAP = Experiment("a lap of the track with Stanley's driver and with a preview driver", _run)
