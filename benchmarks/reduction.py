"""Rates of closed mechanisms by reduction at run time, against straight-line code."""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Callable

import numpy as np

import inloop as il
from benchmarks.loops_mechanisms import four_bar
from benchmarks.report import Bar, Findings, Row, note, progress, show
from inloop import gallery
from inloop.native import COUNT, POINTER, NativeLibrary, build_library
from inloop.native.mirror import mirror
from inloop.simulate.drives import read_drives
from inloop.simulate.inputs import Inputs
from inloop.simulate.systems import Conditions, System, make_system

MECHANISMS: dict[str, tuple[str, Callable[[], il.Model], float]] = {
    "four_bar": ("four-bar", four_bar, 6.0),
    "gallery_four_bar": ("four-bars with redundant rows", gallery.get("four_bar").make, math.inf),
    "car": ("car", gallery.get("car").make, 6.0),
    "stewart": ("Stewart platform", gallery.get("stewart").make, 6.0),
    "flexible": ("flexible four-bar", gallery.get("flexible_four_bar").make, math.inf),
}
ROUNDS, CALLS, BLOCKS = 5, 300, 60
HEADERS = ["mechanism", "dependent", "independent", "straight-line ns", "reduction ns", "ratio"]
LEGEND = """\
One call of the rates, hot, both in turn in one process; least of many blocks. The reduction holds
for every choice of independent coordinates, and takes no compiler when another one is due."""
REPEAT = """
#include <stdint.h>

__attribute__((visibility("default")))
int repeat(int (*rates)(void *, double, const double *, double *), void *context,
           const double *x, double *xd, int64_t count)
{
    int status = 0;
    for (int64_t k = 0; k < count; k++) status |= rates(context, 0.0, x, xd);
    return status;
}
"""


def run(rounds: int = ROUNDS) -> Findings:
    """Measure and print.

    Args:
        rounds: number of runs of each contestant, in many blocks.
    """
    findings = Findings()
    for name, (what, _, bar) in MECHANISMS.items():
        progress(f"reduction: {what}")
        row = measure(name, rounds)
        findings.rows.append(row)
        if math.isfinite(bar):
            findings.bars.append(
                Bar(f"{what}: reduction at run time", row["ratio"], bar, "x", False)
            )
    show(HEADERS, [_cells(row) for row in findings.rows])
    note(LEGEND)
    return findings


def _cells(row: Row) -> list[str]:
    figures = (f"{row['straight_ns']:.0f}", f"{row['reduction_ns']:.0f}", f"{row['ratio']:.2f}")
    return [row["what"], str(row["dependent"]), str(row["independent"]), *figures]


def measure(name: str, rounds: int) -> Row:
    """Nanoseconds of one call of the rates, both ways."""
    what, make, _ = MECHANISMS[name]
    plant = make().compile()
    parts = plant.formulation.partition
    at = Conditions(np.zeros(plant.n), Inputs(plant.first_inputs), read_drives(plant, {}))
    straight, system = make_system(plant, at), make_system(plant, at)
    roles = np.array([*parts.dependent, *parts.independent, *parts.rows], dtype=np.float64)
    system.instance.select_roles(0, roles)
    q, qd = plant.formulation.positions.first.q, np.zeros(plant.n)
    qd[list(parts.independent)] = 0.1
    x = system.start(0.0, q, qd, plant.first_states)
    straight.start(0.0, q, qd, plant.first_states)
    best = _least_times((straight, system), x, rounds)
    return {
        "mechanism": name,
        "what": what,
        "dependent": len(parts.dependent),
        "independent": len(parts.independent),
        "straight_ns": best[0],
        "reduction_ns": best[1],
        "ratio": best[1] / best[0],
    }


def _least_times(systems: tuple[System, System], x: np.ndarray, rounds: int) -> list[float]:
    library = NativeLibrary(build_library({"repeat.c": REPEAT}))
    repeat = library.function("repeat", *[POINTER] * 4, COUNT, returns=ctypes.c_int)
    xd, best = np.zeros(len(x)), [math.inf, math.inf]
    stepped = [mirror("il_mode").from_address(each.instance.modes).system for each in systems]
    for _ in range(rounds * BLOCKS):
        for k, system in enumerate(stepped):
            before = time.perf_counter_ns()
            status = repeat(system.rates, system.context, x.ctypes.data, xd.ctypes.data, CALLS)
            best[k] = min(best[k], (time.perf_counter_ns() - before) / CALLS)
            assert status == 0
    return best
