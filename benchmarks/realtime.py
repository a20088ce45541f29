"""Real time: cost of a step, round trips over the mailbox, deadlines against a bare loop.

python -m benchmarks.realtime [--seconds S]
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import inloop as il
from benchmarks import worst_period
from benchmarks.report import Bar, Findings, Row, note, progress, show
from inloop import gallery
from inloop.realtime import Loop

HERE = Path(__file__).parent
SECONDS = 10.0  # of each run in real time
TRIPS, FREE_STEPS, GAIN = 20_000, 200_000, 2.0
# per 1 ms step of a PUMA 560: 1/30 of what MBDyn takes here, without and with friction [µs]
BAR_STEP_US = {False: 2.6, True: 4.5}
BAR_TRIP_US = {"C": 20.0, "Python": 60.0}
BAR_MORE_OVERRUNS = 0.1  # than the bare loop [percentage points]
NAME = f"bench-{os.getpid()}"
CONTROLLER = """
import sys, inloop as il
with il.attach(sys.argv[1]) as box:
    gain = float(sys.argv[2])
    try:
        while True:
            outputs = box.wait()
            if outputs is not None:
                box.write(tau=-gain * outputs.qd)
    except il.MailboxError:
        pass
"""
LOAD = "import hashlib\nwhile True: hashlib.sha256(bytes(1 << 20)).digest()"
LEGEND = """\
Times in µs. A round trip is from outputs to the next outputs in lock-step: publish, wake the
controller, read, write, wake the plant, step. Overruns in % of all periods, with a third process
that computes all the time; 'bare' is a loop of the same rate that does nothing."""


def run(seconds: float = SECONDS) -> Findings:
    """Measure and print."""
    findings = Findings()
    plants = {f: gallery.get("puma560").build(friction=f).compile() for f in (False, True)}
    with tempfile.TemporaryDirectory(prefix="inloop-bench-") as folder:
        program = controller_program(Path(folder))
        commands = {
            "C": [str(program), NAME, str(GAIN)],
            "Python": [sys.executable, "-c", CONTROLLER, NAME, str(GAIN)],
        }
        for friction, plant in plants.items():
            findings.rows.append(_step(plant, friction, findings))
        for kind, command in commands.items():
            findings.rows.append(_round_trip(plants[True], kind, command, findings))
        for rate, kind in ((1000.0, "Python"), (10_000.0, "C")):
            progress(f"real time: {rate:g} Hz with a controller in {kind}, {seconds:g} s")
            row = _deadlines(plants[True], rate, kind, commands[kind], seconds, findings)
            findings.rows.append(row)
    headers = ["what", "p50", "p99", "p99.9", "max", "overruns", "bare"]
    show(headers, [_cells(row) for row in findings.rows])
    note(LEGEND)
    worst = worst_period.run()
    findings.rows += worst.rows
    findings.bars += worst.bars
    note(f"Load of the machine: {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} cores.")
    return findings


def controller_program(folder: Path) -> Path:
    """A controller in C that damps every joint: its path; takes NAME and GAIN."""
    target = folder / "controller"
    source = str(HERE / "realtime_controller.c")
    subprocess.run(
        ["cc", "-std=c99", "-O2", f"-I{il.include_dir()}", source, "-o", str(target)], check=True
    )
    return target


def _step(plant: il.Plant, friction: bool, findings: Findings) -> Row:
    """Processor time of one step at full speed, with published outputs."""
    progress(f"real time: cost of a step, friction {friction}")
    report = il.run(plant, name=NAME, rate=1000, mode="free", seconds=FREE_STEPS / 1000)
    what = f"PUMA step{' with friction' if friction else ''}, processor"
    times = report.times("step_cpu")
    findings.bars.append(
        Bar(f"{what}, median", times["p50"] or 0.0, BAR_STEP_US[friction], "µs", at_least=False)
    )
    return {"what": what, **times}


def _round_trip(plant: il.Plant, kind: str, command: list[str], findings: Findings) -> Row:
    progress(f"real time: round trips with a controller in {kind}")
    options = {"rate": 1000.0, "telemetry": 60.0, "seconds": TRIPS / 1000}
    with il.start(plant, name=NAME, mode="lock-step", **options) as loop:
        with running(command):
            loop.wait(120)
        trips = 1e-3 * np.diff(_stamps(loop))[100:]
    quantiles = dict(
        zip(("p50", "p99", "p999", "max"), np.quantile(trips, (0.5, 0.99, 0.999, 1.0)), strict=True)
    )
    what = f"round trip C to {kind}"
    bar = Bar(f"{what}, median", float(quantiles["p50"]), BAR_TRIP_US[kind], "µs", at_least=False)
    findings.bars.append(bar)
    return {"what": what, **{name: float(value) for name, value in quantiles.items()}}


def _stamps(loop: Loop) -> np.ndarray:
    stamps = []
    while (record := loop.mailbox.next()) is not None:
        stamps.append(record.stamp)
    return np.array(stamps)


def _deadlines(
    plant: il.Plant, rate: float, kind: str, command: list[str], seconds: float, findings: Findings
) -> Row:
    with (
        running([sys.executable, "-c", LOAD]),
        il.start(plant, name=NAME, rate=rate, seconds=seconds, bare_loop=True) as loop,
        running(command),
    ):
        loop.wait()
        report = loop.report()
    overruns, bare = 100 * report.overrun_share, 100 * (report.bare_loop_share or 0.0)
    what = f"wake-up latency, {rate:g} Hz, controller in {kind}"
    more = f"overruns at {rate:g} Hz beyond those of a bare loop"
    findings.bars.append(Bar(more, overruns - bare, BAR_MORE_OVERRUNS, "points", at_least=False))
    note(str(report))
    return {"what": what, **report.times("latency"), "overruns": overruns, "bare": bare}


@contextlib.contextmanager
def running(command: list[str]) -> Iterator[None]:
    """A process for as long as the block lasts."""
    process = subprocess.Popen(command)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _cells(row: Row) -> list[str]:
    times = [f"{row[name]:.1f}" for name in ("p50", "p99", "p999", "max")]
    shares = [f"{row[name]:.3f}" if name in row else "" for name in ("overruns", "bare")]
    return [row["what"], *times, *shares]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    found = run(parser.parse_args().seconds)
    show(["figure", "measured", "bar", ""], [bar.cells() for bar in found.bars])
