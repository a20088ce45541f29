"""Loop constraints: h(q, t) = 0, its Jacobian J and the terms J qdd = -gamma, J qd = -nu.

A loop is written in the axes of the last body that both its ends hang on, so that it depends on the
coordinates of the loop alone. Jacobians are geometric (Featherstone 2008, §8); rows of rotation
are exact at closure and right to first order elsewhere, which keeps Newton's convergence.
User constraints are differentiated as expressions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from inloop.formalisms.frames import GROUND, Link, Skeleton
from inloop.formalisms.kinematics import (
    Pose,
    moving_of,
    pose_along,
    turning_of,
    velocity_along,
    world_pose,
)
from inloop.formalisms.motion import at_rest, motion_along, times
from inloop.formalisms.symbols import Symbols
from inloop.formalisms.vectors import (
    Matrix,
    Vector,
    add,
    cross,
    dot,
    matrix_times,
    product,
    scale,
    sub,
    transpose,
    zero_vector,
)
from inloop.model import Constraint, Coupling, Frame, Lock, Loop, Mechanism
from inloop.symbolic import Expr, forward

AXES = ("x", "y", "z")


@dataclass(frozen=True)
class Cut:
    """What a unit multiplier does at the ends of a loop, in the axes of the carrying body.

    Attributes:
        a, b: the ends.
        force: on end a; the opposite acts on end b.
        torque: likewise.
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
        direction: what the row holds, in words ("z", "turn about x", "length").
        unit: of h: "m", "rad", or "" for a constraint of the user's, which may be anything.
        h: the value that must vanish.
        J: derivatives by coordinate.
        nu: explicit time derivative, J qd + nu = 0.
        gamma: J qdd + gamma = 0.
        cut: the forces that go with it; None for a constraint of the user's.
        linear: whether J is the same everywhere, so that q may be far from closed or from 0.
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

    @property
    def name(self) -> str:
        """What its multiplier is called: "contact.normal"."""
        return f"{self.element}.{self.direction.replace(' ', '_')}"

    def rate(self, qd: Sequence[Expr]) -> Expr:
        """J qd + nu."""
        return sum((entry * qd[k] for k, entry in self.J.items()), self.nu)


def build_rows(mechanism: Mechanism, skeleton: Skeleton) -> list[Row]:
    """All constraints of a mechanism, loop by loop; velocities as the links hold them."""
    rows: list[Row] = []
    for loop in mechanism.loops:
        skeleton.graph.section = loop.name
        rows += _loop_rows(loop, skeleton)
    for constraint in mechanism.constraints:
        skeleton.graph.section = constraint.name
        rows += _user_rows(constraint, skeleton)
    rows += [_coupling_row(item, mechanism, skeleton) for item in mechanism.couplings]
    rows += [_lock_row(lock, skeleton) for lock in mechanism.locks]
    return rows


def declare_numbers(mechanism: Mechanism, symbols: Symbols) -> None:
    """Let lengths of rods and numbers of couplings be live, before any row is written."""
    for loop in mechanism.loops:
        if loop.kind == "rod":
            _rod_length(loop, symbols)
    for item in mechanism.couplings:
        _coupling_numbers(item, mechanism, symbols)


@dataclass(frozen=True)
class End:
    """One end of a loop, in the axes of the body that carries the whole loop.

    Attributes:
        link: index of the link that has the end, or GROUND.
        p_CQ: the end in its internal frame C.
        pose: that frame.
        p: position of the end.
        R: axes of the end's frame.
        om, v, omd, acc: its motion, for joint accelerations of zero.
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
        """By coordinate, what it adds to the angular velocity."""
        return {
            link.number - 1: turning_of(link, pose)
            for link, pose in zip(self.path, self.poses, strict=True)
        }

    def moving(self) -> dict[int, Vector]:
        """By coordinate, what it adds to the velocity of the end."""
        return {
            link.number - 1: moving_of(link, pose, self.p)
            for link, pose in zip(self.path, self.poses, strict=True)
        }


def _path(skeleton: Skeleton, index: int) -> list[int]:
    """Indices from a link to the base, itself first."""
    found = []
    while index >= 0:
        found.append(index)
        index = skeleton.links[index].parent
    return found


def carrier_of(skeleton: Skeleton, a: int, b: int) -> int:
    """The last body that both links hang on, or GROUND."""
    above_b = set(_path(skeleton, b))
    return next((k for k in _path(skeleton, a) if k in above_b), GROUND)


def _carrier_pose(skeleton: Skeleton, carrier: int) -> Pose:
    """The carrying body's internal frame, seen in the axes that the user gave the body."""
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
    p_CQ, R_CF = _fixed(skeleton, frame)
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


