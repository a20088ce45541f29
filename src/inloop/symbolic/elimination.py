"""Symbolic factorization of a sparse matrix: all that is known before its values are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from inloop.symbolic.pivot_order import THOROUGH, THRESHOLD, PivotOrder, pivot_order
from inloop.symbolic.sparsity import FactorPattern, Place, fill

THOROUGH_UP_TO = 400  # unknowns: fewer orders are tried above this


@dataclass(frozen=True)
class Elimination:
    """LU factorization of a sparse matrix with a fixed pivot order.

    Attributes:
        places: (row, column) of each given value of the matrix.
        order: pivot order.
        pattern: sparsity pattern of the factors, rows and columns in pivot order.
        moved: `places` in pivot order.
        constants: index of a given value → its value, where that never changes.
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
        """Operations of one factorization and one solve; a multiply-subtract counts as one."""
        right = [len(self.pattern.upper(i)) for i in range(self.n)]
        left = [self.pattern.lower(i) for i in range(self.n)]
        updates = sum(right[k] for row in left for k in row)
        # pivots and factors, then both substitutions
        return updates + sum(map(len, left)) + 2 * self.n + sum(map(len, left)) + sum(right)

    def bound_with_new_pivots(self) -> tuple[int, int]:
        """Upper bounds on the entries left and right of the pivots, for any choice of pivots.

        Rows come in pivot order, and any column with an entry in a row may become its pivot: then
        all
        of these columns have the union of their entries. (George and Ng 1985, for the transpose.)
        """
        columns: list[set[int]] = [set() for _ in range(self.n)]
        for i, j in self.moved:
            columns[j].add(i)
        # row → groups of columns that begin there: number of columns, union of their rows
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
    """Choose pivots from samples and find the pattern of the factors; tries several orders.

    Args:
        n: number of unknowns.
        places: (row, column) of each given value.
        samples: values of these entries, shape (samples, values).
        threshold: smallest pivot, relative to the largest entry of its column.
        constants: index of a given value → its value, where that never changes.

    Raises:
        StructuralRankError: the pattern is singular for all values.
    """
    searches = THOROUGH if n <= THOROUGH_UP_TO else THOROUGH[:3]
    found = (
        in_order(places, pivot_order(n, places, samples, threshold, search)) for search in searches
    )
    best = min(found, key=lambda each: each.operations)
    return replace(best, constants=constants or {})


def in_order(places: Sequence[Place], order: PivotOrder) -> Elimination:
    """The elimination in a given pivot order."""
    row_at = {row: k for k, row in enumerate(order.rows)}
    column_at = {column: k for k, column in enumerate(order.columns)}
    moved = tuple((row_at[i], column_at[j]) for i, j in places)
    return Elimination(tuple(places), order, fill(len(order.rows), moved), moved)
