"""Steps of a sparse elimination in lanes, and where all of their numbers lie."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inloop.symbolic.repeated.steps import Cell, Placed, Shape

LANES = 4


@dataclass(frozen=True)
class Batch:
    """Steps of one shape that run side by side, one in each lane."""

    steps: tuple[int, ...]
    kernel: int


@dataclass(frozen=True)
class Schedule:
    """Batches in order, and what they need.

    Attributes:
        placed: all steps.
        batches: in the order of their elimination.
        kernels: shape and lanes of each kernel.
    """

    placed: list[Placed]
    batches: list[Batch]
    kernels: list[tuple[Shape, int]]


def schedule(placed: list[Placed], lanes: int = LANES) -> Schedule:
    """Put steps that are alike and do not wait for each other into lanes."""
    level = [0] * len(placed)
    for number, step in enumerate(placed):
        level[number] = 1 + max((level[k] for k in step.after), default=-1)
    alike: dict[tuple[int, Shape], list[int]] = {}
    for number, step in enumerate(placed):
        alike.setdefault((level[number], step.shape), []).append(number)
    numbers: dict[tuple[Shape, int], int] = {}
    batches = []
    for (_, shape), steps in sorted(alike.items(), key=lambda each: each[0][0]):
        steps.sort(key=lambda k: placed[k].rows[0])
        whole = len(steps) - len(steps) % lanes
        groups = [steps[k : k + lanes] for k in range(0, whole, lanes)]
        groups += [[k] for k in steps[whole:]]
        for group in groups:
            kernel = numbers.setdefault((shape, len(group)), len(numbers))
            batches.append(Batch(tuple(group), kernel))
    return Schedule(placed, batches, [*numbers])


class Layout:
    """Where all numbers of all batches lie: L, U and cells of a batch side by side, lane by lane.

    Attributes:
        constants: number of a given value → what it always is.
        rows, columns: of the pivots, in the order of their reciprocals.
        numbers: in the array of the factors.
        scratch: in the array of right sides: one for each pivot, then cells.
        first_pivot, first_factor, first_right: where the numbers of each batch begin.
    """

    def __init__(self, plan: Schedule, constants: Mapping[int, float] | None = None) -> None:
        self.plan = plan
        self.constants = constants or {}
        self.place: dict[int, tuple[int, int]] = {}  # step → batch, lane
        self.first_pivot: list[int] = []
        self.first_factor: list[int] = []
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
        self.numbers, self.scratch = numbers, cells
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
