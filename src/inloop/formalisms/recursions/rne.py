"""Recursive Newton–Euler inverse dynamics: efforts from motion, in O(n).

Luh, Walker & Paul 1980 in body axes, with the beta tensor omd~ + om~ om~ of Balafoutis & Patel
1991 so that each product of velocities is formed once; gravity enters as base acceleration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inloop.formalisms.flexible_links.assembly import BeamNeeds, bend
from inloop.formalisms.frames import GROUND, Link, Skeleton
from inloop.formalisms.recursions.motion import Motion, ground_motion, motions, times
from inloop.formalisms.vectors import Vector, add, add_cross, cross, label, scale, sub
from inloop.symbolic import Expr


@dataclass(frozen=True)
class Wrench:
    """Force and moment about the internal origin of a link, in its internal axes [N, N·m]."""

    f: Vector
    n: Vector


def inverse_dynamics(
    skeleton: Skeleton, qdd: Sequence[Expr], applied: Mapping[int, Wrench] | None = None
) -> list[Expr]:
    """Joint efforts for the accelerations qdd under gravity and applied wrenches."""
    wrenches = transmitted(skeleton, qdd, applied or {}, ("f", "n"))
    tau = []
    for link, wrench in zip(skeleton.links, wrenches, strict=True):
        skeleton.graph.section = link.name
        along = link.motion.along(wrench.f, wrench.n)
        tau.append(along + link.armature * qdd[link.number - 1])
    for needs in _flexible(skeleton, qdd):
        for k, effort in needs.efforts.items():
            tau[k] = tau[k] + effort
    return tau


def transmitted(
    skeleton: Skeleton,
    qdd: Sequence[Expr],
    applied: Mapping[int, Wrench],
    names: tuple[str, str],
) -> list[Wrench]:
    """Wrench that each joint transmits to its body for the motion of all bodies beyond it.

    Args:
        skeleton: the links.
        qdd: joint accelerations.
        applied: external wrenches by link index.
        names: names of forces and moments in generated code.
    """
    graph = skeleton.graph
    motion = motions(skeleton, qdd)
    wrenches = [
        inertial(link, motion[link.number - 1], applied.get(link.number - 1))
        for link in skeleton.links
    ]
    for needs in _flexible(skeleton, qdd):
        if needs.link != GROUND:
            own = wrenches[needs.link]
            wrenches[needs.link] = Wrench(add(own.f, needs.f), add(own.n, needs.n))
    for link in skeleton.tip_to_base():
        graph.section = link.name
        wrench = wrenches[link.number - 1]
        label(graph, wrench.f, f"{names[0]}_{link.number}")
        label(graph, wrench.n, f"{names[1]}_{link.number}")
        if link.parent >= 0:
            carried = to_parent(link, wrench)
            below = wrenches[link.parent]
            wrenches[link.parent] = Wrench(add(below.f, carried.f), add(below.n, carried.n))
    return wrenches


def _flexible(skeleton: Skeleton, qdd: Sequence[Expr]) -> list[BeamNeeds]:
    """Inertial loads of flexible links."""
    if not skeleton.beams:
        return []
    # the last entry stands for the ground, whose index is -1
    motion = [*motions(skeleton, qdd), ground_motion(skeleton)]
    return [bent.needs(motion[bent.beam.link], qdd) for bent in bend(skeleton)]


def inertial(link: Link, motion: Motion, applied: Wrench | None) -> Wrench:
    """Force and moment for the link's own motion, minus the applied wrench."""
    graph = link.q.graph
    graph.section = link.name
    inertia = link.inertia
    # f = m acc + beta mc,  n = J omd + om × J om + mc × acc
    f = add(scale(inertia.m, motion.acc), times(motion.beta, inertia.mc))
    n = add(_euler(link, motion), cross(inertia.mc, motion.acc))
    if applied is not None:
        f, n = sub(f, applied.f), sub(n, applied.n)
    return Wrench(f, n)


def _euler(link: Link, motion: Motion) -> Vector:
    """J omd + om × J om by entries of J, which exploits zeros of J and reuses products in beta."""
    xx, yy, zz, xy, xz, yz = link.inertia.J
    (x, y, z), a, b = motion.om, motion.omd, motion.beta
    return (
        xx * a[0] + (zz - yy) * (y * z) - b[2][0] * xy + b[1][0] * xz + (y * y - z * z) * yz,
        yy * a[1] + (xx - zz) * (x * z) - b[0][1] * yz + b[2][1] * xy + (z * z - x * x) * xz,
        zz * a[2] + (yy - xx) * (x * y) - b[1][2] * xz + b[0][2] * yz + (x * x - y * y) * xy,
    )


def to_parent(link: Link, wrench: Wrench) -> Wrench:
    """The wrench about the parent's origin in the parent's axes."""
    # the joint translates the child's origin
    n_C = add_cross(wrench.n, link.motion.shift, wrench.f)
    f = link.R_PC.to_parent(wrench.f)
    n = add(link.R_PC.to_parent(n_C), cross(link.p_PC, f))
    return Wrench(f, n)
