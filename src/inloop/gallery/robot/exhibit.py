"""The robot as an exhibit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import inloop as il
from inloop.gallery import Controller, CProgram, Exhibit, Option, Reference, View
from inloop.gallery.puma560.looks import puma560_looks
from inloop.gallery.puma560.model import POSES, SOURCE, puma560
from inloop.gallery.robot.model import READY, robot

PROGRAMS = "inloop.gallery.robot.controllers"
IN_C = Path(__file__).parent / "controllers" / "robot_controller.c"


def _in_c(law: str) -> CProgram:
    return CProgram(IN_C, puma560, ("inverse_dynamics",), (law,))


def _gravity_torque(plant: il.Plant) -> Any:
    rest = [0.0] * 6
    return plant.inverse_dynamics(READY, rest, rest)


EXHIBIT = Exhibit(
    name="robot",
    title="PUMA 560 with friction and stops, to be controlled",
    look_at="Run it with a controller: inloop run robot --rate 1000 --controller computed_torque.",
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
        "pd": Controller("PD control with gravity taken off", f"{PROGRAMS}.pd", settings=True),
        "computed_torque": Controller(
            "computed torque", f"{PROGRAMS}.computed_torque", settings=True
        ),
        "pd_c": Controller("the first in C", _in_c("pd"), settings=True),
        "computed_torque_c": Controller("the second in C", _in_c("computed_torque"), settings=True),
    },
)
