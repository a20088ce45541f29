"""Time of the C compiler for generic chains, with an empty cache.

python -m benchmarks.compile_time JOINTS
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time

import numpy as np

from benchmarks.processes import measured_apart
from benchmarks.report import Bar, Findings, Row, note, progress, show
from inloop import gallery
from inloop.codegen import emit_library, emit_rates
from inloop.formalisms import Derivation
from inloop.native import BuildOptions, build_library, find_compiler, runtime_headers
from inloop.plant.passes import run_passes

JOINTS = (25, 50, 100, 200)
PROMISED_JOINTS, BAR_S = 100, 15.0
FUNCTIONS = ("inverse_dynamics", "direct_dynamics")
HEADERS = ["joints", "operations", "C [MB]", "emitting", "compiling", "bar", "CPU", "growth"]
LEGEND = """\
Seconds for inverse and direct dynamics, all cores, empty cache. 'CPU': processor time of all
compilers together; 'growth': exponent from the row before (1 is linear)."""


def run() -> Findings:
    """Measure and print."""
    findings = Findings()
    for joints in JOINTS:
        progress(f"compile time: chain of {joints}")
        with tempfile.TemporaryDirectory(prefix="inloop-bench-") as cache:
            environment = {"INLOOP_CACHE": cache}
            row = measured_apart("benchmarks.compile_time", [str(joints)], environment)
        findings.rows.append({"joints": joints, **row})
        if joints == PROMISED_JOINTS:
            what = f"compile time: chain of {joints}, inverse + direct"
            findings.bars.append(Bar(what, row["compile_s"], BAR_S, "s", at_least=False))
    growth = ["", *(exponent(pair) for pair in zip(findings.rows, findings.rows[1:], strict=False))]
    lines = zip(findings.rows, growth, strict=True)
    show(HEADERS, [_cells(row, text) for row, text in lines])
    note(LEGEND)
    note(f"Growth over all sizes: joints^{exponent(findings.rows)} by CPU time.")
    return findings


def exponent(rows: tuple[Row, ...] | list[Row]) -> str:
    """Slope of the logarithm of processor time over that of the number of joints."""
    joints = np.log([row["joints"] for row in rows])
    slope = np.polyfit(joints, np.log([row["cpu_s"] for row in rows]), 1)[0]
    return f"{slope:.2f}"


def _cells(row: Row, growth: str) -> list[str]:
    bar = f"≤{BAR_S:g}" if row["joints"] == PROMISED_JOINTS else ""
    sizes = [str(row["joints"]), f"{row['operations']:,}", f"{row['characters'] / 1e6:.2f}"]
    times = [f"{row['emit_s']:.2f}", f"{row['compile_s']:.2f}", bar, f"{row['cpu_s']:.2f}"]
    return [*sizes, *times, growth]


# in the fresh process


def build(joints: int) -> Row:
    """Derive, emit and compile a chain, and print the times [s]."""
    find_compiler()  # the trial run is not part of the compilation
    derivation = Derivation(gallery.get("chain").make(n=joints).build())
    programs = [derivation.program(name) for name in FUNCTIONS]
    prepare, done, _ = run_passes(programs, derivation.parameters)
    start, cpu = time.perf_counter(), _children_s()
    files = emit_library((prepare, *done), "chain", (), {})
    sources = {**files.sources, **emit_rates(done[1], "chain", ())}
    emitted = time.perf_counter()
    headers = {**runtime_headers(), **files.headers}
    build_library(sources, headers, options=BuildOptions(together=True))
    return {
        "operations": sum(program.operations()["total"] for program in done),
        "characters": sum(len(text) for text in sources.values()),
        "emit_s": emitted - start,
        "compile_s": time.perf_counter() - emitted,
        "cpu_s": _children_s() - cpu,
    }


def _children_s() -> float:
    """Processor time of the compilers so far [s]."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("joints", type=int)
    print(json.dumps(build(parser.parse_args().joints)))


if __name__ == "__main__":
    main()
