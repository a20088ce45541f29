"""Choose the internal frames in which the equations are written, one per body, DH-like.

The user's frames are convenient for people; other frames make the equations cheaper. For each body:

- z along its joint axis, so that a revolute joint changes two components and leaves the third;
- x along the common normal to the axis of one child (the one that aligns most children), so that
  the fixed rotation to that child is one planar rotation about x, free for multiples of π/2;
- the origin moved along the joint axis, so that the offset from the parent has at most two
  components; if the joint does not rotate the body, the origin moved to the parent's.

A joint that does more than rotate about and slide along its axis keeps the user's frame, with z
along the axis.

All of this is constant, so it costs nothing per step. Frame names: P, C internal frames of
parent and child; B the user's body frame; J the user's joint frame.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from inloop.formalisms.flexible_links.beam import Beam, build_beams
from inloop.formalisms.inertia import Inertia, about_origin
from inloop.formalisms.relative_motion import (
    RelativeMotion,
    Rotations,
    is_axial,
    planar_steps,
    relative_motion,
    transform_of,
    turning_part,
)
from inloop.formalisms.rotation import General, Planar, Rotation
from inloop.formalisms.size import size_of
from inloop.formalisms.symbols import Symbols
from inloop.formalisms.turns import Turn, axis_to_z, decompose, is_quarter, rx, rz, snap, snap_angle
from inloop.formalisms.vectors import (
    Matrix,
    Tensor,
    Vector,
    add,
    matrix_times,
    product,
    scale,
    sub,
    transpose,
    zero_vector,
)
from inloop.joints.kind import X, Z
from inloop.joints.quaternion import rotation
from inloop.model import Body, Mechanism
from inloop.symbolic import Expr, Graph

SNAP_LENGTH = 1e-13  # relative to the characteristic length of the model
GROUND = -1


@dataclass(frozen=True)
class Link:
    """A body in its internal frame C, ready for the recursions.

    Attributes:
        number: 1-based number in generated names.
        name: the body's name.
        parent: index of the parent link or -1.
        unit: unit of the coordinate.
        motion: motion of C produced by the joint.
        R_PC: rotation from C to the parent's internal frame; includes the joint's rotation.
        p_PC: position of C's origin in the parent's frame, without the joint's translation.
        q, qd, qdd, tau: the joint's symbols.
        inertia: about C's origin in C's axes.
        armature: drive inertia reflected to the joint.
        R_BC: C's axes in the user's body frame B (constant).
        p_BC: C's origin in B (constant).
        continues: whether it continues the ball joint of its parent, in the same frame.
    """

    number: int
    name: str
    parent: int
    unit: str
    motion: RelativeMotion
    R_PC: Rotation
    p_PC: Vector
    q: Expr
    qd: Expr
    qdd: Expr
    tau: Expr
    inertia: Inertia
    armature: Expr
    R_BC: Matrix
    p_BC: Vector
    continues: bool = False

    def to_internal(self, v_B: Vector) -> Vector:
        """A free vector given in the user's body axes."""
        return matrix_times(transpose(self.R_BC), v_B)

    def point(self, p_BQ: Vector) -> Vector:
        """p_CQ of a point given in the user's body frame."""
        return self.to_internal(sub(p_BQ, self.p_BC))


@dataclass(frozen=True)
class Skeleton:
    """The mechanism in internal frames: links base to tip, gravity in world axes, beams."""

    symbols: Symbols
    links: tuple[Link, ...]
    gravity: Vector
    beams: tuple[Beam, ...] = ()

    @property
    def graph(self) -> Graph:
        """The derivation graph."""
        return self.symbols.graph

    def tip_to_base(self) -> list[Link]:
        """Links, children before parents."""
        return list(reversed(self.links))


@dataclass(frozen=True)
class _Placed:
    """A body's internal frame relative to the user's body frame."""

    R_BC: Matrix
    p_BC: Vector


