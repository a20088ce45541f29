"""A recording as a result: the same numbers as a simulation, and nothing where records are lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from realtime_arm import RATE, arm
from recording_mutations import write_recording

import inloop as il
from inloop.realtime import Collector, recorded_result
from inloop.realtime.recordings.recorder import Recorder
from inloop.simulate.results.figure import broken_at_gaps

SECONDS = 0.5


@pytest.fixture(scope="module")
def shared_plant() -> il.Plant:
    return arm().compile()


@pytest.fixture(scope="module")
def path(shared_plant: il.Plant, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run on a scripted clock; a parameter and an input change on the way."""
    file = tmp_path_factory.mktemp("recorded") / "run.mcap"
    clock = il.ScriptedClock()
    with il.start(shared_plant, rate=RATE, clock=clock, stale_after=None, name="recorded") as loop:
        box = il.attach("recorded")
        with box, Recorder(box, file) as recorder:
            loop.clock.advance(SECONDS / 2)
            box.parameters["stiffness"] = 20.0
            box.write(push=1.5)
            loop.clock.advance(SECONDS / 2)
            while recorder.take():
                pass
            recorder.finish()
    return file


def test_the_same_numbers_as_a_simulation(shared_plant: il.Plant, path: Path) -> None:
    found = il.read(path)
    half = int(RATE * SECONDS / 2)
    step = 1.0 / RATE
    first = shared_plant.simulate(t_end=SECONDS / 2, step=step, method="rk4")
    np.testing.assert_array_equal(found.t[: half + 1], first.t)
    for name in ("shoulder.q", "elbow.q", "shoulder.qd", "elbow.qd"):
        np.testing.assert_array_equal(found[name][: half + 1], first[name])
        assert found.units[name] == first.units[name]
    plant = arm().compile()
    plant.parameters["stiffness"] = 20.0
    rest = plant.simulate(t_end=SECONDS, step=step, method="rk4", start=first, inputs={"push": 1.5})
    np.testing.assert_array_equal(found.q[half:], rest.q)
    assert np.abs(rest.q[-1] - first.q[-1]).max() > 0.05


def test_inputs_parameters_and_units_are_told(path: Path) -> None:
    found = il.read(path)
    assert found.name == "arm" and found.coordinates == ("shoulder", "elbow")
    assert found.parameters == {"stiffness": 7.0, "damping": 0.4}
    (change,) = found.changes
    assert change.values == {"stiffness": 20.0}
    assert change.t == pytest.approx(SECONDS / 2, abs=1.5 / RATE) == found.t[change.row]
    assert set(found.inputs) == {"shoulder.tau", "elbow.tau", "push"}
    np.testing.assert_array_equal(found["push"], np.where(found.t > SECONDS / 2, 1.5, 0.0))
    assert found.units["push"] == "N·m" and found.method == "rk4" and not found.gaps
    with pytest.raises(il.InputError, match=r"has no signal 'energy\.total'"):
        found["energy.total"]


def test_energy_follows_from_the_plant(shared_plant: il.Plant, path: Path) -> None:
    found = il.read(path, plant=shared_plant)
    kinetic, potential = shared_plant.energy(found.q[37], found.qd[37])
    np.testing.assert_allclose(found.energy[37], (kinetic, potential), rtol=1e-13)
    assert found.plant is shared_plant
    other = il.Model("other")
    other.body("bob", on=other.ground, joint=il.revolute("y"), mass=1.0, com=(0.3, 0.0, 0.0))
    with pytest.raises(il.InputError, match=r"does not belong to plant 'other'.*shoulder"):
        il.read(path, plant=other.compile())


def test_a_collector_keeps_every_record(shared_plant: il.Plant) -> None:
    options = {"rate": RATE, "clock": il.ScriptedClock(), "seconds": SECONDS, "name": "collected"}
    # few records fit between writer and readers: the clock has to wait for them
    with (
        il.start(shared_plant, telemetry=0.01, **options) as loop,
        Collector(loop, advance=True) as collector,
    ):
        assert loop.wait(60.0)
    found = collector.result()
    assert not found.gaps
    direct = shared_plant.simulate(t_end=SECONDS, step=1.0 / RATE, method="rk4")
    np.testing.assert_array_equal(found.q, direct.q)


def test_a_collector_that_is_full_says_so(shared_plant: il.Plant) -> None:
    options = {"rate": RATE, "clock": il.ScriptedClock(), "seconds": SECONDS, "name": "full"}
    with (
        il.start(shared_plant, **options) as loop,
        Collector(loop, advance=True, most=20_000) as collector,
    ):
        assert loop.wait(60.0)
    found = collector.result()
    assert 50 < len(found.t) < RATE * SECONDS
    assert f"no records after t = {found.t[-1] + 1.0 / RATE:.9g} s" in found.notes[-1]


def with_gap(path: Path) -> Path:
    """Records 21 to 30 are lost; the plant is set back later, and fails at the end."""

    def change(k: int, kind: str, counts: list[int], numbers: np.ndarray) -> None:
        if kind != "parameters":
            counts[0] += 10 * (k >= 20)
        if kind == "outputs":
            numbers[0] = 1e-3 * (k + 10 * (k >= 20) if k < 40 else k - 40)
            counts[4] = 4 if k in (0, 40) else 0
            counts[3] = 2 if k == 59 else 0

    write_recording(path, change=change)
    return path


def test_gaps_are_told_and_not_filled(tmp_path: Path) -> None:
    found = recorded_result(with_gap(tmp_path / "a.mcap"))
    (gap,) = found.gaps
    assert (gap.row, gap.lost) == (20, 10)
    assert (gap.begin, gap.end) == pytest.approx((0.019, 0.030))
    assert len(found.t) == 60 and np.isfinite(found.q).all()
    assert "10 records are missing" in str(found)
    assert any("set to another state at t = 0 s" in note for note in found.notes)
    assert found.status != "OK" and any(found.status in note for note in found.notes)
    # neither a gap nor a step back in time is crossed by a line
    x, y = broken_at_gaps(found, "shoulder.q")
    assert np.flatnonzero(np.isnan(x)).tolist() == [20, 41] == np.flatnonzero(np.isnan(y)).tolist()
    line = found.plot("shoulder.q").axes[0].lines[0]
    np.testing.assert_array_equal(line.get_ydata(), y)


def test_a_torn_recording_is_read_up_to_its_end(tmp_path: Path) -> None:
    write_recording(tmp_path / "a.mcap")
    data = (tmp_path / "a.mcap").read_bytes()
    (tmp_path / "b.mcap").write_bytes(data[: len(data) // 2])
    found = il.read(tmp_path / "b.mcap")
    assert 0 < len(found.t) < 60
    assert found.notes == (f"the recording breaks off after t = {found.t[-1]:.9g} s",)
