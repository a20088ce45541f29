"""The model: sleeve and bird on a pole, with Glocker's data."""

from __future__ import annotations

import math
from typing import Any

import inloop as il
from inloop.gallery import gravity_along

SOURCE = (
    "Glocker 1995, Dynamik von Starrkörpersystemen mit Reibung und Stößen, TU München, pp. 162 ff."
)
POLE, HOLE, SLEEVE = 0.0025, 0.0031, 0.0058  # radii of pole and hole, half height of sleeve [m]
TO_SPRING, TO_BIRD = 0.010, 0.015  # from the pole's axis to the spring, on to the bird's center [m]
BEAK = (-0.0201, 0.020)  # from the bird's center, to the right and up [m]
SLEEVE_MASS, SLEEVE_INERTIA = 3e-4, 5e-9  # [kg, kg·m²]
BIRD_MASS, BIRD_INERTIA = 4.5e-3, 7e-7
SPRING = 0.0056  # [N·m/rad]
PECK, FRICTION = 0.5, 0.3  # restitution of the beak, friction of all contacts
AXIS = (0.0, -1.0, 0.0)  # positive rotation raises the x axis
TOP, LOWEST = 0.2, 0.012  # height of the sleeve initially, and on the foot [m]
BIRD_ANGLE, SPEEDS = -0.2788, (-0.3411, -7.4583)  # [rad], of the sleeve [m/s] and the bird [rad/s]


def jammed() -> float:
    """Angle at which the lower edge of the hole touches the pole [rad]."""
    # HOLE cos a + SLEEVE sin a = POLE
    return math.asin(POLE / math.hypot(HOLE, SLEEVE)) - math.atan2(HOLE, SLEEVE)


def woodpecker() -> il.Model:
    """Sleeve and bird in the x-z plane, joined by a spring; three hard contacts with the pole."""
    m = il.Model("woodpecker", gravity=gravity_along("-z"), doc="Woodpecker toy.")
    e = m.parameter("e", PECK, unit="1", range=(0.0, 1.0), doc="restitution of the beak")
    mu = m.parameter("mu", FRICTION, unit="1", range=(0.0, 1.0), doc="friction of the pole")
    c = m.parameter("spring", SPRING, unit="N*m/rad", range=(0.001, 0.02), doc="between the two")
    start = jammed()
    slide = m.body("slide", on=m.ground, joint=il.prismatic("z", initial=(TOP, SPEEDS[0])))
    turn = il.revolute(AXIS, initial=(start - 1e-9, 0.0))
    sleeve = m.body("sleeve", on=slide, joint=turn, mass=SLEEVE_MASS, inertia=(SLEEVE_INERTIA,) * 3)
    turn = il.revolute(AXIS, initial=(BIRD_ANGLE - start, SPEEDS[1]))
    bird = m.body(
        "bird",
        on=sleeve.point("spring", (TO_SPRING, 0.0, 0.0)),
        joint=turn,
        mass=BIRD_MASS,
        com=(TO_BIRD, 0.0, 0.0),
        inertia=(BIRD_INERTIA,) * 3,
    )
    m.joint_force(bird, lambda q, qd: -c * q, name="coil")
    # the pole as a half-space, on the side of the bird
    pole = m.ground.frame(
        "pole", (POLE, 0.0, 0.0), rotation=((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0))
    )
    places: dict[str, tuple[Any, Any]] = {
        "beak": (bird.point("beak", (TO_BIRD + BEAK[0], 0.0, BEAK[1])), e),
        "lower": (sleeve.point("lower", (HOLE, 0.0, -SLEEVE)), 0.0),
        "upper": (sleeve.point("upper", (HOLE, 0.0, SLEEVE)), 0.0),
    }
    for name, (place, bounce) in places.items():
        law = il.hard(restitution=bounce, friction=mu)
        m.contact(pole, il.plane(), place, il.point(), law=law, name=name)
    m.hard_stop(slide, 0.0, limits=(LOWEST, math.inf), name="foot")
    return m
