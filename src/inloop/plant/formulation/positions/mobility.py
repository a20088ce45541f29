"""How many rows the loops really have: the rank of their Jacobian at several closed positions.

At a singular position (all links in one line) rows depend on each other that do not elsewhere. So
the rank is also judged at positions around, reached along all directions that the loops seem to
leave free; where branches meet, these lead onto several of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inloop.plant.engine import Array
from inloop.plant.formulation.positions.assembly import Assembly, descend
from inloop.plant.formulation.positions.closure import Closure, free_of

RANK_TOLERANCE = 1e-9  # of the largest singular value
SINGULAR = 1e-5  # of the largest singular value; a singular position is found to about 1e-6
DIRECTIONS, DISTANCE = 4, 0.2  # how many random ones, to both sides, and how far


@dataclass(frozen=True)
class Mobility:
    """What loops do around a closed position.

    Attributes:
        rank: of their rows, in general.
        regular: a closed position where that is their rank: the start itself, or one near to it.
        singular: whether the rank is lower at the start.
    """

    rank: int
    regular: Assembly
    singular: bool


def explore(closure: Closure, start: Assembly) -> Mobility:
    """Judge the rank at a closed position and, where rows are left over, around it."""
    sizes = _singular_values(start.J)
    rank = _count(sizes, RANK_TOLERANCE)
    most = min(closure.live_rows, start.J.shape[1])
    if rank == most and rank == _count(sizes, SINGULAR):
        return Mobility(rank, start, False)
    found = [start, *_around(closure, start)]
    ranks = [_count(_singular_values(each.J), RANK_TOLERANCE) for each in found]
    rank = max(ranks)
    best = max(found, key=lambda each: _margin(each.J, rank))
    singular = _margin(start.J, rank) <= SINGULAR
    return Mobility(rank, best if singular else start, singular)


def is_singular(J: Array, rank: int) -> bool:
    """Whether the scaled Jacobian of a position has, or nearly has, a lower rank."""
    return _margin(J, rank) <= SINGULAR


def rank_at(J: Array) -> int:
    """Rank of the scaled Jacobian of a position; what is nearly lost does not count."""
    return _count(_singular_values(J), SINGULAR)


def blamed_row(J: Array, rank: int) -> int:
    """The row that most depends on others where the rank is too low."""
    u, _, _ = np.linalg.svd(J)
    lost = u[:, rank - 1]
    return int(np.argmax(np.abs(lost)))


def _around(closure: Closure, start: Assembly) -> list[Assembly]:
    """Closed positions on all sides of one."""
    _, sizes, v = np.linalg.svd(closure.on_positions(start.J))
    held = _count(sizes, SINGULAR)
    loose = v[held:]
    if not len(loose):
        return []
    random = np.random.default_rng(3)
    everything = free_of(closure.count, ())
    found = []
    for _ in range(DIRECTIONS):
        direction = random.normal(size=len(loose)) @ loose
        direction *= DISTANCE / np.abs(direction).max()
        for way in (direction, -direction):
            each = descend(closure, closure.moved(start.q, way), everything)
            found += [each] if each.closed else []
    return found


def _singular_values(J: Array) -> Array:
    return np.asarray(np.linalg.svd(J, compute_uv=False)) if J.size else np.zeros(0)


def _count(sizes: Array, tolerance: float) -> int:
    return int(np.sum(sizes > tolerance * sizes.max(initial=0.0)))


def _margin(J: Array, rank: int) -> float:
    """The smallest singular value that counts, as a part of the largest."""
    if rank == 0:
        return 1.0
    sizes = _singular_values(J)
    return float(sizes[rank - 1] / sizes[0]) if sizes[0] > 0.0 else 0.0
