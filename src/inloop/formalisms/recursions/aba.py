"""Articulated-body algorithm: forward dynamics in O(n).

Featherstone 2008, table 7.1, with classical accelerations of the frame origins: the articulated
inertia maps (omd, acc) to (n, f) by n = J omd + H acc, f = Hᵀ omd + M acc.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inloop.formalisms.frames import Link, Skeleton
from inloop.formalisms.inertia import Inertia
from inloop.formalisms.recursions.ltdl import reciprocal
from inloop.formalisms.recursions.motion import Beta, add_square, beta_of, times
from inloop.formalisms.recursions.rne import Wrench, to_parent
from inloop.formalisms.rotation import Planar, Rotation
from inloop.formalisms.vectors import (
    Matrix,
    Tensor,
    Vector,
    add,
    add_cross,
    add_tensors,
    as_vector,
    cross,
    label,
    matrix_times,
    product,
    scale,
    sub,
    tensor_times,
    transpose,
    zero_vector,
)
from inloop.symbolic import Expr, Graph

# row and column of the entries of a tensor
TENSOR_INDICES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


@dataclass(frozen=True)
class Articulated:
    """Articulated inertia about a frame's origin: J and M symmetric, H general."""

    J: Tensor
    H: Matrix
    M: Tensor

    def __add__(self, other: Articulated) -> Articulated:
        H = tuple(add(a, b) for a, b in zip(self.H, other.H, strict=True))
        return Articulated(
            add_tensors(self.J, other.J), (H[0], H[1], H[2]), add_tensors(self.M, other.M)
        )


@dataclass(frozen=True)
class _Pass:
    """Results of the tip-to-base pass at a joint."""

    U: Wrench  # articulated inertia times the joint's motion subspace
    inverse_D: Expr
    u: Expr  # effort left for the joint itself
    bias: tuple[Vector, Vector]  # velocity-dependent acceleration (angular, linear)


def direct_dynamics(
    skeleton: Skeleton, tau: Sequence[Expr], applied: Mapping[int, Wrench] | None = None
) -> list[Expr]:
    """Joint accelerations under efforts, gravity and applied wrenches."""
    graph = skeleton.graph
    om = _velocities(skeleton)
    square = [beta_of(graph, w, zero_vector(graph)) for w in om]
    inertias, forces = [], []
    for link in skeleton.links:
        graph.section = link.name
        i = link.number - 1
        inertias.append(_rigid(graph, link.inertia))
        forces.append(_velocity_force(link.inertia, om[i], square[i], (applied or {}).get(i)))
    passes: dict[int, _Pass] = {}
    for link in skeleton.tip_to_base():
        graph.section = link.name
        i = link.number - 1
        bias = _bias(skeleton, link, om, square)
        passes[i], inertia, force = _eliminate(link, inertias[i], forces[i], tau[i], bias)
        if link.parent >= 0:
            carried = to_parent(link, force)
            p = link.parent
            inertias[p] = inertias[p] + _carried(link, inertia)
            forces[p] = Wrench(add(forces[p].f, carried.f), add(forces[p].n, carried.n))
    return _accelerations(skeleton, passes)


def _velocities(skeleton: Skeleton) -> list[Vector]:
    graph = skeleton.graph
    result: list[Vector] = []
    for link in skeleton.links:
        graph.section = link.name
        om = result[link.parent] if link.parent >= 0 else zero_vector(graph)
        om = add(link.R_PC.to_child(om), scale(link.qd, link.motion.angular))
        result.append(label(graph, om, f"om_{link.number}"))
    return result


def _before_joint(skeleton: Skeleton, link: Link, om: list[Vector]) -> Vector:
    """Angular velocity of the parent frame of a ball joint, in the axes of its link."""
    while link.continues:
        link = skeleton.links[link.parent]
    if link.parent < 0:
        return zero_vector(skeleton.graph)
    return link.R_PC.to_child(om[link.parent])


def _rigid(graph: Graph, inertia: Inertia) -> Articulated:
    x, y, z = inertia.mc
    zero, m = graph.zero, inertia.m
    H = ((zero, -z, y), (z, zero, -x), (-y, x, zero))
    return Articulated(inertia.J, H, (m, m, m, zero, zero, zero))


def _velocity_force(inertia: Inertia, om: Vector, square: Beta, applied: Wrench | None) -> Wrench:
    """om × J om and om × (om × mc), minus the applied wrench."""
    f = times(square, inertia.mc)
    n = cross(om, tensor_times(inertia.J, om))
    if applied is not None:
        f, n = sub(f, applied.f), sub(n, applied.n)
    return Wrench(f, n)


