"""Memory layout of a sparse elimination in steps."""

from __future__ import annotations

from collections.abc import Mapping

from inloop.symbolic.repeated.batches import Schedule
from inloop.symbolic.repeated.steps import Cell

LINE = 8  # doubles per cache line: vectors that straddle two lines are slow


class Layout:
    """Memory layout of all batches: contiguous per batch, lanes interleaved.

    U comes first, then cells, whose memory is reused once they have been read: a smaller working
    set. L comes last; it is not stored if there is only one right side.

    Attributes:
        constants: index of a given value → its value, where that never changes.
        given: number of given values.
        rows, columns: rows and columns of the pivots, in the order of their reciprocals.
        numbers: length of the array of factors, which ends with room for a right side, `spare`.
        scratch: length of the array of right sides: one per pivot, then cells.
        first_pivot, first_factor, first_cell, first_lower, first_right: start of each batch.
    """

    def __init__(self, plan: Schedule, constants: Mapping[int, float] | None = None) -> None:
        self.plan = plan
        self.constants = constants or {}
        self.given = 1 + max(k for step in plan.placed for k in step.given)
        self.place: dict[int, tuple[int, int]] = {}  # step → batch, lane
        self.first_pivot: list[int] = []
        self.first_factor: list[int] = []
        self.first_lower: list[int] = []
        self.first_right: list[int] = []
        n = sum(step.shape.pivots for step in plan.placed)
        pivots = numbers = 0
        cells = n
        for at, batch in enumerate(plan.batches):
            shape, lanes = plan.kernels[batch.kernel]
            for lane, step in enumerate(batch.steps):
                self.place[step] = at, lane
            self.first_pivot.append(pivots)
            self.first_factor.append(numbers)
            self.first_right.append(cells)
            pivots += lanes * shape.pivots
            numbers += lanes * (len(shape.entries) - len(shape.cells))
            # right sides of A and of its transpose are never alive together
            cells += lanes * max(len(shape.outer_rows), len(shape.outer_columns))
        self.first_cell, numbers = self._place_cells(numbers)
        for batch in plan.batches:
            shape, lanes = plan.kernels[batch.kernel]
            self.first_lower.append(numbers)
            numbers += lanes * len(shape.lower_entries)
        self.spare, self.numbers, self.scratch = numbers, numbers + cells, cells
        rows, columns = [0] * n, [0] * n
        for number, placed in enumerate(plan.placed):
            for k in range(placed.shape.pivots):
                rows[self.pivot(number, k)] = placed.rows[k]
                columns[self.pivot(number, k)] = placed.columns[k]
        self.rows, self.columns = rows, columns

    def _place_cells(self, first: int) -> tuple[list[int], int]:
        """Start of the cells of each batch, and the end of all cells: first fit by lifetime.

        A batch must not write where it, or a later one, still reads.
        """
        plan = self.plan
        last = [*range(len(plan.batches))]  # the last batch that reads the cells of each
        for step, (at, _) in sorted(self.place.items(), key=lambda each: each[1]):
            for source, _ in plan.placed[step].cells:
                last[self.place[source][0]] = at
        first += -first % LINE
        begins, end = list[int](), first
        in_use: list[tuple[int, int, int]] = []  # begin, end, last reader
        for at, batch in enumerate(plan.batches):
            shape, lanes = plan.kernels[batch.kernel]
            in_use = sorted(each for each in in_use if each[2] >= at)
            begin, size = first, lanes * len(shape.cells)
            size += -size % LINE
            for taken, free, _ in in_use:
                if begin + size <= taken:
                    break
                begin = free
            begins.append(begin)
            in_use.append((begin, begin + size, last[at]))
            end = max(end, begin + size)
        return begins, end

    def lanes(self, step: int) -> int:
        """Number of lanes in the batch of a step."""
        return len(self.plan.batches[self.place[step][0]].steps)

    def pivot(self, step: int, k: int) -> int:
        """Index of pivot k of a step among all pivots."""
        batch, lane = self.place[step]
        return self.first_pivot[batch] + k * self.lanes(step) + lane

    def factor_cell(self, cell: Cell) -> int:
        """Position among the factors of an update to an entry."""
        step, number = cell
        batch, lane = self.place[step]
        return self.first_cell[batch] + number * self.lanes(step) + lane

    def right_cell(self, cell: Cell) -> int:
        """Position of an update to a right side."""
        step, number = cell
        batch, lane = self.place[step]
        return self.first_right[batch] + number * self.lanes(step) + lane
