"""Growth of the time from a description to C text with the mechanism: ratio per doubling.

python -m benchmarks scaling
"""

from __future__ import annotations

import time
from collections.abc import Callable

import inloop as il
from benchmarks.report import Findings, note, progress, show
from inloop import gallery
from inloop.codegen import emit_library
from inloop.formalisms import Derivation
from inloop.plant.passes import run_passes

MOST_REPEATS = 3
ROW_BUDGET = 4.0  # s of processor time: a row that has used more is not repeated
CASE_BUDGET = 45.0  # s: larger sizes are skipped if the next row would take longer
CASES: dict[str, tuple[Callable[[int], il.Model], tuple[int, ...], tuple[str, ...]]] = {
    "generic chain": (
        lambda n: gallery.get("chain").build(n=n),
        (25, 50, 100, 200, 400),
        ("inverse_dynamics", "direct_dynamics"),
    ),
    "planar chain": (
        lambda n: gallery.get("n_pendulum").build(n=n),
        (25, 50, 100, 200, 400),
        ("inverse_dynamics", "direct_dynamics", "energy"),
    ),
    "four-bars": (
        lambda n: gallery.get("four_bar").build(loops=n),
        (6, 12, 25, 50, 100),
        ("inverse_dynamics", "energy"),
    ),
}
HEADERS = ["mechanism", "size", "seconds", "ratio"]
LEGEND = f"""\
Processor time of description, derivation, passes and C text, best of at most {MOST_REPEATS};
'ratio': to the row before, whose size is half: 2 is linear, 4 is a square."""


def run() -> Findings:
    """Measure and print."""
    findings = Findings()
    for name, (make, sizes, functions) in CASES.items():
        spent, expected = 0.0, 0.0
        for size in sizes:
            if spent + expected > CASE_BUDGET:
                note(f"{name} of {size} and more: left out, more than {CASE_BUDGET:g} s in all")
                break
            progress(f"scaling: {name} of {size}")
            found = _repeated(make, size, functions)
            spent += sum(found)
            expected = 2.0 * min(found)
            findings.rows.append({"mechanism": name, "size": size, "cpu_s": min(found)})
    show(HEADERS, _cells(findings))
    note(LEGEND)
    return findings


def _repeated(
    make: Callable[[int], il.Model], size: int, functions: tuple[str, ...]
) -> list[float]:
    """Processor times of one size [s]."""
    found: list[float] = []
    while len(found) < MOST_REPEATS and sum(found) < ROW_BUDGET:
        found.append(_seconds(make, size, functions))
    return found


def _cells(findings: Findings) -> list[list[str]]:
    cells, before = [], None
    for row in findings.rows:
        same = before is not None and before["mechanism"] == row["mechanism"]
        ratio = f"{row['cpu_s'] / before['cpu_s']:.2f}" if same and before is not None else ""
        cells.append([row["mechanism"], str(row["size"]), f"{row['cpu_s']:.2f}", ratio])
        before = row
    return cells


def _seconds(make: Callable[[int], il.Model], size: int, functions: tuple[str, ...]) -> float:
    start = time.process_time()
    derivation = Derivation(make(size).build())
    programs = [derivation.program(name) for name in functions]
    prepare, done, _ = run_passes(programs, derivation.parameters)
    emit_library((prepare, *done), "bench", (), {})
    return time.process_time() - start
