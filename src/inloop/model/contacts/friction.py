"""How surfaces rub on each other: friction from slip and normal force.

Slip and friction have one component for each tangent of the contact (see contact_geometry); the
formulas of LuGre are those of joints (friction_laws), per newton of normal force. A law is any
object with the method `drag` of FrictionLaw; those here are no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from inloop.model.contacts.laws import Rates, Values
from inloop.model.geometry import Scalar, dot
from inloop.model.laws import friction_laws
from inloop.model.laws.coefficients import NotNegative, Positive, Share
from inloop.symbolic import functions as sf

Slip = Sequence[Scalar]
Drag = tuple[Scalar, ...]
# part of the Stribeck speed under the root of a speed, so that it has a slope at zero
SLOW = 1e-9
# below the square of anything
TINIEST = 1e-300


@runtime_checkable
class FrictionLaw(Protocol):
    """A friction law; an object of a user's own class may be one.

        @dataclass(frozen=True)
        class Grease:
            damping: il.NotNegative  # [N·s/m]

            def drag(self, slip, push, gap, states):
                return tuple(il.where(gap < 0, -self.damping * v, 0.0) for v in slip)

    Fields of a dataclass are its coefficients, as those of a NormalLaw are. A law with a memory
    has a method `states(tangents)`, which returns names for a contact with so many directions of
    slip; it finds their values in `states` and returns `(forces, {"name": rate})`.
    """

    def drag(
        self, slip: Slip, push: Scalar, gap: Scalar, states: Values, /
    ) -> Drag | tuple[Drag, Rates]:
        """Return the forces on the second body along the tangents [N], and the rates of the states.

        Args:
            slip: velocity of the second surface against the first along each tangent [m/s].
            push: normal force [N].
            gap: distance of the surfaces, negative where they overlap [m].
            states: values of the states of both laws of the contact by name.
        """


@dataclass(frozen=True)
class CoulombContact:
    """f = μ N v / √(v² + v₀²); see `coulomb_contact`."""

    mu: NotNegative
    velocity: Positive

    def drag(self, slip: Slip, push: Scalar, gap: Scalar, states: Values) -> Drag:
        """Return the forces along the tangents [N]."""
        speed = sf.sqrt(dot(slip, slip) + self.velocity * self.velocity)
        factor = self.mu * push / speed
        return tuple(-(factor * v) for v in slip)


@dataclass(frozen=True)
class LuGreContact:
    """f = N (σ₀ z + σ₁ ż + σ₂ v); see `lugre_contact`."""

    mu: Positive
    stiffness: Positive
    damping: Positive
    static: Positive
    viscous: NotNegative
    stribeck: Positive
    elastic: Share

    def states(self, tangents: int) -> tuple[str, ...]:
        """Names of the states of the law in a contact with so many tangents."""
        return ("z",) if tangents == 1 else tuple(f"z{k}" for k in range(1, tangents + 1))

    def drag(self, slip: Slip, push: Scalar, gap: Scalar, states: Values) -> tuple[Drag, Rates]:
        """Return the forces along the tangents [N] and the rates of the states."""
        names = self.states(len(slip))
        z = [states[name] for name in names]
        # speed, and how far the bristles are bent the way they slip
        if len(slip) == 1:
            speed, bent = sf.absolute(slip[0]), z[0] * sf.sign(slip[0])
        else:
            slow = SLOW * self.stribeck
            speed = sf.sqrt(dot(slip, slip) + slow * slow)
            bent = dot(z, slip) / speed
        limit = friction_laws.stribeck(speed, self.mu, self.static, self.stribeck)
        largest = limit / self.stiffness
        sliding = friction_laws.adhesion(bent, 1.0, largest, self.elastic) * speed / largest
        # damping fades where σ₁ v reaches μ, so that it never adds more than half of that
        fading = self.damping * speed / self.mu
        damping = self.damping / (1.0 + fading * fading)
        drag, rates = [], {}
        for name, bristle, v in zip(names, z, slip, strict=True):
            rate = v - sliding * bristle
            force = friction_laws.bristle_force(
                bristle, rate, v, self.stiffness, damping, self.viscous
            )
            drag.append(-(push * force))
            # without contact the bristles straighten
            rates[name] = sf.where(gap < 0.0, rate, -(self.stiffness / self.damping * bristle))
        return tuple(drag), rates


def coulomb_contact(mu: Scalar, velocity: Scalar = 1e-3) -> CoulombContact:
    """Rub with Coulomb's μ N, softened at low speed: it creeps under load and never sticks.

    Args:
        mu: friction coefficient.
        velocity: slip at which friction reaches 71 % of μ N [m/s].
    """
    return CoulombContact(mu, velocity)


def lugre_contact(
    mu: Scalar,
    *,
    stiffness: Scalar,
    damping: Scalar,
    static: Scalar | None = None,
    viscous: Scalar = 0.0,
    stribeck: Scalar = 1e-3,
    elastic: Scalar = 0.7,
) -> LuGreContact:
    """Rub with friction that truly sticks: elasto-plastic LuGre, per newton of normal force.

    The states "z", or "z1", "z2", ... where slip has several directions, are the deflections of
    the bristles [m]: up to μ/σ₀. Without contact they straighten with the time constant σ₁/σ₀.

    Args:
        mu: friction coefficient at high speed.
        stiffness: σ₀ of the bristles [1/m]; an explicit method needs steps below about
            2 μ/(σ₀ v) while it slides at v.
        damping: σ₁ of the bristles [s/m]; fades above the speed μ/σ₁, as the force of bristles
            that bend fast would be without bound.
        static: friction coefficient at low speed; mu if not given.
        viscous: σ₂ [s/m].
        stribeck: speed of the transition from static to mu [m/s].
        elastic: share of the largest deflection within which nothing slides, 0 ... 1; below this
            share of μ N a contact at rest does not creep.
    """
    fs = mu if static is None else static
    return LuGreContact(mu, stiffness, damping, fs, viscous, stribeck, elastic)


def magnitude(v: Slip) -> Scalar:
    """Return the length of a vector in any unit, with a slope where it is zero."""
    return sf.sqrt(dot(v, v) + TINIEST)
