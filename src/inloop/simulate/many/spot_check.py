"""Whether the steps of many runs are short enough, looked at in a few of them.

A single run is judged by its energy balance and by what is stiff in it (`simulate/judging`), which
would take longer than most of many runs. So the runs with the least and the largest of what is
varied are made again, with samples, and with half the step: both must be the same motion.
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

LEAST, PART, MOST = 2, 20, 8  # runs that are made again: a part of all of them, within these
SAMPLES = 50  # that tell the way of the joints

Again = Callable[[Arguments, int, float, float], ManyResult]  # values, runs, step, sample


def doubtful_runs(order: Order, found: ManyResult, again: Again) -> tuple[str, ...]:
    """What to tell of runs that half their step leads elsewhere.

    Args:
        order: the runs.
        found: what they came to.
        again: makes some of them again.
    """
    schedule = order.work.schedule
    if not isinstance(schedule, FixedSteps) or schedule.steps < 2 or _decides(order):
        return ()
    picked = [run for run in _extreme(order) if found.status[run] == "OK"]
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
    """Contacts and controllers decide at steps: others lead elsewhere, and neither is wrong."""
    touches = any(plant.mechanism.touches for plant in order.plants.values())
    hard = any(plant.mechanism.hard_contacts for plant in order.plants.values())
    return touches or hard or controller_of(order.plants) is not None


def _extreme(order: Order) -> list[int]:
    """Runs with the largest and the least of what is varied, parameters first."""
    kinds = ("parameters", "inputs", "q", "qd", "tau")
    columns = [c for kind in kinds for c in getattr(order.given, kind).columns.values()]
    runs = [int(find(column)) for column in columns for find in (np.argmax, np.argmin)]
    most = min(MOST, max(LEAST, order.count // PART))
    return list(dict.fromkeys(runs or [0]))[:most]


def _of_runs(given: Given, runs: list[int]) -> Given:
    return replace(given, columns={name: c[runs] for name, c in given.columns.items()})


def _miss(order: Order, whole: ManyResult, half: ManyResult, k: int) -> Miss:
    """How far number k of the runs is from where half its step leads."""
    if half.status[k] != "OK":
        return NO_END
    found, other = (lambda name, runs=runs: runs[name][k] for runs in (whole, half))
    return miss_of(order.plants.values(), whole.t, found, half.t, other)