def _fixed(skeleton: Skeleton, frame: Frame) -> tuple[Vector, Matrix]:
    """Origin and axes of a frame in its link's internal frame."""
    p_BF = skeleton.symbols.vector(frame.p_BF, frame.path, "m")
    R_BF = skeleton.symbols.matrix(frame.R_BF)
    if frame.body == GROUND:
        return p_BF, R_BF
    link = skeleton.links[frame.body]
    return link.point(p_BF), product(transpose(link.R_BC), R_BF)


def _loop_rows(loop: Loop, skeleton: Skeleton) -> list[Row]:
    carrier = carrier_of(skeleton, loop.a.body, loop.b.body)
    a, b = loop_end(skeleton, loop.a, carrier), loop_end(skeleton, loop.b, carrier)
    if loop.kind == "rod":
        return [_rod_row(loop, a, b, skeleton)]
    rows = _position_rows(loop, a, b)
    if loop.kind == "solid":
        rows += _rotation_rows(loop, a, b)
    if loop.kind == "hinge":
        rows += _axis_rows(loop, a, b)
    return rows


def difference(a: dict[int, Vector], b: dict[int, Vector]) -> dict[int, Vector]:
    """By coordinate, a less b; no coordinate moves both ends."""
    minus = {k: tuple(-e for e in v) for k, v in b.items()}
    return {**a, **minus}  # type: ignore[dict-item]


def _rows(
    loop: Loop,
    names: Iterable[str],
    unit: str,
    h: Vector,
    columns: dict[int, Vector],
    gamma: Vector,
    cuts: Iterable[Cut],
) -> list[Row]:
    zero = h[0].graph.zero
    result = []
    for k, (name, cut) in enumerate(zip(names, cuts, strict=True)):
        J = {i: v[k] for i, v in columns.items() if v[k] is not zero}
        result.append(Row(loop.name, name, unit, h[k], J, zero, gamma[k], cut))
    return result


def _position_rows(loop: Loop, a: End, b: End) -> list[Row]:
    graph = a.p[0].graph
    columns = difference(a.moving(), b.moving())
    cuts = [Cut(a, b, axis, zero_vector(graph)) for axis in world_pose(graph).R_WC]
    return _rows(loop, AXES, "m", sub(a.p, b.p), columns, sub(a.acc, b.acc), cuts)


def _rotation_rows(loop: Loop, a: End, b: End) -> list[Row]:
    """r = ½ vee(R_ba - R_baᵀ) in the carrier's axes; its rate is om_a - om_b at closure."""
    R = product(a.R, transpose(b.R))
    r = (
        0.5 * (R[2][1] - R[1][2]),
        0.5 * (R[0][2] - R[2][0]),
        0.5 * (R[1][0] - R[0][1]),
    )
    columns = difference(a.turning(), b.turning())
    names = [f"turn about {axis}" for axis in AXES]
    graph = a.p[0].graph
    cuts = [Cut(a, b, zero_vector(graph), axis) for axis in world_pose(graph).R_WC]
    return _rows(loop, names, "rad", r, columns, sub(a.omd, b.omd), cuts)


def _axis_rows(loop: Loop, a: End, b: End) -> list[Row]:
    """b's axis n stays normal to two directions e of a: e · n = 0."""
    graph = a.p[0].graph
    n_F: Vector = tuple(graph.constant(x) for x in loop.axis)  # type: ignore[assignment]
    n = matrix_times(b.R, n_F)
    turning = difference(a.turning(), b.turning())
    om = sub(a.om, b.om)
    omd = sub(a.omd, b.omd)
    rows = []
    for name, e_F in zip(("tilt 1", "tilt 2"), normals(loop.axis), strict=True):
        e = matrix_times(a.R, tuple(graph.constant(x) for x in e_F))  # type: ignore[arg-type]
        # d/dt (e · n) = (e × n) · (om_a - om_b), as om_a × e · n = om_a · (e × n)
        g = cross(e, n)
        g_rate = add(cross(cross(a.om, e), n), cross(e, cross(b.om, n)))
        gamma = dot(g, omd) + dot(g_rate, om)
        J = {k: dot(g, v) for k, v in turning.items()}
        J = {k: v for k, v in J.items() if v is not graph.zero}
        cut = Cut(a, b, zero_vector(graph), g)
        rows.append(Row(loop.name, name, "rad", dot(e, n), J, graph.zero, gamma, cut))
    return rows


