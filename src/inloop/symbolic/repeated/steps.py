"""Elimination in steps of several pivots, represented so that similar steps can share their code.

A step eliminates its pivot rows and columns. Each of their entries is a sum: a given value of A
plus the updates of earlier steps, which are stored in cells owned by those steps. The updates that
this step makes to other entries go into its own cells. No two steps write the same number, and
steps that do not need each other's cells can run in parallel.

Substitutions work the same way: a step sums its own rows, and has cells for its updates of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from inloop.symbolic.repeated.blocks import Step
from inloop.symbolic.sparsity import Place

Cell = tuple[int, int]  # (step, index among its cells)


@dataclass(frozen=True)
class Shape:
    """The structure shared by steps that use the same code. Own rows come first, in pivot order.

    Attributes:
        pivots: number of pivots.
        sums: local place → (given values, cells of others) that add up to its entry.
        row_cells: for each own row, number of cells of earlier steps that add to its right side.
        column_cells: the same for each own column, for the transposed matrix.
    """

    pivots: int
    sums: tuple[tuple[Place, tuple[int, int]], ...]
    row_cells: tuple[int, ...]
    column_cells: tuple[int, ...]

    @cached_property
    def rows(self) -> list[list[int]]:
        """Columns of each row after elimination, own rows first: L, pivot, and U or cells."""
        rows: dict[int, set[int]] = {}
        for (i, j), _ in self.sums:
            rows.setdefault(i, set()).add(j)
        for i in sorted(rows):
            for k in range(min(i, self.pivots)):
                if k in rows[i]:
                    rows[i] |= {j for j in rows[k] if j > k}
        return [sorted(rows[i]) for i in range(len(rows))]

    def lower(self, i: int) -> list[int]:
        """Own columns left of the pivot of a row; all own columns for rows of other steps."""
        return [j for j in self.rows[i] if j < min(i, self.pivots)]

    def upper(self, i: int) -> list[int]:
        """Columns right of the pivot of an own row; columns of other steps for their rows."""
        return [j for j in self.rows[i] if j > i or (i >= self.pivots and j >= self.pivots)]

    @cached_property
    def cells(self) -> list[Place]:
        """Local places of other steps that this step updates."""
        return [(i, j) for i in range(self.pivots, len(self.rows)) for j in self.upper(i)]

    @cached_property
    def entries(self) -> dict[Place, int]:
        """Index of each entry of U (without pivots), then of the cells."""
        upper = [(i, j) for i in range(self.pivots) for j in self.upper(i)]
        return {place: k for k, place in enumerate(upper + self.cells)}

    @cached_property
    def lower_entries(self) -> dict[Place, int]:
        """Index of each entry of L."""
        places = [(i, k) for i in range(len(self.rows)) for k in self.lower(i)]
        return {place: k for k, place in enumerate(places)}

    @cached_property
    def above(self) -> dict[int, list[int]]:
        """Column → rows of U with an entry in it."""
        found: dict[int, list[int]] = {}
        for i in range(self.pivots):
            for j in self.upper(i):
                found.setdefault(j, []).append(i)
        return found

    @cached_property
    def below(self) -> dict[int, list[int]]:
        """Own column → rows of L with an entry in it."""
        found: dict[int, list[int]] = {}
        for i in range(len(self.rows)):
            for k in self.lower(i):
                found.setdefault(k, []).append(i)
        return found

    @cached_property
    def outer_columns(self) -> list[int]:
        """Columns of other steps."""
        return sorted(j for j in self.above if j >= self.pivots)

    @property
    def outer_rows(self) -> range:
        """Rows of other steps."""
        return range(self.pivots, len(self.rows))

    @cached_property
    def operations(self) -> int:
        """Operations of one factorization and one solve."""
        right = [len(self.upper(i)) for i in range(self.pivots)]
        left = [self.lower(i) for i in range(len(self.rows))]
        updates = sum(right[k] for row in left for k in row)
        lefts = sum(map(len, left))
        return updates + 2 * lefts + 2 * self.pivots + sum(right)


@dataclass
class Placed:
    """One step of a given shape, with the numbers it uses.

    Attributes:
        rows, columns: indices in the matrix, own ones first.
        given: index of the value of A for each place that has one, in the order of `Shape.sums`.
        cells: the same for cells of other steps.
        row_cells, column_cells: cells that add to right sides, for own rows and columns in turn.
        after: steps that must run before this one.
    """

    shape: Shape
    rows: list[int]
    columns: list[int]
    given: list[int]
    cells: list[Cell]
    row_cells: list[Cell]
    column_cells: list[Cell]
    after: set[int] = field(default_factory=set)


def lay_out(places: Sequence[Place], steps: Sequence[Step]) -> list[Placed]:
    """Symbolic elimination: shapes and placed steps."""
    return _Layout(places).run(steps)


class _Layout:
    """The terms that each remaining entry is the sum of."""

    def __init__(self, places: Sequence[Place]) -> None:
        self.given: dict[Place, int] = {place: k for k, place in enumerate(places)}
        self.cells: dict[Place, list[Cell]] = {}
        self.row: dict[int, set[int]] = {}
        self.column: dict[int, set[int]] = {}
        for i, j in places:
            self._put(i, j)
        self.right: dict[int, list[Cell]] = {}  # cells of right sides by row
        self.down: dict[int, list[Cell]] = {}  # and of the transposed matrix by column
        self.shapes: dict[Shape, Shape] = {}

    def _put(self, i: int, j: int) -> None:
        self.row.setdefault(i, set()).add(j)
        self.column.setdefault(j, set()).add(i)

    def run(self, steps: Sequence[Step]) -> list[Placed]:
        return [self._step(number, step) for number, step in enumerate(steps)]

    def _step(self, number: int, step: Step) -> Placed:
        own_rows, own_columns = {*step.rows}, {*step.columns}
        below = {i for j in step.columns for i in self.column[j]} - own_rows
        beside = {j for i in step.rows for j in self.row[i]} - own_columns
        rows, columns = [*step.rows, *sorted(below)], [*step.columns, *sorted(beside)]
        row_at = {i: k for k, i in enumerate(rows)}
        column_at = {j: k for k, j in enumerate(columns)}
        taken = {(i, j) for i in step.rows for j in self.row[i]}
        taken |= {(i, j) for j in step.columns for i in self.column[j]}
        local = sorted((row_at[i], column_at[j], i, j) for i, j in taken)
        given, cells, sums = [], [], []
        for a, b, i, j in local:
            value, summed = self.given.get((i, j)), self.cells.pop((i, j), [])
            given += [] if value is None else [value]
            cells += summed
            sums.append(((a, b), (int(value is not None), len(summed))))
            self.row[i].discard(j)
            self.column[j].discard(i)
        rights = [self.right.pop(i, []) for i in step.rows]
        downs = [self.down.pop(j, []) for j in step.columns]
        shape = Shape(len(step.rows), tuple(sums), tuple(map(len, rights)), tuple(map(len, downs)))
        placed = Placed(
            self.shapes.setdefault(shape, shape), rows, columns, given, cells,
            [cell for some in rights for cell in some], [cell for some in downs for cell in some],
        )  # fmt: skip
        placed.after = {k for k, _ in placed.cells + placed.row_cells + placed.column_cells}
        self._subtract(number, placed)
        return placed

    def _subtract(self, number: int, placed: Placed) -> None:
        """Create the cells of this step, for entries and for both right sides."""
        shape = placed.shape
        for at, (a, b) in enumerate(shape.cells):
            i, j = placed.rows[a], placed.columns[b]
            self.cells.setdefault((i, j), []).append((number, at))
            self._put(i, j)
        for at, a in enumerate(shape.outer_rows):
            self.right.setdefault(placed.rows[a], []).append((number, at))
        for at, b in enumerate(shape.outer_columns):
            self.down.setdefault(placed.columns[b], []).append((number, at))
