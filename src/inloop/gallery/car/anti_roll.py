"""Anti-roll bars of the car: modeled by massless bodies, or by their energy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import inloop as il
from inloop.gallery.car.hard_points import SIDES, Axle, Corner
from inloop.gallery.suspension.model import PIVOT_Y, UPPER_Z

LEVER, HALF, LINK = 0.30, 0.55, 0.25  # lever ahead, half of the bar, drop link upwards [m]
SEAT_X, SEAT_Z = {"front": -0.2, "rear": -3.08}, -0.05
DROP_X = {"front": 0.08, "rear": -2.68}  # where drop links end, on the upper arms [m]


def add_bar(m: il.Model, chassis: Any, uppers: Mapping[str, Any], axle: Axle) -> None:
    """Two halves of a bar joined by a torsion spring, each with a drop link to its upper arm."""
    name = axle.name
    seat = chassis.point(f"bar_{name}_seat", (SEAT_X[name], 0.0, SEAT_Z))
    left = m.body(f"bar_{name}", on=seat, joint=il.revolute("y"))
    right = m.body(f"torsion_{name}", on=left, joint=il.revolute("y"))
    m.torsion_spring(right, axle.bar, name=f"anti_roll_{name}")
    for half, (side, sign) in zip((left, right), SIDES.items(), strict=True):
        corner = Corner(axle, side)
        link = m.chain(
            f"drop_{corner.name}",
            on=half.point("lever", (LEVER, sign * HALF, 0.0)),
            joints=il.universal("x", "y"),
        )
        # the end keeps its position when the caster changes
        on_arm = uppers[corner.name].point(
            "drop", corner.outward(HALF - PIVOT_Y, DROP_X[name] - corner.upper_x)
        )
        m.close(link.point("end", (0.0, 0.0, LINK)), on_arm, name=f"drop_link_{corner.name}")


def add_bar_law(m: il.Model, uppers: Mapping[str, Any], axle: Axle) -> None:
    """The same bar by its energy: its lever angles are functions of the arm angles."""
    arms = [uppers[Corner(axle, side).name] for side in SIDES]

    def energy(q: tuple[Any, Any]) -> Any:
        left, right = (_lever_angle(a, Corner(axle, s)) for a, s in zip(q, SIDES, strict=True))
        return 0.5 * axle.bar * (right - left) ** 2

    m.potential(arms, energy, name=f"anti_roll_{axle.name}")


def _lever_angle(arm: Any, corner: Corner) -> Any:
    """Angle of a lever about y [rad] whose drop link keeps its length.

    With X, Y, Z from the bar's axis to the link's end on the arm, Y less half of the bar,
    X cos a - Z sin a = (X² + Y² + Z² + lever² - link²) / (2 lever).

    Args:
        arm: angle of the upper arm [rad].
        corner: its corner.
    """
    axle, reach = corner.axle.name, HALF - PIVOT_Y
    X = DROP_X[axle] - SEAT_X[axle]
    Y = reach * (il.cos(arm) - 1.0)
    Z = UPPER_Z + corner.axle.pivots + corner.sign * reach * il.sin(arm) - SEAT_Z
    c = (X * X + Y * Y + Z * Z + LEVER**2 - LINK**2) / (2.0 * LEVER)
    # of the two solutions, the one with the lever below its link
    return il.acos(c / il.sqrt(X * X + Z * Z)) - il.atan2(Z, X)
