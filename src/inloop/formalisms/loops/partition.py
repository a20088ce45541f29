"""Choose independent and dependent coordinates, and drop redundant constraints.

Coordinate partitioning (Wehage & Haug 1982): the Jacobian J at a closed position is eliminated with
    large pivots; pivot columns are the dependent coordinates, leftover rows are redundant. Among
    pivots of similar size the one with the least fill is taken, and the elimination order is kept,
    so that generated code can repeat it without searching.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from inloop.errors import ModelError

RANK_TOLERANCE = 1e-9  # of the largest entry: the remainder of a redundant row is below this
GOOD_PIVOT = 0.2  # of the largest remaining entry: larger pivots are acceptable
POOR_PIVOT = 0.05  # of a unit: a preference must not lead to smaller pivots
Numbers = np.ndarray


@dataclass(frozen=True)
class Partition:
    """Roles of coordinates and rows.

    Attributes:
        independent: coordinates that carry the motion.
        driven: coordinates whose motion is prescribed.
        dependent: coordinates determined by the loops, in elimination order.
        rows: constraint rows in elimination order; pivot k is (rows[k], dependent[k]).
        dropped: redundant rows.
    """

    independent: tuple[int, ...]
    driven: tuple[int, ...]
    dependent: tuple[int, ...]
    rows: tuple[int, ...]
    dropped: tuple[int, ...]


def choose(
    J: Numbers,
    driven: Collection[int] = (),
    wish: Collection[int] = (),
    names: Sequence[str] = (),
    elements: Sequence[str] = (),
    small: Collection[int] = (),
    prefer: Collection[int] = (),
) -> Partition:
    """Partition the coordinates at a closed position.

    Args:
        J: Jacobian of all rows, shape (rows, n), in units of rows and coordinates.
        driven: coordinates that are prescribed.
        wish: coordinates requested as independent.
        names: names of the coordinates, for messages.
        elements: name of the loop or constraint of each row, for messages.
        small: coordinates that move little, such as displacements of flexible links; they become
            dependent only if the others do not suffice.
        prefer: coordinates that should be independent, as long as the pivots stay good.

    Raises:
        ModelError: the request or the drives leave too few coordinates for the loops.
    """
    n = J.shape[1]
    fixed = set(driven) | set(wish)
    columns = [k for k in range(n) if k not in fixed]
    large = [k for k in columns if k not in set(small)]
    rank = _rank(J[:, [k for k in range(n) if k not in set(driven)]])
    pivots, left_over, worst = _eliminate(J, [k for k in large if k not in set(prefer)])
    if prefer and (len(pivots) < rank or worst < POOR_PIVOT):
        pivots, left_over, worst = _eliminate(J, large)
    if len(pivots) < rank and len(large) < len(columns):
        pivots, left_over, worst = _eliminate(J, columns)
    if rank < _rank(J):
        raise _contradiction(J, driven, names, elements)
    if len(pivots) < rank:
        raise _too_few(fixed, names, rank, len(pivots))
    dependent = tuple(column for _, column in pivots)
    taken = set(dependent) | set(driven)
    return Partition(
        independent=tuple(k for k in range(n) if k not in taken),
        driven=tuple(driven),
        dependent=dependent,
        rows=tuple(row for row, _ in pivots),
        dropped=tuple(left_over),
    )


def _rank(J: Numbers) -> int:
    if J.size == 0:
        return 0
    return int(np.linalg.matrix_rank(J, tol=RANK_TOLERANCE * float(np.abs(J).max())))


def _eliminate(J: Numbers, columns: list[int]) -> tuple[list[tuple[int, int]], list[int], float]:
    """Gaussian elimination with threshold pivoting.

    Returns:
        Pivots in order, leftover rows, and the smallest pivot.
    """
    A = J.astype(float).copy()
    rows, free = list(range(A.shape[0])), list(columns)
    largest = float(np.abs(A).max(initial=0.0))
    pivots: list[tuple[int, int]] = []
    worst = np.inf
    while rows and free:
        block = np.abs(A[np.ix_(rows, free)])
        best = float(block.max())
        if best <= RANK_TOLERANCE * largest:
            break
        i, j = _cheapest(block, best)
        row, column = rows.pop(i), free.pop(j)
        pivots.append((row, column))
        worst = min(worst, abs(float(A[row, column])))
        factors = A[rows, column] / A[row, column]
        A[rows] -= np.outer(factors, A[row])
    return pivots, rows, worst


def _cheapest(block: Numbers, best: float) -> tuple[int, int]:
    """Among good pivots, the one with the fewest other entries in its row and column."""
    filled = block > RANK_TOLERANCE * best
    per_row, per_column = filled.sum(axis=1) - 1, filled.sum(axis=0) - 1
    cost = np.outer(per_row, per_column).astype(float)
    cost[block < GOOD_PIVOT * best] = np.inf
    # ties: the larger pivot
    cost -= 0.5 * block / best
    i, j = np.unravel_index(int(np.argmin(cost)), cost.shape)
    return int(i), int(j)


def _contradiction(
    J: Numbers, driven: Collection[int], names: Sequence[str], elements: Sequence[str]
) -> ModelError:
    """An error that names drives that are not free of each other, and the rows that relate them."""
    others = [k for k in range(J.shape[1]) if k not in set(driven)]
    # combinations of rows in which no other coordinate moves, and one of those that moves drives
    left, sizes, _ = np.linalg.svd(J[:, others])
    within = left[:, int(np.sum(sizes > RANK_TOLERANCE * float(np.abs(J).max()))) :]
    moved = within.T @ J[:, list(driven)]
    factors = within @ moved[:, int(np.argmax(np.linalg.norm(moved, axis=0)))]
    largest = float(np.abs(factors).max())
    rows = np.flatnonzero(np.abs(factors) > RANK_TOLERANCE * largest)
    pulled = np.abs(factors @ J[:, list(driven)])
    related = [k for k, pull in zip(driven, pulled, strict=True) if pull > 1e-9 * pulled.max()]
    shown = ", ".join(names[k] if names else str(k) for k in related)
    loops = ", ".join(dict.fromkeys(elements[int(k)] for k in rows)) if elements else "the loops"
    if len(related) == 1:
        return ModelError(
            f"the drive of {shown} moves a joint that is held by {loops}",
            fix="Remove the drive, or what holds the joint.",
        )
    return ModelError(
        f"the drives of {shown} contradict each other: they are coupled by {loops}",
        fix="Drive fewer joints; a mechanism follows as many drives as it has degrees of freedom.",
    )


def _too_few(fixed: set[int], names: Sequence[str], rank: int, found: int) -> ModelError:
    shown = ", ".join(names[k] if names else str(k) for k in sorted(fixed))
    return ModelError(
        f"the loops determine {rank} coordinates, but with {shown} independent or "
        f"driven, only {found} remain",
        fix=f"Remove at least {rank - found} of them, or leave the choice to inloop.",
    )
