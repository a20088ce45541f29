"""Estimates over a recording: those of an observer that looked on, with gaps and a reset in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import inloop as il
from inloop.realtime.recordings.recorder import Recorder

PERIOD = 2e-3
ADVANCES, SET_BACK = 60, 40


def observer_of(plant: il.Plant, **options: object) -> il.observers.Observer:
    given = {"measured": {"rail.q": 1e-4, "accelerometer.x": 0.05}, "period": PERIOD, **options}
    return il.observer(plant, disturbances={"rail.tau": 0.2}, **given)


@dataclass
class Recorded:
    """A recording, and what an observer believed that looked on.

    Attributes:
        file: of the recording.
        live: its estimates, until the plant was set back.
    """

    file: Path
    live: list[il.observers.Estimate]


@pytest.fixture(scope="module")
def recorded(oscillator: il.Plant, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    """The force jumps at each record; the plant is set back on the way."""
    file = tmp_path_factory.mktemp("observed") / "run.mcap"
    draw, live, observer = np.random.default_rng(5), [], observer_of(oscillator)
    options = {"rate": 1.0 / PERIOD, "clock": il.ScriptedClock(), "q": {"rail": 0.05}}
    with (
        il.start(oscillator, name="observed-recording", **options) as loop,
        il.attach("observed-recording") as box,
        Recorder(box, file) as recorder,
    ):
        live.append(observer.step(box.peek()))
        for k in range(ADVANCES):
            box.write({"rail.tau": 20.0 * draw.normal()})
            if k == SET_BACK:
                box.reset()
            loop.clock.advance(PERIOD)
            if k < SET_BACK:
                live.append(observer.step(box.peek()))
        while recorder.take():
            pass
        recorder.finish()
    yield Recorded(file, live)


def test_a_recording_gives_the_estimates_of_who_looked_on(
    oscillator: il.Plant, recorded: Recorded
) -> None:
    now = len(recorded.live)
    # the energy that a plant adds makes no simulation of it
    for run in (il.read(recorded.file), il.read(recorded.file, plant=oscillator)):
        assert np.diff(run.t)[now - 1] < 0.0
        found = observer_of(oscillator).follow(run)
        np.testing.assert_array_equal(found.t, run.t)
        for name in ("rail.q", "rail.qd"):
            np.testing.assert_array_equal(found[name][:now], [e[name] for e in recorded.live])
            live = [estimate.deviations[name] for estimate in recorded.live]
            np.testing.assert_array_equal(found.deviations[name][:now], live)
            # the start, once more
            assert found.deviations[name][now] == live[0]
        (note,) = found.notes
        assert "restarted 1 times, most recently because the time was set back" in note
        assert np.abs(found["rail.qd"] - run["rail.qd"])[20:].max() < 3e-3
    wrong = observer_of(oscillator).follow(run, inputs="after")
    assert np.abs(wrong["rail.qd"] - run["rail.qd"])[20:].max() > 1e-2


def test_what_is_saved_of_a_recording_is_one(
    oscillator: il.Plant, recorded: Recorded, tmp_path: Path
) -> None:
    run = il.read(recorded.file, plant=oscillator)
    found = observer_of(oscillator).follow(il.read(run.save(tmp_path / "run.npz")))
    live = [estimate["rail.qd"] for estimate in recorded.live]
    np.testing.assert_array_equal(found["rail.qd"][: len(live)], live)
    told = il.read(il.read(recorded.file).save(tmp_path / "run.csv"))
    assert told.recorded
    simulated = oscillator.simulate(t_end=0.1, step=PERIOD)
    assert not il.read(simulated.save(tmp_path / "simulated.npz")).recorded


def test_lost_records_are_bridged(oscillator: il.Plant) -> None:
    run = oscillator.simulate(t_end=0.4, step=PERIOD, q={"rail": 0.05})
    rows = {name: run[name] for name in ("t", "rail.q", "accelerometer.x")}
    kept = np.r_[0:60, 85 : len(run.t)]
    holes = {name: np.where(np.isin(np.arange(len(run.t)), kept), values, np.nan)
             for name, values in rows.items()}  # fmt: skip
    found = observer_of(oscillator).follow({name: values[kept] for name, values in rows.items()})
    expected = observer_of(oscillator).follow({**holes, "t": run.t})
    assert "25 samples were lost" in found.notes
    for name in ("rail.q", "rail.qd"):
        np.testing.assert_array_equal(found[name], expected[name][kept])


def test_rows_that_come_more_often_than_samples(oscillator: il.Plant) -> None:
    run = oscillator.simulate(t_end=0.2, step=PERIOD / 4, q={"rail": 0.05})
    rows = {name: run[name] for name in ("t", "rail.q", "accelerometer.x")}
    whole = observer_of(oscillator).follow(rows)
    np.testing.assert_array_equal(whole.t, run.t[::4])
    # a gap that is not a whole number of periods long
    kept = np.r_[0:101, 207 : len(run.t)]
    found = observer_of(oscillator).follow({name: values[kept] for name, values in rows.items()})
    assert found.t == pytest.approx(np.r_[run.t[0:101:4], run.t[208::4]])
    with pytest.raises(il.InputError, match=r"0.0005 s apart do not come once per period of 0.00"):
        observer_of(oscillator, period=1.3e-3).follow(rows)


def test_samples_of_another_period_are_told(oscillator: il.Plant) -> None:
    observer = observer_of(oscillator)
    for k in range(12):
        observer.step({"t": 1.2 * k * PERIOD, "rail.q": 0.0, "accelerometer.x": 0.0})
    assert observer.notes == ("samples come every 0.0024 s, not every 0.002 s",)
