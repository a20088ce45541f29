"""Many runs of one plant (il_many.h) in chunks: what all share as plain data, and who does them."""

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
WAITING = 2  # chunks per thread that are done before somebody takes them


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
class ManyWork:
    """What all runs share, as plain data.

    Attributes:
        recipe: of the instances that run.
        known: a start whose loops are closed; rows of shape (length,).
        kind: one of KINDS.
        schedule: of each run.
        atol: absolute tolerances, shape (modes, choices, largest x), if steps are chosen by them.
        samples, coordinates: of each run.
        turning: outputs of the plant that are components of quaternions.
        most_events: in one step.
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
        begin, end: numbers of the first run, and of the one behind the last.
        rows: where they differ from the known start: shape (end - begin, length), or (length,)
            where all of them differ alike; what is not named is as known.
    """

    begin: int
    end: int
    rows: dict[str, Reals] = field(default_factory=dict)


@dataclass(frozen=True)
class ChunkRuns:
    """What came out of a chunk.

    Attributes:
        begin, end: as of the chunk.
        q: shape (runs, samples, positions); NaN where a run did not get to.
        qd: shape (runs, samples, coordinates).
        status: of each run.
        reached: time of the last good state of each run [s]; NaN: its start failed.
        beyond: of each run, what its failure was about; -1: nothing is known.
        steps: of all runs.
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
        """Whether no run was broken off."""
        return not np.any(self.status == Status.STOPPED)


def chunks_of(starts: Starts, ranges: Iterable[tuple[int, int]]) -> Iterator[Chunk]:
    """The runs of some ranges, each with its rows."""
    differing = {
        name: rows
        for name in NAMES
        if (rows := getattr(starts.rows, name)) is not getattr(starts.known, name)
    }
    for begin, end in ranges:
        rows = {n: r[begin:end] if r.ndim == 2 else r for n, r in differing.items()}
        yield Chunk(begin, end, rows)


class ChunkWorker:
    """One who does chunks of many runs, in one thread at a time.

    Attributes:
        stop: not 0: end soon.
    """

    def __init__(self, work: ManyWork, unit: NativeLibrary, stop: ctypes.c_int) -> None:
        """Get ready.

        Args:
            work: what all chunks share.
            unit: the library of the plant.
            stop: shared with others that end together.
        """
        self.work, self.stop = work, stop
        self._worker = _Worker(work, unit)
        self._call = load_runtime().function(
            "il_run_many", POINTER, POINTER, COUNT, COUNT, returns=COUNT
        )

    @property
    def runs(self) -> int:
        """Done so far, those of the present chunk included."""
        return int(self._worker.c.runs)

    def do(self, chunk: Chunk) -> ChunkRuns:
        """All runs of a chunk; those that were not begun, or broken off, are STOPPED."""
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
    """An il_many, and the arrays that it points to."""

    def __init__(
        self, work: ManyWork, chunk: Chunk, found: Mapping[str, Any], stop: ctypes.c_int
    ) -> None:
        self._keep: list[object] = [work, chunk, found, stop]
        schedule, sizes = work.schedule, work.recipe.state_sizes
        self.c = c = mirror("il_many")(
            samples=work.samples,
            coordinates=work.coordinates,
            positions=found["q"].shape[2],
            turning=work.turning.start,
            most_events=work.most_events,
            kind=KINDS[work.kind],
            stop=ctypes.addressof(stop),
            **{name: array.ctypes.data for name, array in found.items()},
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
    """An il_worker, and the memory that it points to."""

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
    """Let threads of this process do all chunks.

    Args:
        work: what the chunks share.
        unit: the library of the plant.
        chunks: what is to be done.
        threads: how many.
        take: given what was done of each chunk, in this thread, in any order.
        watch: told ten times a second, in this thread, how many runs are done.

    Returns:
        Whether Ctrl-C ended them early; what was done is taken.
    """
    stop = ctypes.c_int(0)
    workers = [ChunkWorker(work, unit, stop) for _ in range(threads)]
    return _Threads(workers, iter(chunks), stop).run(take, watch)


class _Threads:
    """Workers that take the next chunk whenever they are done with one."""

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
        except BaseException as error:  # told by the thread that waits
            self._done.put(error)
        self._done.put(None)

    def _next(self, take: Callable[[ChunkRuns], None], watch: Callable[[int], None]) -> int:
        """Take what is done; 1 if a thread has ended."""
        try:
            found = self._done.get(timeout=WATCH_PERIOD)
        except queue.Empty:
            watch(sum(worker.runs for worker in self._workers))
            return 0
        if isinstance(found, BaseException):
            raise found
        if found is not None:
            take(found)
            self._room.release()
            watch(sum(worker.runs for worker in self._workers))
        return found is None

    def _take_rest(self, take: Callable[[ChunkRuns], None]) -> None:
        while True:
            try:
                found = self._done.get_nowait()
            except queue.Empty:
                return
            if isinstance(found, ChunkRuns):
                take(found)


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
