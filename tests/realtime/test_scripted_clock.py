"""Runs on a scripted clock: the account of late wake-ups and long steps, exactly."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from realtime_arm import own_name

import inloop as il
from inloop.realtime import Flag, Loop, Outputs, Report, State
from inloop.realtime.clock import START

PERIOD = 1_000_000  # [ns]
RATE = 1000.0


def all_records(loop: Loop) -> list[Outputs]:
    """Every record of the telemetry so far."""
    found = []
    while (record := loop.mailbox.next()) is not None:
        found.append(record)
    return found


@dataclass
class Account:
    """What the loop should have counted, found by walking through the script in whole numbers."""

    periods: int = 0
    steps: int = 0
    woken_late: int = 0
    preempted: int = 0
    too_long: int = 0
    made_up: int = 0
    skipped: int = 0
    backlog: int = 0
    warmups: int = 0
    late_warmups: int = 0
    lead_used: int = 0  # by all warm-ups together
    extra: tuple[int, ...] = ()  # numbers of the steps that were made up


@dataclass
class Times:
    """What a run is scripted to meet [ns]."""

    late: list[int]
    took: list[int]
    used: list[int]
    warmed: list[int] = field(default_factory=list)
    lead: int = 0


def walk(script: Times, most_backlog: int, steps: int) -> Account:
    """The rules of CONVENTIONS.md, for times in ns since the start."""
    late, took, used, warmed = script.late, script.took, script.used, script.warmed
    a, now, wake, sleeps = Account(), 0, 1, 0
    origin = 0  # where the clock has begun
    extra = []

    def give_up() -> None:
        more = max(0, a.backlog - most_backlog)
        a.skipped, a.backlog = a.skipped + more, a.backlog - more

    def step() -> int:
        nonlocal now
        k, a.steps = a.steps, a.steps + 1
        now += took[k] if k < len(took) else 0
        return used[k] if k < len(used) else 0

    def warm_up(due: int) -> None:
        nonlocal now
        if now >= due:
            a.late_warmups += 1
            return
        now += warmed[a.warmups] if a.warmups < len(warmed) else 0
        a.warmups += 1
        a.lead_used += now - (due - script.lead)
        a.late_warmups += now > due
        now = max(now, due)

    while a.steps < steps:
        early = origin + wake * PERIOD - script.lead
        if now < early:
            now = early + (late[sleeps] if sleeps < len(late) else 0)
            sleeps += 1
        if script.lead:
            warm_up(origin + wake * PERIOD)
        # periods that are over before the step of the first one could begin
        missed = (now - origin) // PERIOD - wake
        a.woken_late, a.backlog = a.woken_late + missed, a.backlog + missed
        give_up()
        wake += missed
        a.periods += missed + 1
        begun = now
        processor = step()
        behind = (now - origin) // PERIOD - wake
        if behind > 0 and a.steps == 1:
            # the clock begins after a first step that is late
            a.skipped, a.backlog, origin, wake = a.skipped + a.backlog, 0, now, 1
        elif behind > 0:
            # this step is done, but late
            a.made_up, a.backlog = a.made_up + 1, a.backlog + behind - 1
            give_up()
            if processor >= PERIOD:
                a.too_long += behind
            else:
                a.preempted += behind
            a.periods, wake = a.periods + behind - 1, wake + behind
        else:
            wake += 1
        room = now + 2 * (now - begun) < origin + wake * PERIOD - script.lead
        if a.steps < steps and a.backlog > 0 and room:
            extra.append(a.steps)
            step()
            a.made_up, a.backlog = a.made_up + 1, a.backlog - 1
    a.extra = tuple(extra)
    return a


def check(report: Report, expected: Account) -> None:
    """Counts of a run against those of the walk, and the identities that always hold."""
    names = (
        "periods", "steps", "woken_late", "preempted", "too_long", "made_up", "skipped", "backlog",
        "warmups", "late_warmups",
    )  # fmt: skip
    found = {name: getattr(report, name) for name in names}
    assert found == {name: getattr(expected, name) for name in names}
    assert report.overruns == report.woken_late + report.preempted + report.too_long
    assert report.overruns == report.made_up + report.skipped + report.backlog


def run_script(
    plant: il.Plant, script: Times, backlog: int, steps: int
) -> tuple[list[Outputs], Report]:
    """Records and report of a run."""
    lists = {name: getattr(script, name) for name in ("late", "took", "used", "warmed")}
    clock = il.ScriptedClock(**{name: [1e-9 * t for t in ts] for name, ts in lists.items()})
    seconds, most_late, warm = steps / RATE, backlog / RATE, 1e-9 * script.lead or False
    with own_name("script") as name:
        options = {
            "rate": RATE, "seconds": seconds, "most_late": most_late, "clock": clock, "warm": warm
        }  # fmt: skip
        with il.start(plant, name=name, **options) as loop:
            loop.clock.release()
            assert loop.wait(60.0)
            return all_records(loop), loop.close()


TIMES = st.lists(
    st.one_of(st.just(0), st.integers(0, 900_000), st.integers(0, 12_000_000)), max_size=40
)


@settings(max_examples=50, deadline=None)
@given(late=TIMES, took=TIMES, share=st.floats(0.0, 1.0), backlog=st.integers(0, 20))
@example(late=[1_000_000], took=[], share=1.0, backlog=5)  # woken at the very end of its period
@example(late=[999_999], took=[1], share=1.0, backlog=5)  # finished at the very end
@example(late=[], took=[1_000_000], share=1.0, backlog=5)
@example(late=[3_000_000], took=[2_700_000, 1_300_000], share=1.0, backlog=5)  # the first is long
def test_every_script_is_accounted_for(
    plant: il.Plant, late: list[int], took: list[int], share: float, backlog: int
) -> None:
    accounted_for(plant, Times(late, took, [int(share * t) for t in took]), backlog)


@settings(max_examples=50, deadline=None)
@given(late=TIMES, took=TIMES, warmed=TIMES, lead=st.integers(1, 500_000))
@example(late=[], took=[], warmed=[100_000], lead=100_000)  # done at the very beginning
@example(late=[100_000], took=[], warmed=[], lead=100_000)  # woken at the very beginning
@example(late=[], took=[], warmed=[1_100_000], lead=100_000)  # a period is over meanwhile
def test_every_script_with_early_waking_is_accounted_for(
    plant: il.Plant, late: list[int], took: list[int], warmed: list[int], lead: int
) -> None:
    accounted_for(plant, Times(late, took, took, warmed, lead), 5)


def accounted_for(plant: il.Plant, script: Times, backlog: int) -> None:
    """A run counts what the walk through its script counts."""
    steps = 60
    records, report = run_script(plant, script, backlog, steps)
    expected = walk(script, backlog, steps)
    check(report, expected)
    made_up = [k for k, r in enumerate(records[1:]) if r.flags & Flag.EXTRA]
    assert made_up == list(expected.extra)
    # never two made-up steps without a regular one between them
    assert all(b - a > 1 for a, b in itertools.pairwise(made_up))
    # simulated time is never ahead of the clock
    start = round(1e9 * START)
    ahead = [r.step * PERIOD - (r.stamp - start) for r in records]
    assert max(ahead) <= 0
    # the scripted times are what was counted
    histograms = report.statistics.histograms
    assert histograms["step"].total == histograms["reaction"].total == sum(script.took[:steps])
    assert histograms["step_cpu"].total == sum(script.used[:steps])
    assert histograms["warmup"].total == expected.lead_used
    assert histograms["warmup"].count == expected.warmups


def test_the_same_script_gives_the_same_records(plant: il.Plant) -> None:
    rng = np.random.default_rng(31)
    late = (rng.exponential(3e5, 200) * (rng.random(200) < 0.3)).astype(int).tolist()
    took = rng.integers(20_000, 1_500_000, 300).tolist()
    first, _ = run_script(plant, Times(late, took, took), 7, 400)
    again, _ = run_script(plant, Times(late, took, took), 7, 400)
    assert [(r.stamp, r.step, r.flags, r.status) for r in first] == [
        (r.stamp, r.step, r.flags, r.status) for r in again
    ]
    np.testing.assert_array_equal([r.values for r in first], [r.values for r in again])


def test_time_stands_still_until_somebody_advances_it(plant: il.Plant, name: str) -> None:
    with (
        il.start(plant, name=name, rate=RATE, clock=il.ScriptedClock()) as loop,
        il.attach(name) as box,
    ):
        assert box.clock.scripted
        box.clock.settle()
        assert (box.read().step, box.clock.now) == (0, START)
        box.clock.advance(0.0105)
        assert box.read().step == 10
        assert box.clock.now_ns == round(1e9 * START) + 10_500_000
        box.clock.advance_to(START + 0.011)
        assert box.read().step == 11
        # the past is over
        box.clock.advance_to(START)
        assert (box.read().step, box.clock.now_ns) == (11, round(1e9 * START) + 11_000_000)
        # paused, the clock goes on without the plant
        box.pause()
        box.clock.advance(3.0)
        assert box.read().step == 11
        assert box.clock.now == pytest.approx(START + 3.011)
        box.step(5)
        box.clock.settle()
        assert (box.read().step, box.state) == (16, State.PAUSED)
        box.resume()
        box.clock.advance(0.1)
        assert box.read().step == 116
        assert loop.report().overruns == 0


def test_a_released_clock_can_be_held_again(plant: il.Plant, name: str) -> None:
    with (
        il.start(plant, name=name, rate=RATE, clock=il.ScriptedClock()) as loop,
        il.attach(name) as box,
    ):
        box.read()
        box.clock.release()
        assert box.wait(60.0) is not None
        box.clock.hold()
        step = box.read().step
        assert step > 0
        # wake-up w is at START + w * period, and no other was due
        assert box.clock.now_ns == round(1e9 * START) + step * PERIOD
        assert loop.report().overruns == 0


def test_ages_go_by_the_same_clock_in_every_process(
    plant: il.Plant, name: str, python: object
) -> None:
    """A controller in another process writes; its stamp is scripted time, and so is the age."""
    writer = """
