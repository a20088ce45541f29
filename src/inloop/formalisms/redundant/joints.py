"""Joint equations between a body and its parent: six rows each.

A joint prescribes the pose of the body for a given coordinate: X_WC = X_WP X_PC(q). In body axes,
    at the prescribed pose,

    e = (R_WCᵀ (p_WC - p), vee(RᵀR_WC)),   de = δ_C - Ad(q) δ_P - S δq

so the rows of every kind of joint follow from its transform. The multiplier of the six rows is the
wrench that the joint transmits, and its projection on S is balanced by the effort.
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
    """Derivatives of the six rows of a joint, in axes of its body; own motion has derivative 1.

    Attributes:
        parent: by small motion of the parent body (0 to 5); empty if that is the ground.
        joint: by coordinate.
    """

    parent: tuple[tuple[Expr, ...], ...]
    joint: dict[int, tuple[Expr, ...]]


def gap(body: FreeBody, parent: Pose) -> list[Expr]:
    """Deviation from the pose given by the joint: position, then rotation, in body axes."""
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
    """The same for accelerations, at consistent positions and velocities."""
    motion = parent
    for link in body.links:
        motion = motion_along(link, motion, qdd[link.number - 1])
    own = body.motion(as_vector(gravity))
    return [*sub(own.acc, motion.acc), *sub(own.omd, motion.omd)]


def columns(body: FreeBody) -> JointColumns:
    """Derivatives of the gap at closure."""
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
    """The wrench at each link that leads to the body, and at their parent.

    By link index, about the link's origin in its axes.
    """
    found, wrench = {}, body.wrench
    for link in reversed(body.links):
        found[link.number - 1] = wrench
        wrench = to_parent(link, wrench)
    return {**found, body.parent: wrench}
