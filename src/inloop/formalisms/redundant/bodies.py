"""Bodies with six coordinates each: where they are and how they move, as symbols.

Nothing here follows from the joints. A body C has a position p_WC and axes R_WC, the velocity of
its origin in world axes, its angular velocity in its own, and the rates of both. Small motions of
it are written in its own axes where it is now: p += R δp, R ← R exp(δθ~). So no attitude is
singular, and what joints ask of a body and of its neighbour depends on nothing but their own
coordinate.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from inloop.formalisms.frames import GROUND, Link, Skeleton
from inloop.formalisms.laws.forces import PlacedFrame, Places, internal_point
from inloop.formalisms.recursions.kinematics import Pose, world_pose
from inloop.formalisms.recursions.motion import Motion, beta_of, ground_motion
from inloop.formalisms.recursions.rne import Wrench
from inloop.formalisms.vectors import (
    Matrix,
    Vector,
    add,
    as_vector,
    cross,
    matrix_times,
    product,
    sub,
    transpose,
)
from inloop.model import Frame, Point
from inloop.symbolic import Expr, Graph

POSE, TWIST = 12, 6  # numbers of a body: p_WC and the rows of R_WC; velocities


@dataclass(frozen=True)
class FreeBody:
    """A body as if nothing held it.

    Attributes:
        number: which it is among the bodies.
        links: of its inboard joint: one, or the three parts of a ball joint; the last one is it.
        pose: p_WC and R_WC, symbols.
        v, om: velocity of the origin in world axes, angular velocity in those of C.
        vd, omd: their rates.
        wrench: what the inboard joint transmits to it, about its origin in its axes: unknown.
    """

    number: int
    links: tuple[Link, ...]
    pose: Pose
    v: Vector
    om: Vector
    vd: Vector
    omd: Vector
    wrench: Wrench

    @property
    def link(self) -> Link:
        """The link whose frame and inertia are those of the body."""
        return self.links[-1]

    @property
    def parent(self) -> int:
        """Index of the link it hangs on, or GROUND."""
        return self.links[0].parent

    @property
    def coordinates(self) -> tuple[int, ...]:
        """Of its inboard joint."""
        return tuple(link.number - 1 for link in self.links)

    def acceleration(self, gravity: Vector) -> Vector:
        """Of its origin in its own axes, gravity taken off."""
        return matrix_times(transpose(self.pose.R_WC), sub(self.vd, gravity))

    def motion(self, gravity: Vector, acc: Vector | None = None) -> Motion:
        """In its own axes, gravity taken off; `acc` may stand for what `acceleration` gives."""
        graph = self.om[0].graph
        acc = acc or self.acceleration(gravity)
        return Motion(self.om, self.omd, beta_of(graph, self.om, self.omd), acc, self.om)

    def moved(self, axis: int, by: Expr, fast: Expr, faster: Expr) -> dict[Expr, Expr]:
        """How its symbols change with a small motion.

        Args:
            axis: 0 to 2 shift along an axis of the body, 3 to 5 turn about one.
            by: of the position, per unit of the motion.
            fast: of the velocities.
            faster: of the accelerations.
        """
        R = self.pose.R_WC
        if axis < 3:
            column = as_vector([row[axis] for row in R])
            parts = ((self.pose.p_WC, by), (self.v, fast), (self.vd, faster))
            return {s: k * e for symbols, k in parts for s, e in zip(symbols, column, strict=True)}
        # R e~: columns that lie across the axis go round
        j, k = (axis + 1) % 3, (axis + 2) % 3
        turned = {row[j]: by * row[k] for row in R} | {row[k]: -(by * row[j]) for row in R}
        return {**turned, self.om[axis - 3]: fast, self.omd[axis - 3]: faster}

    @staticmethod
    def accelerated(acc: Vector, axis: int, by: Expr, faster: Expr) -> dict[Expr, Expr]:
        """How its acceleration in its own axes changes: Rᵀ R is not multiplied out.

        Args:
            acc: the acceleration, symbols.
            axis: as for `moved`.
            by: of the position, per unit of the motion.
            faster: of the acceleration.
        """
        if axis < 3:
            return {acc[axis]: faster}
        j, k = (axis + 1) % 3, (axis + 2) % 3
        return {acc[j]: by * acc[k], acc[k]: -(by * acc[j])}


@dataclass(frozen=True)
class Blocks:
    """Symbols of all bodies in the order of generated functions."""

    pose: tuple[Expr, ...]
    twist: tuple[Expr, ...]
    accel: tuple[Expr, ...]
    lam: tuple[Expr, ...]


def free_bodies(skeleton: Skeleton) -> list[FreeBody]:
    """The bodies of a mechanism, parents first."""
    groups: list[list[Link]] = []
    for link in skeleton.links:
        if link.continues:
            groups[-1].append(link)
        else:
            groups.append([link])
    return [_body(skeleton.graph, k, tuple(links)) for k, links in enumerate(groups)]


def blocks_of(bodies: Iterable[FreeBody]) -> Blocks:
    """Their symbols, body by body."""
    pose: list[Expr] = []
    twist: list[Expr] = []
    accel: list[Expr] = []
    lam: list[Expr] = []
    for body in bodies:
        pose += (*body.pose.p_WC, *(entry for row in body.pose.R_WC for entry in row))
        twist += (*body.v, *body.om)
        accel += (*body.vd, *body.omd)
        lam += (*body.wrench.f, *body.wrench.n)
    return Blocks(tuple(pose), tuple(twist), tuple(accel), tuple(lam))


def _body(graph: Graph, number: int, links: tuple[Link, ...]) -> FreeBody:
    tag = links[-1].number

    def vector(name: str) -> Vector:
        return as_vector([graph.symbol(f"{name}_{tag}_{axis}") for axis in "xyz"])

    R: Matrix = (vector("Rx"), vector("Ry"), vector("Rz"))
    return FreeBody(
        number,
        links,
        Pose(R, vector("p")),
        vector("v"),
        vector("w"),
        vector("vd"),
        vector("wd"),
        Wrench(vector("lf"), vector("ln")),
    )


class BodyPlaces(Places):
    """World kinematics of points and frames, from the bodies that have them."""

    def __init__(self, skeleton: Skeleton, bodies: Iterable[FreeBody]) -> None:
        self.skeleton = skeleton
        self.by_link = {k: body for body in bodies for k in body.coordinates}

    def pose(self, index: int) -> Pose:
        """See `Places`."""
        return self.by_link[index].pose if index != GROUND else world_pose(self.skeleton.graph)

    def motion(self, index: int) -> Motion:
        """Motion of a link's frame in its own axes, gravity taken off."""
        if index == GROUND:
            return ground_motion(self.skeleton)
        return self.by_link[index].motion(self.skeleton.gravity)

    def point(self, point: Point) -> tuple[Vector, Vector, Vector]:
        """See `Places`."""
        if point.body == GROUND:
            return super().point(point)
        body, p_CQ = self.by_link[point.body], internal_point(self.skeleton, point)
        R = body.pose.R_WC
        return p_CQ, body.pose.point(p_CQ), add(body.v, matrix_times(R, cross(body.om, p_CQ)))

    def frame(self, frame: Frame) -> PlacedFrame:
        """See `Places`."""
        if frame.body == GROUND:
            return super().frame(frame)
        body = self.by_link[frame.body]
        point = Point(frame.name, frame.path, frame.body, frame.p_BF, frame.where)
        p_CQ, R = internal_point(self.skeleton, point), body.pose.R_WC
        R_BF = self.skeleton.symbols.matrix(frame.R_BF)
        R_CF = product(transpose(body.link.R_BC), R_BF)
        lever, om = matrix_times(R, p_CQ), matrix_times(R, body.om)
        return PlacedFrame(
            p_CQ=p_CQ,
            R_CF=R_CF,
            lever=lever,
            p=add(body.pose.p_WC, lever),
            R=product(R, R_CF),
            v=add(body.v, cross(om, lever)),
            om=om,
        )

    def om(self, index: int) -> Vector:
        """See `Places`."""
        return self.by_link[index].om
