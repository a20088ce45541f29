"""Many runs of one plant on all cores (il_many.h): threads that take ranges of runs in turn."""

from __future__ import annotations

import ctypes
import itertools
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inloop.native.instance import Instance
from inloop.native.interruptible import WATCH_PERIOD, Watch
from inloop.native.library import COUNT, POINTER, Reals
from inloop.native.mirror import mirror
from inloop.native.mode_table import ModeTable
from inloop.native.runtime_library import load_runtime
from inloop.native.schedule import AdaptiveSteps, Method, Schedule, Status

SHARES = 32  # ranges per thread: one that takes longer does not hold up the others for long
MOST_IN_RANGE = 64
ROWS_BEHIND = 3  # of samples, as in il_many.c
KINDS = {"closed": 0, "led": 1, "near": 2, "whole": 3}  # il_start_kind


@dataclass(frozen=True)
class StartRows:
    """What decides about the starts of runs: one row each, or one row for all of them.

    Attributes:
        parameters, inputs: of the plant, in the order of its table.
        q, qd, z: of the mode at the start.
    """

    parameters: Reals
    inputs: Reals
    q: Reals
    qd: Reals
    z: Reals


NAMES = ("parameters", "inputs", "q", "qd", "z")


@dataclass(frozen=True)
class Starts:
    """Where the runs start.

    Attributes:
        known: one start, whose loops are closed; rows of shape (length,).
        rows: shape (runs, length), or (length,) where all runs are alike.
        kind: one of KINDS, see il_start_kind.
    """

    known: StartRows
    rows: StartRows
    kind: str


@dataclass(frozen=True)
class ManyRuns:
    """What came out.

    Attributes:
        q: shape (runs, samples, positions); NaN where a run did not get to.
        qd: shape (runs, samples, coordinates).
        status: of each run.
        reached: time of the last good state of each run [s]; NaN: its start failed.
        beyond: of each run, what its failure was about; -1: nothing is known.
        steps: of all runs.
    """

    q: Reals
    qd: Reals
    status: Any
    reached: Reals
    beyond: Any
    steps: int


def run_many(
    instances: Sequence[Instance],
    table: ModeTable,
    starts: Starts,
    schedule: Schedule,
    atol: Reals | None,
    shape: tuple[int, int, int],
    turning: range,
    watch: Watch,
    most_events: int = 1000,
) -> tuple[ManyRuns, bool]:
    """Do all runs; whether Ctrl-C ended them early.

    Args:
        instances: one per thread.
        table: the modes of one of them.
        starts: where the runs start.
        schedule: of each run; samples as `shape` has them.
        atol: absolute tolerances, shape (modes, choices, largest x), if steps are chosen by them.
        shape: runs, samples and coordinates.
        turning: outputs of the plant that are components of quaternions.
        watch: told ten times a second, in this thread, which part of the runs is done.
        most_events: in one step.
    """
    runs = shape[0]
    positions = (*shape[:2], shape[2] + len(turning))
    found = ManyRuns(
        np.full(positions, np.nan),
        np.full(shape, np.nan),
        np.full(runs, Status.STOPPED, dtype=np.int64),
        np.full(runs, np.nan),
        np.full(runs, -1, dtype=np.int64),
        0,
    )
    stop = ctypes.c_int(0)
    job = _Job(found, starts, schedule, atol, table, stop, most_events, turning.start)
    workers = [_Worker(instance, table, schedule.method, shape[1]) for instance in instances]
    finished = _share(job, workers, runs, stop, watch)
    steps = sum(int(worker.c.steps) for worker in workers)
    whole = ManyRuns(found.q, found.qd, found.status, found.reached, found.beyond, steps)
    return whole, not finished


