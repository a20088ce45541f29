"""Choose a fixed pivot order for a sparse matrix with changing values, from samples of them.

The next pivot is the cheapest entry among those that are large enough. Cheap means little work, by
Markowitz' rule (entries left in its row - 1) · (entries left in its column - 1), or little fill;
neither is always better, see `Search`. Large enough means at least `threshold` times the largest
entry of its column, in every sample. All samples are eliminated along with the search, so that the
comparison uses the numbers that a factorization meets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inloop.symbolic.sparsity import Place

Reals = NDArray[np.float64]

THRESHOLD = 0.05


@dataclass(frozen=True)
class Search:
    """How to search for the cheapest pivot.

    Attributes:
        fill_first: compare fill, then work; else work, then fill.
        lines: number of rows and columns to compare, counted from the first acceptable pivot.
    """

    fill_first: bool
    lines: int


QUICK = Search(fill_first=False, lines=8)
THOROUGH = (QUICK, Search(True, 8), Search(True, 24), Search(False, 100), Search(True, 100))


@dataclass(frozen=True)
class PivotOrder:
    """Pivot k is the entry in row `rows[k]` and column `columns[k]` of the matrix.

    Attributes:
        rows: rows of the pivots.
        columns: columns of the pivots.
        weakest: smallest pivot over all samples, relative to the largest entry of its column; 0 if
            a column has become zero in all samples.
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    weakest: float


def unchanged(n: int) -> PivotOrder:
    """Pivots along the diagonal, of unknown size."""
    return PivotOrder(tuple(range(n)), tuple(range(n)), 0.0)


class StructuralRankError(ValueError):
    """The pattern is singular for all values: some rows have too few columns."""


def pivot_order(
    n: int,
    places: Sequence[Place],
    samples: Reals,
    threshold: float = THRESHOLD,
    search: Search = QUICK,
) -> PivotOrder:
    """Choose all pivots.

    Args:
        n: number of rows and columns.
        places: (row, column) of each entry.
        samples: values of these entries, shape (samples, entries).
        threshold: smallest pivot relative to its column, rows scaled by their largest entry. Where
            no entry is that large in all samples, the threshold is lowered for this pivot.
        search: what counts as cheap, and how far to search.

    Raises:
        StructuralRankError: the pattern is singular for all values.
    """
    active = Active(n, places, samples)
    rows, columns, weakest = [], [], 1.0
    for _ in range(n):
        i, j = active.choose(threshold, search)
        weakest = min(weakest, active.strength(i, j))
        active.eliminate(i, j)
        rows.append(i)
        columns.append(j)
    return PivotOrder(tuple(rows), tuple(columns), weakest)


