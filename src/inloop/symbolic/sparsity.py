"""Sparsity patterns of factorizations, computed once before any values are known.

A matrix is given by its places (row, column), already in the order of elimination; its diagonal
holds the pivots.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

Place = tuple[int, int]


@dataclass(frozen=True)
class FactorPattern:
    """Places of L (below the diagonal), pivots and U (above it), fill-in included.

    Attributes:
        rows: columns of each row, in order.
    """

    rows: tuple[tuple[int, ...], ...]

    @property
    def size(self) -> int:
        """Number of places."""
        return sum(len(row) for row in self.rows)

    @cached_property
    def index(self) -> dict[Place, int]:
        """Index of each place, row by row."""
        places = ((i, j) for i, row in enumerate(self.rows) for j in row)
        return {place: k for k, place in enumerate(places)}

    def lower(self, i: int) -> list[int]:
        """Columns of row i of L."""
        return [j for j in self.rows[i] if j < i]

    def upper(self, i: int) -> list[int]:
        """Columns of row i of U."""
        return [j for j in self.rows[i] if j > i]

    def operations(self) -> int:
        """Multiplications, subtractions and reciprocals of the factorization."""
        right = [len(self.upper(i)) for i in range(len(self.rows))]
        return sum(1 + sum(1 + 2 * right[k] for k in self.lower(i)) for i in range(len(self.rows)))


def fill(n: int, places: Iterable[Place]) -> FactorPattern:
    """Symbolic elimination: row i inherits the U columns of all rows that appear in its L part."""
    rows: list[set[int]] = [{i} for i in range(n)]
    for i, j in places:
        rows[i].add(j)
    for i in range(n):
        todo = sorted(j for j in rows[i] if j < i)
        for k in todo:
            new = {j for j in rows[k] if j > k} - rows[i]
            rows[i] |= new
            # fill-in left of the diagonal is eliminated in turn
            _insert(todo, (j for j in new if j < i))
    return FactorPattern(tuple(tuple(sorted(row)) for row in rows))


def _insert(todo: list[int], columns: Iterable[int]) -> None:
    """Insert columns into a sorted list during iteration; all lie beyond the current position."""
    fresh = [*columns]
    if fresh:
        todo += fresh
        todo.sort()


def minimum_degree(n: int, places: Iterable[Place]) -> tuple[int, ...]:
    """A low-fill order for a symmetric matrix with arbitrary diagonal pivots."""
    neighbors: list[set[int]] = [set() for _ in range(n)]
    for i, j in places:
        if i != j:
            neighbors[i].add(j)
            neighbors[j].add(i)
    left, order = set(range(n)), []
    while left:
        k = min(left, key=lambda i: (len(neighbors[i]), i))
        for i in neighbors[k]:
            neighbors[i] |= neighbors[k]
            neighbors[i] -= {i, k}
        left.remove(k)
        order.append(k)
    return tuple(order)


def solution_rows(
    pattern: FactorPattern, right: Sequence[Collection[int]]
) -> tuple[tuple[int, ...], ...]:
    """Columns of each row of X in A X = B, given those of B."""
    rows = [set(columns) for columns in right]
    n = len(pattern.rows)
    for i in range(n):
        rows[i].update(*(rows[k] for k in pattern.lower(i)))
    for i in reversed(range(n)):
        rows[i].update(*(rows[k] for k in pattern.upper(i)))
    return tuple(tuple(sorted(row)) for row in rows)
