"""Relative motion of a link on its joint: position, motion subspace and their derivatives.

Everything follows by differentiation from the joint's transform, R_JC(q) and p_JC(q), and is
written in the link's own axes C. Entries that are zero or one for a kind of joint fold away in the
recursions, which therefore need not know the kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inloop.formalisms.rotation import Planar, Rotation
from inloop.formalisms.symbols import Symbols
from inloop.formalisms.vectors import Vector, as_vector, cross, dot, sub, zero_vector
from inloop.joints import Transform
from inloop.joints.kind import Z
from inloop.model import Body
from inloop.symbolic import Expr, Graph, forward

# sequence of axes and angles [rad]
Rotations = tuple[tuple[int, Expr], ...]


@dataclass(frozen=True)
class RelativeMotion:
    """Motion of frame C after a joint relative to frame J before it, in C's axes.

    Attributes:
        shift: position of C's origin from J's [m].
        angular: angular velocity for qd = 1, the upper half of the motion subspace.
        linear: velocity of C's origin for qd = 1, its lower half.
        drift: derivative of the components of `shift` by q: linear - angular × shift.
        angular_rate: derivative of `angular` by q.
        drift_rate: derivative of `drift` by q.
    """

    shift: Vector
    angular: Vector
    linear: Vector
    drift: Vector
    angular_rate: Vector
    drift_rate: Vector

    @property
    def turns(self) -> bool:
        """True if the orientation changes."""
        return not _is_zero(self.angular)

    @property
    def turns_about_z(self) -> bool:
        """True if z keeps its direction."""
        return _is_zero(self.angular[:2])

    @property
    def slides(self) -> bool:
        """True if the origin moves, or has an offset."""
        return not (_is_zero(self.shift) and _is_zero(self.linear))

    @property
    def only(self) -> int | None:
        """Index of the only nonzero entry of the subspace (angular, linear), if it is 1."""
        entries, graph = (*self.angular, *self.linear), self.shift[0].graph
        others = [k for k, entry in enumerate(entries) if entry is not graph.zero]
        return others[0] if len(others) == 1 and entries[others[0]] is graph.one else None

    def along(self, f: Vector, n: Vector) -> Expr:
        """Component of a force and a moment about C's origin along the joint: Sᵀ (n, f)."""
        return dot(self.angular, n) + dot(self.linear, f)


def transform_of(body: Body, symbols: Symbols) -> Transform:
    """The transform of a body's joint, with the fields of its kind in the derivation graph."""
    kind, q = body.joint.kind, symbols.q[body.index]
    values: dict[str, object] = {
        name: symbols.scalar(value, f"{body.name}.{name}", unit)
        for name, (value, unit) in kind.numbers().items()
    }
    for name, (traced, _) in kind.functions().items():
        values[name] = symbols.substitute(traced.values, {traced.q: q})
    return kind.with_values(values).transform(q)


def is_axial(where: Transform) -> bool:
    """True if the joint only rotates about z and slides along z."""
    zero = where.shift[0].graph.zero
    turns_about_z = all(axis == Z for axis, _ in where.rotations)
    return turns_about_z and all(component is zero for component in where.shift[:2])


def relative_motion(rotations: Rotations, p_JC: Vector, q: Expr, R_JC: Rotation) -> RelativeMotion:
    """Relative motion of a joint from its transform.

    Args:
        rotations: sequence of axes and angles of R_JC.
        p_JC: position of C's origin in J's axes.
        q: the coordinate.
        R_JC: the rotations, as steps that fold.
    """
    graph = q.graph
    shift = R_JC.to_child(p_JC)
    linear = R_JC.to_child(_derivative(p_JC, q))
    # om_k = R_kᵀ om_(k-1) + angle_k' e_k
    angular = zero_vector(graph)
    for (axis, angle), step in zip(rotations, R_JC.steps, strict=True):
        turned = list(step.to_child(angular))
        turned[axis] = turned[axis] + forward([angle], q)[0]
        angular = as_vector(turned)
    drift = sub(linear, cross(angular, shift))
    return RelativeMotion(
        shift, angular, linear, drift, _derivative(angular, q), _derivative(drift, q)
    )


def turning_part(graph: Graph, axis: int) -> RelativeMotion:
    """Motion of one part of a ball joint, about a body axis that all three share."""
    zero = zero_vector(graph)
    unit = as_vector([graph.one if k == axis else graph.zero for k in range(3)])
    return RelativeMotion(zero, unit, zero, zero, zero, zero)


def planar_steps(rotations: Rotations, number: str) -> tuple[Planar, ...]:
    """Rotations as steps, with sines and cosines named after the number of the link."""
    steps = []
    for k, (axis, angle) in enumerate(rotations):
        graph = angle.graph
        C, S = graph.call("cos", angle), graph.call("sin", angle)
        # rotations by multiples of π/2 exchange sine and cosine, and their signs
        for node in (C, S):
            bare = node.args[0] if node.op == "neg" else node
            graph.label(bare, f"{bare.op[0].upper()}{number}{'xyz'[axis] if k else ''}")
        steps.append(Planar(axis, C, S))
    return tuple(steps)


def _derivative(v: Vector, q: Expr) -> Vector:
    return as_vector(forward(v, q))


def _is_zero(entries: Sequence[Expr]) -> bool:
    return all(entry is entry.graph.zero for entry in entries)
