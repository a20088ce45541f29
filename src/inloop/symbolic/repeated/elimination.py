"""Eliminate a matrix with repeated structure: find blocks, order them, run steps in lanes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from inloop.symbolic.repeated.batches import Schedule, schedule
from inloop.symbolic.repeated.blocks import (
    LONGEST,
    TIES,
    Habits,
    Step,
    block_order,
    cuts,
    period_of,
    pivots_by_block,
    realigned,
)
from inloop.symbolic.repeated.both_ends import from_both_ends
from inloop.symbolic.repeated.steps import Placed, lay_out
from inloop.symbolic.sparsity import Place

Integers = NDArray[np.int64]

REPEATED = 3  # average uses per line of code above which sharing pays


@dataclass(frozen=True)
class StepwiseElimination:
    """All elimination steps of a matrix.

    Attributes:
        places: (row, column) of each given value.
        steps: in a valid order of execution.
        weakest: weakest pivot, as in `PivotOrder`.
    """

    places: Sequence[Place]
    steps: list[Placed]
    weakest: float

    @cached_property
    def operations(self) -> int:
        """Operations of one factorization and one solve."""
        return sum(step.shape.operations for step in self.steps)

    @cached_property
    def written(self) -> int:
        """Operations of all shapes: the code to compile."""
        return sum(shape.operations for shape in {step.shape for step in self.steps})

    @property
    def repeats(self) -> bool:
        """Whether the steps are similar enough to share their code."""
        return self.operations >= REPEATED * self.written

    @cached_property
    def schedule(self) -> Schedule:
        """The steps grouped into lanes."""
        return schedule(self.steps)

    def with_places(self, places: Sequence[Place]) -> StepwiseElimination:
        """The same steps for given values in a different order."""
        own = ((step.shape.pivots, step) for step in self.steps)
        steps = [Step(tuple(s.rows[:count]), tuple(s.columns[:count])) for count, s in own]
        return StepwiseElimination(places, lay_out(places, steps), self.weakest)

    @property
    def cost(self) -> int:
        """Estimated cost: operations to run plus code to compile and to fetch from memory."""
        return self.schedule.run + 2 * self.schedule.written


def eliminate_in_steps(
    n: int, places: Sequence[Place], samples: NDArray[np.float64], threshold: float
) -> StepwiseElimination | None:
    """Pivots of a matrix with repeated structure, block by block; None if it has none.

    Args:
        n: number of unknowns.
        places: (row, column) of each given value.
        samples: values of these entries, shape (samples, values).
        threshold: smallest pivot, relative to its column.
    """
    period = period_of(n, places)
    if period is None:
        return None

    def found(labels: Integers, ties: tuple[int, int]) -> _Found:
        order = block_order(places, labels, ties)
        steps, weakest, habits = pivots_by_block(n, places, samples, labels, threshold, order)
        whole = StepwiseElimination(places, lay_out(places, steps), weakest)
        return _Found(whole, labels, ties, habits)

    best: _Found | None = None
    anew = realigned(n, places, period)
    if np.bincount(anew).max() <= LONGEST:
        best = found(anew, TIES[0])
    for labels in cuts(n, places, period):
        each = found(labels, TIES[0])
        if best is None or each.cost < best.cost:
            best = each
        elif each.elimination.operations > 1.5 * best.elimination.operations:
            break  # shorter blocks are worse still
    assert best is not None
    others = [(best.labels, ties) for ties in TIES[1:]]
    others += [(labels, TIES[0]) for labels in from_both_ends(places, best.labels)]
    best = min([best, *(found(*each) for each in others)], key=lambda each: each.cost)
    # second pass: try the most common pivots first, or scale the rows again
    order, finals = block_order(places, best.labels, best.ties), [best.elimination]
    for known, rescaled in ((best.habits, False), (None, True)):
        steps, weakest, _ = pivots_by_block(
            n, places, samples, best.labels, threshold, order, known, rescaled
        )
        finals.append(StepwiseElimination(places, lay_out(places, steps), weakest))
    return min(finals, key=lambda each: each.cost)


def eliminate_in_blocks(
    n: int,
    places: Sequence[Place],
    samples: NDArray[np.float64],
    threshold: float,
    labels: Iterable[Sequence[int]],
) -> StepwiseElimination:
    """Pivots of a matrix whose blocks are known, e.g. the bodies of a mechanism.

    Blocks are eliminated in descending order of their numbers. The remainder that a block passes
    on may be much smaller than its original rows, so rows are scaled again after each change.

    Args:
        n: number of unknowns.
        places: (row, column) of each given value.
        samples: values of these entries, shape (samples, values).
        threshold: smallest pivot, relative to its column.
        labels: block of each row and column; several alternatives, the best one is taken.
    """

    def found(blocks: Integers) -> StepwiseElimination:
        order = np.unique(blocks)[::-1].tolist()
        steps, weakest, _ = pivots_by_block(
            n, places, samples, blocks, threshold, order, rescaled=True
        )
        return StepwiseElimination(places, lay_out(places, steps), weakest)

    return min((found(np.array(blocks)) for blocks in labels), key=lambda each: each.cost)


@dataclass(frozen=True)
class _Found:
    """An elimination, with the settings that produced it."""

    elimination: StepwiseElimination
    labels: Integers
    ties: tuple[int, int]
    habits: Habits

    @property
    def cost(self) -> int:
        return self.elimination.cost
