"""Find the blocks of a sparse matrix with repeated structure, and choose pivots block by block.

Mechanisms are numbered body by body, so the pattern of rows and columns repeats with a period.
This period is found, the rows are cut into blocks of one period, and the blocks are eliminated from
the ends of the chains that they form. Within a block, pivots are chosen as in `pivot_order.py`;
blocks with the same pattern take the same pivots wherever these are large enough, so that they can
share one piece of code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inloop.symbolic.pivot_order import QUICK, Active
from inloop.symbolic.sparsity import Place

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]

SHORTEST, LONGEST = 5, 64  # rows of a block
ALIKE = 0.75  # fraction of places that must reappear one period further on
HARDLY = 0.05  # smaller differences of this fraction are ignored
# ties between blocks with equally few neighbors: (neighbors changed first or last, number)
TIES = ((1, 1), (-1, 1), (-1, -1))


@dataclass(frozen=True)
class Step:
    """Pivots of one block, in order."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]


# pattern of a block → pivots chosen for such blocks, as positions in the block, and their number
Habits = dict[bytes, dict[Step, int]]


def period_of(n: int, places: Sequence[Place]) -> int | None:
    """Period of the pattern in rows and columns; None if it does not repeat.

    In a band of full blocks most places reappear after any shift: the period is the shortest
    shift that is hardly worse than the best one.
    """
    rows, columns = np.array(places).T
    own = np.unique(rows * n + columns)
    shares = {}
    for period in range(SHORTEST, min(LONGEST, n // 3) + 1):
        inside = (rows + period < n) & (columns + period < n)
        again = np.isin((rows[inside] + period) * n + columns[inside] + period, own)
        shares[period] = again.sum() / len(rows)
    least = max(ALIKE, max(shares.values(), default=0.0) - HARDLY)
    return next((period for period, share in shares.items() if share >= least), None)


def cuts(n: int, places: Sequence[Place], period: int) -> Iterator[Integers]:
    """Block of each row and column: blocks of one period, then parts of one.

    Of all possible starts of the first block, the one with the fewest entries between blocks comes
    first.
    """
    rows, columns = np.array(places).T
    for length in range(period, SHORTEST - 1, -1):
        if period % length == 0:
            labels = [(np.arange(n) + first) // length for first in range(length)]
            yield min(labels, key=lambda label: np.count_nonzero(label[rows] != label[columns]))


def realigned(n: int, places: Sequence[Place], period: int) -> Integers:
    """Blocks of one period that restart wherever the period is interrupted, e.g. at the next blade.

    A run is a range of rows with the same pattern one period further on. It is cut where the
    fewest entries lie between blocks, with one extra block at both ends; so are the gaps.
    """
    rows, columns = np.array(places).T
    near: list[set[Place]] = [set() for _ in range(n)]
    for i, j in places:
        if abs(i - j) < 2 * period:
            near[i].add((0, j - i))
            near[j].add((1, i - j))
    again = [near[k] == near[k + period] for k in range(n - period)]
    edges = np.flatnonzero(np.diff([0, *map(int, again), 0]))
    starts = np.zeros(n, dtype=np.int64)
    for begin, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if end - begin < period:
            continue
        inside = [(each >= begin) & (each < end + period) for each in (rows, columns)]
        i, j = (each[inside[0] & inside[1]] - begin for each in (rows, columns))
        between = [np.count_nonzero((i - k) // period != (j - k) // period) for k in range(period)]
        first = begin + int(np.argmin(between))
        bounds = np.arange(first - period, end + 2 * period + 1, period)
        starts[bounds[(bounds >= 0) & (bounds < n)]] = 1
    return np.cumsum(starts)


def block_order(places: Sequence[Place], labels: Integers, ties: tuple[int, int]) -> list[int]:
    """Elimination order of the blocks: those with the fewest neighbors first.

    Args:
        places: (row, column) of each given value.
        labels: block of each row and column.
        ties: one of TIES.
    """
    rows, columns = np.array(places).T
    pairs = {*zip(labels[rows].tolist(), labels[columns].tolist(), strict=True)}
    neighbors: dict[int, set[int]] = {a: set() for pair in pairs for a in pair}
    for a, b in pairs:
        if a != b:
            neighbors[a].add(b)
            neighbors[b].add(a)
    since = dict.fromkeys(neighbors, 0)  # turn in which the neighbors last changed
    order: list[int] = []
    while neighbors:
        k = min(neighbors, key=lambda i: (len(neighbors[i]), ties[0] * since[i], ties[1] * i))
        around = neighbors.pop(k)
        order.append(k)
        for i in around:
            neighbors[i] |= around
            neighbors[i] -= {i, k}
            since[i] = len(order)
    return order


def pivots_by_block(
    n: int,
    places: Sequence[Place],
    samples: Reals,
    labels: Integers,
    threshold: float,
    order: Sequence[int],
    known: Habits | None = None,
    rescaled: bool = False,
) -> tuple[list[Step], float, Habits]:
    """Choose the pivots of all blocks; also returns the weakest of them, as in `PivotOrder`.

    The last result lists the pivots used, those of many blocks first: passed as `known` to another
    run, they are tried before any others.

    Rows and columns of a block without an acceptable pivot move to the next block that is coupled
    to them.

    Args:
        n: number of unknowns.
        places: (row, column) of each given value.
        samples: their values, shape (samples, values).
        labels: block of each row and column.
        threshold: smallest pivot, relative to its column.
        order: elimination order of the blocks.
        known: pivots to try first.
        rescaled: see `Active`.
    """
    active = Active(n, places, samples, rescaled)
    rows: dict[int, list[int]] = {k: np.flatnonzero(labels == k).tolist() for k in order}
    columns = {k: [*lines] for k, lines in rows.items()}
    known = {signature: dict.fromkeys(some, 0) for signature, some in (known or {}).items()}
    steps: list[Step] = []
    weakest = 1.0
    for at, k in enumerate(order):
        last = at == len(order) - 1
        front = _Front(active, rows[k], columns[k])
        alike = known.setdefault(front.signature, {})
        habit = front.habit(alike, threshold)
        pivots = []
        for i, j in front.search(threshold, last) if habit is None else front.at(habit):
            weakest = min(weakest, active.strength(i, j))
            active.eliminate(i, j)
            pivots.append((i, j))
        if pivots:
            step = Step(*zip(*pivots, strict=True))
            steps.append(step)
            habit = habit or front.relative(step)
            alike[habit] = alike.get(habit, 0) + 1
        left_rows = {*rows[k]} - {i for i, _ in pivots}
        left_columns = {*columns[k]} - {j for _, j in pivots}
        if left_rows or left_columns:
            met_columns = {j for i in left_rows for j in active.rows[i]}
            met_rows = {i for j in left_columns for i in active.columns[j]}
            to = _first_with(met_rows, met_columns, rows, columns, order[at + 1 :])
            rows[to] = sorted({*rows[to]} | left_rows)
            columns[to] = sorted({*columns[to]} | left_columns)
    return steps, weakest, {signature: _by_use(some) for signature, some in known.items()}


def _first_with(
    met_rows: Set[int],
    met_columns: Set[int],
    rows: Mapping[int, list[int]],
    columns: Mapping[int, list[int]],
    later: Sequence[int],
) -> int:
    """The first block that contains one of these rows or columns; else the first of all."""
    met = (k for k in later if met_columns & {*columns[k]} or met_rows & {*rows[k]})
    return next(met, later[0])


def _by_use(some: dict[Step, int]) -> dict[Step, int]:
    """Sorted by the number of blocks that use them, most first."""
    return dict(sorted(some.items(), key=lambda each: -each[1]))


class _Front:
    """Rows and columns that the elimination of a block touches, its own first."""

    def __init__(self, active: Active, rows: list[int], columns: list[int]) -> None:
        self.active = active
        self.own = rows, columns
        self.rows = [*rows, *sorted({i for j in columns for i in active.columns[j]} - {*rows})]
        found = {j for i in rows for j in active.rows[i]}
        self.columns = [*columns, *sorted(found - {*columns})]
        place = {j: at for at, j in enumerate(self.columns)}
        samples = len(next(iter(active.rows[rows[0]].values()))) if rows else 1
        self.values = np.zeros((samples, len(self.rows), len(self.columns)))
        pattern = np.zeros(self.values.shape[1:], dtype=bool)
        for at, i in enumerate(self.rows):
            for j, value in active.rows[i].items():
                if j in place:
                    self.values[:, at, place[j]] = value
                    pattern[at, place[j]] = True
        shape = (len(rows), len(columns), *pattern.shape)
        outside = pattern[len(rows) :, len(columns) :]
        outside[:] = False  # entries outside the block are not needed yet
        self.signature = repr(shape).encode() + pattern.tobytes()

    def relative(self, step: Step) -> Step:
        """The same pivots as positions within the block."""
        rows, columns = self.own
        return Step(tuple(map(rows.index, step.rows)), tuple(map(columns.index, step.columns)))

    def habit(self, known: Iterable[Step], threshold: float) -> Step | None:
        """Pivots already used by other blocks, if they are large enough here too."""
        return next((step for step in known if self._holds(step, threshold)), None)

    def at(self, step: Step) -> list[Place]:
        """The places of pivots that are given as positions within the block."""
        rows, columns = self.own
        return [(rows[i], columns[j]) for i, j in zip(step.rows, step.columns, strict=True)]

    def _holds(self, step: Step, threshold: float) -> bool:
        left = self.values.copy()
        for i, j in zip(step.rows, step.columns, strict=True):
            if self.active.rescaled:
                largest = np.max(np.abs(left), axis=2, keepdims=True)
                left /= np.where(largest > 0.0, largest, 1.0)
            column, pivot = left[:, :, j], left[:, i, j]
            if not np.all(np.abs(pivot) >= threshold * np.max(np.abs(column), axis=1)):
                return False
            if not np.all(pivot):
                return False
            factor = column / pivot[:, None]
            factor[:, i] = 0.0
            left -= factor[:, :, None] * left[:, i, None, :]
            left[:, i, :] = 0.0
        return True

    def search(self, threshold: float, last: bool) -> Iterator[Place]:
        """Find the cheapest pivots; each must be eliminated before the next is requested.

        In the last block all pivots are taken, however small they are.
        """
        rows, columns = {*self.own[0]}, {*self.own[1]}
        while rows and columns:
            found = self.active.choose_among(rows, columns, threshold, QUICK)
            if found is None:
                if not last:
                    return
                found = self.active.choose(threshold, QUICK)
            rows.discard(found[0])
            columns.discard(found[1])
            yield found
