"""The model: the PUMA 560 with a hard stop and a servo in every joint, and an obstacle."""

from __future__ import annotations

from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import gravity_along
from inloop.gallery.puma560.model import DH_TABLE, SOURCE, add_link
from inloop.gallery.robot.model import INERTIAS, LIMITS, READY
from inloop.gallery.robot_obstacle.kinematics import TOOL, gravity_torques, reached, tool_place

BUFFER = 0.03  # radius of the tool's end [m]
BLOCK = (0.16, 0.3, 0.36)  # [m]
STIFFNESS, DAMPING = 225.0, 30.0  # of the servos, per inertia [1/s², 1/s]
RESTITUTION, FRICTION = 0.3, 0.3
AWAY, BEYOND = -0.14, 0.05  # of the tool relative to the block: start and target [m]
NOMINAL = np.array(READY)  # the tool touches the block in this pose
BACK, FORWARD = reached(NOMINAL, AWAY), reached(NOMINAL, BEYOND)
FACE = float(tool_place(NOMINAL)[0]) + BUFFER  # of the block [m]
CENTER = (FACE + 0.5 * BLOCK[0], *(float(x) for x in tool_place(NOMINAL)[1:]))


def robot_obstacle() -> il.Model:
    """An arm whose tool is driven against a block.

    Input "press" moves the set-points of all joints from 0, away from the block, to 1, where the
    tool would be 5 cm inside it. The torques that hold the nominal pose are fed forward.
    """
    m = il.Model(
        "robot_obstacle",
        gravity=gravity_along("-z"),
        doc=f"PUMA 560 that hits a block. Data: {SOURCE}; servos are assumed.",
        strict_inertia=False,
    )
    e = m.parameter("e", RESTITUTION, unit="1", range=(0.0, 1.0), doc="restitution of the buffer")
    mu = m.parameter("mu", FRICTION, unit="1", range=(0.0, 1.5), doc="friction of the block")
    kp = m.parameter("kp", STIFFNESS, unit="1/s^2", range=(0.0, 900.0), doc="servos, by inertia")
    kd = m.parameter("kd", DAMPING, unit="1/s", range=(0.0, 90.0), doc="servos, by inertia")
    press = m.input("press", "1", "0: away from the block, 1: into it")
    carried = gravity_torques(NOMINAL)
    on: Any = m.ground
    for k, row in enumerate(DH_TABLE):
        on = add_link(m, k + 1, row, on, float(BACK[k]))
        goal = float(BACK[k]) + float(FORWARD[k] - BACK[k]) * press
        m.joint_force(f"joint_{k + 1}", _servo(k, goal, kp, kd, float(carried[k])),
                      name=f"servo_{k + 1}")  # fmt: skip
        m.hard_stop(f"joint_{k + 1}", 0.0, LIMITS[k], name=f"stop_{k + 1}")
    tool = m.body("tool", on=on, joint=il.fixed())
    at = tool.point("buffer", (0.0, 0.0, TOOL))
    block = m.ground.frame("block", CENTER)
    law = il.hard(restitution=e, friction=mu)
    m.contact(block, il.box(BLOCK), at, il.sphere(BUFFER), law=law, name="hit")
    return m


def _servo(k: int, goal: Any, kp: Any, kd: Any, carried: float) -> Any:
    inertia = INERTIAS[k]
    return lambda q, qd: inertia * (kp * (goal - q) - kd * qd) + carried