import sys
import inloop as il
box = il.attach(sys.argv[1])
for line in sys.stdin:
    box.write(push=float(line))
    print(box.clock.now_ns, flush=True)
"""
    assert callable(python)
    with il.start(plant, name=name, rate=RATE, stale_after=0.02, clock=il.ScriptedClock()) as loop:
        process = python(writer, name)
        for value in (1.5, -2.5):
            loop.clock.advance(0.1)
            process.stdin.write(f"{value}\n")
            process.stdin.flush()
            assert int(process.stdout.readline()) == loop.clock.now_ns
            loop.mailbox.read()
            all_records(loop)
            loop.clock.advance(0.03)
            records = all_records(loop)
            # used for as long as they are not older than 20 ms
            fresh = [r for r in records if r["push"] == value]
            assert len(fresh) == 20
            assert [bool(r.flags & Flag.SAFE) for r in records] == 20 * [False] + 10 * [True]
        ages = loop.report().statistics.histograms["input_age"]
        assert ages.most == 30_000_000 + 100_000_000


def test_advancing_ends_with_the_run(plant: il.Plant, name: str) -> None:
    with il.start(plant, name=name, rate=RATE, seconds=0.25, clock=il.ScriptedClock()) as loop:
        loop.clock.advance(1.0)
        assert not loop.running
        assert loop.report().steps == 250
        # a grant that nobody will use
        loop.clock.advance(1.0)


def test_what_cannot_be_scripted_is_explained(plant: il.Plant, name: str) -> None:
    for bad in (-1e-3, math.nan, math.inf):
        with pytest.raises(il.InputError, match="among 'late'"):
            il.ScriptedClock(late=[bad])
    with il.start(plant, name=name) as loop:
        assert not loop.clock.scripted
        with pytest.raises(il.InputError, match=f"'{name}' runs on the clock of the system"):
            loop.clock.advance(1.0)


def test_speed_is_exact_on_a_scripted_clock(plant: il.Plant, name: str) -> None:
    """Wake-ups by multiplication: after 30,000 of them, not a nanosecond is lost."""
    rate, speed, steps = 1024.0, 3.0, 30_000
    with il.start(
        plant, name=name, rate=rate, speed=speed, seconds=steps / rate, clock=il.ScriptedClock()
    ) as loop:
        loop.clock.release()
        assert loop.wait(60.0)
        last = loop.mailbox.read()
    exact = Fraction(steps * 1_000_000_000) / (1024 * 3)
    assert abs(last.stamp - round(1e9 * START) - exact) <= 1


@pytest.mark.parametrize(("late", "told"), [(1, "1 overrun of 50"), (2, "2 overruns of 50")])
def test_one_is_told_in_the_singular(plant: il.Plant, name: str, late: int, told: str) -> None:
    clock = il.ScriptedClock(late=[0.0, *[0.0015, 0.0] * late])
    report = il.run(plant, name=name, rate=RATE, seconds=0.05, clock=clock)
    assert told in str(report)
