"""Assign each row and unknown of the redundant equations to a body.

Bodies are numbered parents first. Eliminated from last to first, each passes its articulated
inertia to its parent, as in the articulated-body algorithm; similar bodies do so in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from inloop.formalisms.redundant.newton import Place
from inloop.formalisms.redundant.system import BodySystem

Lines = tuple[int, ...]


def bodies_of_lines(system: BodySystem, places: Sequence[Place]) -> tuple[Lines, Lines]:
    """The body of each row and unknown, in two variants.

    States of laws, displacements of flexible links and loop rows belong either to the body closest
    to the ground or to the one farthest from it, of those they are coupled with.

    Args:
        system: the equations.
        places: entries of Newton's matrix.
    """
    own = _own_lines(system)
    met: dict[int, set[int]] = {}
    for place in places:
        for line, other in (place, reversed(place)):
            if line not in own and other in own:
                met.setdefault(line, set()).add(own[other])

    def labels(choose: Callable[[Collection[int]], int]) -> Lines:
        size = system.layout.size
        return tuple(own[k] if k in own else choose(met.get(k, {0})) for k in range(size))

    return labels(min), labels(max)


def _own_lines(system: BodySystem) -> dict[int, int]:
    """Motions, wrench and joint coordinates of each body."""
    layout = system.layout
    found: dict[int, int] = {}
    for body in system.bodies:
        for first in (0, layout.moving):
            found |= dict.fromkeys(range(first + 6 * body.number, first + 6 * body.number + 6),
                                   body.number)  # fmt: skip
        for link in body.links:
            if link.number - 1 in system.free:
                at = 6 * layout.bodies + system.free.index(link.number - 1)
                found[at] = body.number
    return found
