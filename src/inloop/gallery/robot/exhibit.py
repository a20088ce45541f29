"""The robot as an exhibit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import inloop as il
from inloop.gallery import (
    Controller,
    CProgram,
    Exhibit,
    Guided,
    Option,
    Reference,
    Slider,
    View,
)
from inloop.gallery.puma560.looks import puma560_looks
from inloop.gallery.puma560.model import POSES, SOURCE, puma560
from inloop.gallery.robot.model import LIMITS, READY, robot
from inloop.gallery.robot.paths import PATHS, drawn

PROGRAMS = "inloop.gallery.robot.controllers"
IN_C = Path(__file__).parent / "controllers" / "robot_controller.c"


def _in_c(law: str) -> CProgram:
    return CProgram(IN_C, puma560, ("inverse_dynamics",), (law,))


GAINS = {
    "kp": Slider(225.0, 0.0, 900.0, "1/s^2", "stiffness per inertia"),
    "kd": Slider(30.0, 0.0, 90.0, "1/s", "damping per inertia"),
}
TRACKING = {
    **GAINS,
    "friction": Slider(1.0, 0.0, 1.5, "", "fraction of the friction that is fed forward"),
    "seconds": Slider(6.0, 2.0, 20.0, "s", "time for one round of the path"),
}
GOALS = {
    f"joint_{k + 1}": Slider(value, *LIMITS[k], "rad", "set-point") for k, value in enumerate(READY)
}
CURVES = {name: drawn(path) for name, path in PATHS.items()}


def _guided(opens_with: str = "") -> Guided:
    return Guided(GOALS, CURVES, opens_with)


def _gravity_torque(plant: il.Plant) -> Any:
    rest = [0.0] * 6
    return plant.inverse_dynamics(READY, rest, rest)


EXHIBIT = Exhibit(
    name="robot",
    title="PUMA 560 with friction and stops, to be controlled",
    look_at="A controller moves its tool along a path. Choose another, drag the point, push it.",
    make=robot,
    start="at rest in the pose q_n, motors without current",
    seconds=3.0,
    view=View(
        "xyz",
        (
            ("joint_1.q", "joint_2.q", "joint_3.q"),
            ("joint_1.qd", "joint_2.qd", "joint_3.qd"),
        ),
        times=(0.0, 0.2, 0.4),
    ),
    options={"friction": Option(True, "LuGre friction in every joint")},
    poses={**POSES, "ready": READY},
    looks=puma560_looks,
    reach=((-0.35, -0.4, -0.36), (0.8, 0.3, 1.15)),
    references=(
        Reference(
            what="gravity torques in q_n",
            value=(0.0, 31.6398803784, 6.0351380230, 0.0, 0.0282528, 0.0),
            unit="N·m",
            tolerance=1e-9,
            source=SOURCE,
            measure=_gravity_torque,
        ),
    ),
    controllers={
        "pd": Controller(
            "PD control with gravity compensation",
            f"{PROGRAMS}.pd",
            settings=True,
            sliders=TRACKING,
            piped=True,
            guided=_guided(),
        ),
        "computed_torque": Controller(
            "computed torque: the model makes each joint a double integrator",
            f"{PROGRAMS}.computed_torque",
            settings=True,
            sliders=TRACKING,
            piped=True,
            guided=_guided("figure eight"),
        ),
        "pd_c": Controller("the first in C", _in_c("pd"), settings=True, sliders=GAINS),
        "computed_torque_c": Controller(
            "the second in C", _in_c("computed_torque"), settings=True, sliders=GAINS
        ),
    },
)
