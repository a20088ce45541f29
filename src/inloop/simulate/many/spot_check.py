"""Spot check of many runs: whether their steps are short enough.

A single run is checked by its energy balance and stiffness (`simulate/judging`), which would take
longer than most of many runs. So the runs with the smallest and largest varied values are repeated,
with samples, and with half the step: both must be the same motion.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from inloop.native import FixedSteps
from inloop.plant.controlling import controller_of
from inloop.simulate.judging.half_step import CONVERGED, NO_END, Miss, miss_of
from inloop.simulate.many.arguments import Given
from inloop.simulate.many.order import Order
from inloop.simulate.many.result import ManyResult
from inloop.simulate.many.starts import Arguments

LEAST, PART, MOST = 2, 20, 8  # runs to repeat: one in PART, at least LEAST, at most MOST
SAMPLES = 50  # per run, of the motion of the joints

Again = Callable[[Arguments, int, float, float], ManyResult]  # values, runs, step, sample


def doubtful_runs(order: Order, result: ManyResult, again: Again) -> tuple[str, ...]:
    """Notes on runs whose motion differs with half the step.

    Args:
        order: the runs.
        result: their result.
        again: repeats some of them.
    """
    schedule = order.work.schedule
    if not isinstance(schedule, FixedSteps) or schedule.steps < 2 or _decides(order):
        return ()
    picked = [run for run in _extreme(order) if result.status[run] == "OK"]
    if not picked:
        return ()
    chosen = Arguments(**{k: _of_runs(item, picked) for k, item in vars(order.given).items()})
    sample = schedule.step * max(1, schedule.steps // SAMPLES)
    steps = (schedule.step, 0.5 * schedule.step)
    whole, half = (again(chosen, len(picked), step, sample) for step in steps)
    misses = {run: _miss(order, whole, half, k) for k, run in enumerate(picked)}
    run, worst = max(misses.items(), key=lambda item: item[1].share)
    if not worst.share > CONVERGED:
        return ()
    others = sum(miss.share > CONVERGED for miss in misses.values()) - 1
    more = f" and {others} more of {len(picked)} that were checked" if others else ""
    where = "does not finish"
    if np.isfinite(worst.apart):
        where = f"differs at t = {worst.t:.4g} s, '{worst.joint}' by {worst.apart:.3g}"
    return (
        f"run {run}{more}: with half the step it {where}; a step of {schedule.step:.4g} "
        f"s is too long for {order.method} there, or the motion is chaotic. Use a "
        "shorter step, or tolerance=1e-6.",
    )


def _decides(order: Order) -> bool:
    """Whether contacts or controllers decide at steps: the motion depends on them legitimately."""
    touches = any(plant.mechanism.touches for plant in order.plants.values())
    hard = any(plant.mechanism.hard_contacts for plant in order.plants.values())
    return touches or hard or controller_of(order.plants) is not None


def _extreme(order: Order) -> list[int]:
    """Runs with the largest and smallest varied values, parameters first."""
    kinds = ("parameters", "inputs", "q", "qd", "tau")
    columns = [c for kind in kinds for c in getattr(order.given, kind).columns.values()]
    runs = [int(find(column)) for column in columns for find in (np.argmax, np.argmin)]
    most = min(MOST, max(LEAST, order.count // PART))
    return list(dict.fromkeys(runs or [0]))[:most]


def _of_runs(given: Given, runs: list[int]) -> Given:
    return replace(given, columns={name: c[runs] for name, c in given.columns.items()})


def _miss(order: Order, whole: ManyResult, half: ManyResult, k: int) -> Miss:
    """Difference between run k of `whole` and of `half`, with half the step."""
    if half.status[k] != "OK":
        return NO_END
    run, halved = (lambda name, runs=runs: runs[name][k] for runs in (whole, half))
    return miss_of(order.plants.values(), whole.t, run, half.t, halved)
