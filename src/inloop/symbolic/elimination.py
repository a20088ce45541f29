"""All that is known of the factorization of a sparse matrix before its values are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from inloop.symbolic.pivot_order import THOROUGH, THRESHOLD, PivotOrder, pivot_order
from inloop.symbolic.sparsity import FactorPattern, Place, fill

THOROUGH_UP_TO = 400  # unknowns: above, fewer orders are tried


@dataclass(frozen=True)
class Elimination:
    """L U of a matrix in a fixed order of pivots.

    Attributes:
        places: (row, column) of each given value of the matrix.
        order: of the pivots.
        pattern: of the factors, rows and columns in the order of the pivots.
        moved: `places` in the order of the pivots.
        constants: number of a given value → what it always is.
    """

    places: tuple[Place, ...]
    order: PivotOrder
    pattern: FactorPattern
    moved: tuple[Place, ...]
    constants: Mapping[int, float] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of unknowns."""
        return len(self.pattern.rows)

    @cached_property
    def operations(self) -> int:
        """Of one factorization and one solution; a multiplication with a subtraction is one."""
        right = [len(self.pattern.upper(i)) for i in range(self.n)]
        left = [self.pattern.lower(i) for i in range(self.n)]
        updates = sum(right[k] for row in left for k in row)
        # pivots and factors, then both substitutions
        return updates + sum(map(len, left)) + 2 * self.n + sum(map(len, left)) + sum(right)

    def bound_with_new_pivots(self) -> tuple[int, int]:
        """Most entries left and right of the pivots, whatever pivots are taken.

        Rows come in the order of the pivots, and any column with an entry in a row may become its
        pivot: all of them then have the entries of all. (George and Ng 1985, for the transpose.)
        """
        columns: list[set[int]] = [set() for _ in range(self.n)]
        for i, j in self.moved:
            columns[j].add(i)
        # row → groups of columns that begin there: how many, and the rows that any of them has
        groups: dict[int, list[tuple[int, set[int]]]] = {}
        for rows in columns:
            groups.setdefault(min(rows), []).append((1, rows))
        lower = upper = 0
        for i in range(self.n):
            found = groups.pop(i, [])
            count = sum(many for many, _ in found) - 1
            rows = set().union(*(rows for _, rows in found)) - {i}
            lower, upper = lower + len(rows), upper + count
            if rows and count > 0:
                groups.setdefault(min(rows), []).append((count, rows))
        return lower, upper


def eliminate(
    n: int,
    places: Sequence[Place],
    samples: NDArray[np.float64],
    threshold: float = THRESHOLD,
    constants: Mapping[int, float] | None = None,
) -> Elimination:
    """Choose pivots from samples and find the entries of the factors; the best of some orders.

    Args:
        n: number of unknowns.
        places: (row, column) of each given value.
        samples: their values, shape (samples, values).
        threshold: smallest pivot, in parts of its column.
        constants: number of a given value → what it always is.

    Raises:
        StructuralRankError: the pattern is singular whatever its values are.
    """
    searches = THOROUGH if n <= THOROUGH_UP_TO else THOROUGH[:3]
    found = (
        in_order(places, pivot_order(n, places, samples, threshold, search)) for search in searches
    )
    best = min(found, key=lambda each: each.operations)
    return replace(best, constants=constants or {})


def in_order(places: Sequence[Place], order: PivotOrder) -> Elimination:
    """The elimination in a given order of pivots."""
    row_at = {row: k for k, row in enumerate(order.rows)}
    column_at = {column: k for k, column in enumerate(order.columns)}
    moved = tuple((row_at[i], column_at[j]) for i, j in places)
    return Elimination(tuple(places), order, fill(len(order.rows), moved), moved)
