"""Pose, velocity and acceleration of any frame, and its Jacobian, in world axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from inloop.formalisms.frames import GROUND, Link, Skeleton
from inloop.formalisms.recursions.motion import motions, times
from inloop.formalisms.rotation import General, Planar
from inloop.formalisms.vectors import (
    Matrix,
    Vector,
    add,
    add_cross,
    cross,
    matrix_times,
    product,
    scale,
    sub,
    zero_vector,
)
from inloop.symbolic import Expr, Graph


@dataclass(frozen=True)
class Pose:
    """A frame C in the world W: orientation R_WC and origin p_WC [m]."""

    R_WC: Matrix
    p_WC: Vector

    def point(self, p_CQ: Vector) -> Vector:
        """p_WQ of a point fixed in C."""
        return add(self.p_WC, matrix_times(self.R_WC, p_CQ))


@dataclass(frozen=True)
class Target:
    """A frame fixed on a link: origin p_CQ and axes R_CF in the link's internal frame C.

    `link` is GROUND for frames fixed in the world.
    """

    link: int
    p_CQ: Vector
    R_CF: Matrix


@dataclass(frozen=True)
class Sensed:
    """Motion of a target F with origin Q relative to the world, in world axes."""

    p_WQ: Vector
    R_WF: Matrix
    v: Vector
    om: Vector
    acc: Vector
    omd: Vector


def world_pose(graph: Graph) -> Pose:
    """The world frame itself."""
    one, zero = graph.one, graph.zero
    return Pose(((one, zero, zero), (zero, one, zero), (zero, zero, one)), (zero, zero, zero))


def poses(skeleton: Skeleton) -> list[Pose]:
    """Pose of every internal frame; parallel axes merge into one angle by the rewrite rules."""
    graph = skeleton.graph
    result: list[Pose] = []
    for link in skeleton.links:
        graph.section = link.name
        parent = result[link.parent] if link.parent >= 0 else world_pose(graph)
        result.append(pose_along(link, parent))
    return result


def pose_along(link: Link, parent: Pose) -> Pose:
    """Pose of a link's frame from that of its parent's."""
    R = parent.R_WC
    for step in link.R_PC.steps:
        R = _times_step(R, step)
    p = parent.point(link.p_PC)
    return Pose(R, add(p, matrix_times(R, link.motion.shift)))


def _times_step(R: Matrix, step: Planar | General) -> Matrix:
    """R times one step of a rotation."""
    if isinstance(step, General):
        return product(R, step.m)
    # rows of R times the planar rotation: equals transforming each row to the child's axes
    rows = [step.to_child(row) for row in R]
    return rows[0], rows[1], rows[2]


def velocities(skeleton: Skeleton) -> list[tuple[Vector, Vector]]:
    """Angular velocity and velocity of the origin of every internal frame, in its own axes."""
    graph = skeleton.graph
    zero = zero_vector(graph)
    result: list[tuple[Vector, Vector]] = []
    for link in skeleton.links:
        graph.section = link.name
        parent = result[link.parent] if link.parent >= 0 else (zero, zero)
        result.append(velocity_along(link, parent))
    return result


def velocity_along(link: Link, parent: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
    """Angular velocity and velocity of a link's frame from those of its parent's."""
    om_P, v_P = parent
    om = link.R_PC.to_child(om_P)
    v = link.R_PC.to_child(add(v_P, cross(om_P, link.p_PC)))
    # velocity of the child's origin as if fixed on the parent, plus the joint's contribution
    v = add_cross(v, om, link.motion.shift)
    v = add(v, scale(link.qd, link.motion.linear))
    return add(om, scale(link.qd, link.motion.angular)), v


def sense(skeleton: Skeleton, target: Target, qdd: Sequence[Expr]) -> Sensed:
    """The complete motion of a target."""
    graph = skeleton.graph
    zero = zero_vector(graph)
    if target.link == GROUND:
        return Sensed(target.p_CQ, target.R_CF, zero, zero, zero, zero)
    pose = poses(skeleton)[target.link]
    om, v = velocities(skeleton)[target.link]
    motion = motions(replace(skeleton, gravity=zero), qdd)[target.link]
    R = pose.R_WC
    return Sensed(
        p_WQ=pose.point(target.p_CQ),
        R_WF=product(R, target.R_CF),
        v=matrix_times(R, add(v, cross(om, target.p_CQ))),
        om=matrix_times(R, om),
        acc=matrix_times(R, add(motion.acc, times(motion.beta, target.p_CQ))),
        omd=matrix_times(R, motion.omd),
    )


def jacobian(skeleton: Skeleton, target: Target) -> tuple[list[list[Expr]], list[list[Expr]]]:
    """Rows of the Jacobians of velocity (3 × n) and angular velocity (3 × n), world axes."""
    graph = skeleton.graph
    n = len(skeleton.links)
    linear = [[graph.zero] * n for _ in range(3)]
    angular = [[graph.zero] * n for _ in range(3)]
    if target.link == GROUND:
        return linear, angular
    all_poses = poses(skeleton)
    p_WQ = all_poses[target.link].point(target.p_CQ)
    for link in _path(skeleton, target.link):
        pose = all_poses[link.number - 1]
        turning, moving = turning_of(link, pose), moving_of(link, pose, p_WQ)
        for k in range(3):
            linear[k][link.number - 1] = moving[k]
            angular[k][link.number - 1] = turning[k]
    return linear, angular


def turning_of(link: Link, pose: Pose) -> Vector:
    """Angular velocity that a joint adds to all bodies beyond it, for qd = 1, in W."""
    return matrix_times(pose.R_WC, link.motion.angular)


def moving_of(link: Link, pose: Pose, p_WQ: Vector) -> Vector:
    """Velocity that a joint adds to a point Q beyond it, for qd = 1, in W."""
    moving = matrix_times(pose.R_WC, link.motion.linear)
    if not link.motion.turns:
        return moving
    return add_cross(moving, turning_of(link, pose), sub(p_WQ, pose.p_WC))


def _path(skeleton: Skeleton, index: int) -> list[Link]:
    """Links between a link and the ground, itself included."""
    found = []
    while index >= 0:
        found.append(skeleton.links[index])
        index = skeleton.links[index].parent
    return found
