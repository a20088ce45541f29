"""Program for external pulls on bodies: poses of all bodies, and how their joints move them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from inloop.formalisms.recursions.kinematics import moving_of, turning_of
from inloop.formalisms.vectors import product, transpose, zero_vector
from inloop.symbolic import Expr, Output, Program

if TYPE_CHECKING:
    from inloop.formalisms.derive import Derivation

REACH = "reach"


def reach(d: Derivation) -> Program:
    """The data that il_hand.h reads for each body, from q and the parameters.

    In order: p_WB, the rows of R_WB; for qd = 1 of its joint, the angular velocity added to all
    bodies beyond it and the velocity added to their point at the world origin. All in world axes.
    """
    origin = zero_vector(d.graph)
    rows: list[list[Expr]] = []
    for link, pose in zip(d.skeleton.links, d.internal_poses, strict=True):
        R_WB = product(pose.R_WC, transpose(link.R_BC))
        rows.append(
            [
                *pose.point(link.point(origin)),
                *(entry for row in R_WB for entry in row),
                *turning_of(link, pose),
                *moving_of(link, pose, origin),
            ]
        )
    out = Output.matrix("X", rows, "of each body: its pose, and what its joint adds to motion")
    doc = "Where bodies are, and how their joints move them."
    program = d.make(REACH, "q", (out,), doc, "forward kinematics")
    return replace(program, inputs=(*program.inputs, d.parameters))
