"""A lap of the track with Stanley's driver: banked turns, a hill, a wet patch."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.car.drivers import SpeedHold
from inloop.gallery.car.experiments.caster import SPEED
from inloop.gallery.car.experiments.plots import COLORS, GRAY, dress
from inloop.gallery.car.roads import road_of
from inloop.gallery.car.stanley import Course, Stanley

PERIOD = 0.01
LANE = -1
RADIUS = 90.0 + 1.75  # of the lane in turns [m]
BANK = 0.07  # [rad]


def lane_course(road: il.tyres.LineRoad, number: int = LANE) -> Course:
    """The middle of a lane, a point about every half meter."""
    lanes = [lane for lane in road.lanes(0.5) if lane.number == number]
    if not lanes:
        raise il.InputError(f"{road.name} has no lane {number}", fix="Give a road with that lane.")
    return Course(np.concatenate([0.5 * (a.left + a.right) for a in lanes])[:-1], closed=True)


class Lapping:
    """Holds a speed and follows a course."""

    def __init__(self, course: Course, speed: float) -> None:
        self.hold, self.stanley = SpeedHold(speed, PERIOD), Stanley(course)

    def reset(self) -> None:
        """As before the run."""
        self.hold.reset()
        self.stanley.reset()

    def __call__(self, t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        """Throttle and angle of the steering wheel."""
        return {"throttle": self.hold(outputs), "steering.q": self.stanley(outputs)}


def _run(bench: Bench) -> Outcome:
    road = road_of("track")
    plant = bench.compile(pedals=True, bars_as_laws=True, speed=SPEED, road=road)
    run = plant.simulate(
        t_end=bench.seconds or round(road.length / SPEED, 1), step=1e-3, method="rk4", sample=0.02,
        controller=Lapping(lane_course(road), SPEED), period=PERIOD,
    )  # fmt: skip
    x, y = run["chassis_tx.q"], run["chassis_ty.q"]
    s, t = road.place(x, y)
    v = np.hypot(run["chassis_tx.qd"], run["chassis_ty.qd"])
    rate = float(np.abs(run["chassis_rz.qd"]).max())
    return Outcome(
        figures={
            "way [m]": float(np.sum(np.hypot(np.diff(x), np.diff(y)))),
            "lap [m]": road.length,
            "farthest from the middle of the lane [m]": float(np.abs(t + 1.75).max()),
            "speed, lowest and highest [km/h]": (3.6 * float(v.min()), 3.6 * float(v.max())),
            "largest yaw rate [rad/s]": rate,
            "V / R of the turns [rad/s]": SPEED / RADIUS,
            "lateral acceleration less bank, by hand [m/s²]": SPEED**2 / RADIUS
            - 9.81 * math.tan(BANK),
            "height of the hill [m]": float(np.ptp(run["chassis_tz.q"])),
        },
        draw=lambda figure: _draw(figure, road, run, s, t),
        size=(9.0, 7.0),
    )


def _draw(figure: Any, road: il.tyres.LineRoad, run: il.Result, s: Any, t: Any) -> None:
    path, aside, height = figure.subplots(3, 1)
    for mark in road.marks():
        path.plot(*mark.points[:, :2].T, color=GRAY, linewidth=0.7)
    path.plot(run["chassis_tx.q"], run["chassis_ty.q"], color=COLORS[1])
    path.set_aspect("equal")
    aside.plot(run.t, t + 1.75, color=COLORS[0])
    height.plot(run.t, run["chassis_tz.q"], color=COLORS[2])
    dress(path, "x [m]", "y [m]")
    dress(aside, "t [s]", "left of the lane's middle [m]")
    dress(height, "t [s]", "height [m]")


LAP = Experiment("a lap of the track with Stanley's driver", _run)
