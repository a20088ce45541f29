"""Where all numbers of a sparse elimination in steps lie."""

from __future__ import annotations

from collections.abc import Mapping

from inloop.symbolic.repeated.batches import Schedule
from inloop.symbolic.repeated.steps import Cell

LINE = 8  # numbers in a line of the caches: vectors that lie in two of them are slow


class Layout:
    """Where all numbers of all batches lie: those of a batch side by side, lane by lane.

    U comes first, then cells, whose memory is used again once they have been read: there is less
    to fetch. L comes last; it is not stored where one right side is all there is.

    Attributes:
        constants: number of a given value → what it always is.
        given: number of given values.
        rows, columns: of the pivots, in the order of their reciprocals.
        numbers: in the array of the factors, which ends with room for a right side, `spare`.
        scratch: in the array of right sides: one for each pivot, then cells.
        first_pivot, first_factor, first_cell, first_lower, first_right: where those of each batch
            begin.
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
            # right sides of A and of its transpose are never there together
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
        """Where the cells of each batch begin, and where all of them end.

        A batch must not write where it, or a later one, still reads.
        """
        plan = self.plan
        last = [*range(len(plan.batches))]  # batch that reads those of each one last
        for step, (at, _) in sorted(self.place.items(), key=lambda each: each[1]):
            for source, _ in plan.placed[step].cells:
                last[self.place[source][0]] = at
        first += -first % LINE
        begins, end = list[int](), first
        in_use: list[tuple[int, int, int]] = []  # begin, end, batch that reads them last
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
        """Lanes of the batch of a step."""
        return len(self.plan.batches[self.place[step][0]].steps)

    def pivot(self, step: int, k: int) -> int:
        """Number of pivot k of a step among all."""
        batch, lane = self.place[step]
        return self.first_pivot[batch] + k * self.lanes(step) + lane

    def factor_cell(self, cell: Cell) -> int:
        """Where what a step subtracts from an entry lies among the factors."""
        step, number = cell
        batch, lane = self.place[step]
        return self.first_cell[batch] + number * self.lanes(step) + lane

    def right_cell(self, cell: Cell) -> int:
        """Where what it subtracts from a right side lies."""
        step, number = cell
        batch, lane = self.place[step]
        return self.first_right[batch] + number * self.lanes(step) + lane
