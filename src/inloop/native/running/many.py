"""Many runs of one plant (il_many.h) in chunks: shared data, workers and threads."""

from __future__ import annotations

import ctypes
import os
import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inloop.native.library import COUNT, POINTER, NativeLibrary, Reals
from inloop.native.mirror import mirror
from inloop.native.running.interruptible import WATCH_PERIOD
from inloop.native.running.recipe import InstanceRecipe
from inloop.native.running.schedule import AdaptiveSteps, Schedule, Status
from inloop.native.runtime_library import load_runtime

ROWS_BEHIND = 3  # of samples, as in il_many.c
KINDS = {"closed": 0, "led": 1, "near": 2, "whole": 3}  # il_start_kind
WAITING = 2  # chunks per thread that may wait to be collected


@dataclass(frozen=True)
class StartRows:
    """Values that determine the starts of runs: one row each, or one row for all.

    Attributes:
        parameters, inputs: of the plant, in the order of its table.
        q, qd, z: of the initial mode.
    """

    parameters: Reals
    inputs: Reals
    q: Reals
    qd: Reals
    z: Reals


NAMES = ("parameters", "inputs", "q", "qd", "z")


@dataclass(frozen=True)
class Starts:
    """Initial states of the runs.

    Attributes:
        known: one start with closed loops; rows of shape (length,).
        rows: shape (runs, length), or (length,) if equal for all runs.
        kind: one of KINDS, see il_start_kind.
    """

    known: StartRows
    rows: StartRows
    kind: str


@dataclass(frozen=True)
class ManyWork:
    """Data shared by all runs.

    Attributes:
        recipe: recipe of the instances.
        known: a start with closed loops; rows of shape (length,).
        kind: one of KINDS.
        schedule: schedule of each run.
        atol: absolute tolerances, shape (modes, choices, largest x), for adaptive steps.
        samples, coordinates: number of each per run.
        turning: indices of plant outputs that are quaternion components.
        most_events: maximum in one step.
    """

    recipe: InstanceRecipe
    known: StartRows
    kind: str
    schedule: Schedule
    atol: Reals | None
    samples: int
    coordinates: int
    turning: range
    most_events: int = 1000


@dataclass(frozen=True)
class Chunk:
    """Runs that are done one after the other.

    Attributes:
        begin, end: index of the first run, and one past the last.
        rows: differences from the known start: shape (end - begin, length), or (length,) if equal
            for all runs; quantities not named are as in the known start.
    """

    begin: int
    end: int
    rows: dict[str, Reals] = field(default_factory=dict)


@dataclass(frozen=True)
class ChunkRuns:
    """Results of a chunk.

    Attributes:
        begin, end: as for the chunk.
        q: shape (runs, samples, positions); NaN after a run has failed.
        qd: shape (runs, samples, coordinates).
        status: status of each run.
        reached: time of the last valid state of each run [s]; NaN: its start failed.
        beyond: for each run, the subject of its failure; -1: unknown.
        steps: total number of steps.
    """

    begin: int
    end: int
    q: Reals
    qd: Reals
    status: Any
    reached: Reals
    beyond: Any
    steps: int

    @property
    def complete(self) -> bool:
        """Whether no run was interrupted."""
        return not np.any(self.status == Status.STOPPED)


def chunks_of(starts: Starts, ranges: Iterable[tuple[int, int]]) -> Iterator[Chunk]:
    """The runs of given ranges, each with its rows."""
    differing = {
        name: rows
        for name in NAMES
        if (rows := getattr(starts.rows, name)) is not getattr(starts.known, name)
    }
    for begin, end in ranges:
        rows = {n: r[begin:end] if r.ndim == 2 else r for n, r in differing.items()}
        yield Chunk(begin, end, rows)


class ChunkWorker:
    """Worker for chunks of many runs, in one thread at a time.

    Attributes:
        stop: set to nonzero to end soon.
    """

    def __init__(self, work: ManyWork, unit: NativeLibrary, stop: ctypes.c_int) -> None:
        """Prepare the worker.

        Args:
            work: data shared by all chunks.
            unit: the library of the plant.
            stop: flag shared with other workers that end together.
        """
        self.work, self.stop = work, stop
        self._worker = _Worker(work, unit)
        self._call = load_runtime().function(
            "il_run_many", POINTER, POINTER, COUNT, COUNT, returns=COUNT
        )

    @property
    def runs(self) -> int:
        """Number of runs done so far, including those of the current chunk."""
        return int(self._worker.c.runs)

    def do(self, chunk: Chunk) -> ChunkRuns:
        """All runs of a chunk; those not started, or interrupted, have status STOPPED."""
        work, runs = self.work, chunk.end - chunk.begin
        shape, before = (runs, work.samples), int(self._worker.c.steps)
        arrays = {
            "q": np.full((*shape, work.coordinates + len(work.turning)), np.nan),
            "qd": np.full((*shape, work.coordinates), np.nan),
            "status": np.full(runs, Status.STOPPED, dtype=np.int64),
            "reached": np.full(runs, np.nan),
            "beyond": np.full(runs, -1, dtype=np.int64),
        }
        job = _Job(work, chunk, arrays, self.stop)
        self._call(ctypes.addressof(job.c), ctypes.addressof(self._worker.c), 0, runs)
        steps = int(self._worker.c.steps) - before
        return ChunkRuns(chunk.begin, chunk.end, **arrays, steps=steps)


