"""Observers that C runs inside the loop of a plant: the estimates are signals of its records."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bars import four_bar

import inloop as il
from inloop.realtime import Recording, replay
from inloop.realtime.mailboxes.layout import Quantity
from inloop.realtime.mailboxes.outputs import Outputs
from inloop.realtime.observed import following
from inloop.realtime.recordings.recorder import Recorder

PERIOD = 2e-3


def observer_of(plant: il.Plant, **options: object) -> il.observers.Observer:
    given = {"measured": {"rail.q": 1e-4, "accelerometer.x": 0.05}, "period": PERIOD, **options}
    return il.observer(
        plant, unknown={"rail.tau": 3.0}, offsets={"accelerometer.x": 0.01},
        doubt={"rail.q": 0.05, "rail.qd": 0.3}, **given,
    )  # fmt: skip


def observer_of_bars(plant: il.Plant, **options: object) -> il.observers.Observer:
    return il.observer(
        plant, measured={"crank.q": 1e-3}, disturbances={"crank.tau": 0.5}, period=PERIOD, **options
    )


def run_of(plant: il.Plant, name: str, records: int, **options: object) -> list[Outputs]:
    """Records in lock-step, with an effort on the first coordinate that jumps each time."""
    draw, led = np.random.default_rng(3), f"{plant.coordinates[0]}.tau"
    given = {"rate": 1.0 / PERIOD, "mode": "lock-step", **options}
    with il.start(plant, name=name, **given) as loop:
        box = loop.mailbox
        found = [box.read()]
        for _ in range(records):
            box.write({led: draw.normal()})
            found.append(box.wait(10.0))
    return found


def assert_the_same(record: Outputs, estimate: il.observers.Estimate) -> None:
    """All that a record tells of an estimate, to the last bit."""
    told = [name.removeprefix("observer.") for name in record.names if "observer." in name]
    states = [name for name in told if name in estimate]
    assert {*estimate.states} <= {*states}
    for name in states:
        assert record[f"observer.{name}"] == estimate[name], name
        deviation = record[f"observer.{name}.deviation"]
        if name in estimate.states:
            assert deviation == estimate.deviations[name], name
        else:
            assert 0.0 < deviation < np.inf, name
    assert record["observer.nis"] == estimate.nis
    assert record["observer.used"] == estimate.used
    assert record["observer.status"] == record["observer.lost"] == 0.0


@pytest.mark.parametrize("method", ["ekf", "mhe"])
def test_estimates_are_those_of_the_same_observer_in_python(
    oscillator: il.Plant, method: str
) -> None:
    inside, python = (observer_of(oscillator, method=method) for _ in range(2))
    for record in run_of(oscillator, "inside", 80, observer=inside, q={"rail": 0.04}):
        estimate = python.step(record)
        assert_the_same(record, estimate)
    assert estimate["rail.qd"] == pytest.approx(record["rail.qd"], abs=5e-3)
    # the one that was given is nobody's but the user's
    assert_the_same(run_of(oscillator, "again", 0, observer=inside)[0], inside.step(
        run_of(oscillator, "once-more", 0)[0]))  # fmt: skip


@pytest.mark.parametrize("late", [{"rail.q": 3}, {"rail.q": 1, "accelerometer.x": 2}])
def test_sensors_that_come_late(oscillator: il.Plant, late: dict[str, int]) -> None:
    delays = {name: periods * PERIOD for name, periods in late.items()}
    inside, python = (observer_of(oscillator, delays=delays) for _ in range(2))
    for record in run_of(oscillator, "late", 40, observer=inside, q={"rail": 0.04}):
        assert_the_same(record, python.step(record))
    # at first nothing has come; estimates are of now all the same
    assert record["observer.used"] == 2.0
    assert abs(record["observer.rail.q.innovation"]) < 0.1


@pytest.mark.parametrize("method", ["ekf", "ukf", "mhe"])
def test_coordinates_change_on_the_way(method: str) -> None:
    # one that has met no other choice yet; a rehearsal would compile a better one
    rocked = four_bar("arm").compile()
    inside, python = (observer_of_bars(rocked, method=method) for _ in range(2))
    met = set()
    for record in run_of(rocked, f"rocked-{method}", 400, observer=inside, rehearse=0.0):
        estimate = python.step(record)
        met.add(estimate.states)
        assert_the_same(record, estimate)
    assert len(met) > 1


def test_dependent_coordinates_are_as_sure_as_the_loop_makes_them(rocker: il.Plant) -> None:
    record = run_of(rocker, "dependent", 150, observer=observer_of_bars(rocker))[-1]
    # the slopes of an observer that would measure them
    q, qd = (
        {name: record[f"observer.{name}.{kind}"] for name in ("crank",)} for kind in ("q", "qd")
    )
    unseen = {f"{name}.{kind}": 1e6 for name in ("rod", "arm") for kind in ("q", "qd")}
    looking = il.observer(rocker, measured={"crank.q": 1e-3, **unseen}, q=q, qd=qd, period=PERIOD)
    _, _, H = looking.linear()
    python = observer_of_bars(rocker)
    for each in run_of(rocker, "dependent-again", 150):
        P = python.step(each).covariance
    expected = np.sqrt(np.diag(H @ P @ H.T))
    found = [record[f"observer.{name}.deviation"] for name in looking.measured]
    assert looking.states == python.states == ("crank.q", "crank.qd")
    assert found == pytest.approx(expected, rel=1e-3)


def test_samples_come_every_few_periods(oscillator: il.Plant) -> None:
    inside, python = observer_of(oscillator), observer_of(oscillator)
    records = run_of(oscillator, "slower", 30, observer=inside, rate=3.0 / PERIOD, q={"rail": 0.04})
    for k, record in enumerate(records):
        if k % 3 == 0:
            estimate = python.step(record)
        assert_the_same(record, estimate)


def test_a_plant_that_is_set_begins_anew(oscillator: il.Plant) -> None:
    with il.start(
        oscillator, name="set-back", rate=1.0 / PERIOD, clock=il.ScriptedClock(), q={"rail": 0.04},
        observer=observer_of(oscillator),
    ) as loop:  # fmt: skip
        box = loop.mailbox
        first = box.peek()
        loop.clock.advance(20 * PERIOD)
        later = box.peek()
        assert later["observer.rail.q.deviation"] != first["observer.rail.q.deviation"]
        box.reset()
        again = box.peek()
        told = [name for name in again.names if "observer." in name]
        assert [again[name] for name in told] == [first[name] for name in told]
        box.restore(later.snapshot)
        restored = box.peek()
        assert restored["t"] == later["t"]
        name = "observer.rail.q.deviation"
        assert restored[name] == first[name]
        assert restored["observer.restarts"] == 0.0


def test_a_filter_that_fails_says_so_and_begins_anew(oscillator: il.Plant) -> None:
    stiff = il.Model("stiff", gravity=(0.0, 0.0, 0.0))
    stiff.body("mass", on=stiff.ground, joint=il.prismatic("x", name="rail"), mass=1.3)
    # far too stiff for a step of the filter
    stiff.joint_force("rail", lambda q, qd: -1e12 * q * q * q)
    wrong = il.observer(stiff.compile(), measured={"rail.q": 1e-3}, doubt={"rail.q": 1.0},
                        period=PERIOD, q={"rail": 1e-4})  # fmt: skip
    records = run_of(oscillator, "fails", 40, observer=wrong, q={"rail": 0.04})
    failed = [k for k, record in enumerate(records) if record["observer.status"] != 0.0]
    assert failed
    restarts = [record["observer.restarts"] for record in records]
    assert restarts[-1] == len(failed)
    for k in failed:
        assert np.isnan(records[k]["observer.rail.q"])
        assert np.isnan(records[k]["observer.nis"])
    after = records[failed[0] + 1]
    assert after["observer.rail.q.deviation"] == records[0]["observer.rail.q.deviation"]
    # the plant has not noticed
    alone = run_of(oscillator, "alone", 40, q={"rail": 0.04})
    assert [r["rail.q"] for r in records] == [r["rail.q"] for r in alone]


def test_a_gate_that_lets_nothing_pass_is_told(oscillator: il.Plant) -> None:
    """The plant rests, and the filter is sure that it is elsewhere."""
    wrong = il.observer(oscillator, measured={"rail.q": 1e-3}, doubt={"rail.q": 1e-4}, gate=4.0,
                        q={"rail": 3.0}, period=PERIOD)  # fmt: skip
    options = {"rate": 1.0 / PERIOD, "mode": "free", "seconds": 0.24, "observer": wrong}
    with il.start(oscillator, name="gated", **options) as loop:
        loop.wait()
    assert any("has been used for 12" in note for note in loop.report().notes)


def test_recordings_hold_estimates_and_are_replayed_bit_by_bit(
    oscillator: il.Plant, tmp_path: Path
) -> None:
    draw, file = np.random.default_rng(5), tmp_path / "run.mcap"
    options = {"rate": 1.0 / PERIOD, "clock": il.ScriptedClock(), "q": {"rail": 0.05}}
    with (
        il.start(oscillator, name="kept", observer=observer_of(oscillator), **options) as loop,
        il.attach("kept") as box,
        Recorder(box, file) as recorder,
    ):
        for k in range(40):
            box.write({"rail.tau": 20.0 * draw.normal()})
            if k == 25:
                box.reset()
            loop.clock.advance(PERIOD)
        while recorder.take():
            pass
        recorder.finish()
    recording = Recording(file)
    run = il.read(file)
    found = observer_of(oscillator).follow(run)
    np.testing.assert_array_equal(run["observer.rail.qd"], found["rail.qd"])
    np.testing.assert_array_equal(run["observer.rail.q.deviation"], found.deviations["rail.q"])
    np.testing.assert_array_equal(run["observer.nis"], found.nis)
    again = il.observers.observer_again(oscillator, recording.facts["observer"])
    told = replay(recording, oscillator, observer=again)
    assert told.identical
    assert told.observed == told.steps == 40
    without = replay(recording, oscillator)
    assert without.identical
    assert without.observed == 0
    # another one gives other bits
    other = replay(recording, oscillator, observer=observer_of(oscillator, gate=0.5))
    assert not other.identical
    assert other.first.name.startswith("observer.")


def test_what_cannot_be_run_in_the_loop_is_refused(oscillator: il.Plant, rocker: il.Plant) -> None:
    def start(plant: il.Plant, observer: object, rate: float = 1.0 / PERIOD) -> None:
        il.start(plant, name="refused", rate=rate, observer=observer).close()

    simple = {"measured": {"rail.q": 1e-4}, "period": PERIOD}
    with pytest.raises(
        il.InputError, match=r"0.002 s, is not a whole number .* Make the observer "
    ):
        start(oscillator, il.observer(oscillator, **simple), rate=700.0)
    with pytest.raises(il.InputError, match=r"no output 'rail.q', which the observer measures"):
        start(rocker, il.observer(oscillator, **simple))
    with pytest.raises(il.InputError, match="observer = str makes no sense"):
        start(oscillator, "ekf")
    with il.start(oscillator, name="named", mode="lock-step", rate=1.0 / PERIOD) as loop:
        named = replace(loop.mailbox.layout, signals=(Quantity("observer.nis"),))
    with pytest.raises(il.InputError, match=r"has an output 'observer.nis' already"):
        following(il.observer(oscillator, **simple), named, inside=True)


def test_the_text_of_an_observer_is_checked(oscillator: il.Plant, rocker: il.Plant) -> None:
    facts = observer_of(oscillator).facts
    with pytest.raises(il.InputError, match="belongs to another model"):
        il.observers.observer_again(rocker, facts)
    for damaged in ("", "[]", "{}", '{"model": 1}', facts.replace("{", "[")):
        with pytest.raises(il.FileFormatError, match="is not valid"):
            il.observers.observer_again(oscillator, damaged)
