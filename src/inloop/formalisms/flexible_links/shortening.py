"""Shortening of inextensible flexible links: the source of their geometric stiffness.

When an inextensible link bends, its nodes move towards the root by

    u_i = -½ Σ_{k <= i} h_k mean(w'²)_k

(one mean per element, as in elasticity.py). Axial displacements of such a link are not coordinates
but functions of the lateral ones, with rates J wd and J wdd + d; axial forces act through Jᵀ on the
lateral coordinates. So a fast rotating link is stiffened and an upright one is softened by its
weight, in equations that conserve energy exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from inloop.formalisms.flexible_links.beam import Beam
from inloop.formalisms.flexible_links.elasticity import elements_of, mean_slope, slope_product
from inloop.formalisms.flexible_links.elements import BeamInertia, Entries
from inloop.symbolic import Expr, Graph


@dataclass(frozen=True)
class Shortening:
    """Axial displacements of the nodes of a link, as functions of the lateral ones.

    Attributes:
        u: displacements [m].
        ud: their rates.
        d: their second derivatives for zero accelerations.
        J: their derivatives by (node, lateral coordinate), without zeros.
    """

    u: list[Expr]
    ud: list[Expr]
    d: list[Expr]
    J: Entries

    def second_rates(self, wdd: Sequence[Expr]) -> list[Expr]:
        """Second derivatives for given accelerations of the lateral coordinates."""
        total = list(self.d)
        for (i, j), entry in self.J.items():
            total[i] = total[i] + entry * wdd[j]
        return total


def shortening(beam: Beam, w: Sequence[Expr], wd: Sequence[Expr]) -> Shortening:
    """Shortening of a link by bending.

    Args:
        beam: the link.
        w: its lateral coordinates.
        wd: their rates.
    """
    graph = beam.EI.graph
    u, ud, d, J = graph.zero, graph.zero, graph.zero, [graph.zero] * len(w)
    found = Shortening([], [], [], {})
    straight = [graph.zero] * len(beam.x)
    both = zip(elements_of(beam, straight, w), elements_of(beam, straight, wd), strict=True)
    for k, (e, rate) in enumerate(both):
        slope = mean_slope(e)
        u = u - (0.5 * e.h) * slope_product(slope, e)
        ud = ud - e.h * slope_product(slope, rate)
        d = d - e.h * slope_product(mean_slope(rate), rate)
        across, first, second = slope
        places = [(2 * k, across), (2 * k + 1, second)]
        if k > 0:
            places += [(2 * k - 2, -across), (2 * k - 1, first)]
        for j, part in places:
            J[j] = J[j] - e.h * part
        for values, value in ((found.u, u), (found.ud, ud), (found.d, d)):
            values.append(value)
        found.J.update({(k, j): J[j] for j in range(2 * k + 2)})
    return found


def loaded(beam: Beam) -> list[Beam]:
    """Effect of the shortening of a link on the masses attached to its nodes.

    The tree moves these masses as if the link did not shorten. So each is added as a point that
    moves with the shortened link, and subtracted as a point that does not.
    """
    graph = beam.EI.graph
    if not beam.shortens or all(m is graph.zero for m in beam.loads):
        return []
    without = replace(beam, alpha=graph.zero)
    taken_off = [-m for m in beam.loads]
    return [
        replace(without, inertia=_points(beam.loads, graph)),
        replace(without, inertia=_points(taken_off, graph), stiffening=False),
    ]


def _points(masses: Sequence[Expr], graph: Graph) -> BeamInertia:
    """Integrals over point masses at the nodes."""
    total, across = graph.zero, []
    for m in masses:
        total = total + m
        across += [m, graph.zero]
    along = {(i, i): m for i, m in enumerate(masses)}
    mixed = {(i, 2 * i): m for i, m in enumerate(masses)}
    lateral = {(2 * i, 2 * i): m for i, m in enumerate(masses)}
    return BeamInertia(total, list(masses), across, along, mixed, lateral)
