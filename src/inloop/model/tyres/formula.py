"""What a formula of a tyre is told, and what it returns.

Axes of the contact (ISO): e1 forwards in the plane of the wheel, e2 to the left, n up from the
road. A slip angle is positive where the wheel moves to the left of where it points, so that the
lateral force is negative there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Protocol, runtime_checkable

from inloop.model.geometry import Scalar

Side = Literal["left", "right"]


@dataclass(frozen=True)
class Slip:
    """How a tyre rolls.

    Attributes:
        load: that presses it on the road, not negative [N].
        kappa: longitudinal slip, -V_slip / |V|: positive where it drives, -1 where it is locked.
        alpha: slip angle [rad].
        gamma: camber: the wheel leans to the right [rad].
        speed: along e1 [m/s].
        grip: of the road, by which coefficients of friction are multiplied [1].
    """

    load: Scalar
    kappa: Scalar
    alpha: Scalar
    gamma: Scalar = 0.0
    speed: Scalar = 0.0
    grip: Scalar = 1.0


@dataclass(frozen=True)
class TyreForces:
    """Forces on the tyre at the point of contact [N], moments there [N·m].

    Attributes:
        longitudinal: Fx, along e1.
        lateral: Fy, along e2.
        overturning: Mx, about e1.
        rolling: My, about e2, of a tyre that rolls forwards.
        aligning: Mz, about n.
    """

    longitudinal: Scalar
    lateral: Scalar
    overturning: Scalar = 0.0
    rolling: Scalar = 0.0
    aligning: Scalar = 0.0


@runtime_checkable
class TyreFormula(Protocol):
    """Forces of a tyre in steady slip; an object of a user's own class may be one.

        class Linear:
            nominal_load, side = 3000.0, None

            def forces(self, slip):
                return il.tyres.TyreForces(40e3 * slip.kappa, -30e3 * slip.alpha)

    It is called once with symbols: use il.sin, il.where, ... It must not divide by the load, which
    is 0 where the wheel has left the road.

    Attributes:
        nominal_load: for which it was made [N]; sizes of a tyre at rest follow from it.
        side: on which it was measured; on the other one it is mirrored. None: it is symmetric.

    A formula that knows how far its tyre rolls until a force is there has a method
    `relaxation(slip)`, which returns the lengths (of kappa, of alpha) [m].
    """

    @property
    def nominal_load(self) -> float:
        """For which it was made [N]."""

    @property
    def side(self) -> Side | None:
        """On which it was measured."""

    def forces(self, slip: Slip, /) -> TyreForces:
        """Forces and moments in steady slip."""


def mirrored(formula: TyreFormula, slip: Slip) -> TyreForces:
    """What the same tyre gives on the other side of the vehicle."""
    found = formula.forces(replace(slip, alpha=-slip.alpha, gamma=-slip.gamma))
    return replace(
        found, lateral=-found.lateral, overturning=-found.overturning, aligning=-found.aligning
    )