def _bias(
    skeleton: Skeleton, link: Link, om: list[Vector], square: list[Beta]
) -> tuple[Vector, Vector]:
    """Velocity-dependent acceleration of the link's frame."""
    graph = skeleton.graph
    zero = zero_vector(graph)
    i, joint = link.number - 1, link.motion
    linear = link.R_PC.to_child(times(square[link.parent], link.p_PC)) if link.parent >= 0 else zero
    # om × w + (dS/dq) qd², with om of the child: w × w is zero; parts of a ball joint rotate
    # relative to the parent of the whole joint
    om_J = _before_joint(skeleton, link, om) if link.continues else om[i]
    angular = cross(om_J, scale(link.qd, joint.angular))
    angular = add_square(angular, joint.angular_rate, link.qd)
    if not joint.slides:
        return angular, linear
    # om × (om × r) + 2 om × dr/dt + (d²r/dq²) qd², and the effect of the angular part at r
    relative = add_cross(times(square[i], joint.shift), om[i], scale(2.0 * link.qd, joint.drift))
    relative = add_cross(relative, angular, joint.shift)
    return angular, add_square(add(linear, relative), joint.drift_rate, link.qd)


def _eliminate(
    link: Link, inertia: Articulated, force: Wrench, tau: Expr, bias: tuple[Vector, Vector]
) -> tuple[_Pass, Articulated, Wrench]:
    """Eliminate the joint's degree of freedom from the articulated inertia and force."""
    graph = tau.graph
    n = link.number
    joint = link.motion
    U = Wrench(
        _f_of(inertia, joint.angular, joint.linear), _n_of(inertia, joint.angular, joint.linear)
    )
    D, own = joint.along(U.f, U.n) + link.armature, joint.along(force.f, force.n)
    inverse_D = graph.label(reciprocal(D, link.name), f"iD_{n}")
    u = graph.label(tau - own, f"u_{n}")
    scaled = Wrench(scale(inverse_D, U.f), scale(inverse_D, U.n))
    reduced = _reduced(link, inertia, U, scaled)
    # p = p + I c + U u / D
    angular, linear = bias
    f = add(force.f, add(_f_of(reduced, angular, linear), scale(u, scaled.f)))
    n_ = add(force.n, add(_n_of(reduced, angular, linear), scale(u, scaled.n)))
    if link.armature is graph.zero and joint.only is not None:
        # along the joint itself only the effort remains
        six = [*n_, *f]
        six[joint.only] = tau
        n_, f = as_vector(six[:3]), as_vector(six[3:])
    return _Pass(U, inverse_D, u, bias), reduced, Wrench(f, n_)


def _reduced(link: Link, inertia: Articulated, U: Wrench, w: Wrench) -> Articulated:
    """I - U Uᵀ / D, with the joint's own row exactly zero if there is no armature."""
    zero, only = link.q.graph.zero, link.motion.only
    J = _minus_outer(inertia.J, U.n, w.n)
    M = _minus_outer(inertia.M, U.f, w.f)
    H = [[inertia.H[i][j] - w.n[i] * U.f[j] for j in range(3)] for i in range(3)]
    if link.armature is zero and only is not None:
        k = only % 3
        if only < 3:
            J, H[k] = _without(J, k), [zero, zero, zero]
        else:
            M = _without(M, k)
            for row in H:
                row[k] = zero
    rows = [(r[0], r[1], r[2]) for r in H]
    return Articulated(J, (rows[0], rows[1], rows[2]), M)


def _without(t: Tensor, k: int) -> Tensor:
    """The tensor with zeros in row and column k."""
    zero = t[0].graph.zero
    out = [zero if k in pair else entry for entry, pair in zip(t, TENSOR_INDICES, strict=True)]
    return out[0], out[1], out[2], out[3], out[4], out[5]


def _minus_outer(t: Tensor, a: Vector, b: Vector) -> Tensor:
    return (
        t[0] - a[0] * b[0],
        t[1] - a[1] * b[1],
        t[2] - a[2] * b[2],
        t[3] - a[0] * b[1],
        t[4] - a[0] * b[2],
        t[5] - a[1] * b[2],
    )


def _n_of(inertia: Articulated, angular: Vector, linear: Vector) -> Vector:
    return add(tensor_times(inertia.J, angular), matrix_times(inertia.H, linear))


def _f_of(inertia: Articulated, angular: Vector, linear: Vector) -> Vector:
    return add(matrix_times(transpose(inertia.H), angular), tensor_times(inertia.M, linear))


def _carried(link: Link, inertia: Articulated) -> Articulated:
    """The inertia in the parent's frame."""
    if link.motion.slides:
        inertia = _shifted(inertia, link.motion.shift)
    J = link.R_PC.tensor_to_parent(inertia.J)
    M = link.R_PC.tensor_to_parent(inertia.M)
    H = _matrix_to_parent(link.R_PC, inertia.H)
    return _labeled(link, _shifted(Articulated(J, H, M), link.p_PC))