def normals(axis: tuple[float, float, float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Two unit vectors normal to an axis and to each other."""
    n = np.array(axis)
    e1 = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
    e1 /= np.linalg.norm(e1)
    e2 = np.cross(n, e1)
    return tuple(map(float, e1)), tuple(map(float, e2))


def _rod_row(loop: Loop, a: End, b: End, skeleton: Skeleton) -> Row:
    """(d · d - L²) / 2L, in meters."""
    graph = skeleton.graph
    length = _rod_length(loop, skeleton.symbols)
    d, v, acc = sub(a.p, b.p), sub(a.v, b.v), sub(a.acc, b.acc)
    over = graph.one / length
    h = 0.5 * (over * dot(d, d) - length)
    unit = scale(over, d)
    columns = difference(a.moving(), b.moving())
    J = {k: dot(unit, column) for k, column in columns.items()}
    J = {k: entry for k, entry in J.items() if entry is not graph.zero}
    gamma = dot(unit, acc) + over * dot(v, v)
    cut = Cut(a, b, unit, zero_vector(graph))
    return Row(loop.name, "length", "m", h, J, graph.zero, gamma, cut)


def _rod_length(loop: Loop, symbols: Symbols) -> Expr:
    return symbols.scalar(loop.length, f"{loop.name}.length", "m")


def _lock_row(lock: Lock, skeleton: Skeleton) -> Row:
    """The joint does not move: qd = 0, wherever it is. Nothing has to be closed."""
    zero, one = skeleton.graph.zero, skeleton.graph.one
    unit = skeleton.links[lock.body].unit
    return Row(lock.name, "hold", unit, zero, {lock.body: one}, zero, zero)


def _coupling_row(item: Coupling, mechanism: Mechanism, skeleton: Skeleton) -> Row:
    """Σ factor q - offset; a coupling that holds what it finds has nothing to be closed, as locks.

    It is named by what its multiplier is on the joint whose factor is 1.
    """
    graph = skeleton.graph
    J, offset = _coupling_numbers(item, mechanism, skeleton.symbols)
    h = graph.zero
    if offset is not None:
        h = sum((x * skeleton.links[k].q for k, x in J.items()), -offset)
    J = {k: x for k, x in J.items() if x is not graph.zero}
    unit = "" if item.reference is None else skeleton.links[item.reference].unit
    word = {"rad": "torque", "m": "force"}.get(unit, "effort")
    return Row(item.name, word, unit, h, J, graph.zero, graph.zero, linear=True)


def _coupling_numbers(
    item: Coupling, mechanism: Mechanism, symbols: Symbols
) -> tuple[dict[int, Expr], Expr | None]:
    """Factors by coordinate, and the offset."""
    names = mechanism.coordinates
    factors = {k: symbols.scalar(x, f"{item.name}.{names[k]}.factor") for k, x in item.factors}
    if item.offset is None:
        return factors, None
    return factors, symbols.scalar(item.offset, f"{item.name}.offset")


def _rate(expr: Expr, links: Iterable[Link], t: Expr) -> Expr:
    """Time derivative of an expression of q and t along the motion."""
    total = forward([expr], t)[0]
    for link in links:
        total = total + forward([expr], link.q)[0] * link.qd
    return total


def _user_rows(constraint: Constraint, skeleton: Skeleton) -> list[Row]:
    symbols = skeleton.symbols
    graph = skeleton.graph
    links = {index: skeleton.links[index] for index, _ in constraint.coordinates}
    at = {placeholder: links[index].q for index, placeholder in constraint.coordinates}
    exprs = symbols.substitute(constraint.rows, {**at, constraint.t: symbols.t})
    rows = []
    for k, h in enumerate(exprs, start=1):
        J = {index: forward([h], link.q)[0] for index, link in links.items()}
        J = {index: slope for index, slope in J.items() if slope is not graph.zero}
        nu = forward([h], symbols.t)[0]
        # gamma = d/dt (J qd + nu) at constant qd, which may be expressions of q themselves
        gamma = _rate(nu, links.values(), symbols.t)
        for index, slope in J.items():
            gamma = gamma + _rate(slope, links.values(), symbols.t) * links[index].qd
        rows.append(Row(constraint.name, f"row {k}", "", h, J, nu, gamma))
    return rows


__all__ = [
    "Cut", "End", "Row", "build_rows", "carrier_of", "declare_numbers", "difference", "loop_end",
    "normals",
]  # fmt: skip
