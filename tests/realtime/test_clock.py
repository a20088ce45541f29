"""The clock: catching up without a burst, no drift, privileges refused, and the report."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from realtime_arm import HANG, all_records

import inloop as il
from inloop.realtime import Flag, Outputs, Report
from inloop.realtime.clock import START

HERE = str(Path(__file__).parent)
STOPPED_AT = 60  # number of the sleep that lasts too long


def stopped_plant(
    plant: il.Plant, name: str, most_late: float, stop: float
) -> tuple[list[Outputs], Report]:
    """Records and report of a plant at 200 Hz that was not woken for a while."""
    late = [0.0] * STOPPED_AT + [stop]
    clock = il.ScriptedClock(late=late, took=[1e-4] * 1000)
    with il.start(plant, name=name, rate=200, most_late=most_late, clock=clock) as loop:
        loop.clock.advance(2.0001)
        return all_records(loop.mailbox), loop.close()


def test_a_late_loop_catches_up_without_a_burst(plant: il.Plant, name: str) -> None:
    records, report = stopped_plant(plant, name, 1.0, 0.25)
    # 50 periods of 5 ms passed without a step; each is accounted for and made up
    assert (report.overruns, report.woken_late, report.made_up) == (50, 50, 50)
    assert (report.skipped, report.backlog) == (0, 0)
    extra = np.array([bool(r.flags & Flag.EXTRA) for r in records])
    # one after each of the regular steps that follow
    assert np.flatnonzero(extra).tolist() == [STOPPED_AT + 2 + 2 * k for k in range(50)]
    # a period holds one regular and one extra step at the most
    stamps = np.array([r.stamp for r in records]) * 1e-9 - START
    inside = np.searchsorted(stamps, stamps + 0.0049) - np.arange(len(stamps))
    assert inside.max() == 2
    # simulated time was behind by the stop, and is back with the clock
    t = np.array([r.t for r in records])
    behind = stamps - t
    assert behind.max() == pytest.approx(0.25 + 1e-4, abs=1e-8)
    assert behind[-1] == pytest.approx(1e-4, abs=1e-8)
    assert [r.step for r in records] == list(range(401))


def test_what_is_too_late_is_skipped_and_counted(plant: il.Plant, name: str) -> None:
    records, report = stopped_plant(plant, name, 0.05, 0.5)
    assert (report.overruns, report.woken_late) == (100, 100)
    # 0.05 s are made up, the rest is given up
    assert (report.made_up, report.skipped, report.backlog) == (10, 90, 0)
    assert report.steps == report.periods - report.skipped - report.backlog == 310
    # simulated time has lost what was skipped, and nothing else
    lag = 1e-9 * records[-1].stamp - START - records[-1].t
    assert lag == pytest.approx(0.005 * 90 + 1e-4, abs=1e-8)


def test_the_clock_begins_after_a_first_step_that_is_long(plant: il.Plant, name: str) -> None:
    """As of a pile, whose impulses are found from nothing: at the start, and after a reset."""
    took = [2.6e-3] + [1e-4] * 10 + [2.6e-3] + [1e-4] * 100
    clock = il.ScriptedClock(took=took, used=took)
    with il.start(plant, name=name, rate=1000, clock=clock) as loop:
        loop.clock.advance(0.0137)  # the first wake-up at 1 ms, then 10 more from 3.6 ms on
        before = loop.mailbox.read()
        loop.mailbox.reset()
        loop.clock.advance(0.02)
        records, report = all_records(loop.mailbox), loop.close()
    assert (before.step, before.t) == (11, pytest.approx(0.011))
    assert (report.overruns, report.backlog) == (0, 0)
    assert report.steps == report.periods
    # from then on a step in each period, on time again
    stamps = np.array([r.stamp for r in records if not r.flags & Flag.SET]) * 1e-6 - 1e3 * START
    ends = np.concatenate([[3.6], 3.7 + np.arange(1, 11), [17.2], 17.3 + np.arange(1, 17)])
    np.testing.assert_allclose(stamps, ends, atol=1e-5)


def test_no_drift_in_a_day(plant: il.Plant, name: str) -> None:
    """Wake-up w is at w periods, also when these are not a whole number of nanoseconds."""
    day, speed = 86_400.0, 0.01
    options = {"rate": 7.0, "substeps": 100, "speed": speed, "seconds": day * speed}
    with il.start(plant, name=name, clock=il.ScriptedClock(), **options) as loop:
        loop.clock.release()
        assert loop.wait(HANG)
        last, report = loop.mailbox.read(), loop.report()
    assert (report.steps, report.overruns) == (6048, 0)
    assert abs(last.stamp - 1e9 * START - 1e9 * day) <= 1.0


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


@pytest.mark.long
def test_no_drift_for_a_long_time(plant: il.Plant, name: str) -> None:
    """60 s; an hour with INLOOP_SECONDS=3600."""
    print(no_drift(plant, name, float(os.environ.get("INLOOP_SECONDS", "60"))))


@pytest.mark.long
@pytest.mark.parametrize("rate", [100.0, 1000.0, 4096.0, 20_000.0])
def test_steps_and_periods_add_up_on_the_clock_of_the_system(
    plant: il.Plant, name: str, rate: float
) -> None:
    report = il.run(plant, name=name, rate=rate, seconds=0.5)
    assert report.steps == round(0.5 * rate)
    assert report.overruns == report.made_up + report.skipped + report.backlog
    assert report.overruns == report.woken_late + report.preempted + report.too_long
    assert report.steps == report.periods - report.skipped - report.backlog


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
    late = [1e-6 * (k % 100) for k in range(300)]
    took = [1e-6 * (20 + k % 10) for k in range(300)]
    clock = il.ScriptedClock(late=[*late[:-1], 2.5e-3], took=took)
    report = il.run(plant, name=name, rate=1000, seconds=0.3, clock=clock)
    text = str(report)
    for part in ("300 steps at 1000 Hz", "2 overruns of 302 periods", "2 woken late", "p99.9"):
        assert part in text
    report.save(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5000
    # quantiles of the script: the histogram is 3 % wide, its sum and its end are exact
    times = report.times("step")
    assert times["max"] == 29.0
    assert times["p50"] == pytest.approx(24.5, rel=0.04)
    assert report.times("latency")["max"] == 2500.0
    assert report.times("latency")["p50"] == pytest.approx(50.0, rel=0.04)
    assert report.statistics.histograms["step"].total == round(sum(1e9 * t for t in took))
    with pytest.raises(AttributeError, match="counters are"):
        _ = report.overrun
    with pytest.raises(il.InputError, match="no times of"):
        report.times("stepp")


def test_the_bare_loop_is_told_beside_the_plant(plant: il.Plant, name: str) -> None:
    """How much better it did stands in the report, from counts that are given."""
    report = il.run(plant, name=name, rate=1000, seconds=0.01, clock=il.ScriptedClock())
    assert report.bare_loop_share is None
    counters = {**report.statistics.counters, "bare_loop_periods": 400, "bare_loop_overruns": 3}
    told = replace(report, statistics=replace(report.statistics, counters=counters))
    assert told.bare_loop_share == pytest.approx(3 / 400)
    assert "a bare loop beside it" in str(told)


def test_quantiles_of_known_times() -> None:
    from inloop.native.mirror import constant
    from inloop.native.realtime_functions import realtime_function
    from inloop.realtime.statistics import Histogram

    rng = np.random.default_rng(8)
    times = (10 ** rng.uniform(3, 7, 20_000)).astype(np.int64)
    counts = np.zeros(constant("INLOOP_BINS"), dtype=np.int64)
    find = realtime_function("il_mailbox_bin")
    for value in times.tolist():
        counts[find(value)] += 1
    histogram = Histogram(counts, int(times.sum()), int(times.max()))
    for fraction in (0.1, 0.5, 0.99, 0.999):
        exact = np.quantile(times, fraction) / 1e3
        assert histogram.quantile(fraction) == pytest.approx(exact, rel=0.035)
    assert histogram.quantile(1.0) == times.max() / 1e3
    assert Histogram(np.zeros(constant("INLOOP_BINS"), np.int64), 0, 0).quantile(0.5) is None
