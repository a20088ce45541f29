"""Mass matrix with all columns in one common frame, for long chains.

Carrying a column from joint to joint costs the same at every joint. In a long chain it is cheaper
to transform each joint axis and each column to the world frame once; an entry of M is then one
product of six-vectors: M_ij = S_i · F_j. Composite inertias stay in body axes, where rotating them
is cheap.
"""

from __future__ import annotations

from inloop.formalisms.frames import Link, Skeleton
from inloop.formalisms.recursions.crb import MassMatrix, carried, unit_wrench
from inloop.formalisms.recursions.kinematics import Pose, poses, turning_of
from inloop.formalisms.recursions.rne import Wrench
from inloop.formalisms.vectors import Vector, add, add_cross, cross, dot, label, matrix_times
from inloop.symbolic import Expr


def mass_matrix(skeleton: Skeleton) -> MassMatrix:
    """M(q) of the mechanism."""
    graph = skeleton.graph
    links = skeleton.links
    world = poses(skeleton)
    axes: list[tuple[Vector, Vector]] = []
    for link, pose in zip(links, world, strict=True):
        graph.section = link.name
        axes.append(_axis(link, pose))
    composite = [link.inertia for link in links]
    entries: dict[tuple[int, int], Expr] = {}
    for link in skeleton.tip_to_base():
        i = link.number - 1
        graph.section = link.name
        own = composite[i]
        wrench, diagonal = unit_wrench(link, own)
        entries[i, i] = graph.label(diagonal + link.armature, f"M_{i + 1}_{i + 1}")
        if link.parent < 0:
            continue
        composite[link.parent] = composite[link.parent] + carried(link, own)
        F = _to_world(wrench, world[i])
        label(graph, F.f, f"F_{i + 1}")
        label(graph, F.n, f"N_{i + 1}")
        j = link.parent
        while j >= 0:
            angular, linear = axes[j]
            entry = dot(angular, F.n) + dot(linear, F.f)
            entries[i, j] = graph.label(entry, f"M_{i + 1}_{j + 1}")
            j = links[j].parent
    parents = tuple(link.parent for link in links)
    return MassMatrix(len(links), entries, parents, tuple(link.name for link in links))


def _axis(link: Link, pose: Pose) -> tuple[Vector, Vector]:
    """A joint's motion subspace in world axes about the world's origin."""
    angular = turning_of(link, pose)
    linear = matrix_times(pose.R_WC, link.motion.linear)
    return angular, add_cross(linear, pose.p_WC, angular)


def _to_world(wrench: Wrench, pose: Pose) -> Wrench:
    """A wrench about a frame's origin, in world axes about the world's origin."""
    f = matrix_times(pose.R_WC, wrench.f)
    return Wrench(f, add(matrix_times(pose.R_WC, wrench.n), cross(pose.p_WC, f)))
