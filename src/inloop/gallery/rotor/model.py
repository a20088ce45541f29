"""A hub driven by a motor, and blades on lag hinges that bend up and down.

A deformable rotor is one of the three models of the source's table (Morandini, Mantegazza and
others on MBDyn in real time); its data are not published. These data are typical of a model
helicopter, soft enough for a visible droop.
"""

from __future__ import annotations

import math

import inloop as il
from inloop.gallery import gravity_along

OFFSET, LENGTH = 0.2, 2.0  # distance of the lag hinges from the axis, length of a blade [m]
MASS = 1.2  # of a blade [kg/m]
EI = 150.0  # flap bending stiffness [N·m²]
HUB = 0.4  # moment of inertia about the axis [kg·m²]
SPEED = 20.0  # [rad/s]
HEIGHT = 1.1  # of the hub over the ground [m]


def rotor(blades: int = 4, elements: int = 4) -> il.Model:
    """A rotor that starts from rest.

    Args:
        blades: number of blades.
        elements: finite elements of each.
    """
    m = il.Model(
        "rotor", gravity=gravity_along("-z"), doc="Rotor of flexible blades on lag hinges."
    )
    speed = m.parameter("speed", SPEED, unit="rad/s", range=(0.0, 30.0), doc="motor set-point")
    stiffness = m.parameter(
        "EI", EI, unit="N*m^2", range=(20.0, 1000.0), doc="bending stiffness of a blade"
    )
    lag = m.parameter("lag", 1.5, unit="N*m*s/rad", range=(0.0, 20.0), doc="damping of lag hinges")
    hub = m.body(
        "hub",
        on=m.ground.point("mast", (0.0, 0.0, HEIGHT)),
        joint=il.revolute("z"),
        mass=3.0,
        inertia=(0.3, 0.3, HUB),
    )
    m.joint_force("hub", lambda qd: 60.0 * il.tanh(0.4 * (speed - qd)))
    for k in range(1, blades + 1):
        angle = 2.0 * math.pi * (k - 1) / blades
        at = (OFFSET * math.cos(angle), OFFSET * math.sin(angle), 0.0)
        m.flexible_link(
            f"blade_{k}",
            on=hub.frame(f"grip_{k}", at, il.rpy(0.0, 0.0, angle)),
            joint=il.revolute("z"),
            length=LENGTH,
            mass_per_length=MASS,
            EI=stiffness,
            elements=elements,
            damping=(0.1, 2e-3),
            along="x",
            bends_about="-y",
        )
        m.joint_force(f"blade_{k}", lambda qd: -lag * qd)
    return m
