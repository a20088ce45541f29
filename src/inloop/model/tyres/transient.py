"""A tyre that takes up slip while it rolls, and carries like a spring where it stands.

States are deflections: u along e1 and v along e2 [m], and the twist b about the normal [rad].

    du/dt = -V_slide - |V| u / sigma_kappa - bound,    kappa = u / sigma_kappa
    dv/dt =  V_across - |V| v / sigma_alpha - bound,   tan alpha = v / sigma_alpha

In steady slip this is the formula; without speed the tyre is a spring of the stiffness K / sigma
with the formula's saturation. Bounds keep deflections finite where a wheel spins or slides on the
spot: |V_slip| (u/u_L)|u/u_L|^7 with u_L = 2 sigma, which takes 0.4 % off a slip of 1 and nothing
off small ones. Where a tyre stands, the rates of its deflections are damped; one that slides has
none, so that damping adds nothing to friction. Static slip, which needs no states, makes the spin
of a wheel unstable at low speed: its time constant is J V / (K r²).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from inloop.model.geometry import Scalar
from inloop.model.tyres.formula import Slip, TyreFormula
from inloop.model.tyres.rolling import Contact
from inloop.symbolic import functions as sf

GRAVITY = 9.81  # by which loads are made masses [m/s²]
BOUND = 2.0  # of a deflection, by the relaxation length
SHORTEST = 0.2  # relaxation length, by that under the nominal load: a wheel in the air has none
DAMPING = 0.27  # of a vehicle that rocks on tyres that stand, by the critical one
TWIST = 0.1  # at which a tyre that turns on the spot slips [rad]


@dataclass(frozen=True)
class Standing:
    """Sizes of a tyre that stands.

    Attributes:
        lengths: relaxation lengths of kappa and alpha under the nominal load [m].
        damping: of deflections along e1 and e2 [N·s/m].
        slow: speed at which damping and moments of standing are gone [m/s].
        pressure: of the tyre [Pa]; None: it turns on the spot without a moment.
    """

    lengths: tuple[float, float]
    damping: tuple[float, float]
    slow: float
    pressure: float | None


def stand(
    formula: TyreFormula, lengths: tuple[float, float], radius: float, pressure: float | None
) -> Standing:
    """Sizes that follow from the nominal load and from the formula's slopes there."""
    load, step = formula.nominal_load, 1e-4
    ends = [formula.forces(Slip(load, k, 0.0)).longitudinal for k in (-step, step)]
    sides = [formula.forces(Slip(load, 0.0, a)).lateral for a in (step, -step)]
    slopes = (float(b - a) / (2.0 * step) for a, b in (ends, sides))
    springs = [max(slope, 0.0) / length for slope, length in zip(slopes, lengths, strict=True)]
    damping = [2.0 * DAMPING * math.sqrt(k * load / GRAVITY) for k in springs]
    return Standing(lengths, (damping[0], damping[1]), slow_speed(radius), pressure)


def slow_speed(radius: float) -> float:
    """Speed below which a tyre of a radius [m] counts as standing [m/s]: 2.6 for 0.34 m."""
    return 1.4 * math.sqrt(GRAVITY * radius)


def rates(
    at: Contact, u: Scalar, v: Scalar, lengths: tuple[Scalar, Scalar]
) -> tuple[Scalar, Scalar]:
    """Rates of the deflections [m/s]."""
    speed, (of_kappa, of_alpha) = sf.absolute(at.rolling), lengths
    du = -at.sliding - speed * u / of_kappa - _bound(at.sliding, u / (BOUND * of_kappa))
    dv = at.across - speed * v / of_alpha - _bound(at.across, v / (BOUND * of_alpha))
    return du, dv


def twist_rate(at: Contact, b: Scalar, half_length: Scalar) -> Scalar:
    """Rate of the twist [rad/s]; rolling over half the patch takes it away."""
    return at.turning - sf.absolute(at.rolling) * b / half_length - _bound(at.turning, b / TWIST)


def twist_moment(at: Contact, b: Scalar, load: Scalar, pressure: float) -> Scalar:
    """Moment about the normal of a tyre that turns on the spot, after Gough [N·m].

    Slipping it is (mu / 3) sqrt(load³ / pressure).
    """
    share = sf.maximum(-1.0, sf.minimum(1.0, b / TWIST))
    return -(at.grip / 3.0) * sf.power(load, 1.5) / math.sqrt(pressure) * share


def fade(speed: Scalar, slow: float) -> Scalar:
    """1 where a tyre stands, 0 from a speed on, smooth in between."""
    x = sf.minimum(sf.absolute(speed) / slow, 1.0)
    return 0.5 + 0.5 * sf.cos(math.pi * x)


def _bound(velocity: Scalar, share: Scalar) -> Scalar:
    square = share * share
    fourth = square * square
    return sf.absolute(velocity) * share * sf.absolute(share) * square * fourth
