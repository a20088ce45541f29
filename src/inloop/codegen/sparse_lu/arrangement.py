"""Reorder given values by first use, so that the code reads them consecutively."""

from __future__ import annotations

from inloop.codegen.sparse_lu.layout import Layout
from inloop.codegen.sparse_lu.step_kernel import StepKernel
from inloop.symbolic.elimination import Elimination


def in_order_of_use(e: Elimination) -> list[int]:
    """Indices of the values, row by row in elimination order; constants of the code come last."""
    return sorted(range(len(e.moved)), key=lambda k: (k in e.constants, e.moved[k]))


def lanes_in_order_of_use(layout: Layout) -> list[int]:
    """Indices of the values, batch by batch, with all lanes interleaved.

    Values that are constants in the code of all steps of a shape come last.
    """
    plan = layout.plan
    constants = [StepKernel(layout, k).constants for k in range(len(plan.kernels))]
    read: list[int] = []
    known: list[int] = []
    for batch in plan.batches:
        steps = [plan.placed[k] for k in batch.steps]
        for slot in range(len(steps[0].given)):
            numbers = [step.given[slot] for step in steps]
            (known if slot in constants[batch.kernel] else read).extend(numbers)
    return read + known
