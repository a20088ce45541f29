"""Warm steps: from inputs to outputs in the loop at 1 kHz, against the same steps without pause.

python -m benchmarks.warm [--seconds S] [--rounds N]
"""

from __future__ import annotations

import argparse
import functools
import os
from typing import Any

import numpy as np

import inloop as il
from benchmarks.peers.toolchain import BENCHMARKS
from benchmarks.report import Bar, Findings, Row, note, progress, show
from inloop import gallery
from inloop.native import (
    COUNT,
    POINTER,
    RUNTIME_FLAGS,
    BuildOptions,
    NativeLibrary,
    aligned_zeros,
    build_library,
    runtime_headers,
    runtime_sources,
)
from inloop.native.library import address_of
from inloop.realtime import Report
from inloop.realtime.wiring import wire
from inloop.simulate.choice import method_at_start
from inloop.simulate.schedules import METHODS

PLANTS: dict[str, dict[str, Any]] = {"puma560": {"friction": True}, "piano": {}, "car": {}}
RATE, SECONDS, ROUNDS = 1000.0, 2.0, 3  # [Hz]; of each run [s]
EARLY = 2e-4  # [s]: on a shared machine, wake-ups are late
NAME = f"bench-{os.getpid()}"
BAR_WARM, BAR_COLD = 2.0, 4.0
HEADERS = ["1 kHz, medians [µs]", "method", "hot step", "plain", "early", "plain/hot", "early/hot"]
LEGEND = """\
hot step: the same steps and outputs without a pause, without a mailbox. plain, early: from the
moment inputs are taken to published outputs, without and with `warm`. Of each the best of {rounds}
runs of {seconds:g} s. Warm-ups that were not done when the period began: {late:.1f} %."""


def run(seconds: float = SECONDS, rounds: int = ROUNDS) -> Findings:
    """Measure and print."""
    findings = Findings()
    for name, options in PLANTS.items():
        progress(f"warm steps: {name}")
        findings.rows.append(_measure(name, options, seconds, rounds))
    for row in findings.rows:
        for which, bar in (("early", BAR_WARM), ("plain", BAR_COLD)):
            what = f"{row['what']}, from inputs to outputs, {which}, to the hot step"
            findings.bars.append(Bar(what, row[which] / row["hot"], bar, at_least=False))
    show(HEADERS, [_cells(row) for row in findings.rows], left=2)
    late = 100.0 * float(np.mean([row["late"] for row in findings.rows]))
    note(LEGEND.format(rounds=rounds, seconds=seconds, late=late))
    note(f"Load of the machine: {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} cores.")
    return findings


def _measure(name: str, options: dict[str, Any], seconds: float, rounds: int) -> Row:
    """Medians of a plant [µs], and the fraction of late warm-ups."""
    plant = gallery.get(name).build(**options).compile()
    method = method_at_start(plant, None, None, {}, 1.0 / RATE)
    times: dict[str, list[float]] = {"hot": [], "plain": [], "early": []}
    late = periods = 0
    # in sequence in each round, so that all have the same load on the machine
    for _ in range(rounds):
        plain, early = (_loop(plant, method, seconds, warm) for warm in (False, EARLY))
        times["hot"].append(_hot(plant, method, round(seconds * RATE)))
        times["plain"].append(plain.times("reaction")["p50"] or 0.0)
        times["early"].append(early.times("reaction")["p50"] or 0.0)
        late, periods = late + early.late_warmups, periods + early.periods
    best = {which: min(found) for which, found in times.items()}
    return {"what": name, "method": method, **best, "late": late / periods}


def _loop(plant: il.Plant, method: str, seconds: float, warm: float | bool) -> Report:
    """A run in real time, without a client at the mailbox."""
    return il.run(plant, name=NAME, rate=RATE, method=method, seconds=seconds, warm=warm)


def _hot(plant: il.Plant, method: str, count: int) -> float:
    """Median of the same steps without pause [µs]."""
    each, failed = hot_steps(plant, method, count, {})
    if failed:
        raise RuntimeError(f"{failed} steps of '{plant.name}' failed")
    return float(np.median(each))


def hot_steps(
    plant: il.Plant, method: str, count: int, inputs: dict[str, float], *, cpu: bool = False
) -> tuple[np.ndarray, int]:
    """Time of each step without pause [µs], and the number of failures; see warm_steps.c."""
    period = 1.0 / RATE
    given: dict[str, Any] = {"q": None, "qd": None, "tau": None, "inputs": inputs, "motions": {}}
    wiring = wire(plant, period=period, step=period, method=METHODS[method], **given)
    outputs, each = aligned_zeros(wiring.layout.counts[0]), np.zeros(count)
    call = _library().function("bench_hot", POINTER, COUNT, POINTER, POINTER, COUNT, returns=COUNT)
    address = wiring.instance.address
    failed = call(address, count, address_of(outputs), each.ctypes.data, int(cpu))
    return 1e-3 * each, failed


@functools.cache
def _library() -> NativeLibrary:
    sources = {**runtime_sources(), "warm_steps.c": (BENCHMARKS / "warm_steps.c").read_text()}
    options = BuildOptions(extra_flags=RUNTIME_FLAGS)  # as the runtime itself is built
    return NativeLibrary(build_library(sources, runtime_headers(), options=options))


def _cells(row: Row) -> list[str]:
    times = [f"{row[which]:.2f}" for which in ("hot", "plain", "early")]
    ratios = [f"{row[which] / row['hot']:.2f}" for which in ("plain", "early")]
    return [row["what"], row["method"], *times, *ratios]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    bars = run(options.seconds, options.rounds).bars
    show(["figure", "measured", "bar", ""], [bar.cells() for bar in bars])
