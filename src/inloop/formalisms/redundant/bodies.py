"""Bodies with six coordinates each: poses and motions as independent symbols.

Nothing here follows from the joints. A body C has a position p_WC and axes R_WC, the velocity of
its origin in world axes, its angular velocity in its own axes, and the rates of both. Small motions
are written in its current axes: p += R δp, R ← R exp(δθ~). So no attitude is singular, and the
joint equations of a body and its parent depend only on their own coordinate.
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


@dataclass(frozen=True)
class Floating:
    """The frame of a link as if unconstrained.

    Attributes:
        pose: p_WC and R_WC, symbols.
        v, om: velocity of the origin in world axes, angular velocity in those of C.
        vd, omd: their rates.
    """

    pose: Pose
    v: Vector
    om: Vector
    vd: Vector
    omd: Vector

    def acceleration(self, gravity: Vector) -> Vector:
        """Acceleration of its origin in its own axes, gravity subtracted."""
        return matrix_times(transpose(self.pose.R_WC), sub(self.vd, gravity))

    def motion(self, gravity: Vector, acc: Vector | None = None) -> Motion:
        """Motion in its own axes, gravity subtracted; `acc` may replace `acceleration`."""
        graph = self.om[0].graph
        acc = acc or self.acceleration(gravity)
        return Motion(self.om, self.omd, beta_of(graph, self.om, self.omd), acc, self.om)

    def moved(self, axis: int, by: Expr, fast: Expr, faster: Expr) -> dict[Expr, Expr]:
        """Derivatives of its symbols with respect to a small motion.

        Args:
            axis: 0 to 2 translation along an axis of the body, 3 to 5 rotation about one.
            by: change of the position, per unit of the motion.
            fast: change of the velocities.
            faster: change of the accelerations.
        """
        R = self.pose.R_WC
        if axis < 3:
            column = as_vector([row[axis] for row in R])
            parts = ((self.pose.p_WC, by), (self.v, fast), (self.vd, faster))
            return {s: k * e for symbols, k in parts for s, e in zip(symbols, column, strict=True)}
        # R e~: a signed exchange of the two other columns
        j, k = (axis + 1) % 3, (axis + 2) % 3
        turned = {row[j]: by * row[k] for row in R} | {row[k]: -(by * row[j]) for row in R}
        return {**turned, self.om[axis - 3]: fast, self.omd[axis - 3]: faster}

    def flow(self) -> dict[Expr, Expr]:
        """Rates of the symbols of its pose."""
        found = dict(zip(self.pose.p_WC, self.v, strict=True))
        x, y, z = self.om
        for a, b, c in self.pose.R_WC:  # Ṙ = R om~
            found |= {a: b * z - c * y, b: c * x - a * z, c: a * y - b * x}
        return found

    @staticmethod
    def accelerated(acc: Vector, axis: int, by: Expr, faster: Expr) -> dict[Expr, Expr]:
        """Change of its acceleration in its own axes, without multiplying out Rᵀ R.

        Args:
            acc: the acceleration, symbols.
            axis: as for `moved`.
            by: change of the position, per unit of the motion.
            faster: change of the acceleration.
        """
        if axis < 3:
            return {acc[axis]: faster}
        j, k = (axis + 1) % 3, (axis + 2) % 3
        return {acc[j]: by * acc[k], acc[k]: -(by * acc[j])}


@dataclass(frozen=True)
class FreeBody(Floating):
    """A body: a frame with mass, or one with loads or children.

    Attributes:
        number: index among the bodies.
        links: links from the parent body to this one, which is the last. Ball joints have three;
            massless links without loads are also included.
        wrench: transmitted wrench about its origin in its axes: unknown.
    """

    number: int
    links: tuple[Link, ...]
    wrench: Wrench

    @property
    def link(self) -> Link:
        """The link whose frame and inertia are those of the body."""
        return self.links[-1]

    @property
    def parent(self) -> int:
        """Index of the parent link, or GROUND."""
        return self.links[0].parent

    @property
    def sharing(self) -> tuple[int, ...]:
        """Indices of the links that share its frame: one, or the three of a ball joint."""
        first = len(self.links) - 1
        while self.links[first].continues:
            first -= 1
        return tuple(link.number - 1 for link in self.links[first:])


@dataclass(frozen=True)
class Blocks:
    """Symbols of all bodies in the order of generated functions."""

    pose: tuple[Expr, ...]
    twist: tuple[Expr, ...]
    accel: tuple[Expr, ...]
    lam: tuple[Expr, ...]


def free_bodies(skeleton: Skeleton, asked: Iterable[int]) -> list[FreeBody]:
    """The bodies of a mechanism, parents first.

    Massless links lead to the next body. Where there is none, as at the nodes of a flexible link
    without attached bodies, their coordinates need no body at all.

    Args:
        skeleton: the links.
        asked: links with loads, or needed for other reasons.
    """
    links = skeleton.links
    wanted = {_frame_of(skeleton, k) for k in asked if k != GROUND}
    wanted |= {link.number - 1 for link in links if not link.inertia.is_zero}
    children: dict[int, list[int]] = {}
    leads = set(wanted)
    for link in skeleton.tip_to_base():
        k = link.number - 1
        if k in leads or k in children:
            leads.add(k)
            children.setdefault(link.parent, []).append(k)
    found: list[FreeBody] = []
    ways: dict[int, tuple[Link, ...]] = {}
    for link in links:
        k = link.number - 1
        if k not in leads:
            continue
        way = (*ways.pop(link.parent, ()), link)
        if k in wanted or len(children[k]) > 1:
            found.append(_body(skeleton.graph, len(found), way))
        else:
            ways[k] = way
    return found


def _frame_of(skeleton: Skeleton, index: int) -> int:
    """The last of the links that share a frame with a link (those of a ball joint)."""
    links = skeleton.links
    while index + 1 < len(links) and links[index + 1].continues:
        index += 1
    return index


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


def floating(graph: Graph, tag: int) -> Floating:
    """The frame of the link with a given number."""
    R: Matrix = (_vector(graph, "Rx", tag), _vector(graph, "Ry", tag), _vector(graph, "Rz", tag))
    v, om, vd, omd = (_vector(graph, name, tag) for name in ("v", "w", "vd", "wd"))
    return Floating(Pose(R, _vector(graph, "p", tag)), v, om, vd, omd)


def _vector(graph: Graph, name: str, tag: int) -> Vector:
    return as_vector([graph.symbol(f"{name}_{tag}_{axis}") for axis in "xyz"])


def _body(graph: Graph, number: int, links: tuple[Link, ...]) -> FreeBody:
    tag = links[-1].number
    wrench = Wrench(_vector(graph, "lf", tag), _vector(graph, "ln", tag))
    return FreeBody(**vars(floating(graph, tag)), number=number, links=links, wrench=wrench)


class BodyPlaces(Places):
    """World kinematics of points and frames, from the bodies that carry them.

    Attributes:
        asked: links whose frames have been requested.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.asked: set[int] = set()

    def floating(self, index: int) -> Floating:
        """The frame of a link."""
        self.asked.add(index)
        return floating(self.skeleton.graph, _frame_of(self.skeleton, index) + 1)

    def pose(self, index: int) -> Pose:
        """See `Places`."""
        return self.floating(index).pose if index != GROUND else world_pose(self.skeleton.graph)

    def motion(self, index: int) -> Motion:
        """Motion of a link's frame in its own axes, gravity subtracted."""
        if index == GROUND:
            return ground_motion(self.skeleton)
        return self.floating(index).motion(self.skeleton.gravity)

    def point(self, point: Point) -> tuple[Vector, Vector, Vector]:
        """See `Places`."""
        if point.body == GROUND:
            return super().point(point)
        body, p_CQ = self.floating(point.body), internal_point(self.skeleton, point)
        R = body.pose.R_WC
        return p_CQ, body.pose.point(p_CQ), add(body.v, matrix_times(R, cross(body.om, p_CQ)))

    def frame(self, frame: Frame) -> PlacedFrame:
        """See `Places`."""
        if frame.body == GROUND:
            return super().frame(frame)
        body = self.floating(frame.body)
        point = Point(frame.name, frame.path, frame.body, frame.p_BF, frame.where)
        p_CQ, R = internal_point(self.skeleton, point), body.pose.R_WC
        R_BF = self.skeleton.symbols.matrix(frame.R_BF)
        R_CF = product(transpose(self.skeleton.links[frame.body].R_BC), R_BF)
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
        return self.floating(index).om