class Active:
    """The part of the matrix not yet eliminated: values of all samples at each place.

    Rows are scaled by their largest entries, so that rows of different units can be compared.

    Args:
        n: number of rows and columns.
        places: (row, column) of each entry.
        samples: values of these entries, shape (samples, entries).
        rescaled: whether rows are scaled again after each change.
    """

    def __init__(
        self, n: int, places: Sequence[Place], samples: Reals, rescaled: bool = False
    ) -> None:
        self.rows: list[dict[int, Reals]] = [{} for _ in range(n)]
        self.columns: list[dict[int, None]] = [{} for _ in range(n)]
        self.rescaled = rescaled
        self._largest: dict[int, Reals] = {}
        for (i, j), values in zip(places, samples.T, strict=True):
            self.rows[i][j] = values.copy()
            self.columns[j][i] = None
        for i in range(n):
            self._scale(i)
        # rows and columns by their number of entries
        self.short_rows = _Counts([len(row) for row in self.rows])
        self.short_columns = _Counts([len(column) for column in self.columns])

    def _scale(self, i: int) -> None:
        """Divide a row by its largest entry, in each sample."""
        row = self.rows[i]
        if not row:
            return
        largest = np.max(np.abs([*row.values()]), axis=0)
        scale = np.where(largest > 0.0, largest, 1.0)
        for j in row:
            row[j] = row[j] / scale
            self._largest.pop(j, None)

    def largest(self, j: int) -> Reals:
        """Largest entry of a column in each sample."""
        if j not in self._largest:
            self._largest[j] = np.max(np.abs([self.rows[i][j] for i in self.columns[j]]), axis=0)
        return self._largest[j]

    def strength(self, i: int, j: int) -> float:
        """An entry relative to the largest one of its column, in the worst sample."""
        largest = self.largest(j)
        known = largest > 0.0  # a singular sample says nothing about this column
        if not known.any():
            return 0.0
        return float(np.min(np.abs(self.rows[i][j][known]) / largest[known]))

    def choose(self, threshold: float, search: Search) -> Place:
        """The cheapest pivot among those that are large enough."""
        while True:
            best = self._cheapest(threshold, search)
            if best is not None:
                return best
            if threshold == 0.0:
                raise StructuralRankError
            threshold = 0.1 * threshold if threshold > 1e-8 else 0.0

    def choose_among(
        self, rows: Set[int], columns: Set[int], threshold: float, search: Search
    ) -> Place | None:
        """The cheapest acceptable pivot in the given rows and columns; None if there is none.

        The first of equally cheap ones is taken, so that similar blocks get similar pivots.
        """
        best: Place | None = None
        least: tuple[float, ...] = (np.inf,)
        for i in sorted(rows):
            for j in sorted(columns & self.rows[i].keys()):
                cost = self._cost(i, j, search, least)
                if cost < least and self.strength(i, j) >= threshold:
                    best, least = (i, j), cost
        return best

    def _cheapest(self, threshold: float, search: Search) -> Place | None:
        best: Place | None = None
        least: tuple[float, ...] = (np.inf,)
        lines = 0
        for fewest, candidates in self._lines():
            enough = lines >= search.lines or (
                least[0] == 0.0 if search.fill_first else least[0] <= (fewest - 1) ** 2
            )
            if best is not None and enough:
                break
            for i, j in candidates:
                cost = self._cost(i, j, search, least)
                if cost > least[:2]:
                    continue
                strength = self.strength(i, j)
                # break ties by strength
                if strength >= threshold and (*cost, -strength) < least:
                    best, least = (i, j), (*cost, -strength)
            lines += best is not None
        return best

    def _cost(
        self, i: int, j: int, search: Search, least: tuple[float, ...]
    ) -> tuple[float, float]:
        """Work and fill of a pivot; fill is omitted where the work is too much already."""
        row, column = self.rows[i], self.columns[j]
        work = (len(row) - 1) * (len(column) - 1)
        if work == 0 or (not search.fill_first and work > least[0]):
            return work, 0
        here = row.keys()
        fill = sum(len(here - self.rows[other].keys()) for other in column)
        return (fill, work) if search.fill_first else (work, fill)

    def _lines(self) -> Iterator[tuple[int, list[Place]]]:
        """Remaining columns and rows with their places, those with few entries first."""
        for count in range(1, len(self.rows) + 1):
            for j in self.short_columns.having(count):
                yield count, [(i, j) for i in self.columns[j]]
            for i in self.short_rows.having(count):
                yield count, [(i, j) for j in self.rows[i]]

    def eliminate(self, i: int, j: int) -> None:
        """Eliminate row i and column j; the remainder is the Schur complement."""
        row, column = self.rows[i], self.columns[j]
        pivot = row.pop(j)
        del column[i]
        self.short_rows.drop(i)
        self.short_columns.drop(j)
        divisor = np.where(pivot != 0.0, pivot, np.inf)
        for other in column:
            target = self.rows[other]
            factor = target.pop(j) / divisor
            for k, value in row.items():
                product = factor * value
                if k in target:
                    target[k] -= product
                else:
                    target[k] = -product
                    self.columns[k][other] = None
            self.short_rows.put(other, len(target))
        for k in row:
            del self.columns[k][i]
            self._largest.pop(k, None)
            self.short_columns.put(k, len(self.columns[k]))
        self._largest.pop(j, None)
        if self.rescaled:
            for other in column:
                self._scale(other)


class _Counts:
    """Rows or columns by their number of entries, in the order in which they reached it."""

    def __init__(self, counts: Sequence[int]) -> None:
        self._count = dict(enumerate(counts))
        self._having: dict[int, dict[int, None]] = {}
        for line, count in enumerate(counts):
            self._having.setdefault(count, {})[line] = None

    def having(self, count: int) -> list[int]:
        return [*self._having.get(count, ())]

    def put(self, line: int, count: int) -> None:
        self.drop(line)
        self._count[line] = count
        self._having.setdefault(count, {})[line] = None

    def drop(self, line: int) -> None:
        del self._having[self._count.pop(line)][line]