class _Job:
    """An il_many, with the arrays it points to."""

    def __init__(
        self, work: ManyWork, chunk: Chunk, arrays: Mapping[str, Any], stop: ctypes.c_int
    ) -> None:
        self._keep: list[object] = [work, chunk, arrays, stop]
        schedule, sizes = work.schedule, work.recipe.state_sizes
        self.c = c = mirror("il_many")(
            samples=work.samples,
            coordinates=work.coordinates,
            positions=arrays["q"].shape[2],
            turning=work.turning.start,
            most_events=work.most_events,
            kind=KINDS[work.kind],
            stop=ctypes.addressof(stop),
            **{name: array.ctypes.data for name, array in arrays.items()},
        )
        if isinstance(schedule, AdaptiveSteps):
            assert work.atol is not None and schedule.sample is not None
            rtol = np.full((len(sizes), max(sizes)), schedule.rtol)
            c.t_end, c.spacing, c.stride = schedule.t_end, schedule.sample, 1
            c.longest = schedule.max_step
            c.max_steps, c.most_choices = schedule.max_steps, work.atol.shape[1]
            c.rtol, c.atol = self._address(rtol), self._address(work.atol)
        else:
            c.longest = np.inf
            c.step, c.steps, c.stride = schedule.step, schedule.steps, schedule.stride
            c.t_end = schedule.step * schedule.steps
            c.spacing = schedule.step * schedule.stride
        for name in NAMES:
            setattr(c.known, name, self._address(getattr(work.known, name)))
        for name, rows in chunk.rows.items():
            setattr(c.first, name, self._address(rows))
            setattr(c.strides, name, rows.shape[1] if rows.ndim == 2 else 0)

    def _address(self, array: Reals) -> int:
        flat = np.ascontiguousarray(array, dtype=np.float64)
        self._keep.append(flat)
        return flat.ctypes.data


class _Worker:
    """An il_worker, with the memory it points to."""

    def __init__(self, work: ManyWork, unit: NativeLibrary) -> None:
        instance, sizes = work.recipe.make(unit), work.recipe.state_sizes
        largest, rows = max(sizes), work.samples + ROWS_BEHIND
        room = load_runtime().function("il_start_room", POINTER, COUNT, returns=COUNT)
        arrays = {
            "t_samples": np.empty(rows),
            "x_samples": np.empty((rows, largest)),
            "mode_samples": np.empty(rows, dtype=np.int64),
            "slope": np.zeros(largest),
            "atol": np.zeros((len(sizes), largest)),
            "scratch": np.zeros(room(instance.address, 0)),
        }
        self._keep = (instance, arrays)
        addresses: dict[str, Any] = {name: array.ctypes.data for name, array in arrays.items()}
        self.c = mirror("il_worker")(instance=instance.address, **addresses)


def run_in_threads(
    work: ManyWork,
    unit: NativeLibrary,
    chunks: Iterable[Chunk],
    threads: int,
    take: Callable[[ChunkRuns], None],
    watch: Callable[[int], None],
) -> bool:
    """Run all chunks in threads of this process.

    Args:
        work: data shared by the chunks.
        unit: the library of the plant.
        chunks: the chunks to run.
        threads: number of threads.
        take: called with the results of each chunk, in this thread, in any order.
        watch: called ten times a second, in this thread, with the number of completed runs.

    Returns:
        Whether Ctrl-C ended them early; completed chunks have been taken.
    """
    stop = ctypes.c_int(0)
    workers = [ChunkWorker(work, unit, stop) for _ in range(threads)]
    return _Threads(workers, iter(chunks), stop).run(take, watch)


class _Threads:
    """Workers that take the next chunk whenever they have finished one."""

    def __init__(
        self, workers: Sequence[ChunkWorker], chunks: Iterator[Chunk], stop: ctypes.c_int
    ) -> None:
        self._workers, self._chunks, self._stop = workers, chunks, stop
        # None: a thread has ended
        self._done: queue.Queue[ChunkRuns | BaseException | None] = queue.Queue()
        self._room = threading.Semaphore(WAITING * len(workers))
        self._guard = threading.Lock()

    def run(self, take: Callable[[ChunkRuns], None], watch: Callable[[int], None]) -> bool:
        threads = [
            threading.Thread(target=self._work, args=(each,), name="inloop-many", daemon=True)
            for each in self._workers
        ]
        started = 0
        try:
            for thread in threads:
                thread.start()
                started += 1
            left = started
            while left:
                left -= self._next(take, watch)
        except BaseException as error:
            self._stop.value = 1
            # the memory of runs must outlive them
            for thread in threads[:started]:
                self._room.release(WAITING)
                thread.join()
            if not isinstance(error, KeyboardInterrupt):
                raise
            self._take_rest(take)
            return True
        return False

    def _work(self, worker: ChunkWorker) -> None:
        try:
            while not self._stop.value:
                self._room.acquire()
                with self._guard:
                    chunk = next(self._chunks, None)
                if chunk is None or self._stop.value:
                    break
                self._done.put(worker.do(chunk))
        except BaseException as error:  # re-raised by the waiting thread
            self._done.put(error)
        self._done.put(None)

    def _next(self, take: Callable[[ChunkRuns], None], watch: Callable[[int], None]) -> int:
        """Take finished chunks; returns 1 if a thread has ended."""
        try:
            result = self._done.get(timeout=WATCH_PERIOD)
        except queue.Empty:
            watch(sum(worker.runs for worker in self._workers))
            return 0
        if isinstance(result, BaseException):
            raise result
        if result is not None:
            take(result)
            self._room.release()
            watch(sum(worker.runs for worker in self._workers))
        return result is None

    def _take_rest(self, take: Callable[[ChunkRuns], None]) -> None:
        while True:
            try:
                result = self._done.get_nowait()
            except queue.Empty:
                return
            if isinstance(result, ChunkRuns):
                take(result)


def cores() -> int:
    """Number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