def build_skeleton(mechanism: Mechanism, symbols: Symbols) -> Skeleton:
    """Assign an internal frame to every body."""
    graph = symbols.graph
    placed: dict[int, _Placed] = {GROUND: _Placed(_identity(graph), zero_vector(graph))}
    children: dict[int, list[Body]] = {}
    for body in mechanism.bodies:
        children.setdefault(body.parent, []).append(body)
    span = size_of(mechanism).length
    attitudes = {each.bodies[0]: k for k, each in enumerate(mechanism.attitudes)}
    links = []
    for body in mechanism.bodies:
        if body.joint.kind.part is None:
            link = _place(body, placed, children.get(body.index, []), symbols, span)
        else:
            link = _place_part(body, placed, attitudes.get(body.index), symbols, span)
        placed[body.index] = _Placed(link.R_BC, link.p_BC)
        links.append(link)
    gravity = symbols.vector(mechanism.gravity, "gravity", "m/s^2")
    return Skeleton(symbols, tuple(links), gravity, build_beams(mechanism, symbols, links))


def _place(
    body: Body,
    placed: dict[int, _Placed],
    children: list[Body],
    symbols: Symbols,
    span: float,
) -> Link:
    graph = symbols.graph
    graph.section = body.name
    parent = placed[body.parent]
    q = symbols.q[body.index]
    where = transform_of(body, symbols)
    axial = is_axial(where)
    # F = R_P0 A: from axes with z along the joint to the parent's internal frame, at q = 0
    A = _constant_matrix(graph, axis_to_z(body.joint.axis))
    R_P0 = product(transpose(parent.R_BC), _rotation_entries(body, symbols))
    turn = decompose(product(R_P0, A))
    gamma = 0.0
    if axial:
        turns = bool(where.rotations)
        gamma = _own_turn(body, turn, children, graph, symbols) if turns else -turn.psi
    R_BC = _snapped(product(A, _constant_matrix(graph, rz(gamma))))
    R_PJ, rotations = _rotations(graph, turn, gamma, where.rotations, axial)
    R_JC = Rotation(planar_steps(rotations, q.name.removeprefix("q_")))
    # offset, with the origin moved along the axis, or to the parent's if nothing rotates
    p_PJ = _offset(body, parent, symbols, span)
    if not where.rotations:
        p_PC = zero_vector(graph)
        p_BC = matrix_times(transpose(R_P0), scale(graph.constant(-1.0), p_PJ))
    elif axial:
        z_P = turn_axis(graph, turn)
        slide = _slide(p_PJ, z_P)
        p_PC = _snap_lengths(add(p_PJ, scale(slide, z_P)), span)
        p_BC = scale(slide, _constants(graph, body.joint.axis))
    else:
        p_PC, p_BC = p_PJ, zero_vector(graph)
    inertia = _inertia(body, symbols, R_BC, p_BC)
    return Link(
        number=body.index + 1,
        name=body.name,
        parent=body.parent,
        unit=body.joint.kind.dimension.unit,
        motion=relative_motion(rotations, where.shift, q, R_JC),
        R_PC=Rotation((*R_PJ.steps, *R_JC.steps)),
        p_PC=p_PC,
        q=q,
        qd=symbols.qd[body.index],
        qdd=symbols.qdd[body.index],
        tau=symbols.tau[body.index],
        inertia=inertia,
        armature=symbols.scalar(body.joint.armature, f"{body.name}.armature", least=0.0),
        R_BC=R_BC,
        p_BC=p_BC,
    )


