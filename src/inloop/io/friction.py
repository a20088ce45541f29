"""Dry friction of joints in files, as a law with true sticking.

Files give one number, the force or torque at which a joint starts to move. The bristles of the
LuGre law hold a joint at rest; under this force they deflect by the given amount.
"""

from __future__ import annotations

import math

from inloop.errors import InputError
from inloop.model import ModelBuilder
from inloop.model.names import quoted

DEFLECTION = 1e-3
"""Deflection of the bristles under the full friction force [rad or m]."""

SETTLING = 0.01
"""Time constant of the bristles [s]: their damping divided by their stiffness."""


def stick(
    model: ModelBuilder, coordinate: str, friction: float, deflection: float, name: str
) -> None:
    """Add dry friction with sticking to a coordinate.

    Args:
        model: model of the joint.
        coordinate: coordinate on which friction acts.
        friction: breakaway force or torque [N or N·m].
        deflection: see `DEFLECTION` [rad or m].
        name: name of the law.
    """
    stiffness = friction / deflection
    model.lugre(
        coordinate, coulomb=friction, stiffness=stiffness, damping=SETTLING * stiffness, name=name
    )


def check_deflection(deflection: object) -> None:
    """Raise InputError for an invalid deflection; None omits friction."""
    if deflection is None:
        return
    if isinstance(deflection, (int, float)) and 0.0 < deflection < math.inf:
        return
    raise InputError(
        f"friction_deflection = {quoted(deflection)} is not a length or angle",
        fix="Give a small positive number [rad or m], such as 1e-3.",
    )
