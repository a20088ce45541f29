"""Flexible links in the skeleton: location, coordinates and finite elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inloop.formalisms.flexible_links.elements import BeamInertia, assemble_inertia
from inloop.formalisms.symbols import Symbols
from inloop.formalisms.vectors import (
    Matrix,
    Vector,
    dot,
    product,
    sub,
    transpose,
)
from inloop.model import GROUND, FlexibleLink, Mechanism
from inloop.symbolic import Expr, Graph

if TYPE_CHECKING:
    from inloop.formalisms.frames import Link


@dataclass(frozen=True)
class Beam:
    """A flexible link, ready for the recursions.

    Attributes:
        name: name of the link.
        link: index of the link C that carries its root, or GROUND.
        R_CE: axes of the beam in C.
        p_CE: position of its root in C.
        axial: axial coordinates, root to tip; empty if the link is inextensible.
        lateral: lateral displacements and rotations, alternating.
        x: undeformed positions of the nodes.
        lengths: element lengths.
        inertia: integrals over its mass.
        EI: bending stiffness [N·m²].
        EA: axial stiffness [N].
        alpha, beta: mass-proportional [1/s] and stiffness-proportional damping [s].
        stiffening: whether bending shortens it.
        loads: mass attached to each node [kg].
    """

    name: str
    link: int
    R_CE: Matrix
    p_CE: Vector
    axial: tuple[int, ...]
    lateral: tuple[int, ...]
    x: tuple[Expr, ...]
    lengths: tuple[Expr, ...]
    inertia: BeamInertia
    EI: Expr
    EA: Expr
    alpha: Expr
    beta: Expr
    stiffening: bool
    loads: tuple[Expr, ...]

    @property
    def shortens(self) -> bool:
        """True if it is inextensible, so that bending moves its nodes towards the root."""
        return self.stiffening and not self.axial

    @property
    def coordinates(self) -> tuple[int, ...]:
        """All of its coordinates, root to tip."""
        return tuple(sorted((*self.axial, *self.lateral), reverse=True))

    def along(self, values: Sequence[Expr], graph: Graph) -> list[Expr]:
        """Entries of a vector of all coordinates that displace nodes axially."""
        return [values[k] for k in self.axial] or [graph.zero] * len(self.x)

    def across(self, values: Sequence[Expr]) -> list[Expr]:
        """Entries that displace nodes laterally and rotate them."""
        return [values[k] for k in self.lateral]


def build_beams(mechanism: Mechanism, symbols: Symbols, links: Sequence[Link]) -> tuple[Beam, ...]:
    """All flexible links of a mechanism."""
    return tuple(_beam(item, mechanism, symbols, links) for item in mechanism.flexible_links)


def _beam(
    item: FlexibleLink, mechanism: Mechanism, symbols: Symbols, links: Sequence[Link]
) -> Beam:
    symbols.graph.section = item.name
    root = symbols.vector(item.p_BE, f"{item.name}.position", "m")
    axes = symbols.matrix(item.R_BE)
    x, loads = [], []
    for node in item.nodes:
        # derived from the joints of the nodes, whose numbers may be live
        first = mechanism.bodies[node.bodies[0]]
        p_BJ = symbols.vector(first.attachment.p_PJ, first.attachment.path, "m")
        x.append(dot(transpose(axes)[0], sub(p_BJ, root)))
        loads.append(links[node.rotation].inertia.m)
    lengths = [b - a for a, b in zip([symbols.graph.zero, *x], x, strict=False)]
    mass = symbols.scalar(item.mass_per_length, f"{item.name}.mass_per_length", "kg/m", least=0.0)
    EA = symbols.graph.zero
    if item.EA is not None:
        EA = symbols.scalar(item.EA, f"{item.name}.EA", "N", least=0.0)
    carried = item.body != GROUND
    return Beam(
        name=item.name,
        link=item.body,
        R_CE=product(transpose(links[item.body].R_BC), axes) if carried else axes,
        p_CE=links[item.body].point(root) if carried else root,
        axial=tuple(node.axial for node in item.nodes if node.axial is not None),
        lateral=tuple(k for node in item.nodes for k in (node.lateral, node.rotation)),
        x=tuple(x),
        lengths=tuple(lengths),
        inertia=assemble_inertia(lengths, mass),
        EI=symbols.scalar(item.EI, f"{item.name}.EI", "N*m^2", least=0.0),
        EA=EA,
        alpha=symbols.scalar(item.alpha, f"{item.name}.alpha", "1/s", least=0.0),
        beta=symbols.scalar(item.beta, f"{item.name}.beta", "s", least=0.0),
        stiffening=item.stiffening,
        loads=tuple(loads),
    )
