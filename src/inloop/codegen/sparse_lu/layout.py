"""Where all numbers of a sparse elimination in steps lie."""

from __future__ import annotations

from collections.abc import Mapping

from inloop.symbolic.repeated.batches import Schedule
from inloop.symbolic.repeated.steps import Cell


class Layout:
    """Where all numbers of all batches lie: those of a batch side by side, lane by lane.

    U and cells come first, then L, which is not stored where one right side is all there is.

    Attributes:
        constants: number of a given value → what it always is.
        given: number of given values.
        rows, columns: of the pivots, in the order of their reciprocals.
        numbers: in the array of the factors, which ends with room for a right side, `spare`.
        scratch: in the array of right sides: one for each pivot, then cells.
        first_pivot, first_factor, first_lower, first_right: where those of each batch begin.
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
            numbers += lanes * len(shape.entries)
            # right sides of A and of its transpose are never there together
            cells += lanes * max(len(shape.outer_rows), len(shape.outer_columns))
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
        shape = self.plan.placed[step].shape
        entry = shape.entries[shape.cells[number]]
        return self.first_factor[batch] + entry * self.lanes(step) + lane

    def right_cell(self, cell: Cell) -> int:
        """Where what it subtracts from a right side lies."""
        step, number = cell
        batch, lane = self.place[step]
        return self.first_right[batch] + number * self.lanes(step) + lane
