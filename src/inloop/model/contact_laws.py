"""How surfaces press and rub: normal forces from depth and speed, friction from slip.

A depth d is how far two surfaces overlap, max(0, -gap) [m]; its rate is positive while they
close [m/s]. Forces never pull. All numbers may be expressions of parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from inloop.model.geometry import Scalar
from inloop.model.intake import Intake
from inloop.symbolic import Expr
from inloop.symbolic import functions as sf

Rates = dict[str, Scalar]
Values = Mapping[str, Scalar]
Slip = Sequence[Scalar]
# under the roots of magnitudes, so that they have a slope at zero [m²/s², m²]
TINY_SQUARE = 1e-24


def _at_least(least: float) -> Any:
    return field(metadata={"least": least})


def _above_zero() -> Any:
    return field(metadata={"above": 0.0})


@dataclass(frozen=True)
class HuntCrossley:
    """F = k dᵖ (1 + c ḋ); see `hunt_crossley`."""

    stiffness: Scalar
    exponent: Scalar = _at_least(1.0)
    dissipation: Scalar = _at_least(0.0)

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states of the law."""
        return ()

    def push(self, gap: Scalar, gap_rate: Scalar, states: Values) -> tuple[Scalar, Rates]:
        """Return the force [N] and the rates of the states."""
        d = sf.max0(-gap)
        # where the bracket would pull, the surfaces part sooner than they expand
        return self.stiffness * sf.power(d, self.exponent) * sf.max0(
            1.0 - self.dissipation * gap_rate
        ), {}


@dataclass(frozen=True)
class PowerLaw:
    """F = k (dᵖ + α d(dᵖ)/dt); see `power_law`."""

    stiffness: Scalar
    exponent: Scalar = _at_least(1.0)
    damping: Scalar = _at_least(0.0)

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states of the law."""
        return ()

    def push(self, gap: Scalar, gap_rate: Scalar, states: Values) -> tuple[Scalar, Rates]:
        """Return the force [N] and the rates of the states."""
        d, p = sf.max0(-gap), self.exponent
        # k dᵖ⁻¹ (d + α p ḋ); dᵖ⁻¹ has no slope at 0 for p < 2, so that an open contact is cut off
        force = self.stiffness * sf.power(d, p - 1.0) * sf.max0(d - self.damping * p * gap_rate)
        return sf.where(gap < 0.0, force, 0.0), {}


@dataclass(frozen=True)
class Felt:
    """F = k (dᵖ - (ε/τ) ∫ dᵖ(ξ) e^((ξ-t)/τ) dξ); see `felt`."""

    stiffness: Scalar
    exponent: Scalar = _at_least(1.0)
    hysteresis: Scalar = _at_least(0.0)
    relaxation: Scalar = _above_zero()

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states of the law."""
        return ("memory",)

    def push(self, gap: Scalar, gap_rate: Scalar, states: Values) -> tuple[Scalar, Rates]:
        """Return the force [N] and the rates of the states."""
        elastic = self.stiffness * sf.power(sf.max0(-gap), self.exponent)
        memory = states["memory"]
        rate = (elastic - memory) / self.relaxation
        return sf.max0(elastic - self.hysteresis * memory), {"memory": rate}


@dataclass(frozen=True)
class CoulombContact:
    """F = -μ N v / √(v² + v₀²); see `coulomb_contact`."""

    mu: Scalar
    velocity: Scalar = _above_zero()

    def states(self, tangents: int) -> tuple[str, ...]:
        """Names of the states of the law in a contact with so many tangents."""
        return ()

    def drag(
        self, slip: Slip, push: Scalar, gap: Scalar, states: Values
    ) -> tuple[tuple[Scalar, ...], Rates]:
        """Return the forces along the tangents [N] and the rates of the states."""
        speed = sf.sqrt(square(slip) + self.velocity * self.velocity)
        factor = self.mu * push / speed
        return tuple(-(factor * v) for v in slip), {}


NormalLaw = HuntCrossley | PowerLaw | Felt
FrictionLaw = CoulombContact


def hunt_crossley(stiffness: Scalar, exponent: Scalar, dissipation: Scalar = 0.0) -> HuntCrossley:
    """Press with F = k dᵖ (1 + c ḋ), never less than nothing (Hunt and Crossley 1975).

    Damping grows with depth, so that the force starts and ends at zero. At low impact speeds v the
    restitution coefficient is about 1 - (2/3) c v.

    Args:
        stiffness: k [N/mᵖ]; (4/3) E* √R for a sphere of radius R by Hertz.
        exponent: p >= 1; 1.5 by Hertz.
        dissipation: c [s/m].
    """
    return HuntCrossley(stiffness, exponent, dissipation)


def power_law(stiffness: Scalar, exponent: Scalar = 1.0, damping: Scalar = 0.0) -> PowerLaw:
    """Press with F = k (dᵖ + α d(dᵖ)/dt), never less than nothing.

    With p = 1 a spring and a damper; else the simplest felt with losses.

    Args:
        stiffness: k [N/mᵖ].
        exponent: p >= 1.
        damping: α [s].
    """
    return PowerLaw(stiffness, exponent, damping)


def felt(
    stiffness: Scalar, exponent: Scalar, hysteresis: Scalar = 0.0, relaxation: Scalar = 1e-3
) -> Felt:
    """Press like felt that remembers (Stulov 1995), never less than nothing.

    F = k (dᵖ - (ε/τ) ∫ dᵖ(ξ) e^((ξ-t)/τ) dξ): k dᵖ when it is pressed fast, (1 - ε) k dᵖ when slowly,
    and less on the way back than on the way in; partial unloading and reloading follow by
    themselves. The state "memory" is the delayed elastic force [N].

    Args:
        stiffness: k, of fast loading [N/mᵖ].
        exponent: p >= 1; 2 to 5 for hammers.
        hysteresis: ε, between 0 and 1.
        relaxation: τ [s]; an explicit method needs steps below about 2 τ.
    """
    return Felt(stiffness, exponent, hysteresis, relaxation)


def coulomb_contact(mu: Scalar, velocity: Scalar = 1e-3) -> CoulombContact:
    """Rub with Coulomb's μ N, softened at low speed: it creeps under load and never sticks.

    Args:
        mu: friction coefficient.
        velocity: slip at which friction reaches 71 % of μ N [m/s].
    """
    return CoulombContact(mu, velocity)


Spec = TypeVar("Spec", HuntCrossley, PowerLaw, Felt, CoulombContact)


def read_numbers(read: Intake, law: Spec) -> Spec:
    """Read the numbers of a law and report those out of their bounds."""
    numbers = {item.name: read.scalar(getattr(law, item.name), item.name) for item in fields(law)}
    for item in fields(law):
        value = numbers[item.name]
        least, above = item.metadata.get("least", 0.0), item.metadata.get("above")
        if isinstance(value, Expr):
            continue
        if above is not None and value <= above:
            read.complain(f"{item.name} must be > {above:g}, got {value:g}", "Check its unit.")
            numbers[item.name] = 1.0
        elif above is None and value < least:
            read.complain(f"{item.name} must be >= {least:g}, got {value:g}", "Check its sign.")
            numbers[item.name] = least
    return replace(law, **numbers)


def square(vector: Slip) -> Scalar:
    """Return the sum of the squares."""
    total: Scalar = 0.0
    for x in vector:
        total = total + x * x
    return total
