"""Loop constraints: h(q, t) = 0, its Jacobian J and the terms J qdd = -gamma, J qd = -nu.

Jacobians are geometric (Featherstone 2008, §8); rotation rows are exact at closure and correct to
first order elsewhere, which preserves Newton's convergence.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from inloop.formalisms.frames import Skeleton
from inloop.formalisms.loops.rolling import knife_edge_rows, rolling_rows
from inloop.formalisms.loops.rows import Cut, End, Row, carrier_of, difference, loop_end
from inloop.formalisms.loops.user_rows import user_rows
from inloop.formalisms.recursions.kinematics import world_pose
from inloop.formalisms.symbols import Symbols
from inloop.formalisms.tangents import tangents
from inloop.formalisms.vectors import (
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
from inloop.model import Coupling, Lock, Loop, Mechanism
from inloop.symbolic import Expr

AXES = ("x", "y", "z")


def build_rows(mechanism: Mechanism, skeleton: Skeleton) -> list[Row]:
    """All constraints of a mechanism, loop by loop, with the velocities held by the links."""
    rows: list[Row] = []
    for loop in mechanism.loops:
        skeleton.graph.section = loop.name
        rows += _loop_rows(loop, skeleton)
    rows += written_rows(mechanism, skeleton)
    return rows + joint_rows(mechanism, skeleton)


def written_rows(mechanism: Mechanism, skeleton: Skeleton) -> list[Row]:
    """User-written constraints, which are functions of the joint coordinates."""
    rows: list[Row] = []
    motions = tangents(mechanism, skeleton.symbols) if mechanism.constraints else ()
    for constraint in mechanism.constraints:
        skeleton.graph.section = constraint.name
        rows += user_rows(constraint, skeleton, motions)
    return rows


def joint_rows(mechanism: Mechanism, skeleton: Skeleton) -> list[Row]:
    """Couplings and locks: rows on joint coordinates only."""
    rows = [_coupling_row(item, mechanism, skeleton) for item in mechanism.couplings]
    return rows + [_lock_row(lock, skeleton) for lock in mechanism.locks]


def declare_numbers(mechanism: Mechanism, symbols: Symbols) -> None:
    """Declare lengths, radii and coupling numbers as live, before any row is built."""
    for loop in mechanism.loops:
        _length(loop, symbols)
    for item in mechanism.couplings:
        _coupling_numbers(item, mechanism, symbols)


def _loop_rows(loop: Loop, skeleton: Skeleton) -> list[Row]:
    carrier = carrier_of(skeleton, loop.a.body, loop.b.body)
    a, b = loop_end(skeleton, loop.a, carrier), loop_end(skeleton, loop.b, carrier)
    return rows_between(loop, a, b, skeleton)


def rows_between(loop: Loop, a: End, b: End, skeleton: Skeleton) -> list[Row]:
    """The rows of a loop, from its two ends."""
    if loop.kind == "rod":
        return [_rod_row(loop, a, b, skeleton)]
    if loop.kind == "knife edge":
        return knife_edge_rows(loop, a, b)
    if loop.kind in ("disc", "sphere"):
        return rolling_rows(loop, a, b, _length(loop, skeleton.symbols))
    rows = _position_rows(loop, a, b)
    if loop.kind == "solid":
        rows += _rotation_rows(loop, a, b)
    if loop.kind == "hinge":
        rows += _axis_rows(loop, a, b)
    return rows


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
    length = _length(loop, skeleton.symbols)
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


def _length(loop: Loop, symbols: Symbols) -> Expr:
    """Length of a rod, or radius of a rolling body; 0 if there is none."""
    return symbols.scalar(loop.length, loop.length_name, "m", least=0.0)


def _lock_row(lock: Lock, skeleton: Skeleton) -> Row:
    """The joint does not move: qd = 0 at any position. Nothing to close."""
    zero, one = skeleton.graph.zero, skeleton.graph.one
    unit = skeleton.links[lock.body].unit
    return Row(lock.name, "hold", unit, zero, {lock.body: one}, zero, zero)


def _coupling_row(item: Coupling, mechanism: Mechanism, skeleton: Skeleton) -> Row:
    """Σ factor q - offset; a coupling that keeps the initial positions has nothing to close.

    It is named after its multiplier on the joint with factor 1.
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