def _labeled(link: Link, inertia: Articulated) -> Articulated:
    graph = link.q.graph
    for name, entries in (("AJ", inertia.J), ("AM", inertia.M)):
        for e, axes in zip(entries, ("xx", "yy", "zz", "xy", "xz", "yz"), strict=True):
            graph.label(e, f"{name}_{link.number}_{axes}")
    return inertia


def _shifted(inertia: Articulated, p: Vector) -> Articulated:
    """H' = H + p~ M,  J' = J + p~ H'ᵀ - H p~."""
    M = inertia.M
    rows: Matrix = ((M[0], M[3], M[4]), (M[3], M[1], M[5]), (M[4], M[5], M[2]))
    # columns of p~ M are p × columns of M
    pM = transpose((cross(p, rows[0]), cross(p, rows[1]), cross(p, rows[2])))
    H_new: Matrix = (
        add(inertia.H[0], pM[0]),
        add(inertia.H[1], pM[1]),
        add(inertia.H[2], pM[2]),
    )
    # p~ H'ᵀ: columns p × rows of H';  H p~: rows (row of H) × p, as h p~ = h × p
    left = transpose((cross(p, H_new[0]), cross(p, H_new[1]), cross(p, H_new[2])))
    right = (cross(inertia.H[0], p), cross(inertia.H[1], p), cross(inertia.H[2], p))

    def entry(i: int, j: int) -> Expr:
        return left[i][j] - right[i][j]

    J = inertia.J
    return Articulated(
        (
            J[0] + entry(0, 0),
            J[1] + entry(1, 1),
            J[2] + entry(2, 2),
            J[3] + entry(0, 1),
            J[4] + entry(0, 2),
            J[5] + entry(1, 2),
        ),
        H_new,
        inertia.M,
    )


def _matrix_to_parent(R: Rotation, H: Matrix) -> Matrix:
    """R H Rᵀ."""
    for step in reversed(R.steps):
        if isinstance(step, Planar):
            H = _planar_to_parent(step, H)
        else:
            H = product(product(step.m, H), transpose(step.m))
    return H


def _planar_to_parent(step: Planar, H: Matrix) -> Matrix:
    """R H Rᵀ for a planar rotation; e = s (H_ii - H_jj) + c (H_ij + H_ji) serves the block."""
    i, j, k = (step.axis + 1) % 3, (step.axis + 2) % 3, step.axis
    c, s = step.c, step.s
    out = [list(row) for row in H]
    e = s * (H[i][i] - H[j][j]) + c * (H[i][j] + H[j][i])
    turned, along = s * e, c * e
    out[i][i] = H[i][i] - turned
    out[j][j] = H[j][j] + turned
    out[i][j] = along - H[j][i]
    out[j][i] = along - H[i][j]
    out[i][k] = c * H[i][k] - s * H[j][k]
    out[j][k] = s * H[i][k] + c * H[j][k]
    out[k][i] = c * H[k][i] - s * H[k][j]
    out[k][j] = s * H[k][i] + c * H[k][j]
    rows = [(r[0], r[1], r[2]) for r in out]
    return rows[0], rows[1], rows[2]


def _accelerations(skeleton: Skeleton, passes: dict[int, _Pass]) -> list[Expr]:
    """Base to tip: qdd = (u - Uᵀ a) / D."""
    graph = skeleton.graph
    g = skeleton.gravity
    state: dict[int, tuple[Vector, Vector]] = {-1: (zero_vector(graph), (-g[0], -g[1], -g[2]))}
    qdd: list[Expr] = []
    for link in skeleton.links:
        graph.section = link.name
        i = link.number - 1
        omd_P, acc_P = state[link.parent]
        done = passes[i]
        turned = link.R_PC.to_child(omd_P)
        omd = add(turned, done.bias[0])
        acc = link.R_PC.to_child(add(acc_P, cross(omd_P, link.p_PC)))
        acc = add(add_cross(acc, turned, link.motion.shift), done.bias[1])
        projected = _dot6(done.U, omd, acc)
        result = graph.label((done.u - projected) * done.inverse_D, f"qdd_{link.number}")
        qdd.append(result)
        omd = add(omd, scale(result, link.motion.angular))
        acc = add(acc, scale(result, link.motion.linear))
        state[i] = (
            label(graph, omd, f"omd_{link.number}"),
            label(graph, acc, f"acc_{link.number}"),
        )
    return qdd


def _dot6(U: Wrench, omd: Vector, acc: Vector) -> Expr:
    total = U.n[0] * omd[0]
    for a, b in ((U.n[1], omd[1]), (U.n[2], omd[2])):
        total = total + a * b
    for k in range(3):
        total = total + U.f[k] * acc[k]
    return total


def estimate(n: int) -> int:
    """Rough operation count for n joints."""
    return 320 * n
