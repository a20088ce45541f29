"""Regroup inertial parameters: move to the parent what the joint does not change.

Rotating a body about its z axis leaves part of its inertia unchanged: the mass, the first moment
    along z, and equal moments about x and y; translating it leaves the moments. That part can be
    moved to the parent. This leaves fewer parameters per body and so fewer operations in the step;
    the moving itself depends on parameters only and is hoisted to `prepare`. Joint efforts, M, c
    and accelerations do not change; joint reactions would, so functions that report them must not
    use regrouped inertias.

Khalil & Dombre 2002, §9.4 (base inertial parameters), here by moving invariant inertias as bodies.
"""

from __future__ import annotations

from dataclasses import replace

from inloop.formalisms.frames import Link, Skeleton
from inloop.formalisms.inertia import Inertia, no_inertia


def regroup(skeleton: Skeleton) -> Skeleton:
    """The same mechanism with as little inertia per body as possible."""
    graph = skeleton.graph
    kept = [link.inertia for link in skeleton.links]
    for link in skeleton.tip_to_base():
        index = link.number - 1
        graph.section = link.name
        stays, moves = _split(link, kept[index])
        kept[index] = stays
        if link.parent >= 0:
            # the invariant part folds on its way through the joint's rotation
            kept[link.parent] = kept[link.parent] + moves.to_parent(link.R_PC, link.p_PC)
    links = tuple(
        replace(link, inertia=_labeled(link, inertia))
        for link, inertia in zip(skeleton.links, kept, strict=True)
    )
    return replace(skeleton, links=links)


def _split(link: Link, inertia: Inertia) -> tuple[Inertia, Inertia]:
    """The part that stays on the body and the part that may move to the parent."""
    graph, motion = inertia.m.graph, link.motion
    zero = graph.zero
    none = no_inertia(graph)
    xx, yy, zz, xy, xz, yz = inertia.J
    if link.continues:
        return inertia, none  # the parts of a ball joint share one frame: nothing to move
    if not motion.turns:
        # a body with constant orientation: its moments of inertia move
        return replace(inertia, J=none.J), replace(none, J=inertia.J)
    if not motion.turns_about_z:
        return inertia, none
    stays = replace(inertia, J=(xx - yy, zero, zz, xy, xz, yz))
    moves = replace(none, J=(yy, yy, zero, zero, zero, zero))
    if motion.slides:
        return stays, moves
    mx, my, mz = inertia.mc
    return (
        replace(stays, m=zero, mc=(mx, my, zero)),
        replace(moves, m=inertia.m, mc=(zero, zero, mz)),
    )


def _labeled(link: Link, inertia: Inertia) -> Inertia:
    graph = inertia.m.graph
    n = link.number
    graph.label(inertia.m, f"m_{n}")
    for component, axis in zip(inertia.mc, "xyz", strict=True):
        graph.label(component, f"mc_{n}_{axis}")
    for component, axes in zip(inertia.J, ("xx", "yy", "zz", "xy", "xz", "yz"), strict=True):
        graph.label(component, f"J_{n}_{axes}")
    return inertia
