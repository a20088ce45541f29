"""The worst period of a robot with LuGre friction under noisy torques, in the real-time loop.

The influence of other processes on a shared machine is removed: the same periods, with the same
noise, are repeated, and the best time of each counts. The remaining excess over the median is that
of the plant.

python -m benchmarks.worst_period
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

import inloop as il
from benchmarks.report import Bar, Findings, Row, note, progress, show
from inloop import gallery
from inloop.native import (
    COUNT,
    POINTER,
    NativeLibrary,
    aligned_zeros,
    build_library,
    runtime_headers,
    runtime_sources,
)
from inloop.native.building.options import DEFAULT_OPTIONS
from inloop.native.library import address_of
from inloop.native.runtime_library import realtime_headers, realtime_sources
from inloop.realtime.loop import _Memory
from inloop.realtime.mailboxes.memory import Attached
from inloop.realtime.mailboxes.mirror import SLOTS
from inloop.realtime.mailboxes.segment import Segment
from inloop.realtime.options import Options
from inloop.realtime.wiring import wire
from inloop.simulate.schedules import METHODS

RATE, PERIODS = 1000.0, 3000  # [Hz]; of each run
NOISE = 0.02  # of the torques, relative to them and to the largest push
RUNS, BAR = 50, 3.0
LEGEND = """\
One period: take inputs and parameters, step, find the outputs, publish them. 'best of N': the same
periods with the same noise N times, of each the best time: what the plant itself needs. 'one run':
with all that the machine does meanwhile; the constant computation shows how much that is."""
PUSH = np.array([25.0, 40.0, 15.0, 2.0, 2.0, 1.0])  # [N·m]
WAVES = np.array([1.7, 1.1, 0.9, 0.7, 0.6, 0.5])  # periods [s]


def noisy_torques(plant: il.Plant, count: int = PERIODS) -> dict[str, np.ndarray]:
    """Torques that nearly carry the arm and move it around, by name [N·m]."""
    rng = np.random.default_rng(5)
    t, rest = np.arange(count)[:, None] / RATE, np.zeros(plant.n)
    ready = gallery.get("robot").poses["ready"]
    clean = plant.inverse_dynamics(ready, rest, rest) + PUSH * np.sin(2.0 * np.pi * t / WAVES)
    noise = rng.standard_normal((count, plant.n))
    torques = clean * (1.0 + NOISE * noise) + NOISE * PUSH * noise
    return {f"{joint}.tau": torques[:, k] for k, joint in enumerate(plant.coordinates)}


class Periods:
    """A loop without a thread, run period by period.

    Attributes:
        each: shortest time of each period so far [ns].
        failed: periods of the last run that failed.
    """

    def __init__(self, plant: il.Plant, given: Mapping[str, np.ndarray], method: str) -> None:
        """Create the loop of a plant.

        Args:
            plant: the plant.
            given: inputs and efforts by name, a value for each period.
            method: of its steps.
        """
        options = Options(rate=RATE, method=method, mode="free", stale_after=None)
        wiring = wire(
            plant,
            period=options.period,
            step=options.period,
            method=METHODS[method],
            q=None,
            qd=None,
            tau=None,
            inputs={},
            motions={},
        )
        self._memory = _Memory(wiring, options, 0)
        self._segment = Segment(f"bench-{os.getpid()}", wiring.layout, SLOTS)
        self._attached = Attached(self._segment.memory)
        loop = self._memory.loop
        loop.box = self._attached.box
        types = (POINTER, COUNT, POINTER, COUNT, POINTER)
        library = _library()
        self._function = library.function("bench_periods", *types, returns=COUNT)
        # the private part behind the structure has room for this
        scratch = library.function("il_loop_scratch", POINTER, returns=COUNT)
        self._scratch = aligned_zeros(scratch(self._memory.address))
        loop.scratch = address_of(self._scratch)
        names = [item.name for item in wiring.layout.inputs]
        count = len(next(iter(given.values())))
        self._inputs = np.zeros((count, len(names)))
        for name, values in given.items():
            self._inputs[:, names.index(name)] = values
        self.each, self.failed = np.full(count, np.inf), 0

    def run(self, sleep: float = 0.0) -> None:
        """Run all periods once, optionally with a sleep before each [s]."""
        places = (self._inputs.ctypes.data, round(1e9 * sleep), self.each.ctypes.data)
        self.failed = self._function(self._memory.address, len(self._inputs), *places)

    def close(self) -> None:
        """Remove the segment."""
        self._memory.loop.box.base = None
        self._segment.close()


def _library() -> NativeLibrary:
    realtime = realtime_sources()
    text = realtime.pop("il_loop.c") + Path(__file__).with_name("realtime_periods.c").read_text()
    sources = {**runtime_sources(), **realtime, "realtime_periods.c": text}
    headers = {**runtime_headers(), **realtime_headers()}
    options = replace(DEFAULT_OPTIONS, libraries=(*DEFAULT_OPTIONS.libraries, "-lpthread"))
    return NativeLibrary(build_library(sources, headers, options=options))


def constant(count: int, length: int, sleep: float, each: np.ndarray) -> None:
    """Times of a constant computation, the best of each so far [ns]."""
    types = (COUNT, COUNT, COUNT, POINTER)
    call = _library().function("bench_constant", *types, returns=ctypes.c_double)
    call(count, length, round(1e9 * sleep), each.ctypes.data)


def best_of(
    plant: il.Plant, given: Mapping[str, np.ndarray], method: str, runs: int, sleep: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """The best time of each period of some runs, and their times in one run [ns]."""
    found = Periods(plant, given, method)
    try:
        found.run()  # warms the caches
        found.each[:] = np.inf
        found.run(sleep)
        once = found.each.copy()
        for _ in range(runs - 1):
            found.run(sleep)
    finally:
        found.close()
    if found.failed:
        raise RuntimeError(f"{found.failed} periods failed")
    return found.each, once


def measure(method: str, runs: int, sleep: float = 0.0, periods: int = PERIODS) -> list[Row]:
    """Times of the periods and of a constant computation: of one run, and the best of all [µs]."""
    plant = gallery.get("robot").build().compile()
    each, once = best_of(plant, noisy_torques(plant, periods), method, runs, sleep)
    length = _length(float(np.median(each)))
    same = np.full(periods, np.inf)
    constant(periods, length, sleep, same)
    constant_once = same.copy()
    for _ in range(runs - 1):
        constant(periods, length, sleep, same)
    after = f", after {1e3 * sleep:g} ms of sleep" if sleep else ""
    what = f"robot, LuGre, noisy torques, {method}{after}"
    return [
        row_of(f"{what}: best of {runs}", each),
        row_of(f"{what}: one run", once),
        row_of(f"a constant computation{after}: best of {runs}", same),
        row_of(f"a constant computation{after}: one run", constant_once),
    ]


def _length(time: float) -> int:
    """Number of products that take this time [ns]."""
    tried = np.full(1000, np.inf)
    constant(len(tried), 1000, 0.0, tried)
    return max(1, round(1000 * time / float(np.median(tried))))


def row_of(what: str, each: np.ndarray) -> Row:
    """Median and tails of times that are given in ns [µs]."""
    values = np.quantile(1e-3 * each, (0.5, 0.99, 0.999, 1.0))
    row: Row = dict(zip(("p50", "p99", "p999", "max"), map(float, values), strict=True))
    return {"what": what, **row, "ratio": row["max"] / row["p50"]}


def run(runs: int = RUNS) -> Findings:
    """Measure and print."""
    findings = Findings()
    for method, sleep, count, periods in (
        ("implicit", 0.0, runs, PERIODS),
        ("rk4", 0.0, runs, PERIODS),
        ("implicit", 1e-3, max(3, runs // 5), PERIODS // 3),
    ):
        progress(f"worst period: {method}, {count} times {periods} periods")
        rows = measure(method, count, sleep, periods)
        findings.rows += rows
        bar = Bar(f"{rows[0]['what']}: worst over median", rows[0]["ratio"], BAR, at_least=False)
        findings.bars.append(bar)
    cells = [
        [r["what"], *(f"{r[k]:.2f}" for k in ("p50", "p99", "p999", "max", "ratio"))]
        for r in findings.rows
    ]
    show(["periods [µs]", "p50", "p99", "p99.9", "max", "max/p50"], cells)
    note(LEGEND)
    return findings


if __name__ == "__main__":
    show(["figure", "measured", "bar", ""], [bar.cells() for bar in run().bars])
