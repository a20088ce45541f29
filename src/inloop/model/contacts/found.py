"""Hard contacts whose touches are found while a plant runs: shapes on terrain, boxes on boxes.

Where such shapes touch is no closed form of their pose, and they touch at several places at once. A
contact has a fixed number of touches; each is a hard contact of its own, whose gap and frame the
method "moreau" finds by collision (il_meeting.h) and keeps, with its forces, in states of the law.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from inspect import Parameter as Argument
from typing import Any

from inloop.geometry import Shape
from inloop.geometry.collision import MOST_NEAR, CollisionShape, collision_shape
from inloop.model.contacts.force import OUTPUTS
from inloop.model.contacts.friction import magnitude
from inloop.model.contacts.hard import (
    HIT,
    NORMAL,
    RESIDUAL,
    ROLLS,
    SPIN,
    TANGENTS,
    Hard,
    tangents_across,
)
from inloop.model.geometry import (
    ZERO,
    Matrix3,
    Scalar,
    Vector3,
    add,
    scaled,
    subtract,
    times_vector,
    transpose,
)
from inloop.model.intake import Intake
from inloop.model.laws.tracing import Law
from inloop.symbolic import functions as sf

NEARNESS = "nearness"  # margin less the gap [m]
PLACE = ("point_x", "point_y", "point_z", "normal_x", "normal_y", "normal_z", "feature")
MARGIN = 0.2  # of the least half extent: gaps up to this are looked at
NO_FORCE = 1e-30  # [N]: the point of contacts without a force is finite
# touches that a pair of kinds needs; pairs that are not here do not collide
TOUCHES = {
    ("plane", "capsule"): 2,
    ("plane", "cylinder"): 4,
    ("plane", "torus"): 3,
    ("plane", "box"): 4,
    ("plane", "hull"): 8,
    ("plane", "cone"): 4,
    ("ground", "sphere"): 3,
    ("ground", "capsule"): 6,
    ("ground", "cylinder"): 6,
    ("ground", "torus"): 4,
    ("ground", "box"): 8,
    ("ground", "hull"): 8,
    ("ground", "cone"): 6,
    ("box", "sphere"): 1,
    ("box", "box"): 8,
    ("box", "capsule"): 3,
    ("box", "cylinder"): 9,
    ("hull", "sphere"): 1,
    ("hull", "capsule"): 3,
    ("hull", "cylinder"): 9,
    ("hull", "box"): 8,
    ("hull", "hull"): 8,
    ("cylinder", "sphere"): 1,
    ("cylinder", "capsule"): 3,
    ("cylinder", "cylinder"): 9,
    ("torus", "sphere"): 1,
    ("torus", "capsule"): 3,
    ("torus", "cylinder"): 9,
    ("torus", "torus"): 9,
    ("box", "torus"): 9,
    ("hull", "torus"): 9,
    ("cone", "torus"): 9,
    ("cone", "sphere"): 1,
    ("cone", "capsule"): 3,
    ("cone", "cylinder"): 9,
    ("cone", "box"): 9,
    ("cone", "hull"): 9,
    ("cone", "cone"): 9,
}


@dataclass(frozen=True, eq=False)
class FoundTouching:
    """A hard contact whose touches are found.

    Attributes:
        a: tables of the shape in frame A of its law.
        b: tables of the shape in frame B.
        margin: larger gaps are not looked at [m].
        touches: most at a time.
        rows: of each: 1 without friction, else 3, and those that resist turning.
        turning: number of those, of rolling and of drilling.
        exchanged: True if the user named shape b first.
    """

    a: CollisionShape
    b: CollisionShape
    margin: float
    touches: int
    rows: int
    turning: tuple[int, int]
    exchanged: bool

    @property
    def forces(self) -> tuple[str, ...]:
        """What the forces of a touch are called; moments are told over their lengths."""
        rolling, spinning = self.turning
        return (NORMAL, *self.tangents, *ROLLS[:rolling], *(SPIN,) * spinning)

    @property
    def tangents(self) -> tuple[str, ...]:
        """What the forces along its tangents are called."""
        return TANGENTS[: self.rows - 1 - sum(self.turning)]

    @property
    def residuals(self) -> tuple[str, ...]:
        """Names of the states that tell how well the last step was solved."""
        return tuple(self.state(k, RESIDUAL) for k in range(self.touches))

    def state(self, touch: int, quantity: str) -> str:
        """Name of the state that holds a quantity of a touch."""
        return f"touch_{touch + 1}_{quantity}"

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states, touch after touch; those of a touch that is not there are 0."""
        keys = (*self.forces, RESIDUAL, HIT, NEARNESS, *PLACE)
        return tuple(self.state(k, key) for k in range(self.touches) for key in keys)

    @property
    def outputs(self) -> dict[str, str]:
        """Names and units of what the contact makes known."""
        return OUTPUTS

    def law_function(self) -> Law:
        """Return the function that is traced: no force, and what the states tell."""

        def no_force(p: Vector3, v: Vector3, w: Vector3, R: Matrix3, **states: Scalar) -> Any:
            told = self._told(states)
            force, point = told["force"], told["point"]
            if self.exchanged:
                R_BA = transpose(R)
                force = times_vector(R_BA, scaled(-1.0, force))
                point = times_vector(R_BA, subtract(point, p))
            values = (told["gap"], told["push"], told["friction"], *point, *force)
            observed = dict(zip(OUTPUTS, values, strict=True))
            return (ZERO, ZERO), dict.fromkeys(states, 0.0), observed

        signature = inspect.signature(no_force)
        named = [x for x in signature.parameters.values() if x.kind is not Argument.VAR_KEYWORD]
        named += [Argument(state, Argument.KEYWORD_ONLY) for state in self.states]
        no_force.__signature__ = signature.replace(parameters=named)  # type: ignore[attr-defined]
        return no_force

    def _told(self, states: dict[str, Scalar]) -> dict[str, Any]:
        """Least gap, forces of all touches together in axes of A, and where they act."""
        nearest: Scalar = 0.0
        push: Scalar = 0.0
        pressed, drag, moment = ZERO, ZERO, ZERO
        for k in range(self.touches):
            touch = {key: states[self.state(k, key)] for key in (*self.forces, NEARNESS, *PLACE)}
            point = (touch["point_x"], touch["point_y"], touch["point_z"])
            n = (touch["normal_x"], touch["normal_y"], touch["normal_z"])
            nearest = sf.maximum(nearest, touch[NEARNESS])
            push = push + touch[NORMAL]
            pressed = add(pressed, scaled(touch[NORMAL], n))
            moment = add(moment, scaled(touch[NORMAL] + NO_FORCE, point))
            if self.tangents:
                for tangent, key in zip(tangents_across(n), self.tangents, strict=True):
                    drag = add(drag, scaled(touch[key], tangent.t))
        return {
            "gap": self.margin - nearest,
            "push": push,
            "friction": magnitude(drag) if self.tangents else 0.0,
            "force": add(pressed, drag),
            "point": scaled(1.0 / (push + self.touches * NO_FORCE), moment),
        }


def find_touching(read: Intake, shapes: tuple[Shape, Shape], law: Hard) -> FoundTouching | None:
    """The contact of two shapes that collide in this order or the other; else None."""
    a, b = (collision_shape(shape) for shape in shapes)
    if a is None or b is None:
        return None
    exchanged = (a.kind, b.kind) not in TOUCHES
    if exchanged:
        a, b = b, a
    touches = TOUCHES.get((a.kind, b.kind))
    if touches is None:
        return None
    margin = MARGIN * min(a.thickness, b.thickness)
    near = a.ground.most_near(b.size + margin) if a.ground is not None else 0
    if near > MOST_NEAR:
        read.complain(
            "the triangles of the terrain are too small for a "
            f"{shapes[0 if exchanged else 1]} of {b.size:.3g} m, which can touch {near} of "
            "them at once",
            f"Use larger triangles: at most {MOST_NEAR} may be near a shape.",
        )
    turning = (2 if law.rolling is not None else 0, 1 if law.spinning is not None else 0)
    rows = (3 if law.rubs else 1) + sum(turning)
    return FoundTouching(a, b, margin, touches, rows, turning, exchanged)
