"""The PUMA 560 as a plant for controllers: friction that sticks, elastic stops, pushes."""

from __future__ import annotations

import math
from typing import Any

import inloop as il
from inloop.gallery import gravity_along
from inloop.gallery.puma560.model import (
    DH_TABLE,
    NOMINAL_MASS_MATRIX,
    SOURCE,
    DhRow,
    add_link,
)

DEGREE = math.pi / 180.0
# of the joints [rad], from the Robotics Toolbox; q_n is within them if joint 3 is one turn back
LIMITS = tuple(
    (low * DEGREE, high * DEGREE)
    for low, high in ((-160, 160), (-45, 225), (-225, 45), (-110, 170), (-100, 100), (-266, 266))
)
READY = (0.0, math.pi / 4, -math.pi, 0.0, math.pi / 4, 0.0)
INERTIAS = tuple(NOMINAL_MASS_MATRIX[k] for k in (0, 6, 11, 15, 18, 20))  # diagonal of M [kg·m²]

# plausible, not measured: the published table has dry and viscous friction only
BREAKAWAY = 1.3  # static over dry friction
DEFLECTION = 2.5e-3  # of the bristles at breakaway [rad]
STRIBECK = 0.02  # [rad/s]
BRISTLE_DAMPING = 0.5  # damping ratio
STOP = 60.0  # natural frequency of a joint at its stop [rad/s]


def robot(friction: bool = True) -> il.Model:
    """The arm of `puma560` with stops, a push at the flange and friction.

    Args:
        friction: elasto-plastic LuGre friction with a Stribeck curve in every joint. Dry friction
            is the mean of both directions.
    """
    m = il.Model(
        "robot",
        gravity=gravity_along("-z"),
        doc=f"PUMA 560 to be controlled. Data: {SOURCE}; friction near rest is assumed.",
        strict_inertia=False,
    )
    on: Any = m.ground
    for number, (row, start) in enumerate(zip(DH_TABLE, READY, strict=True), start=1):
        on = add_link(m, number, row, on, start)
        joint, inertia = f"joint_{number}", INERTIAS[number - 1]
        m.joint_stop(
            joint,
            stiffness=STOP**2 * inertia,
            damping=STOP * inertia,
            limits=LIMITS[number - 1],
            name=f"stop_{number}",
        )
        if friction:
            _add_friction(m, number, row, inertia)
    payload = m.parameter("payload", 0.0, unit="kg", range=(0.0, 2.5), doc="mass at the flange")
    m.body("load", on=on, joint=il.fixed(), mass=payload)
    push = [
        m.parameter(f"push_{a}", 0.0, unit="N", range=(-100.0, 100.0), doc=f"on the flange, {a}")
        for a in "xyz"
    ]
    m.force("link_6.flange", lambda t: tuple(push), name="push")
    return m


def _add_friction(m: il.Model, number: int, row: DhRow, inertia: float) -> None:
    """Friction of the motor at the joint: |G| Tc and G² B."""
    forward, backward = (abs(row.gear * tc) for tc in row.coulomb)
    dry = 0.5 * (forward + backward)
    stiffness = BREAKAWAY * dry / DEFLECTION
    m.lugre(
        f"joint_{number}",
        stiffness=stiffness,
        damping=BRISTLE_DAMPING * 2.0 * math.sqrt(stiffness * inertia),
        coulomb=dry,
        static=BREAKAWAY * dry,
        viscous=row.gear**2 * row.viscous,
        stribeck=STRIBECK,
        name=f"friction_{number}",
    )