class _Job:
    """An il_many, and the arrays that it points to."""

    def __init__(
        self,
        found: ManyRuns,
        starts: Starts,
        schedule: Schedule,
        atol: Reals | None,
        table: ModeTable,
        stop: ctypes.c_int,
        most_events: int,
        turning: int,
    ) -> None:
        self._keep: list[object] = [found, starts, schedule, stop]
        _, samples, coordinates = found.qd.shape
        self.c = c = mirror("il_many")(
            samples=samples,
            coordinates=coordinates,
            positions=found.q.shape[2],
            turning=turning,
            most_events=most_events,
            kind=KINDS[starts.kind],
            q=found.q.ctypes.data,
            qd=found.qd.ctypes.data,
            status=found.status.ctypes.data,
            reached=found.reached.ctypes.data,
            beyond=found.beyond.ctypes.data,
            stop=ctypes.addressof(stop),
        )
        if isinstance(schedule, AdaptiveSteps):
            assert atol is not None and schedule.sample is not None
            rtol = np.full((len(table.state_sizes), max(table.state_sizes)), schedule.rtol)
            c.t_end, c.spacing, c.stride = schedule.t_end, schedule.sample, 1
            c.max_steps, c.most_choices = schedule.max_steps, atol.shape[1]
            c.rtol, c.atol = self._address(rtol), self._address(atol)
        else:
            c.step, c.steps, c.stride = schedule.step, schedule.steps, schedule.stride
            c.t_end = schedule.step * schedule.steps
            c.spacing = schedule.step * schedule.stride
        for name in NAMES:
            known, rows = getattr(starts.known, name), getattr(starts.rows, name)
            setattr(c.known, name, self._address(known))
            if rows is not known:
                setattr(c.first, name, self._address(rows))
                setattr(c.strides, name, rows.shape[1] if rows.ndim == 2 else 0)

    def _address(self, array: Reals) -> int:
        flat = np.ascontiguousarray(array, dtype=np.float64)
        self._keep.append(flat)
        return flat.ctypes.data


class _Worker:
    """An il_worker, and the memory that it points to."""

    def __init__(self, instance: Instance, table: ModeTable, method: Method, samples: int) -> None:
        largest, rows = max(table.state_sizes), samples + ROWS_BEHIND
        room = load_runtime().function("il_start_room", POINTER, COUNT, returns=COUNT)
        arrays = {
            "t_samples": np.empty(rows),
            "x_samples": np.empty((rows, largest)),
            "mode_samples": np.empty(rows, dtype=np.int64),
            "slope": np.zeros(largest),
            "atol": np.zeros((len(table.state_sizes), largest)),
            "scratch": np.zeros(room(instance.address, 0)),
        }
        self._keep = (instance, arrays)
        addresses: dict[str, Any] = {name: array.ctypes.data for name, array in arrays.items()}
        self.c = mirror("il_worker")(instance=instance.address, **addresses)


def _share(
    job: _Job, workers: Sequence[_Worker], runs: int, stop: ctypes.c_int, watch: Watch
) -> bool:
    """Let each worker take the next range whenever it is done with one; False if broken off."""
    call = load_runtime().function("il_run_many", POINTER, POINTER, COUNT, COUNT, returns=COUNT)
    size = min(MOST_IN_RANGE, max(1, runs // (SHARES * len(workers))))
    ranges = iter([(k, min(k + size, runs)) for k in range(0, runs, size)])
    guard, left = threading.Lock(), itertools.count(1)
    done = threading.Event()

    def work(worker: _Worker) -> None:
        while not stop.value:
            with guard:
                chosen = next(ranges, None)
            if chosen is None:
                break
            call(ctypes.addressof(job.c), ctypes.addressof(worker.c), *chosen)
        with guard:
            if next(left) == len(workers):
                done.set()

    threads = [
        threading.Thread(target=work, args=(worker,), name="inloop-many", daemon=True)
        for worker in workers
    ]
    started = 0
    try:
        for thread in threads:
            thread.start()
            started += 1
        while not done.wait(WATCH_PERIOD):
            watch(sum(worker.c.runs for worker in workers) / runs)
    except BaseException as error:
        stop.value = 1
        # the memory of runs must outlive them
        for thread in threads[:started]:
            thread.join()
        if not isinstance(error, KeyboardInterrupt):
            raise
        return False
    return True


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
