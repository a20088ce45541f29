"""Many runs of a plant with different values and starts, on all cores or on a cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from inloop.designs.design import Design
from inloop.native.progress import ProgressLine
from inloop.native.running.many import chunks_of, cores, run_in_threads
from inloop.native.shipping import made_here
from inloop.plant import BarePlant
from inloop.plant.arguments import file_path
from inloop.plant.keywords import checked_call
from inloop.simulate.many.arguments import Columns
from inloop.simulate.many.gathering import Gathering
from inloop.simulate.many.order import Order, make_order
from inloop.simulate.many.places import find_place
from inloop.simulate.many.ray_cluster import RayCluster
from inloop.simulate.many.result import ManyResult
from inloop.simulate.many.spot_check import Again, doubtful_runs
from inloop.simulate.many.starts import Arguments, read_arguments
from inloop.simulate.many.storing import Storing, read_chunk, writing_alone
from inloop.simulate.many.varying import with_design
from inloop.simulate.progress import time_left


@checked_call
def simulate_many(
    plant: BarePlant,
    *,
    t_end: float,
    step: float = 1e-3,
    method: str | None = None,
    runs: int | None = None,
    q: Columns = None,
    qd: Columns = None,
    tau: Columns = None,
    inputs: Mapping[str, Any] | None = None,
    parameters: Columns = None,
    vary: Design | None = None,
    sample: float | None = None,
    tolerance: float | None = None,
    folder: str | Path | None = None,
    chunk: int | None = None,
    on: Any = None,
) -> ManyResult:
    """Integrate the equations of motion many times, on all cores or on a Ray cluster.

    Values that differ between runs are arrays with one number per run; all others are shared. A
    run that fails does not end the others. The numbers of a run are those of `plant.simulate`
    with the same start, step and method, as long as independent coordinates need not change; runs
    are not checked one by one as `plant.simulate` does.

    Args:
        plant: the compiled mechanism.
        t_end: length of each run [s].
        step: step of the integrator [s].
        method: as in `simulate`, except "scipy". Default: the one that `simulate` chooses for the
            first run, which is computed twice for this.
        runs: number of runs; not needed if an argument has one number per run.
        q: coordinates at the start: by name, numbers or arrays of shape (runs,); or an array of
            shape (n,) or (runs, n). For a mechanism with loops, independent coordinates may
            differ by name, and the others follow from the start of the plant, on the same
            branch; whole rows must close the loops.
        qd: velocities at the start, likewise.
        tau: constant joint efforts [N·m or N], likewise.
        inputs: by name, numbers or arrays of shape (runs,), or functions of time for all runs.
        parameters: by name, numbers or arrays of shape (runs,), or shape (runs, parameters); those
            of the plant are not changed.
        vary: a design (`il.designs`) whose columns are named "rod.mass", "rod.q", "rod.qd",
            "rod.tau" or as an input.
        sample: time between samples [s]; by default only the first and the last state are kept.
        tolerance: relative error per step; then "dopri", "rodas", "alpha" choose their own steps.
        folder: write the runs there as they complete, as Parquet files. The same call continues
            an interrupted one.
        chunk: runs in each of these files; by default chosen from the number of runs.
        on: "ray" for a Ray cluster, or the address of one; all cores of this machine if None.

    Raises:
        InputError: invalid arguments, or the folder contains something else.
        SimulationError: the disk is full, or the cluster is lost; runs in the folder are kept.
        KeyboardInterrupt: Ctrl-C; `result` holds what was computed, other runs are STOPPED.
    """
    place = find_place(on)
    size = read_chunk(chunk)
    given = {"q": q, "qd": qd, "tau": tau, "inputs": inputs, "parameters": parameters}
    arguments = read_arguments(
        plant.by_mode or {plant.name: plant}, **with_design(plant, vary, given)
    )
    order = make_order(
        plant,
        arguments,
        runs,
        t_end=t_end,
        step=step,
        method=method,
        sample=sample,
        tolerance=tolerance,
    )
    design = None if vary is None else vary.describe()
    with contextlib.ExitStack() as stack:
        keeper: Gathering | Storing
        if folder is None:
            keeper = Gathering(order, design)
        else:
            target = file_path(folder, "folder")
            stack.enter_context(writing_alone(target))
            keeper = Storing(order, design, target, size)
        broken = _do(order, keeper, place)
        result = keeper.result()
    if broken:
        raise _interrupted(result)
    if folder is not None or place is not None:
        return result
    return replace(
        result, notes=(*result.notes, *doubtful_runs(order, result, _again(order, result)))
    )


def _again(order: Order, done: ManyResult) -> Again:
    """A function that repeats some of the runs, with other steps."""

    def run(given: Arguments, runs: int, step: float, sample: float) -> ManyResult:
        other = make_order(
            order.plant,
            given,
            runs,
            t_end=float(order.t[-1]),
            step=step,
            method=order.method,
            sample=sample,
            tolerance=None,
        )
        keeper = Gathering(other, None)
        if _do(other, keeper, None):
            raise _interrupted(done)
        return keeper.result()

    return run


def _do(order: Order, keeper: Gathering | Storing, place: RayCluster | None) -> bool:
    """Compute the remaining runs; returns whether Ctrl-C ended them early."""
    threads = min(cores(), order.count)
    ranges = keeper.ranges(threads)
    kept = order.count - sum(end - begin for begin, end in ranges)
    if not ranges:
        return False
    chunks = chunks_of(order.starts, ranges)
    with ProgressLine() as line:
        left = time_left(order.count - kept)

        def watch(done: int, where: str = "") -> None:
            line.say(f"simulating{where}: {kept + done} of {order.count} runs{left(done)}")

        if place is not None:
            return place.run(order, chunks, keeper.take, watch)
        mine = made_here()
        return run_in_threads(
            order.work,
            order.unit.library,
            chunks,
            threads,
            lambda chunk: keeper.take(chunk, mine),
            watch,
        )


def _interrupted(result: ManyResult) -> KeyboardInterrupt:
    done = len(result) - result.status.count("STOPPED")
    kept = "error.result holds the runs so far"
    if result.folder is not None:
        kept = f"'{result.folder}' holds the runs so far, and the same call continues from there"
    error = KeyboardInterrupt(f"interrupted after {done} of {len(result)} runs; {kept}")
    error.result = result  # type: ignore[attr-defined]
    return error
