"""Velocities and accelerations of all internal frames, base to tip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from inloop.formalisms.frames import Link, Skeleton
from inloop.formalisms.vectors import (
    Vector,
    add,
    add_cross,
    cross_entry,
    dot,
    label,
    scale,
    zero_vector,
)
from inloop.symbolic import Expr, Graph

Beta = tuple[Vector, Vector, Vector]  # rows


@dataclass(frozen=True)
class Motion:
    """Motion of one frame C relative to the world, in C's axes.

    Attributes:
        om: angular velocity [rad/s].
        omd: angular acceleration [rad/s²].
        beta: rows of omd~ + om~ om~, which maps p_CQ to the relative acceleration of Q.
        acc: acceleration of the origin, gravity subtracted [m/s²].
        om_J: angular velocity of the frame before the joint [rad/s].
    """

    om: Vector
    omd: Vector
    beta: Beta
    acc: Vector
    om_J: Vector


def motions(skeleton: Skeleton, qdd: Sequence[Expr]) -> list[Motion]:
    """Motion of every link for the given joint accelerations."""
    graph = skeleton.graph
    ground = ground_motion(skeleton)
    result: list[Motion] = []
    for link in skeleton.links:
        graph.section = link.name
        parent = result[link.parent] if link.parent >= 0 else ground
        result.append(motion_along(link, parent, qdd[link.number - 1]))
    return result


def ground_motion(skeleton: Skeleton) -> Motion:
    """The ground; gravity enters as base acceleration -g."""
    g = skeleton.gravity
    return replace(at_rest(skeleton.graph), acc=(-g[0], -g[1], -g[2]))


def at_rest(graph: Graph) -> Motion:
    """A frame at rest."""
    zero = zero_vector(graph)
    return Motion(zero, zero, beta_of(graph, zero, zero), zero, zero)


def motion_along(link: Link, parent: Motion, qdd: Expr) -> Motion:
    """Motion of a link's frame from that of its parent's."""
    n, graph = link.number, qdd.graph
    om = link.R_PC.to_child(parent.om)
    omd = link.R_PC.to_child(parent.omd)
    joint = link.motion
    # the parts of a ball joint rotate relative to the parent of the whole joint
    om_J = parent.om_J if link.continues else om
    # om_C = om_P + w,  omd_C = omd_P + om_J × w + dw/dt,  w = S qd
    w = scale(link.qd, joint.angular)
    omd = add(add_cross(omd, om_J, w), scale(qdd, joint.angular))
    omd = add_square(omd, joint.angular_rate, link.qd)
    om = add(om, w)
    om = label(graph, om, f"om_{n}")
    omd = label(graph, omd, f"omd_{n}")
    beta = beta_of(graph, om, omd, f"be_{n}")
    # acc_C = acc_P + beta_P p_PC
    acc = link.R_PC.to_child(add(parent.acc, times(parent.beta, link.p_PC)))
    if joint.slides:
        # relative motion of the origin, r in C's axes: beta r + 2 om × dr/dt + d²r/dt²
        twice, second = scale(2.0 * link.qd, joint.drift), scale(qdd, joint.drift)
        x, y, z = (
            acc[k] + dot(beta[k], joint.shift) + cross_entry(om, twice, k) + second[k]
            for k in range(3)
        )
        acc = add_square((x, y, z), joint.drift_rate, link.qd)
    return Motion(om, omd, beta, label(graph, acc, f"acc_{n}"), om_J)


def beta_of(graph: Graph, om: Vector, omd: Vector, name: str = "") -> Beta:
    """omd~ + om~ om~; unused entries are removed later as dead code."""
    x, y, z = om
    xx, yy, zz = x * x, y * y, z * z
    xy, xz, yz = x * y, x * z, y * z
    beta = (
        (-(yy + zz), xy - omd[2], xz + omd[1]),
        (xy + omd[2], -(xx + zz), yz - omd[0]),
        (xz - omd[1], yz + omd[0], -(xx + yy)),
    )
    if name:
        for i, row in enumerate(beta):
            for j, entry in enumerate(row):
                graph.label(entry, f"{name}_{'xyz'[i]}{'xyz'[j]}")
    return beta


def add_square(v: Vector, rate: Vector, qd: Expr) -> Vector:
    """v + rate qd², for quantities that vary with the coordinate."""
    if all(entry is qd.graph.zero for entry in rate):
        return v
    return add(v, scale(qd * qd, rate))


def times(beta: Beta, p: Vector) -> Vector:
    """beta p."""
    x, y, z = (row[0] * p[0] + row[1] * p[1] + row[2] * p[2] for row in beta)
    return x, y, z
