"""Dry friction of joints in files, as a law that sticks.

Files tell one number, the force or torque at which a joint begins to move. LuGre's bristles hold a
joint at rest: under this force they give way by the deflection that the reader is given.
"""

from __future__ import annotations

import math

from inloop.errors import InputError
from inloop.model import ModelBuilder
from inloop.model.names import quoted

DEFLECTION = 1e-3
"""By how much bristles give way under the whole friction [rad or m]."""

SETTLING = 0.01
"""Time constant with which bristles come to rest [s]: their damping by their stiffness."""


def stick(
    model: ModelBuilder, coordinate: str, friction: float, deflection: float, name: str
) -> None:
    """Let a coordinate stick.

    Args:
        model: what the joint is part of.
        coordinate: the one that friction acts on.
        friction: at which it begins to move [N or N·m].
        deflection: see `DEFLECTION` [rad or m].
        name: of the law.
    """
    stiffness = friction / deflection
    model.lugre(
        coordinate, coulomb=friction, stiffness=stiffness, damping=SETTLING * stiffness, name=name
    )


def check_deflection(deflection: object) -> None:
    """Complain about a deflection that makes no sense; None leaves friction out."""
    if deflection is None:
        return
    if isinstance(deflection, (int, float)) and 0.0 < deflection < math.inf:
        return
    raise InputError(
        f"friction_deflection = {quoted(deflection)} is not a length or angle",
        fix="Give a small positive number [rad or m], such as 1e-3.",
    )
