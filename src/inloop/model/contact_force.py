"""The law of one contact: geometry, pressing and rubbing put together, for `frame_force`."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from inspect import Parameter as Argument
from typing import Any

from inloop.geometry import Shape
from inloop.model.contact_friction import FrictionLaw, magnitude
from inloop.model.contact_geometry import Pair, Touch
from inloop.model.contact_laws import NormalLaw
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
from inloop.model.laws import Law
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
        return (*self.press.states, *(() if self.rub is None else self.rub.states(self.tangents)))

    def law(self) -> Law:
        """Return the function that is traced; it asks for its states by name."""

        def wrench(p: Vector3, v: Vector3, w: Vector3, R: Matrix3, **states: Scalar) -> Any:
            touch = self.pair(*self.shapes, p, R)
            gap_rate, slip = touch.velocity(v, w)
            push, rates = self.press.push(touch.gap, gap_rate, states)
            drag: tuple[Scalar, ...] = (0.0,) * len(slip)
            if self.rub is not None:
                drag, more = self.rub.drag(slip, push, touch.gap, states)
                rates = {**rates, **more}
            value = touch.wrench(push, drag)
            for quantity, expression in (("gap", touch.gap), ("force", push)):
                if isinstance(expression, Expr):
                    expression.graph.label(expression, f"{quantity}_{self.name}")
            # one direction of slip has a sign, several have a magnitude
            friction = drag[0] if len(drag) == 1 else magnitude(drag)
            vectors = self._vectors(touch, value[0], p, R)
            outputs = (touch.gap, push, friction, *vectors)
            observed = dict(zip(OUTPUTS, outputs, strict=True))
            return (value, rates, observed) if self.states else (value, observed)

        signature = inspect.signature(wrench)
        named = [x for x in signature.parameters.values() if x.kind is not Argument.VAR_KEYWORD]
        named += [Argument(state, Argument.KEYWORD_ONLY) for state in self.states]
        wrench.__signature__ = signature.replace(parameters=named)  # type: ignore[attr-defined]
        return wrench

    def _vectors(self, touch: Touch, force: Vector3, p: Vector3, R: Matrix3) -> tuple[Scalar, ...]:
        """Return contact point and force on the user's second body, in axes of the first frame."""
        # p_BC in axes of A
        arm = subtract(touch.along, scaled(touch.height, touch.normal))
        if self.exchanged:
            R_BA = transpose(R)
            return *times_vector(R_BA, arm), *times_vector(R_BA, scaled(-1.0, force))
        return *add(p, arm), *force
