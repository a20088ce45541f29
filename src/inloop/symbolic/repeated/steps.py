"""Elimination in steps of several pivots, told in such a way that steps alike can share their code.

A step takes its pivot rows and columns out of the matrix. Their entries are sums: of a given value
of A, and of what earlier steps have subtracted from that entry, which lies in cells that each step
has for itself. What this step subtracts from entries of others goes into cells of its own. So no
two steps write the same number, and steps that do not need each other's cells may run side by side.

The same holds for substitutions: a step has the sums of its own lines, and cells for others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from inloop.symbolic.repeated.blocks import Step
from inloop.symbolic.sparsity import Place

Cell = tuple[int, int]  # (step, number among its cells)


@dataclass(frozen=True)
class Shape:
    """What steps that share their code have in common. Own lines come first, in order of pivots.

    Attributes:
        pivots: how many.
        sums: local place → (given values, cells of others) that its entry is the sum of.
        row_cells: of each own row, how many cells of earlier steps belong to its right side.
        column_cells: likewise of each own column, for the transposed matrix.
    """

    pivots: int
    sums: tuple[tuple[Place, tuple[int, int]], ...]
    row_cells: tuple[int, ...]
    column_cells: tuple[int, ...]

    @cached_property
    def rows(self) -> list[list[int]]:
        """Columns of each row after the elimination, own rows first: L, pivot, and U or cells."""
        rows: dict[int, set[int]] = {}
        for (i, j), _ in self.sums:
            rows.setdefault(i, set()).add(j)
        for i in sorted(rows):
            for k in range(min(i, self.pivots)):
                if k in rows[i]:
                    rows[i] |= {j for j in rows[k] if j > k}
        return [sorted(rows[i]) for i in range(len(rows))]

    def lower(self, i: int) -> list[int]:
        """Own columns left of the pivot of a row, or all in rows of others."""
        return [j for j in self.rows[i] if j < min(i, self.pivots)]

    def upper(self, i: int) -> list[int]:
        """Columns right of the pivot of an own row, or of others in rows of others."""
        return [j for j in self.rows[i] if j > i or (i >= self.pivots and j >= self.pivots)]

    @cached_property
    def cells(self) -> list[Place]:
        """Local places of others from which something is subtracted."""
        return [(i, j) for i in range(self.pivots, len(self.rows)) for j in self.upper(i)]

    @cached_property
    def entries(self) -> dict[Place, int]:
        """Number of each entry of U, pivots left out, then of the cells."""
        upper = [(i, j) for i in range(self.pivots) for j in self.upper(i)]
        return {place: k for k, place in enumerate(upper + self.cells)}

    @cached_property
    def lower_entries(self) -> dict[Place, int]:
        """Number of each entry of L."""
        places = [(i, k) for i in range(len(self.rows)) for k in self.lower(i)]
        return {place: k for k, place in enumerate(places)}

    @cached_property
    def above(self) -> dict[int, list[int]]:
        """Column → rows of U in it."""
        found: dict[int, list[int]] = {}
        for i in range(self.pivots):
            for j in self.upper(i):
                found.setdefault(j, []).append(i)
        return found

    @cached_property
    def below(self) -> dict[int, list[int]]:
        """Own column → rows of L in it."""
        found: dict[int, list[int]] = {}
        for i in range(len(self.rows)):
            for k in self.lower(i):
                found.setdefault(k, []).append(i)
        return found

    @cached_property
    def outer_columns(self) -> list[int]:
        """Columns of others."""
        return sorted(j for j in self.above if j >= self.pivots)

    @property
    def outer_rows(self) -> range:
        """Rows of others."""
        return range(self.pivots, len(self.rows))

    @cached_property
    def operations(self) -> int:
        """Of one factorization and one solution."""
        right = [len(self.upper(i)) for i in range(self.pivots)]
        left = [self.lower(i) for i in range(len(self.rows))]
        updates = sum(right[k] for row in left for k in row)
        lefts = sum(map(len, left))
        return updates + 2 * lefts + 2 * self.pivots + sum(right)


@dataclass
class Placed:
    """One step of a shape: which numbers it takes.

    Attributes:
        rows, columns: of the matrix, own ones first.
        given: number of the value of A for each place with one, in the order of `Shape.sums`.
        cells: of other steps, likewise.
        row_cells, column_cells: cells of right sides, own rows and columns one after the other.
        after: steps that come before.
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
    """Follow the elimination without numbers."""
    return _Layout(places).run(steps)


class _Layout:
    """What every entry that is left is the sum of."""

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
        """Cells of this step, for entries and for both right sides."""
        shape = placed.shape
        for at, (a, b) in enumerate(shape.cells):
            i, j = placed.rows[a], placed.columns[b]
            self.cells.setdefault((i, j), []).append((number, at))
            self._put(i, j)
        for at, a in enumerate(shape.outer_rows):
            self.right.setdefault(placed.rows[a], []).append((number, at))
        for at, b in enumerate(shape.outer_columns):
            self.down.setdefault(placed.columns[b], []).append((number, at))
