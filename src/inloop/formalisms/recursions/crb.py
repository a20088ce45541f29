"""Composite-rigid-body algorithm: the mass matrix, restricted to the nonzeros of the tree.

Walker & Orin 1982; Featherstone 2008, table 6.2. The composite inertia of a subtree is accumulated
from tip to base; column j is the force for a unit acceleration of joint j, carried to the base.
"""

from __future__ import annotations

from dataclasses import dataclass

from inloop.formalisms.flexible_links.assembly import BentBeam, bend, chained
from inloop.formalisms.frames import GROUND, Link, Skeleton
from inloop.formalisms.inertia import Inertia
from inloop.formalisms.recursions.rne import Wrench, to_parent
from inloop.formalisms.vectors import add_cross, label, label_tensor, scale, tensor_times
from inloop.symbolic import Expr


@dataclass(frozen=True)
class MassMatrix:
    """The mass matrix by its non-zero entries.

    Attributes:
        n: number of coordinates.
        entries: M_ij for j an ancestor of i or i itself, j <= i.
        parents: parent index of each coordinate in the elimination tree, -1 at the base; nodes of
            flexible links form chains in it.
        names: name of the body moved by each coordinate.
    """

    n: int
    entries: dict[tuple[int, int], Expr]
    parents: tuple[int, ...]
    names: tuple[str, ...]

    def ancestors(self, i: int) -> list[int]:
        """Coordinates between i and the base, nearest first."""
        found = []
        while (i := self.parents[i]) >= 0:
            found.append(i)
        return found

    def rows(self, zero: Expr) -> list[list[Expr]]:
        """The full symmetric matrix."""
        return [
            [self.entries.get((max(i, j), min(i, j)), zero) for j in range(self.n)]
            for i in range(self.n)
        ]


def mass_matrix(skeleton: Skeleton) -> MassMatrix:
    """M(q) of the mechanism."""
    graph = skeleton.graph
    composite = [link.inertia for link in skeleton.links]
    entries: dict[tuple[int, int], Expr] = {}
    bent = bend(skeleton)
    for beam in bent:
        if beam.beam.link != GROUND:
            composite[beam.beam.link] = composite[beam.beam.link] + beam.inertia()
    for link in skeleton.tip_to_base():
        i = link.number - 1
        graph.section = link.name
        own = composite[i]
        graph.label(own.m, f"cm_{link.number}")
        label(graph, own.mc, f"cmc_{link.number}")
        label_tensor(graph, own.J, f"cJ_{link.number}")
        if link.parent >= 0:
            composite[link.parent] = composite[link.parent] + carried(link, own)
        _column(skeleton, link, own, entries)
    for beam in bent:
        _flexible(skeleton, beam, entries)
    names = tuple(link.name for link in skeleton.links)
    matrix = MassMatrix(len(skeleton.links), entries, chained(skeleton), names)
    for i in range(matrix.n) if bent else ():
        for j in matrix.ancestors(i):
            entries.setdefault((i, j), graph.zero)
    return matrix


def _flexible(skeleton: Skeleton, bent: BentBeam, entries: dict[tuple[int, int], Expr]) -> None:
    """Entries of a flexible link: among its coordinates, and with all ancestors."""
    zero = skeleton.graph.zero
    for key, mass in bent.masses().items():
        entries[key] = entries.get(key, zero) + mass
    for i, (f, n) in bent.columns().items():
        wrench, j = Wrench(f, n), bent.beam.link
        while j != GROUND:
            below = skeleton.links[j]
            entry = below.motion.along(wrench.f, wrench.n)
            entries[i, j] = entries.get((i, j), zero) + entry
            wrench, j = to_parent(below, wrench), below.parent


def carried(link: Link, own: Inertia) -> Inertia:
    """The composite inertia of a link in its parent's frame."""
    if link.motion.slides:
        own = own.shifted(link.motion.shift)
    return own.to_parent(link.R_PC, link.p_PC)


def unit_wrench(link: Link, own: Inertia) -> tuple[Wrench, Expr]:
    """Wrench for a unit acceleration of the joint, in the link's frame, and along the joint."""
    omd, acc = link.motion.angular, link.motion.linear
    # f = m acc + omd × mc,  n = J omd + mc × acc
    f = add_cross(scale(own.m, acc), omd, own.mc)
    n = add_cross(tensor_times(own.J, omd), own.mc, acc)
    return Wrench(f, n), link.motion.along(f, n)


def _column(
    skeleton: Skeleton, link: Link, own: Inertia, entries: dict[tuple[int, int], Expr]
) -> None:
    graph = skeleton.graph
    i = link.number - 1
    wrench, diagonal = unit_wrench(link, own)
    entries[i, i] = graph.label(diagonal + link.armature, f"M_{i + 1}_{i + 1}")
    below = link
    while below.parent >= 0:
        wrench = to_parent(below, wrench)
        below = skeleton.links[below.parent]
        j = below.number - 1
        label(graph, wrench.f, f"F_{i + 1}_{j + 1}")
        label(graph, wrench.n, f"N_{i + 1}_{j + 1}")
        entry = below.motion.along(wrench.f, wrench.n)
        entries[i, j] = graph.label(entry, f"M_{i + 1}_{j + 1}")
