"""Forces and torques in the cuts of closed loops, from the multipliers, in world axes.

A unit multiplier exerts on the first end of a loop the force and torque of its row (`rows.Cut`), in
the axes of the carrying body, and the opposite on the second end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inloop.formalisms.frames import GROUND, Skeleton
from inloop.formalisms.loops.rows import Row, carrier_of
from inloop.formalisms.recursions.kinematics import poses
from inloop.formalisms.vectors import (
    Vector,
    add,
    matrix_times,
    product,
    scale,
    transpose,
    zero_vector,
)
from inloop.model import Loop
from inloop.symbolic import Expr, Graph

CARRY_MOMENTS = ("solid", "hinge")  # kinds of loops


@dataclass(frozen=True)
class CutForce:
    """Force and torque of a cut on its second end, in world axes.

    Attributes:
        force: at the cut point [N].
        torque: [N·m]; zero if the cut carries no moment.
        tension: of a rod, positive when it pulls its ends together [N]; zero for other cuts.
    """

    force: Vector
    torque: Vector
    tension: Expr


def cut_forces(
    loops: Sequence[Loop], rows: Sequence[Row], lam: Sequence[Expr], skeleton: Skeleton
) -> list[CutForce]:
    """Forces and torques of all loops on their second ends.

    Args:
        loops: loops of the mechanism.
        rows: its constraint rows, all of them.
        lam: their multipliers; zero for dropped rows.
        skeleton: links in internal frames.
    """
    graph = skeleton.graph
    all_poses = poses(skeleton)
    found = []
    for loop in loops:
        graph.section = loop.name
        mine = [(row.cut, x) for row, x in zip(rows, lam, strict=True) if row.element == loop.name]
        force = _exerted([(cut.force, x) for cut, x in mine if cut is not None], graph)
        torque = _exerted([(cut.torque, x) for cut, x in mine if cut is not None], graph)
        carrier = carrier_of(skeleton, loop.a.body, loop.b.body)
        if carrier != GROUND:
            # R_WB = R_WC R_BCᵀ maps the axes of the carrying body B to the world
            R_WB = product(all_poses[carrier].R_WC, transpose(skeleton.links[carrier].R_BC))
            force, torque = matrix_times(R_WB, force), matrix_times(R_WB, torque)
        # a positive multiplier pushes the first end away from the second
        tension = -mine[0][1] if loop.kind == "rod" else graph.zero
        found.append(CutForce(force, torque, tension))
    return found


def _exerted(terms: Sequence[tuple[Vector, Expr]], graph: Graph) -> Vector:
    """-Σ lam direction."""
    total = zero_vector(graph)
    for direction, lam in terms:
        total = add(total, scale(-lam, direction))
    return total
