"""The clock: catching up without a burst, no drift, privileges refused, and the report."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import inloop as il
from inloop.realtime import Flag, Outputs, Report

HERE = str(Path(__file__).parent)
Python = Callable[..., "subprocess.Popen[str]"]

PLANT = """
import sys
sys.path.insert(0, sys.argv[2])
from realtime_arm import arm
import inloop as il
with il.start(arm().compile(), name=sys.argv[1], rate=200, most_late=float(sys.argv[3])) as loop:
    print("running", flush=True)
    sys.stdin.readline()
    report = loop.close()
print(report.to_json())
"""


def stopped_plant(
    python: Python, name: str, most_late: float, stop: float
) -> tuple[list[Outputs], dict[str, int]]:
    """Records and report of a plant whose process was stopped for a while."""
    process = python(PLANT, name, HERE, str(most_late))
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline().strip() == "running"
    with il.attach(name) as box:
        time.sleep(0.3)
        process.send_signal(signal.SIGSTOP)
        time.sleep(stop)
        process.send_signal(signal.SIGCONT)
        time.sleep(1.0)
        records = []
        while (record := box.next()) is not None:
            records.append(record)
    out, _ = process.communicate("end\n", timeout=30)
    return records, json.loads(out)


def test_a_late_loop_catches_up_without_a_burst(python: Python, name: str) -> None:
    records, report = stopped_plant(python, name, 1.0, 0.25)
    # 50 periods of 5 ms passed without a step; each is accounted for and made up
    assert report["overruns"] >= 45
    assert report["woken_late"] >= 45
    assert report["skipped"] == 0
    assert report["made_up"] + report["backlog"] == report["overruns"]
    extra = np.array([bool(r.flags & Flag.EXTRA) for r in records])
    assert extra.sum() >= 40
    # never two made-up steps without a regular one between them
    assert not np.any(extra[1:] & extra[:-1])
    # a window of one period holds one regular and one extra step, and at most one more at its edge
    stamps = np.array([r.stamp for r in records]) * 1e-9
    inside = np.searchsorted(stamps, stamps + 0.005) - np.arange(len(stamps))
    assert np.percentile(inside[extra], 90) <= 3
    # simulated time is back with the clock
    t = np.array([r.t for r in records])
    assert (stamps[-1] - stamps[0]) - (t[-1] - t[0]) < 0.05
    assert [r.step for r in records] == list(range(len(records)))


def test_what_is_too_late_is_skipped_and_counted(python: Python, name: str) -> None:
    records, report = stopped_plant(python, name, 0.05, 0.5)
    assert report["overruns"] >= 90
    assert report["skipped"] >= 80
    assert report["overruns"] == report["made_up"] + report["skipped"] + report["backlog"]
    assert report["steps"] == report["periods"] - report["skipped"] - report["backlog"]
    # simulated time has lost what was skipped, and nothing else
    lag = 1e-9 * (records[-1].stamp - records[0].stamp) - (records[-1].t - records[0].t)
    assert lag == pytest.approx(0.005 * report["skipped"], abs=0.05)


def no_drift(plant: il.Plant, name: str, seconds: float) -> Report:
    """Run at 1 kHz; the clock must not drift and memory must not grow."""
    with il.start(plant, name=name, rate=1000, seconds=seconds) as loop:
        first = loop.mailbox.read()
        loop.wait(1.0)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert loop.wait(2 * seconds + 10)
        last = loop.mailbox.read()
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        report = loop.report()
    assert grown < 1024  # kB
    assert report.steps == round(1000 * seconds)
    lag = 1e-9 * (last.stamp - first.stamp) - (last.t - first.t)
    # one wake-up may be late; what was skipped is known
    latest = 1e-6 * (report.times("latency")["max"] or 0.0)
    assert -0.002 < lag - 0.001 * (report.skipped + report.backlog) < latest + 0.1
    return report


def test_no_drift_for_some_seconds(plant: il.Plant, name: str) -> None:
    no_drift(plant, name, 5.0)


@pytest.mark.long
def test_no_drift_for_a_long_time(plant: il.Plant, name: str) -> None:
    """60 s; an hour with INLOOP_SECONDS=3600."""
    print(no_drift(plant, name, float(os.environ.get("INLOOP_SECONDS", "60"))))


REFUSED = """
import sys
sys.path.insert(0, sys.argv[2])
from realtime_arm import arm
import inloop as il
print(" ".join(il.run(arm().compile(), name=sys.argv[1], seconds=0.05).notes))
"""


def test_what_was_not_allowed_is_said_in_a_sentence(name: str) -> None:
    def drop() -> None:
        """No privileges in the program to come, for root too."""
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (65536, 65536))
        resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0))
        for capability in (14, 23):  # CAP_IPC_LOCK, CAP_SYS_NICE
            ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP

    done = subprocess.run(
        [sys.executable, "-c", REFUSED, name, HERE],
        preexec_fn=drop,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "SCHED_FIFO was refused" in done.stdout
    assert "rtprio" in done.stdout
    assert "Memory could not be locked" in done.stdout
    assert "memlock" in done.stdout


def test_the_report_in_words_and_as_a_figure(plant: il.Plant, name: str, tmp_path: Path) -> None:
    report = il.run(plant, name=name, rate=1000, seconds=0.3, floor=True)
    text = str(report)
    for part in ("300 steps at 1000 Hz", "overruns of", "a bare loop beside it", "p99.9"):
        assert part in text
    assert report.floor_share is not None
    report.save(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5000
    # quantiles against those of the records: the histogram is 3 % wide
    histogram = report.statistics.histograms["step"]
    assert histogram.total / histogram.count / 1e3 <= report.times("step")["max"]
    with pytest.raises(AttributeError, match="counters are"):
        _ = report.overrun
    with pytest.raises(il.InputError, match="no times of"):
        report.times("stepp")


def test_quantiles_of_known_times() -> None:
    from inloop.native.mailbox_structure import BINS, realtime_function
    from inloop.realtime.statistics import Histogram

    rng = np.random.default_rng(8)
    times = (10 ** rng.uniform(3, 7, 20_000)).astype(np.int64)
    counts = np.zeros(BINS, dtype=np.int64)
    find = realtime_function("il_mailbox_bin")
    for value in times.tolist():
        counts[find(value)] += 1
    histogram = Histogram(counts, int(times.sum()), int(times.max()))
    for fraction in (0.1, 0.5, 0.99, 0.999):
        exact = np.quantile(times, fraction) / 1e3
        assert histogram.quantile(fraction) == pytest.approx(exact, rel=0.035)
    assert histogram.quantile(1.0) == times.max() / 1e3
    assert Histogram(np.zeros(BINS, np.int64), 0, 0).quantile(0.5) is None
