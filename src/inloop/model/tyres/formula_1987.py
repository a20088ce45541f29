"""The formula of 1987: Bakker, Nyborg and Pacejka, SAE paper 870421, for one tyre.

Coefficients as in UCLouvain's course on vehicle dynamics (github.com/huensf/vsd). With x the slip
in percent or the angle in degrees and f the load in kN,

    y = D sin(C atan(B phi)) + Sv,   phi = (1 - E)(x + Sh) + E/B atan(B (x + Sh)).

The course has the lateral force to the right; here it is to the left, and so the aligning moment.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from inloop.model.geometry import Scalar
from inloop.model.tyres.formula import Side, Slip, TyreForces
from inloop.symbolic import functions as sf

DEGREES = 180.0 / math.pi


@dataclass(frozen=True)
class Formula1987:
    """The tyre of the paper.

    Attributes:
        nominal_load: in the middle of what it was made for [N].
        side: None, as it is symmetric.
        with_aligning_moment: False leaves out Mz, as the course does.
    """

    nominal_load: float = 4000.0
    side: Side | None = None
    with_aligning_moment: bool = True

    def forces(self, slip: Slip) -> TyreForces:
        """Forces and moments in steady slip."""
        # less grip: smaller forces that grow as steeply with small slip
        g = slip.grip
        f = slip.load / 1000.0
        kappa, tangent = 100.0 * slip.kappa / g, sf.tan(slip.alpha) / g
        alpha, gamma = DEGREES * sf.atan(tangent), DEGREES * slip.gamma
        x, y = _shares(slip.kappa, sf.tan(slip.alpha))
        aligning = -g * _aligning(f, alpha, gamma) if self.with_aligning_moment else 0.0
        return TyreForces(
            g * x * _longitudinal(f, kappa), -g * y * _lateral(f, alpha, gamma), aligning=aligning
        )


def _shares(kappa: Scalar, tangent: Scalar) -> tuple[Scalar, Scalar]:
    """Parts of the pure forces that are there in combined slip; both are whole without slip."""
    squares = kappa * kappa + tangent * tangent
    some = squares > 1e-24
    size = sf.sqrt(sf.where(some, squares, 1.0))
    x = sf.where(some, sf.absolute(kappa) / size, 1.0)
    return x, sf.where(some, sf.absolute(tangent) / size, 1.0)


def _longitudinal(f: Scalar, x: Scalar) -> Scalar:
    """Fx [N]; the load f [kN] is cancelled from B."""
    c, d_by_f = 1.65, -21.3 * f + 1144.0
    b = (49.6 * f + 226.0) / (c * d_by_f * sf.exp(0.069 * f))
    return f * d_by_f * _shape(b, c, (-0.006 * f + 0.056) * f + 0.486, x)


def _lateral(f: Scalar, x: Scalar, gamma: Scalar) -> Scalar:
    """Fy to the right [N]."""
    c, d = 1.30, (-22.1 * f + 1011.0) * f
    slope = 1078.0 * sf.sin(1.82 * sf.atan(0.208 * f)) * (1.0 - 0.022 * sf.absolute(gamma))
    # as the load goes to 0, slope / d goes to 1078 * 1.82 * 0.208 / 1011
    loaded = f > 1e-9
    b = sf.where(loaded, slope / (c * sf.where(loaded, d, 1.0)), 0.4036539 / c)
    return d * _shape(b, c, -0.354 * f + 0.707, x + 0.028 * gamma) + 14.8 * f * gamma


def _aligning(f: Scalar, x: Scalar, gamma: Scalar) -> Scalar:
    """Mz for a force to the right [N·m]; the load f [kN] is cancelled from B."""
    size = sf.absolute(gamma)
    c, d_by_f = 2.40, -2.72 * f - 2.28
    b = (-1.86 * f - 2.73) * (1.0 - 0.03 * size) / (c * d_by_f * sf.exp(0.11 * f))
    e = ((-0.07 * f + 0.643) * f - 4.04) * (1.0 - 0.07 * size)
    shift = (-0.066 * f + 0.945) * f * gamma
    return f * d_by_f * _shape(b, c, e, x + 0.015 * gamma) + shift


def _shape(b: Scalar, c: float, e: Scalar, x: Scalar) -> Scalar:
    return sf.sin(c * sf.atan(b * (1.0 - e) * x + e * sf.atan(b * x)))