def _place_part(
    body: Body, placed: dict[int, _Placed], attitude: int | None, symbols: Symbols, span: float
) -> Link:
    """One part of a ball joint: the first rotates by the quaternion, all keep the user's frame."""
    graph = symbols.graph
    graph.section = body.name
    parent = placed[body.parent]
    steps: list[Planar | General] = []
    p_PC = zero_vector(graph)
    if attitude is not None:
        turn = decompose(product(transpose(parent.R_BC), _rotation_entries(body, symbols)))
        fixed, _ = _rotations(graph, turn, 0.0, (), axial=False)
        R_JC = rotation(symbols.quaternion(attitude))
        _label_matrix(graph, R_JC, f"R_{body.index + 3}")
        steps = [*fixed.steps, General(R_JC)]
        p_PC = _offset(body, parent, symbols, span)
    return Link(
        number=body.index + 1,
        name=body.name,
        parent=body.parent,
        unit=body.joint.kind.dimension.unit,
        motion=turning_part(graph, body.joint.kind.part or 0),
        R_PC=Rotation(tuple(steps)),
        p_PC=p_PC,
        q=symbols.q[body.index],
        qd=symbols.qd[body.index],
        qdd=symbols.qdd[body.index],
        tau=symbols.tau[body.index],
        inertia=_inertia(body, symbols, _identity(graph), zero_vector(graph)),
        armature=symbols.scalar(body.joint.armature, f"{body.name}.armature", least=0.0),
        R_BC=_identity(graph),
        p_BC=zero_vector(graph),
        continues=attitude is None,
    )


def _label_matrix(graph: Graph, m: Matrix, name: str) -> None:
    for i, row in enumerate(m):
        for j, entry in enumerate(row):
            graph.label(entry, f"{name}_{'xyz'[i]}{'xyz'[j]}")


def _offset(body: Body, parent: _Placed, symbols: Symbols, span: float) -> Vector:
    """Position of the joint in the parent's internal frame."""
    path = body.attachment.path if "." in body.attachment.path else f"{body.name}.position"
    p_user = symbols.vector(body.attachment.p_PJ, path, "m")
    p_PJ = matrix_times(transpose(parent.R_BC), sub(p_user, parent.p_BC))
    return _snap_lengths(p_PJ, span)


def _inertia(body: Body, symbols: Symbols, R_BC: Matrix, p_BC: Vector) -> Inertia:
    """Inertia about the internal origin in internal axes; all static."""
    m = symbols.scalar(body.mass, f"{body.name}.mass", "kg", least=0.0)
    c_B = symbols.vector(body.com, f"{body.name}.com", "m")
    I = body.inertia
    entries = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
    names = ("xx", "yy", "zz", "xy", "xz", "yz")
    t = [
        symbols.scalar(
            I[i][j], f"{body.name}.inertia.{axes}", "kg*m^2", least=0.0 if i == j else -math.inf
        )
        for (i, j), axes in zip(entries, names, strict=True)
    ]
    I_B: Tensor = (t[0], t[1], t[2], t[3], t[4], t[5])
    turned = General(transpose(R_BC)).tensor_to_parent(I_B)
    c_C = matrix_times(transpose(R_BC), sub(c_B, p_BC))
    return about_origin(m, c_C, turned)


def _rotation_entries(body: Body, symbols: Symbols) -> Matrix:
    rows = [
        [
            symbols.substitute([entry], {})[0]
            if isinstance(entry, Expr)
            else symbols.graph.constant(snap(float(entry)))
            for entry in row
        ]
        for row in body.attachment.R_PJ
    ]
    return _matrix(rows)


def _own_turn(
    body: Body, turn: Turn, children: list[Body], graph: Graph, symbols: Symbols
) -> float:
    """The constant angle gamma about a body's own axis that aligns x with most children."""
    A = _constant_matrix(graph, axis_to_z(body.joint.axis))
    wishes = []
    for child in children:
        if child.joint.kind.part is not None:
            continue  # keeps the user's frame, independent of the parent's
        A_child = _constant_matrix(graph, axis_to_z(child.joint.axis))
        F = product(product(transpose(A), _rotation_entries(child, symbols)), A_child)
        child_turn = decompose(F)
        if child_turn.matrix is None and not child_turn.parallel:
            wishes.append(child_turn.phi)
    if turn.matrix is not None:
        return wishes[0] if wishes else 0.0
    # without a preference, remove the offset of the joint angle
    candidates = [*wishes, -turn.psi]

    def gain(gamma: float) -> float:
        aligned = sum(is_quarter(phi - gamma) for phi in wishes)
        return aligned + (0.5 if is_quarter(turn.psi + gamma) else 0.0)

    best = max(candidates, key=lambda g: (round(gain(g), 3), -candidates.index(g)))
    return snap_angle(best)


