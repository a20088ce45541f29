"""Suspension of one wheel of the car: arms, knuckle, wheel, spring and damper."""

from __future__ import annotations

from typing import Any

import inloop as il
from inloop.gallery.car.hard_points import Corner
from inloop.gallery.suspension.model import (
    ARM,
    KNUCKLE_MASS,
    RACK_HALF,
    WHEEL_INERTIA,
    WHEEL_MASS,
)

TIE_ROD = (0.1, 0.5465513)  # ahead and outward from the end of the rack: wheels point ahead


def add_corner(
    m: il.Model, chassis: Any, rack: Any, corner: Corner, start: tuple[float, float]
) -> tuple[Any, Any, Any]:
    """Add all bodies of a corner; return lower arm, upper arm and wheel.

    Args:
        m: the model.
        chassis: its chassis.
        rack: its rack.
        corner: its hard points.
        start: initial angle of the lower arm [rad] and rate of the wheel [rad/s].
    """
    lower, upper = (_add_arm(m, chassis, corner, arm, start[0]) for arm in ("lower", "upper"))
    if corner.axle.name == "front":
        knuckle = _add_front_knuckle(m, lower, upper, corner)
        _add_tie_rod(m, rack, knuckle, corner)
    else:
        knuckle = _add_rear_knuckle(m, lower, upper, corner)
    wheel = m.body(
        f"wheel_{corner.name}",
        on=knuckle.frame("hub", corner.hub, corner.wheel_rotation),
        joint=il.revolute("y", name=f"spin_{corner.name}", initial=(0.0, start[1])),
        mass=WHEEL_MASS,
        inertia=WHEEL_INERTIA,
    )
    m.spring(
        chassis.point(f"spring_{corner.name}", corner.spring_on_chassis),
        lower.point("spring", corner.spring_on_arm),
        corner.axle.stiffness,
        corner.axle.damping,
        free_length=corner.axle.free_length,
        name=f"spring_{corner.name}",
    )
    return lower, upper, wheel


def _add_arm(m: il.Model, chassis: Any, corner: Corner, arm: str, angle: float) -> Any:
    """A massless arm."""
    pivot = chassis.point(f"{arm}_pivot_{corner.name}", corner.pivot(arm))
    joint = il.revolute("x", initial=(angle, 0.0))
    return m.body(f"{arm}_{corner.name}", on=pivot, joint=joint)


def _add_front_knuckle(m: il.Model, lower: Any, upper: Any, corner: Corner) -> Any:
    """Knuckle on the ball of the upper arm, closed at the lower one."""
    knuckle = m.chain(
        f"knuckle_{corner.name}",
        on=upper.point("ball", corner.outward(ARM)),
        joints=[il.revolute("z"), il.revolute("x"), il.revolute("y")],
        mass=KNUCKLE_MASS,
    )
    _close_lower_ball(m, knuckle, lower, corner)
    return knuckle


def _add_rear_knuckle(m: il.Model, lower: Any, upper: Any, corner: Corner) -> Any:
    """Knuckle that turns about x only: the wishbone moves in the y-z plane."""
    knuckle = m.body(
        f"knuckle_{corner.name}",
        on=upper.point("ball", corner.outward(ARM)),
        joint=il.revolute("x"),
        mass=KNUCKLE_MASS,
    )
    _close_lower_ball(m, knuckle, lower, corner)
    return knuckle


def _close_lower_ball(m: il.Model, knuckle: Any, lower: Any, corner: Corner) -> None:
    m.close(
        knuckle.point("lower", corner.lower_ball),
        lower.point("ball", corner.outward(ARM)),
        name=f"lower_ball_{corner.name}",
    )


def _add_tie_rod(m: il.Model, rack: Any, knuckle: Any, corner: Corner) -> None:
    rod = m.chain(
        f"tie_{corner.name}",
        on=rack.point(f"end_{corner.name}", corner.outward(RACK_HALF)),
        joints=il.universal("z", "x"),
    )
    m.close(
        rod.point("end", corner.outward(TIE_ROD[1], TIE_ROD[0])),
        knuckle.point("steer", corner.steering_arm),
        name=f"tie_rod_{corner.name}",
    )
