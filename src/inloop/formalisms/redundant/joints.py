"""What a joint asks of the body on it and of the one it hangs on: six rows each.

A joint says where the body is, for a given coordinate: X_WC = X_WP X_PC(q). In axes of the body,
at the position that the joint asks for,

    e = (R_WCᵀ (p_WC - p), vee(RᵀR_WC)),   de = δ_C - Ad(q) δ_P - S δq

so that every kind of joint has its rows from where it puts its body. The multiplier of the six rows
is the wrench that the joint transmits, and S of it is balanced by the effort.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from inloop.formalisms.frames import GROUND
from inloop.formalisms.recursions.kinematics import Pose, pose_along, velocity_along
from inloop.formalisms.recursions.motion import Motion, motion_along
from inloop.formalisms.recursions.rne import Wrench, to_parent
from inloop.formalisms.redundant.bodies import FreeBody
from inloop.formalisms.vectors import as_vector, matrix_times, product, sub, transpose, zero_vector
from inloop.symbolic import Expr


@dataclass(frozen=True)
class JointColumns:
    """How the six rows of a joint change, in axes of its body; own motion counts 1.

    Attributes:
        parent: by small motion of the body it hangs on (0 to 5); empty where that is the ground.
        joint: by coordinate.
    """

    parent: tuple[tuple[Expr, ...], ...]
    joint: dict[int, tuple[Expr, ...]]


def gap(body: FreeBody, parent: Pose) -> list[Expr]:
    """How far the body is from where its joint puts it: shift, then turn, in its axes."""
    pose = parent
    for link in body.links:
        pose = pose_along(link, pose)
    R_WC = body.pose.R_WC
    shift = matrix_times(transpose(R_WC), sub(body.pose.p_WC, pose.p_WC))
    E = product(transpose(pose.R_WC), R_WC)
    turn = (
        0.5 * (E[2][1] - E[1][2]),
        0.5 * (E[0][2] - E[2][0]),
        0.5 * (E[1][0] - E[0][1]),
    )
    return [*shift, *turn]


def acceleration_gap(
    body: FreeBody, parent: Motion, qdd: Sequence[Expr], gravity: Sequence[Expr]
) -> list[Expr]:
    """The same for accelerations, at positions and velocities that fit."""
    motion = parent
    for link in body.links:
        motion = motion_along(link, motion, qdd[link.number - 1])
    own = body.motion(as_vector(gravity))
    return [*sub(own.acc, motion.acc), *sub(own.omd, motion.omd)]


def columns(body: FreeBody) -> JointColumns:
    """Derivatives of the gap, where it is closed."""
    graph = body.om[0].graph
    zero = zero_vector(graph)
    links = [replace(link, qd=graph.zero) for link in body.links]
    parent = []
    for axis in range(6 if body.parent != GROUND else 0):
        unit = as_vector([graph.one if k == axis % 3 else graph.zero for k in range(3)])
        moving = (zero, unit) if axis < 3 else (unit, zero)
        for link in links:
            moving = velocity_along(link, moving)
        om, v = moving
        parent.append((*(-e for e in v), *(-e for e in om)))
    joint = {}
    for k, link in enumerate(links):
        moving = (link.motion.angular, link.motion.linear)
        for beyond in links[k + 1 :]:
            moving = velocity_along(beyond, moving)
        om, v = moving
        joint[link.number - 1] = tuple(-e for e in (*v, *om))
    return JointColumns(tuple(parent), joint)


def transmitted(body: FreeBody) -> dict[int, Wrench]:
    """The wrench at each of the links that lead to the body, and at what they hang on.

    By index of the link, about its origin in its axes.
    """
    found, wrench = {}, body.wrench
    for link in reversed(body.links):
        found[link.number - 1] = wrench
        wrench = to_parent(link, wrench)
    return {**found, body.parent: wrench}
