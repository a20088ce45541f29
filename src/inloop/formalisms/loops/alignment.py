"""Orientation of solid cuts and hinges: their rotation rows vanish at half a turn as well."""

from __future__ import annotations

from dataclasses import dataclass

from inloop.formalisms.frames import Skeleton
from inloop.formalisms.loops.constraints import normals
from inloop.formalisms.loops.rows import carrier_of, difference, loop_end
from inloop.formalisms.vectors import Vector, cross, dot, matrix_times, product, transpose
from inloop.model import Loop, Mechanism
from inloop.symbolic import Expr


@dataclass(frozen=True)
class Alignment:
    """Relative orientation of the two frames of a solid cut, or of the two axes of a hinge.

    It tells in which of the two orientations a loop was assembled, and how to reach the right one:
    the rows of a hinge, e · n_b, converge to the nearer of the two.

    Attributes:
        element: name of the loop.
        cosine: cosine of the angle between the axes of a hinge, or of the rotation of a solid cut.
        J: for a hinge, by row, derivatives of the angle by coordinate, seen from the axis of a.
    """

    element: str
    cosine: Expr
    J: tuple[dict[int, Expr], ...]


def build_alignments(mechanism: Mechanism, skeleton: Skeleton) -> list[Alignment]:
    """One alignment for each solid cut and each hinge."""
    return [
        _alignment(loop, skeleton) for loop in mechanism.loops if loop.kind in ("solid", "hinge")
    ]


def _alignment(loop: Loop, skeleton: Skeleton) -> Alignment:
    graph = skeleton.graph
    carrier = carrier_of(skeleton, loop.a.body, loop.b.body)
    a, b = loop_end(skeleton, loop.a, carrier), loop_end(skeleton, loop.b, carrier)
    if loop.kind == "solid":
        R = product(a.R, transpose(b.R))
        return Alignment(loop.name, 0.5 * (R[0][0] + R[1][1] + R[2][2] - graph.one), ())
    n_F: Vector = tuple(graph.constant(x) for x in loop.axis)  # type: ignore[assignment]
    n_a, n_b = matrix_times(a.R, n_F), matrix_times(b.R, n_F)
    turning = difference(a.turning(), b.turning())
    rows = []
    for e_F in normals(loop.axis):
        e = matrix_times(a.R, tuple(graph.constant(x) for x in e_F))  # type: ignore[arg-type]
        g = cross(e, n_a)
        rows.append({k: dot(g, v) for k, v in turning.items()})
    return Alignment(loop.name, dot(n_a, n_b), tuple(rows))
