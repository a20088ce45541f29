"""How surfaces press on each other: normal forces from depth and speed.

A depth d is how far two surfaces overlap, max(0, -gap) [m]; its rate is positive while they
close [m/s]. The forces of this file never pull. All numbers may be expressions of parameters.

A law is any object with the method `push` of NormalLaw; those here are no others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from inloop.model.geometry import Scalar
from inloop.model.laws.coefficients import AtLeastOne, NotNegative, Positive, Share
from inloop.symbolic import functions as sf

Rates = dict[str, Scalar]
Values = Mapping[str, Scalar]


@runtime_checkable
class NormalLaw(Protocol):
    """A normal force; an object of a user's own class may be one.

        @dataclass(frozen=True)
        class SpringAndDamper:
            stiffness: il.Positive  # [N/m]
            damping: il.NotNegative = 0.0  # [N·s/m]

            def push(self, gap, gap_rate, states):
                return il.where(gap < 0, -self.stiffness * gap - self.damping * gap_rate, 0.0)

    Fields of a dataclass are its coefficients: they may be expressions of parameters, are checked
    where they have a bound (Positive, NotNegative, AtLeastOne, Share), and are told by `describe`.

    A law with a memory has an attribute `states`, a tuple of names; it finds their values in
    `states` and returns `(force, {"name": rate})`.
    """

    def push(
        self, gap: Scalar, gap_rate: Scalar, states: Values, /
    ) -> Scalar | tuple[Scalar, Rates]:
        """Return the force that pushes the surfaces apart [N], and the rates of the states.

        It is called once with symbols, and must be 0 where the surfaces do not act on each other.

        Args:
            gap: distance of the surfaces, negative where they overlap [m].
            gap_rate: its rate, negative while they close [m/s].
            states: values of the states of both laws of the contact by name.
        """


@dataclass(frozen=True)
class HuntCrossley:
    """F = k dᵖ (1 + c ḋ); see `hunt_crossley`."""

    stiffness: NotNegative
    exponent: AtLeastOne
    dissipation: NotNegative

    def push(self, gap: Scalar, gap_rate: Scalar, states: Values) -> Scalar:
        """Return the force [N]."""
        d = sf.max0(-gap)
        # where the bracket would pull, the surfaces part sooner than they expand
        return (
            self.stiffness * sf.power(d, self.exponent) * sf.max0(1.0 - self.dissipation * gap_rate)
        )


@dataclass(frozen=True)
class PowerLaw:
    """F = k (dᵖ + α d(dᵖ)/dt); see `power_law`."""

    stiffness: NotNegative
    exponent: AtLeastOne
    damping: NotNegative

    def push(self, gap: Scalar, gap_rate: Scalar, states: Values) -> Scalar:
        """Return the force [N]."""
        d, p = sf.max0(-gap), self.exponent
        # k dᵖ⁻¹ (d + α p ḋ); dᵖ⁻¹ has no slope at 0 for p < 2, so that an open contact is cut off
        force = self.stiffness * sf.power(d, p - 1.0) * sf.max0(d - self.damping * p * gap_rate)
        return sf.where(gap < 0.0, force, 0.0)


@dataclass(frozen=True)
class Felt:
    """F = k (dᵖ - (ε/τ) ∫ dᵖ(ξ) e^((ξ-t)/τ) dξ); see `felt`."""

    stiffness: NotNegative
    exponent: AtLeastOne
    hysteresis: Share
    relaxation: Positive

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

    F = k (dᵖ - (ε/τ) ∫ dᵖ(ξ) e^((ξ-t)/τ) dξ): k dᵖ when it is pressed fast, (1 - ε) k dᵖ when
    slowly, and less on the way back than on the way in; partial unloading and reloading follow
    by themselves. The state "memory" is the delayed elastic force [N].

    Args:
        stiffness: k, of fast loading [N/mᵖ].
        exponent: p >= 1; 2 to 5 for hammers.
        hysteresis: ε, between 0 and 1.
        relaxation: τ [s]; an explicit method needs steps below about 2 τ.
    """
    return Felt(stiffness, exponent, hysteresis, relaxation)
