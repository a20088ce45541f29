"""The law of one contact: geometry, pressing and rubbing put together, for `frame_force`."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from inspect import Parameter as Argument
from typing import Any

from inloop.errors import ExpressionError
from inloop.geometry import Shape
from inloop.model.contacts.distance import Pair, Touch
from inloop.model.contacts.friction import FrictionLaw, magnitude
from inloop.model.contacts.laws import NormalLaw, Rates, Values
from inloop.model.geometry import (
    NO_ROTATION,
    Matrix3,
    Scalar,
    Vector3,
    add,
    scaled,
    subtract,
    times_vector,
    transpose,
)
from inloop.model.intake import as_tuple, is_number
from inloop.model.laws.tracing import Law
from inloop.model.names import quoted
from inloop.symbolic import Expr

VECTORS = {
    f"{name}_{axis}": unit for name, unit in (("point", "m"), ("force", "N")) for axis in "xyz"
}
OUTPUTS = {"gap": "m", "force": "N", "friction": "N", **VECTORS}


@dataclass(frozen=True)
class Touching:
    """A contact between two shapes that were read.

    Attributes:
        name: name of the contact.
        pair: geometry of the two shapes.
        shapes: shape a and shape b, in the order of the geometry.
        press: normal force.
        rub: friction, None for smooth surfaces.
        exchanged: True if the user named shape b first.
    """

    name: str
    pair: Pair
    shapes: tuple[Shape, Shape]
    press: NormalLaw
    rub: FrictionLaw | None
    exchanged: bool

    @property
    def tangents(self) -> int:
        """Number of directions of slip; it does not depend on where the shapes are."""
        return len(self.pair(*self.shapes, (1.0, 2.0, 3.0), NO_ROTATION).tangents)

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states of the contact."""
        # laws without a memory need not say so
        of_friction = getattr(self.rub, "states", lambda tangents: ())
        return (*getattr(self.press, "states", ()), *of_friction(self.tangents))

    @property
    def outputs(self) -> dict[str, str]:
        """Names and units of what it makes known."""
        return OUTPUTS

    def law_function(self) -> Law:
        """Return the function that is traced; it asks for its states by name."""

        def wrench(p: Vector3, v: Vector3, w: Vector3, R: Matrix3, **states: Scalar) -> Any:
            touch = self.pair(*self.shapes, p, R)
            gap_rate, slip = touch.velocity(v, w)
            push, rates = self._push(touch, gap_rate, states)
            drag, more = self._drag(touch, slip, push, states)
            rates = self._known({**rates, **more})
            value = touch.wrench(push, drag)
            for quantity, expression in (("gap", touch.gap), ("force", push)):
                if isinstance(expression, Expr):
                    expression.graph.label(expression, f"{quantity}_{self.name}")
            # one direction of slip has a sign, several have a magnitude
            friction = drag[0] if len(drag) == 1 else magnitude(drag)
            vectors = told_vectors(touch, value[0], p, R, self.exchanged)
            outputs = (touch.gap, push, friction, *vectors)
            observed = dict(zip(OUTPUTS, outputs, strict=True))
            return (value, rates, observed) if self.states else (value, observed)

        signature = inspect.signature(wrench)
        named = [x for x in signature.parameters.values() if x.kind is not Argument.VAR_KEYWORD]
        named += [Argument(state, Argument.KEYWORD_ONLY) for state in self.states]
        wrench.__signature__ = signature.replace(parameters=named)  # type: ignore[attr-defined]
        return wrench

    def _push(self, touch: Touch, rate: Scalar, states: Values) -> tuple[Scalar, Rates]:
        """Return the normal force and the rates of the states of its law."""
        found, rates = _with_rates(self.press.push(touch.gap, rate, states))
        if not (isinstance(found, Expr) or is_number(found)):
            raise _useless(self.press, "push", "one force [N]", found)
        return found, rates

    def _drag(
        self, touch: Touch, slip: tuple[Scalar, ...], push: Scalar, states: Values
    ) -> tuple[tuple[Scalar, ...], Rates]:
        """Return friction along the tangents and the rates of the states of its law."""
        if self.rub is None:
            return (0.0,) * len(slip), {}
        found, rates = _with_rates(self.rub.drag(slip, push, touch.gap, states))
        forces = as_tuple(found)
        if forces is None or len(forces) != len(slip):
            needs = f"as many forces [N] as there are directions of slip, {len(slip)}"
            raise _useless(self.rub, "drag", needs, found)
        return forces, rates  # type: ignore[return-value]

    def _known(self, rates: Rates) -> Rates:
        """Return rates that all belong to states."""
        strangers = [name for name in rates if name not in self.states]
        if strangers:
            raise ExpressionError(
                f"a law returns a rate of {quoted(strangers[0])}, which is not among its states",
                fix="Name them in the attribute states of a normal force, or in the method "
                "states(tangents) of a friction law.",
            )
        return rates


def told_vectors(
    touch: Touch, force: Vector3, p: Vector3, R: Matrix3, exchanged: bool
) -> tuple[Scalar, ...]:
    """Return contact point and force on the user's second body, in axes of the first frame.

    Args:
        touch: where the shapes touch, in axes of A.
        force: on the body of B.
        p: p_AB.
        R: R_AB.
        exchanged: the user named the shape in B first.
    """
    # p_BC in axes of A
    arm = subtract(touch.along, scaled(touch.height, touch.normal))
    if exchanged:
        R_BA = transpose(R)
        return *times_vector(R_BA, arm), *times_vector(R_BA, scaled(-1.0, force))
    return *add(p, arm), *force


def _with_rates(result: Any) -> tuple[Any, Rates]:
    """What a law returned, and the rates of its states, if it has any."""
    if isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], Mapping):
        return result[0], dict(result[1])
    return result, {}


def _useless(law: object, method: str, needs: str, got: object) -> ExpressionError:
    return ExpressionError(
        f"{method} of {type(law).__name__} must return {needs}, got {quoted(got)}",
        fix='Return that, or, for a law with states, (that, {"name": rate}).',
    )
