"""Constraint rows, and the loop ends they are expressed with.

A loop is written in the axes of the last common ancestor of both ends, so that it depends only on
the coordinates of the loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from inloop.formalisms.frames import GROUND, Link, Skeleton
from inloop.formalisms.recursions.kinematics import (
    Pose,
    moving_of,
    pose_along,
    turning_of,
    velocity_along,
    world_pose,
)
from inloop.formalisms.recursions.motion import at_rest, motion_along, times
from inloop.formalisms.vectors import (
    Matrix,
    Vector,
    add,
    cross,
    matrix_times,
    product,
    sub,
    transpose,
    zero_vector,
)
from inloop.model import Frame
from inloop.symbolic import Expr


@dataclass(frozen=True)
class Cut:
    """Effect of a unit multiplier at the ends of a loop, in the axes of the carrying body.

    Attributes:
        a, b: the ends.
        force: force on end a; the opposite acts on end b.
        torque: torque on end a; the opposite acts on end b.
    """

    a: End
    b: End
    force: Vector
    torque: Vector


@dataclass(frozen=True)
class Row:
    """One scalar constraint.

    Attributes:
        element: name of the loop or constraint.
        direction: constrained direction, in words ("z", "turn about x", "length").
        unit: unit of h: "m", "rad", or "" for a user-written constraint, which may have any.
        h: the value that must vanish.
        J: derivatives by coordinate.
        nu: explicit time derivative, J qd + nu = 0.
        gamma: J qdd + gamma = 0.
        cut: the forces that go with it; None for a user-written constraint.
        linear: whether J is constant, so that q may be far from closed or from 0.
        holonomic: whether positions are constrained; otherwise only velocities are, J qd + nu = 0,
            and h is zero everywhere.
        speed: the quantity that must vanish for rolling or sliding, in the velocities of the ends.
    """

    element: str
    direction: str
    unit: str
    h: Expr
    J: dict[int, Expr]
    nu: Expr
    gamma: Expr
    cut: Cut | None = None
    linear: bool = False
    holonomic: bool = True
    speed: Expr | None = None

    @property
    def name(self) -> str:
        """Name of its multiplier: "contact.normal"."""
        return f"{self.element}.{self.direction.replace(' ', '_')}"

    @property
    def leads(self) -> bool:
        """Whether the dependent position follows from the positions of others, or stays constant.

        False for velocity constraints, and for couplings that keep their initial positions: there
        it
        follows by integration of the velocity.
        """
        found = self.h is self.h.graph.zero and len(self.J) > 1
        return self.holonomic and not found

    def rate(self, qd: Sequence[Expr]) -> Expr:
        """J qd + nu."""
        return sum((entry * qd[k] for k, entry in self.J.items()), self.nu)


@dataclass(frozen=True)
class End:
    """One end of a loop, in the axes of the body that carries the loop.

    Attributes:
        link: index of the link of the end, or GROUND.
        p_CQ: the end in its internal frame C.
        pose: pose of that frame.
        p: position of the end.
        R: axes of the end's frame.
        om, v, omd, acc: its motion, for zero joint accelerations.
        path: links between the carrying body and the end.
        poses: their poses.
    """

    link: int
    p_CQ: Vector
    pose: Pose
    p: Vector
    R: Matrix
    om: Vector
    v: Vector
    omd: Vector
    acc: Vector
    path: tuple[Link, ...]
    poses: tuple[Pose, ...]

    def turning(self) -> dict[int, Vector]:
        """By coordinate, its contribution to the angular velocity."""
        return {
            link.number - 1: turning_of(link, pose)
            for link, pose in zip(self.path, self.poses, strict=True)
        }

    def at(self, p: Vector) -> End:
        """Another point of the same body, at its current position."""
        arm = sub(p, self.p)
        turn = cross(self.om, arm)
        return replace(
            self,
            p_CQ=matrix_times(transpose(self.pose.R_WC), sub(p, self.pose.p_WC)),
            p=p,
            v=add(self.v, turn),
            acc=add(self.acc, add(cross(self.omd, arm), cross(self.om, turn))),
        )

    def moving(self) -> dict[int, Vector]:
        """By coordinate, its contribution to the velocity of the end."""
        return {
            link.number - 1: moving_of(link, pose, self.p)
            for link, pose in zip(self.path, self.poses, strict=True)
        }


def _path(skeleton: Skeleton, index: int) -> list[int]:
    """Indices from a link to the base, starting with itself."""
    found = []
    while index >= 0:
        found.append(index)
        index = skeleton.links[index].parent
    return found


def carrier_of(skeleton: Skeleton, a: int, b: int) -> int:
    """The last common ancestor of both links, or GROUND."""
    above_b = set(_path(skeleton, b))
    return next((k for k in _path(skeleton, a) if k in above_b), GROUND)


def _carrier_pose(skeleton: Skeleton, carrier: int) -> Pose:
    """The carrying body's internal frame, expressed in the user's body axes."""
    graph = skeleton.graph
    if carrier == GROUND:
        return world_pose(graph)
    return Pose(skeleton.links[carrier].R_BC, zero_vector(graph))


def loop_end(skeleton: Skeleton, frame: Frame, carrier: int) -> End:
    """A frame of a loop in the axes of the carrying body, with its motion."""
    graph = skeleton.graph
    shared = set(_path(skeleton, carrier))
    indices = [k for k in reversed(_path(skeleton, frame.body)) if k not in shared]
    links = tuple(skeleton.links[k] for k in indices)
    poses, pose = [], _carrier_pose(skeleton, carrier)
    zero = zero_vector(graph)
    motion = at_rest(graph)
    velocity = (zero, zero)
    for link in links:
        pose = pose_along(link, pose)
        motion = motion_along(link, motion, graph.zero)
        velocity = velocity_along(link, velocity)
        poses.append(pose)
    p_CQ, R_CF = fixed_frame(skeleton, frame)
    R = pose.R_WC
    om, v = velocity
    return End(
        link=frame.body,
        p_CQ=p_CQ,
        pose=pose,
        p=pose.point(p_CQ),
        R=product(R, R_CF),
        om=matrix_times(R, om),
        v=matrix_times(R, add(v, cross(om, p_CQ))),
        omd=matrix_times(R, motion.omd),
        acc=matrix_times(R, add(motion.acc, times(motion.beta, p_CQ))),
        path=links,
        poses=tuple(poses),
    )


def fixed_frame(skeleton: Skeleton, frame: Frame) -> tuple[Vector, Matrix]:
    """Origin and axes of a frame in its link's internal frame."""
    p_BF = skeleton.symbols.vector(frame.p_BF, frame.path, "m")
    R_BF = skeleton.symbols.matrix(frame.R_BF)
    if frame.body == GROUND:
        return p_BF, R_BF
    link = skeleton.links[frame.body]
    return link.point(p_BF), product(transpose(link.R_BC), R_BF)


def difference(a: dict[int, Vector], b: dict[int, Vector]) -> dict[int, Vector]:
    """By coordinate, a minus b; no coordinate moves both ends."""
    minus = {k: tuple(-e for e in v) for k, v in b.items()}
    return {**a, **minus}  # type: ignore[dict-item]