def _rotations(
    graph: Graph,
    turn: Turn,
    gamma: float,
    of_joint: Rotations,
    axial: bool,
) -> tuple[Rotation, Rotations]:
    """R_PC as planar rotations: fixed Rz(phi) Rx(alpha) Rz(psi + gamma), then R(q).

    Consecutive rotations about z are merged into one angle.
    """
    steps: list[Planar | General] = []
    if turn.matrix is not None:
        steps.append(General(turn.matrix))
    else:
        if turn.phi != 0.0:
            steps.append(_fixed_planar(graph, Z, turn.phi))
        if turn.alpha != 0.0:
            steps.append(_fixed_planar(graph, X, turn.alpha))
    offset = snap_angle(turn.psi + gamma)
    if axial and of_joint:
        (_, first), *others = of_joint
        return Rotation(tuple(steps)), ((Z, first + graph.constant(offset)), *others)
    if offset != 0.0:
        steps.append(_fixed_planar(graph, Z, offset))
    return Rotation(tuple(steps)), of_joint


def turn_axis(graph: Graph, turn: Turn) -> Vector:
    """The child's joint axis z in the parent's frame."""
    if turn.matrix is not None:
        return turn.matrix[0][2], turn.matrix[1][2], turn.matrix[2][2]
    column = (rz(turn.phi) @ rx(turn.alpha))[:, 2]
    return _constants(graph, tuple(snap(float(x)) for x in column))


def _slide(p: Vector, z: Vector) -> Expr:
    """Distance to move the origin along the axis z so that few components of p remain."""
    graph = p[0].graph
    if any(not component.is_constant for component in z):
        return graph.zero
    best, fewest = graph.zero, 4.0
    for k in range(3):
        if abs(z[k].value) < 0.2:
            continue
        slide = graph.constant(-1.0 / z[k].value) * p[k]
        left = sum(add(p, scale(slide, z))[i] is not graph.zero for i in range(3) if i != k)
        rank = left - 0.1 * abs(z[k].value)
        if rank < fewest:
            best, fewest = slide, rank
    return best


# small numeric helpers


def _snap_lengths(p: Vector, span: float) -> Vector:
    graph = p[0].graph
    x, y, z = (graph.zero if c.is_constant and abs(c.value) < SNAP_LENGTH * span else c for c in p)
    return x, y, z


def _snapped(m: Matrix) -> Matrix:
    graph = m[0][0].graph
    rows = [[graph.constant(snap(e.value)) if e.is_constant else e for e in row] for row in m]
    return _matrix(rows)


def _fixed_planar(graph: Graph, axis: int, angle: float) -> Planar:
    value = graph.constant(angle)
    return Planar(axis, graph.call("cos", value), graph.call("sin", value))


def _constants(graph: Graph, v: tuple[float, ...]) -> Vector:
    return graph.constant(v[0]), graph.constant(v[1]), graph.constant(v[2])


def _constant_matrix(graph: Graph, m: np.ndarray) -> Matrix:
    return _matrix([[graph.constant(float(x)) for x in row] for row in m])


def _identity(graph: Graph) -> Matrix:
    return _constant_matrix(graph, np.eye(3))


def _matrix(rows: list[list[Expr]]) -> Matrix:
    r = [(row[0], row[1], row[2]) for row in rows]
    return r[0], r[1], r[2]
