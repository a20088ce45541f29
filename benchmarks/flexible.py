"""Flexible links: cost of the rates, of a real-time step, and deadlines at 10 kHz.

python -m benchmarks flexible
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import numpy as np

import inloop as il
from benchmarks.realtime import controller_program, running
from benchmarks.report import Bar, Findings, Row, note, progress, show
from inloop import gallery

ROWS, REPEATS = 200, 300  # states per call, below the number that uses vector registers; calls
SECONDS = 10.0  # in real time
FREE_SECONDS = 20.0  # simulated, as fast as possible
FAST, SLOW = 10_000.0, 1_000.0  # rates [Hz]
FAST_SUBSTEPS, SLOW_SUBSTEPS = 5, 2
RATES_BAR_US, MARGIN_BAR, OVERRUN_BAR = 2.0, 5.0, 0.1
SEED_US = 618.3  # reported by the source for the same rates on its hardware
NAME = f"bench-flexible-{os.getpid()}"
LEGEND = """\
Times in µs. rates: xd of the 26 states (27 with the motor's lag), one core, scalar code, best of
{calls} calls with {rows} states each, the call from Python included. Steps: processor time of one
period in the native loop, outputs published. margin: period over the time that 99.9 % of the
steps stay below."""


def run() -> Findings:
    """Measure and print."""
    findings = Findings()
    link = gallery.get("flexlink").build().compile()
    findings.rows.append(_rates(link, findings))
    fast = {"rate": FAST, "substeps": FAST_SUBSTEPS}
    slow = {"rate": SLOW, "substeps": SLOW_SUBSTEPS, "method": "implicit"}
    findings.rows.append(_step("flexlink, 5 steps of RK4 at 10 kHz", link, findings, **fast))
    bars = gallery.get("flexible_four_bar").build().compile()
    name = "four-bar of 20 elements, 2 implicit steps at 1 kHz"
    row = _step(name, bars, findings, **slow)
    findings.rows.append(row)
    findings.bars.append(Bar(f"{name}: margin", row["margin"], MARGIN_BAR))
    findings.rows.append(_deadlines(link, findings))
    headers = ["what", "p50", "p99", "p99.9", "max", "margin", "overruns %", "bare %"]
    show(headers, [_cells(row) for row in findings.rows])
    note(LEGEND.format(calls=REPEATS, rows=ROWS))
    note(f"The source: {SEED_US} µs per evaluation of the rates on its hardware.")
    note(f"Load of the machine: {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} cores.")
    return findings


def _rates(plant: il.Plant, findings: Findings) -> Row:
    progress("flexible: rates")
    rng = np.random.default_rng(1)
    q, qd, tau = (1e-2 * rng.normal(size=(ROWS, plant.n)) for _ in range(3))
    plant.direct_dynamics(q, qd, tau)
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        plant.direct_dynamics(q, qd, tau)
        times.append(1e6 * (time.perf_counter() - start) / ROWS)
    what = f"flexlink rates, {plant.operations['direct_dynamics']['total']} operations"
    findings.bars.append(Bar(f"{what}, best", min(times), RATES_BAR_US, "µs", at_least=False))
    levels = (min(times), *np.quantile(times, (0.5, 0.99)), max(times))
    names = ("p50", "p99", "p999", "max")
    return {
        "what": f"{what} (best, median, …)",
        **dict(zip(names, map(float, levels), strict=True)),
    }


def _step(what: str, plant: il.Plant, findings: Findings, **options: object) -> Row:
    progress(f"flexible: {what}")
    report = il.run(plant, name=NAME, mode="free", seconds=FREE_SECONDS, **options)
    times = report.times("step_cpu")
    period = 1e6 / float(options["rate"])  # type: ignore[arg-type]
    return {"what": what, **times, "margin": period / (times["p999"] or np.inf)}


def _deadlines(plant: il.Plant, findings: Findings) -> Row:
    progress(f"flexible: {FAST:g} Hz against the clock, {SECONDS:g} s")
    with tempfile.TemporaryDirectory(prefix="inloop-bench-") as folder:
        command = [str(controller_program(Path(folder))), NAME, "1e-3"]
        common = {"rate": FAST, "substeps": FAST_SUBSTEPS, "seconds": SECONDS, "bare_loop": True}
        with il.start(plant, name=NAME, **common) as loop, running(command):
            loop.wait()
            report = loop.report()
    overruns, bare = 100 * report.overrun_share, 100 * (report.bare_loop_share or 0.0)
    what = "flexlink at 10 kHz, controller in C: overruns beyond those of a bare loop"
    findings.bars.append(Bar(what, overruns - bare, OVERRUN_BAR, "points", at_least=False))
    note(str(report))
    latency = report.times("latency")
    return {"what": "wake-up latency at 10 kHz", **latency, "overruns": overruns, "bare": bare}


def _cells(row: Row) -> list[str]:
    times = [f"{row[name]:.2f}" for name in ("p50", "p99", "p999", "max")]
    more = [f"{row[name]:.3g}" if name in row else "" for name in ("margin", "overruns", "bare")]
    return [row["what"], *times, *more]


if __name__ == "__main__":
    found = run()
    show(["figure", "measured", "bar", ""], [bar.cells() for bar in found.bars])
