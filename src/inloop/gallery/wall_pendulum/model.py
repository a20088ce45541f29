"""The model: two balls on bars in hard contact with a wall."""

from __future__ import annotations

import math

import inloop as il
from inloop.gallery import gravity_along

UPPER, LOWER = 0.5, 0.4  # lengths of the bars [m]
ELBOW, TIP = 1.0, 0.6  # masses [kg]
BALL = 0.06  # radius of both masses [m]
WALL = 0.2  # from the pivot [m]
RESTITUTION = 0.7
START = (math.radians(-75.0), math.radians(25.0))  # of the upper bar, and between the bars
AXIS = (0.0, -1.0, 0.0)  # positive rotation is towards the wall


def wall_pendulum() -> il.Model:
    """Two balls on massless bars in the x-z plane, with hard contacts at the wall x = 0.2 m."""
    m = il.Model("wall_pendulum", gravity=gravity_along("-z"), doc="Double pendulum at a wall.")
    e = m.parameter("e", RESTITUTION, unit="1", range=(0.0, 1.0), doc="restitution of the wall")
    mu = m.parameter("mu", 0.0, unit="1", range=(0.0, 1.0), doc="friction of the wall")
    turn = il.revolute(AXIS, initial=(START[0], 0.0))
    upper = m.body("upper", on=m.ground, joint=turn, mass=ELBOW, com=(0.0, 0.0, -UPPER))
    elbow = upper.point("elbow", (0.0, 0.0, -UPPER))
    turn = il.revolute(AXIS, initial=(START[1], 0.0))
    lower = m.body("lower", on=elbow, joint=turn, mass=TIP, com=(0.0, 0.0, -LOWER))
    tip = lower.point("tip", (0.0, 0.0, -LOWER))
    # a half-space whose outside faces the pivot
    wall = m.ground.frame(
        "wall", (WALL, 0.0, 0.0), rotation=((0.0, 0.0, -1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    )
    for name, place in (("elbow", elbow), ("tip", tip)):
        law = il.hard(restitution=e, friction=mu)
        m.contact(wall, il.plane(), place, il.sphere(BALL), law=law, name=f"{name}_wall")
    return m
