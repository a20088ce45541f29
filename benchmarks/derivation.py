"""Time of the derivation, passes included, each case in a fresh process.

python -m benchmarks.derivation CASE [--walkman FILE]
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import inloop as il
from benchmarks.processes import measured_apart
from benchmarks.report import Bar, Findings, Row, note, progress, show
from inloop import gallery
from inloop.formalisms import Derivation
from inloop.plant.passes import run_passes

REPEATS = 3
MEMORY_BAR_MB = 2048
HEADERS = [
    "case", "reading", "deriving", "passes", "deriving + passes", "bar", "with reading", "CPU",
    "peak memory", "bar",
]  # fmt: skip
LEGEND = """\
Seconds, best of {repeats} fresh processes. 'reading': the file, or the calls that describe the
chain, and validation. 'CPU': processor time of deriving + passes; where it is much less than the
time on the wall, other programs had the core."""


@dataclass(frozen=True)
class Case:
    """A case: source of the model, functions to derive, promised figures."""

    what: str
    functions: tuple[str, ...]
    bar_s: float
    joints: int = 0
    selection: str | tuple[str, ...] = ()
    memory_bar: bool = False


TWO = ("inverse_dynamics", "direct_dynamics")
CASES = {
    "walkman": Case("walkman, M and c", ("mass_matrix_and_bias",), 0.5, selection="all"),
    "chain100": Case("chain of 100, inverse + direct", TWO, 2.0, joints=100),
    "chain400": Case("chain of 400, inverse + direct", TWO, 20.0, joints=400, memory_bar=True),
}


def run(walkman: Path) -> Findings:
    """Measure and print."""
    findings = Findings()
    for name, case in CASES.items():
        if not case.joints and not walkman.exists():
            note(f"{walkman.name} is not there (give its path with --walkman): not derived.")
            continue
        progress(f"derivation: {case.what}")
        arguments = [name, "--walkman", str(walkman)]
        tries = [measured_apart("benchmarks.derivation", arguments) for _ in range(REPEATS)]
        row = {key: min(own[key] for own in tries) for key in tries[0]}
        row["derive_and_passes_s"] = min(own["derive_s"] + own["passes_s"] for own in tries)
        row["all_s"] = min(own["read_s"] + own["derive_s"] + own["passes_s"] for own in tries)
        findings.rows.append({"case": name, **row})
        findings.bars += _bars(case, row)
    cells = [_cells(CASES[row["case"]], row) for row in findings.rows]
    show(HEADERS, cells)
    note(LEGEND.format(repeats=REPEATS))
    return findings


def _bars(case: Case, row: Row) -> list[Bar]:
    bars = [Bar(f"derivation: {case.what}", row["derive_and_passes_s"], case.bar_s, "s", False)]
    if case.memory_bar:
        what = f"peak memory: {case.what}"
        bars.append(Bar(what, row["peak_mb"], MEMORY_BAR_MB, "MB", False))
    return bars


def _cells(case: Case, row: Row) -> list[str]:
    parts = [f"{row[key]:.2f}" for key in ("read_s", "derive_s", "passes_s", "derive_and_passes_s")]
    memory = f"≤{MEMORY_BAR_MB} MB" if case.memory_bar else ""
    rest = [f"≤{case.bar_s:g}", f"{row['all_s']:.2f}", f"{row['cpu_s']:.2f}"]
    return [case.what, *parts, *rest, f"{row['peak_mb']:.0f} MB", memory]


# in the fresh process


def derive(case: Case, walkman: Path) -> Row:
    """Derive once and print the times [s] and the peak memory [MB]."""
    start = time.perf_counter()
    mechanism = _source(case, walkman)().build()
    read, cpu = time.perf_counter(), time.process_time()
    derivation = Derivation(mechanism, case.selection, case.selection)
    programs = [derivation.program(name) for name in case.functions]
    derived = time.perf_counter()
    run_passes(programs, derivation.parameters)
    done = time.perf_counter()
    return {
        "read_s": read - start,
        "derive_s": derived - read,
        "passes_s": done - derived,
        "cpu_s": time.process_time() - cpu,
        "peak_mb": _peak_mb(),
    }


def _peak_mb() -> float:
    """Peak memory of this process [MB]."""
    status = Path("/proc/self/status")
    if status.exists():
        # the value of getrusage starts with the size of the parent process
        lines = status.read_text().splitlines()
        return next(int(x.split()[1]) for x in lines if x.startswith("VmHWM")) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _source(case: Case, walkman: Path) -> Callable[[], il.Model]:
    if case.joints:
        return lambda: gallery.get("chain").make(n=case.joints)
    return lambda: il.load(walkman)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=CASES)
    parser.add_argument("--walkman", type=Path, default=Path("walkman.mbs"))
    options = parser.parse_args()
    print(json.dumps(derive(CASES[options.case], options.walkman)))


if __name__ == "__main__":
    main()
