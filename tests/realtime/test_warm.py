"""Warm steps: woken early, the loop walks through a step once, and nobody sees a difference."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from realtime_arm import all_records, own_name

import inloop as il
from inloop import gallery
from inloop.cli import main
from inloop.realtime import Outputs, Report
from inloop.realtime.clock import START

RATE = 1000.0
LEAD = 1e-4  # [s]


def records_of(plant: il.Plant, seconds: float, **options: Any) -> tuple[list[Outputs], Report]:
    """All records of a run on a scripted clock, and its report."""
    given = {"clock": il.ScriptedClock(), "rate": RATE, "telemetry": 60.0, **options}
    with own_name("warm") as name, il.start(plant, name=name, seconds=seconds, **given) as loop:
        loop.clock.release()
        assert loop.wait(60.0)
        return all_records(loop.mailbox), loop.close()


def same_bits(plant: il.Plant, seconds: float, **options: Any) -> tuple[Report, Report]:
    """Reports of a run without and with warm-ups, whose records are the same to the last bit."""
    cold, before = records_of(plant, seconds, **options)
    warm, after = records_of(plant, seconds, warm=LEAD, **options)
    assert [(r.stamp, r.step, r.status, r.flags, r.partition) for r in cold] == [
        (r.stamp, r.step, r.status, r.flags, r.partition) for r in warm
    ]
    # by their bits: NaN stands for what a mode does not have
    bits = [np.array([r.values for r in each]).view(np.int64) for each in (cold, warm)]
    np.testing.assert_array_equal(bits[0], bits[1])
    counts = [{**r.statistics.counters, "warmups": 0} for r in (before, after)]
    assert counts[0] == counts[1]
    assert (before.warmups, after.warmups) == (0, after.periods)
    return before, after


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("mechanism", "options", "seconds", "happens"),
    [
        ("bouncing_ball", {}, 3.0, "events"),
        ("simple_action", {"at_rest": False}, 0.5, "events"),
        ("four_bar", {}, 1.5, "singular"),
        ("bricard", {}, 1.5, "partitions"),
        ("puma560", {"friction": True}, 0.5, "steps"),
    ],
)
def test_not_a_bit_changes(
    mechanism: str, options: dict[str, Any], seconds: float, happens: str
) -> None:
    """Also where the walk meets an event, a singular position, or other independent coordinates."""
    plant = gallery.get(mechanism).build(**options).compile()
    rate = {"bricard": 4096.0, "four_bar": 1024.0}.get(mechanism, RATE)
    report, _ = same_bits(plant, seconds, rate=rate)
    assert report.statistics[happens] > 0


@pytest.mark.parametrize("method", ["euler", "dopri", "rodas", "implicit"])
def test_not_a_bit_changes_with_any_method(plant: il.Plant, method: str) -> None:
    same_bits(plant, 0.3, method=method, substeps=3)


def test_inputs_and_parameters_come_as_without_it(plant: il.Plant) -> None:
    """Written between two periods, and while the loop is awake before one."""
    runs = []
    for warm in (False, 3e-4):
        with (
            own_name("warm") as name,
            il.start(
                plant, name=name, rate=RATE, warm=warm, extrapolate=True, clock=il.ScriptedClock()
            ) as loop,
        ):
            for k in range(60):
                # the last 0.3 ms before a wake-up are those in which it is awake
                loop.clock.advance_to(START + 1e-3 * k + (4e-4, 8e-4)[k % 2])
                loop.mailbox.write(push=np.sin(0.3 * k))
                if k % 7 == 3:
                    loop.mailbox.parameters["stiffness"] = 7.0 + k
            runs.append(np.array([r.values for r in all_records(loop.mailbox)]))
    np.testing.assert_array_equal(runs[0], runs[1])
    assert np.ptp(runs[0], axis=0).max() > 0.5


def test_a_walk_that_fails_is_no_failure(plant: il.Plant) -> None:
    """The step that fails does so once, and the last good state stays, as without warm-ups."""
    options = {"qd": [1e160, 0.0], "policies": {"DIVERGED": "hold"}}
    before, after = same_bits(plant, 0.05, **options)
    assert before.failed == after.failed > 0


def test_it_wakes_up_early_and_steps_on_time(plant: il.Plant, name: str) -> None:
    clock = il.ScriptedClock(warmed=[2e-5] * 10)
    with il.start(plant, name=name, rate=RATE, warm=LEAD, clock=clock) as loop:

        def at(time: float) -> tuple[int, int]:
            loop.clock.advance_to(START + time)
            return loop.report().warmups, loop.mailbox.read().step

        assert at(0.000899) == (0, 0)
        assert at(0.000901) == (1, 0)
        assert at(0.000999) == (1, 0)
        assert at(0.001001) == (1, 1)
        assert at(0.001899) == (1, 1)
        assert at(0.001901) == (2, 1)
        stamp = loop.mailbox.read().stamp
        # outputs belong to the beginning of the period, not to the wake-up
        assert stamp == round(1e9 * START) + 1_000_000
        report = loop.report()
    assert (report.overruns, report.late_warmups) == (0, 0)
    assert report.times("latency")["max"] == 0.0
    assert report.times("warmup")["max"] == 20.0


def test_a_warm_up_longer_than_its_lead_is_told(plant: il.Plant, name: str) -> None:
    """Its step begins late by what is too much; a period that passes meanwhile is an overrun."""
    clock = il.ScriptedClock(warmed=[2e-5, 1.5e-4, 2e-5, 1.3e-3], took=[1e-5] * 20)
    with il.start(plant, name=name, rate=RATE, warm=LEAD, seconds=0.01, clock=clock) as loop:
        loop.clock.release()
        assert loop.wait(60.0)
        records, report = all_records(loop.mailbox), loop.close()
    stamps = [r.stamp - round(1e9 * START) for r in records[1:]]
    assert stamps[:4] == [1_010_000, 2_060_000, 3_010_000, 5_210_000]
    assert (report.late_warmups, report.overruns, report.woken_late) == (2, 1, 1)
    assert (report.made_up, report.skipped, report.backlog) == (1, 0, 0)
    told = next(line for line in report.sentences() if "to warm up" in line)
    assert "woken 100 µs early" in told
    assert "2 periods began before that was done: use a longer lead" in told
    # what inputs wait for is the step alone
    assert report.times("reaction")["max"] == 10.0
    assert report.data()["lead_us"] == 100.0


def test_who_is_woken_after_the_beginning_does_not_warm_up(plant: il.Plant, name: str) -> None:
    clock = il.ScriptedClock(late=[0.0, 2e-4], warmed=[5e-5] * 20)
    with il.start(plant, name=name, rate=RATE, warm=LEAD, seconds=0.005, clock=clock) as loop:
        loop.clock.release()
        assert loop.wait(60.0)
        records, report = all_records(loop.mailbox), loop.close()
    assert (report.warmups, report.late_warmups, report.overruns) == (4, 1, 0)
    assert [r.stamp - round(1e9 * START) for r in records[1:3]] == [1_000_000, 2_100_000]


def test_the_lead_is_at_most_half_a_period(plant: il.Plant, name: str) -> None:
    """A faster clock shortens it; the default is a tenth of a period, 0.1 ms at most."""
    with il.start(plant, name=name, rate=RATE, warm=4e-4, clock=il.ScriptedClock()) as loop:
        assert loop.report().statistics.lead == 400_000
        loop.mailbox.set_speed(10.0)
        loop.clock.settle()
        assert loop.report().statistics.lead == 50_000
    for rate, lead in ((100.0, 100_000), (5000.0, 20_000)):
        _, report = records_of(plant, 0.01, rate=rate, warm=True)
        assert report.statistics.lead == lead


@pytest.mark.parametrize("bad", [0.0, -1e-4, 6e-4, float("nan"), "early", None])
def test_what_cannot_be_a_lead_is_explained(plant: il.Plant, bad: Any) -> None:
    with pytest.raises(il.InputError, match=r"warm = .* Use 1e-09 to 0\.0005 s of the clock"):
        il.start(plant, rate=RATE, warm=bad)
    with pytest.raises(il.InputError, match="warm = True with mode 'free'"):
        il.start(plant, rate=RATE, warm=True, mode="free")


def test_the_command_line_warms_up(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "pendulum", "--rate", "1000", "--seconds", "0.2", "--clock", "scripted"]
    assert main([*words, "--name", name, "--json", "--warm", "250"]) == 0
    told = json.loads(capsys.readouterr().out)["realtime"]
    assert (told["warmups"], told["late_warmups"], told["lead_us"]) == (200, 0, 250.0)
    assert set(told["reaction_us"]) == {"p50", "p99", "p999", "max"}
    assert main([*words, "--name", name, "--warm"]) == 0
    shown = capsys.readouterr().out
    assert "woken 100 µs early to warm up, 200 times" in shown
    assert "from inputs to outputs" in shown
