"""Hard contacts: surfaces that do not give way, with restitution and dry friction that sticks.

Their forces are no function of depth and speed: the method "moreau" finds the impulses that keep
surfaces apart, for all contacts of a mechanism at once. For everybody else such a contact is a law
without a force: its states are the forces of the last step, which that method writes.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from inspect import Parameter as Argument
from typing import Any

from inloop.errors import InputError
from inloop.geometry import Shape
from inloop.model.contacts.distance import Pair, Tangent, Touch
from inloop.model.contacts.force import OUTPUTS, told_vectors
from inloop.model.contacts.friction import magnitude
from inloop.model.geometry import (
    NO_ROTATION,
    ZERO,
    Matrix3,
    Scalar,
    Vector3,
    add,
    cross,
    dot,
    scaled,
)
from inloop.model.laws.coefficients import NotNegative, Positive, Restitution
from inloop.model.laws.tracing import Law
from inloop.model.names import quoted
from inloop.symbolic import Expr
from inloop.symbolic import functions as sf

NORMAL, RESIDUAL, HIT, RATE = "normal", "residual", "hit", "rate"
TANGENTS, SLIPS = ("tangent_1", "tangent_2"), ("slip_1", "slip_2")
# moments that resist turning, over their lengths; how fast it turns; the moments themselves
ROLLS, ROLLING_RATES = ("roll_1", "roll_2"), ("rolling_rate_1", "rolling_rate_2")
ROLLINGS = ("rolling_1", "rolling_2")
SPIN, SPINNING_RATE, SPINNING = "spin", "spinning_rate", "spinning"
NEWTON, POISSON = "newton", "poisson"  # what restitution means
STEEP = 0.7  # a normal with less than this along x has a tangent from that axis


@dataclass(frozen=True)
class Hard:
    """No overlap, impacts and dry friction; see `hard`."""

    restitution: Restitution
    friction: NotNegative
    stiffness: Positive | None
    impacts: str = NEWTON
    rolling: NotNegative | None = None
    spinning: NotNegative | None = None

    @property
    def compliance(self) -> Scalar:
        """How much it gives way [m/N]; 0 if it is rigid."""
        return 0.0 if self.stiffness is None else 1.0 / self.stiffness

    @property
    def turns_freely(self) -> bool:
        """False if it resists rolling or drilling."""
        return self.rolling is None and self.spinning is None

    @property
    def rubs(self) -> bool:
        """False if it is smooth, whatever the parameters."""
        return isinstance(self.friction, Expr) or self.friction > 0.0


def hard(
    restitution: Scalar = 0.0,
    friction: Scalar = 0.0,
    stiffness: Scalar | None = None,
    *,
    impacts: str = NEWTON,
    rolling: Scalar = 0.0,
    spinning: Scalar = 0.0,
) -> Hard:
    """Keep surfaces apart by impulses, without a penalty: `method="moreau"` finds them.

    Args:
        restitution: part of the normal velocity that an impact gives back, 0 ... 1; of the normal
            impulse if `impacts` is "poisson".
        friction: Coulomb's coefficient; contacts stick below it, and do not creep.
        stiffness: of a spring in each direction of the contact while it carries [N/m]. It makes
            the forces of redundant contacts unique, such as those of a box on four corners: 1e7
            sinks by 1 µm under 10 N, and does not limit the step. Rigid if not given.
        impacts: "newton", or "poisson": a compression without restitution, then an expansion with
            `restitution` times its normal impulse. They differ where friction holds a body that is
            hit beside its center of mass, and where contacts are coupled.
        rolling: length c of rolling resistance [m]: a moment about an axis in the contact plane, up
            to c times the normal force, resists rolling.
        spinning: length s of drilling resistance [m]: the same about the normal.

    Raises:
        InputError: there is no such law of impacts.
    """
    if impacts not in (NEWTON, POISSON):
        raise InputError(
            f"impacts of a hard contact cannot be {quoted(impacts)}",
            fix='Write impacts="newton" or impacts="poisson".',
        )
    lengths = (None if _is_zero(length) else length for length in (rolling, spinning))
    return Hard(restitution, friction, stiffness, impacts, *lengths)


def _is_zero(length: object) -> bool:
    return isinstance(length, int | float) and length == 0.0


@dataclass(frozen=True)
class HardStop:
    """A limit of a joint that does not give way.

    Attributes:
        name: name of the stop; the law that stands for it has the same.
        law: restitution, and no friction.
        outputs: name of the signal of each quantity: "gap" [rad or m], "rate", "effort".
        where: file and line.
    """

    name: str
    law: Hard
    outputs: Mapping[str, str]
    where: str

    @property
    def gap(self) -> str:
        """Name of the signal that tells how far the joint is from its limit [rad or m]."""
        return self.outputs["gap"]

    @property
    def residuals(self) -> tuple[str, ...]:
        """Name of the state that tells how well the last step was solved."""
        return (f"{self.name}.{RESIDUAL}",)


@dataclass(frozen=True)
class HardTouching:
    """A hard contact between two shapes that were read.

    Attributes:
        name: name of the contact.
        pair: geometry of the two shapes.
        shapes: shape a and shape b, in the order of the geometry.
        law: restitution and friction.
        exchanged: True if the user named shape b first.
    """

    name: str
    pair: Pair
    shapes: tuple[Shape, Shape]
    law: Hard
    exchanged: bool

    @property
    def tangents(self) -> int:
        """Number of directions along which it rubs; it does not depend on where the shapes are."""
        if not self.law.rubs:
            return 0
        return len(basis_of(self.pair(*self.shapes, (1.0, 2.0, 3.0), NO_ROTATION)))

    @property
    def axes(self) -> tuple[int, int]:
        """Number of axes about which rolling and drilling are resisted; a planar one only rolls."""
        tangents = len(basis_of(self.pair(*self.shapes, (1.0, 2.0, 3.0), NO_ROTATION)))
        spins = self.law.spinning is not None and tangents == len(TANGENTS)
        return tangents if self.law.rolling is not None else 0, int(spins)

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states: forces by row, the residual of the step, whether it was hit."""
        rolling, spinning = self.axes
        moments = (*ROLLS[:rolling], *(SPIN,) * spinning)
        return (NORMAL, *TANGENTS[: self.tangents], *moments, RESIDUAL, HIT)

    @property
    def outputs(self) -> dict[str, str]:
        """Names and units of what it makes known."""
        rolling, spinning = self.axes
        rates = (*ROLLING_RATES[:rolling], *(SPINNING_RATE,) * spinning)
        moments = (*ROLLINGS[:rolling], *(SPINNING,) * spinning)
        return {
            **OUTPUTS,
            RATE: "m/s",
            **dict.fromkeys(SLIPS[: self.tangents], "m/s"),
            **dict.fromkeys(rates, "rad/s"),
            **dict.fromkeys(moments, "N·m"),
        }

    def _turning(self, touch: Touch, w: Vector3, states: Mapping[str, Scalar]) -> list[Scalar]:
        """How fast it rolls and drills [rad/s], then the moments on b against that [N·m]."""
        rolling, spinning = self.axes
        around = [x.moment for x in basis_of(touch)[:rolling]] + [touch.normal] * spinning
        lengths = [self.law.rolling] * rolling + [self.law.spinning] * spinning
        over = [states[name] for name in (*ROLLS[:rolling], *(SPIN,) * spinning)]
        moments = [c * x for c, x in zip(lengths, over, strict=True) if c is not None]
        return [*(dot(axis, w) for axis in around), *moments]

    def law_function(self) -> Law:
        """Return the function that is traced; it asks for its states by name."""
        rubs = self.law.rubs

        def no_force(p: Vector3, v: Vector3, w: Vector3, R: Matrix3, **states: Scalar) -> Any:
            touch = self.pair(*self.shapes, p, R)
            turning = self._turning(touch, w, states)
            basis = basis_of(touch) if rubs else ()
            touch = Touch(touch.gap, touch.normal, touch.height, touch.along, basis)
            rate, slip = touch.velocity(v, w)
            pull = tuple(states[name] for name in TANGENTS[: len(basis)])
            force, _ = touch.wrench(states[NORMAL], pull)
            friction = pull[0] if len(pull) == 1 else magnitude(pull) if pull else 0.0
            vectors = told_vectors(touch, force, p, R, self.exchanged)
            told = (touch.gap, states[NORMAL], friction, *vectors, rate, *slip, *turning)
            observed = dict(zip(self.outputs, told, strict=True))
            return (ZERO, ZERO), dict.fromkeys(states, 0.0), observed

        signature = inspect.signature(no_force)
        named = [x for x in signature.parameters.values() if x.kind is not Argument.VAR_KEYWORD]
        named += [Argument(state, Argument.KEYWORD_ONLY) for state in self.states]
        no_force.__signature__ = signature.replace(parameters=named)  # type: ignore[attr-defined]
        return no_force


def basis_of(touch: Touch) -> tuple[Tangent, ...]:
    """One tangent of a planar contact, or two that are across each other."""
    if len(touch.tangents) <= len(TANGENTS):
        return touch.tangents
    return tangents_across(touch.normal)


def tangents_across(n: Vector3) -> tuple[Tangent, Tangent]:
    """Two tangents that are across a normal and across each other."""
    # from the axis x, or y where the normal is along x
    flat = sf.where(sf.absolute(n[0]) < STEEP, 1.0, 0.0)
    e: Vector3 = (flat, 1.0 - flat, 0.0)
    across = add(e, scaled(-dot(n, e), n))
    t = scaled(1.0 / sf.sqrt(dot(across, across)), across)
    return Tangent(t, cross(t, n)), Tangent(cross(t, n), scaled(-1.0, t))
