"""Run similar steps of a sparse elimination side by side, in the lanes of a vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from inloop.symbolic.repeated.steps import Placed, Shape

WIDTHS = (4, 2, 1)  # lanes of a vector, or scalar


@dataclass(frozen=True)
class Batch:
    """Steps of one shape that run side by side, one in each lane."""

    steps: tuple[int, ...]
    kernel: int


@dataclass(frozen=True)
class Schedule:
    """Batches in order, and the kernels they need.

    Attributes:
        placed: all steps.
        batches: in elimination order.
        kernels: shape and lanes of each kernel.
    """

    placed: list[Placed]
    batches: list[Batch]
    kernels: list[tuple[Shape, int]]

    @cached_property
    def run(self) -> int:
        """Operations of all batches; all lanes together count as one."""
        return sum(self.kernels[batch.kernel][0].operations for batch in self.batches)

    @cached_property
    def written(self) -> int:
        """Operations of all kernels: the code to compile."""
        return sum(shape.operations for shape, _ in self.kernels)


def schedule(placed: list[Placed], widths: Sequence[int] = WIDTHS) -> Schedule:
    """Put steps of the same shape that do not depend on each other into lanes.

    Args:
        placed: all steps, in a valid order of execution.
        widths: allowed numbers of lanes, largest first; the last is 1.
    """
    level = [0] * len(placed)
    for number, step in enumerate(placed):
        level[number] = 1 + max((level[k] for k in step.after), default=-1)
    alike: dict[tuple[int, Shape], list[int]] = {}
    for number, step in enumerate(placed):
        alike.setdefault((level[number], step.shape), []).append(number)
    numbers: dict[tuple[Shape, int], int] = {}
    batches = []
    for (_, shape), steps in sorted(alike.items(), key=lambda each: each[0][0]):
        left = sorted(steps, key=lambda k: placed[k].rows[0])
        while left:
            width = next(width for width in widths if width <= len(left))
            kernel = numbers.setdefault((shape, width), len(numbers))
            batches.append(Batch(tuple(left[:width]), kernel))
            left = left[width:]
    return Schedule(placed, batches, [*numbers])
