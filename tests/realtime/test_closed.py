"""Mechanisms with loops against the clock: other coordinates, singular positions, open loops."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from realtime_arm import HANG, RATE, do_steps

import inloop as il
from inloop import gallery
from inloop.cli import main
from inloop.realtime import Report, Snapshot

STEP = 1.0 / RATE


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("mechanism", "seconds", "counter"),
    [
        ("bricard", 1.5, "partitions"),
        ("four_bar", 1.5, "singular"),
        ("stewart", 0.25, ""),
        ("rolling_disc", 1.5, "partitions"),
    ],
)
def test_ends_where_the_simulation_ends(
    name: str, mechanism: str, seconds: float, counter: str
) -> None:
    """Also where other independent coordinates are due, or a singular position is in the way."""
    plant = gallery.get(mechanism).build().compile()
    rate = 4096.0 if mechanism == "bricard" else RATE
    report = il.run(plant, name=name, rate=rate, mode="free", seconds=seconds)
    result = plant.simulate(t_end=seconds, step=1.0 / rate)
    assert (report.status, report.failed) == ("OK", 0)
    assert report.outputs is not None
    np.testing.assert_allclose(report.outputs.q, result.q[-1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(report.outputs.qd, result.qd[-1], rtol=0, atol=1e-8)
    for signal in (n for n in report.outputs.names if n in result.signals):
        scale = 1.0 + np.max(np.abs(result[signal]))
        assert abs(report.outputs[signal] - result[signal][-1]) < 1e-6 * scale
    if counter:
        assert report.statistics[counter] > 0
    assert np.max(np.ptp(result.q, axis=0)) > 0.05


def test_without_a_rehearsal_the_choice_is_made_in_the_run(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No compiler is there either; against a run whose choices are all compiled."""
    plant = gallery.get("bricard").build().compile()
    il.run(plant, name=name, rate=4096, mode="free", seconds=0.01, rehearse=0.0)
    options = {"rate": 4096.0, "mode": "free", "seconds": 1.5}
    with monkeypatch.context() as context:
        context.setenv("INLOOP_CC", "/nowhere/cc")
        free = il.run(plant, name=name, rehearse=0.0, **options)
    assert len(plant.formulation.known) == 1
    compiled = il.run(plant, name=name, rehearse=1.5, **options)
    assert len(plant.formulation.known) == 2
    for report in (free, compiled):
        assert (report.status, report.failed, report.partitions) == ("OK", 0, 1)
        assert report.outputs is not None
    np.testing.assert_allclose(free.outputs.q, compiled.outputs.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(free.outputs.qd, compiled.outputs.qd, rtol=0, atol=1e-8)


@pytest.mark.parametrize("rehearse", [0.0, 1.5])
def test_snapshots_carry_the_choice_of_coordinates(name: str, rehearse: float) -> None:
    plant = gallery.get("bricard").build().compile()
    options = {"rate": 1024.0, "rehearse": rehearse, "paused": True, "clock": il.ScriptedClock()}
    with il.start(plant, name=name, **options) as loop:
        box = loop.mailbox
        start = box.read()
        changed = do_steps(box, 1100)
        assert changed.partition != start.partition
        end = do_steps(box, 200)
        box.restore(start.snapshot)
        np.testing.assert_array_equal(do_steps(box, 1100).values, changed.values)
        box.restore(changed.snapshot)
        assert box.read().partition == changed.partition
        np.testing.assert_array_equal(do_steps(box, 200).values, end.values)
        box.reset()
        np.testing.assert_array_equal(box.read().values, start.values)
        for nonsense in (np.nan, 99.0, -1.0):
            x = start.x.copy()
            x[1] = nonsense  # number of the mode
            with pytest.raises(il.InputError, match=r"refused the command|finite"):
                box.restore(Snapshot(0, x))


def test_a_loop_that_cannot_be_closed_keeps_the_last_good_state(name: str) -> None:
    """A crank of 0.3 m driven around, with a rod of 0.2 m to a slider: it reaches so far only."""
    m = il.Model("short_rod")
    crank = m.body("crank", on=m.ground, joint=il.revolute("y", initial=(0.1, 0.0)), mass=0.4)
    rod = m.body(
        "rod", on=crank.point("pin", (0.3, 0, 0)), joint=il.revolute("y", guess=-0.2),
        mass=0.6, com=(0.1, 0, 0), inertia=(1e-3, 2e-3, 2e-3),
    )  # fmt: skip
    slider = m.body("slider", on=m.ground, joint=il.prismatic("x", guess=0.5), mass=1.0)
    m.close(rod.point("end", (0.2, 0, 0)), slider.origin)
    m.drive(crank)
    plant = m.compile()
    motions = {plant.coordinates[0]: lambda t: 0.1 + 1.5 * t}
    with il.start(plant, name=name, rate=RATE, mode="free", seconds=1.0, motions=motions) as loop:
        assert loop.wait(HANG)
        records = []
        while (record := loop.mailbox.next()) is not None:
            records.append(record)
    report = loop.close()
    assert report.status == "LOOP_OPEN"
    last = next(r for r in reversed(records) if r.status_name == "OK")
    # the rod stands upright where 0.3 sin(q) = 0.2
    assert 0.0 < np.arcsin(2 / 3) - last.q[0] < 0.02
    frozen = [r for r in records if r.status_name == "LOOP_OPEN"]
    assert len(frozen) == report.failed > 100
    assert all(r.t == last.t and np.array_equal(r.q, last.q) for r in frozen)


ENGINE = """
import inloop as il

CRANK, ROD = 0.5, 1.3
m = il.Model("engine")
crank = m.body("crank", on=m.ground, joint=il.revolute("-y", initial=(0.0, 2.0)), mass=0.4)
rod = m.body("rod", on=crank.point("pin", (CRANK, 0, 0)), joint=il.revolute("-y", initial=(0, 0)),
             mass=0.3, com=(0.1, 0, 0), inertia=(1e-3, 2e-3, 2e-3))
slider = m.body("slider", on=m.ground, joint=il.prismatic("x", guess=1.8), mass=0.5)
m.close(rod.point("end", (ROD, 0, 0)), slider)
"""


def test_a_loop_tells_what_assembly_changed_of_the_start(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With crank and rod along x, the rod turns by -crank/rod of the crank's velocity, in world."""
    told = f"'rod' starts with velocity {2.0 * (-0.5 / 1.3 - 1.0):.6g}, declared 0"
    file = tmp_path / "engine.py"
    file.write_text(ENGINE)
    words = ["run", str(file), "--rate", "1000", "--seconds", "0.1", "--clock", "scripted"]
    assert main([*words, "--name", name]) == 0
    assert told in " ".join(capsys.readouterr().out.split())
    assert main([*words, "--name", name, "--json"]) == 0
    assert told in json.loads(capsys.readouterr().out)["notes"]
    scope: dict[str, il.Model] = {}
    exec(ENGINE, scope)
    with il.start(scope["m"].compile(), name=name, paused=True, lock_memory=False) as loop:
        assert told in loop.notes and told in loop.report().notes


def driven_four_bar(**drive: Any) -> il.Plant:
    """A four-bar whose crank follows inputs."""
    m = il.Model("four_bar")
    a = m.body("crank", on=m.ground, joint=il.revolute("y", initial=(1.0, 0.0)), mass=1.0,
               com=(0.2, 0, 0), inertia=(0.01, 0.02, 0.02))  # fmt: skip
    b = m.body("coupler", on=a.point("tip", (0.4, 0, 0)), joint=il.revolute("y", guess=-0.5),
               mass=1.3, com=(0.5, 0, 0), inertia=(0.01, 0.09, 0.09))  # fmt: skip
    c = m.body("rocker", on=m.ground.point("base", (1.1, 0, 0.1)),
               joint=il.revolute("y", guess=1.2), mass=0.7, com=(0.3, 0, 0),
               inertia=(0.01, 0.04, 0.04))  # fmt: skip
    m.close(b.point("end", (1.0, 0, 0)), c.point("top", (0.7, 0, 0)))
    m.drive(a, **drive)
    return m.compile()


def follow(name: str, plant: il.Plant, records: list[dict[str, float]], **options: Any) -> Report:
    """A report after one step per record of inputs."""
    with il.start(plant, name=name, rate=1000, clock=il.ScriptedClock(), **options) as loop:
        for record in records:
            loop.mailbox.write(**record)
            loop.clock.advance(1e-3)
    return loop.close()


def test_what_a_gear_transmits_is_an_output(name: str) -> None:
    m = il.Model("geared", gravity=(0, 0, 0))
    for body, inertia in (("motor", 0.3), ("wheel", 0.8)):
        m.body(body, on=m.ground, joint=il.revolute("z"), mass=1.0, inertia=(1, 1, inertia))
    m.gear("motor", "wheel", ratio=m.parameter("ratio", 2.0), offset=None, name="gear")
    # the ratio passes 0, where the motor would not follow from the wheel
    m.independent("motor")
    with il.start(m.compile(), name=name, rate=1000, clock=il.ScriptedClock()) as loop:
        for ratio in (2.0, -0.7):
            loop.mailbox.parameters["ratio"] = ratio
            loop.mailbox.write(**{"motor.tau": 1.5})
            loop.clock.advance(5e-3)
            record = loop.mailbox.read()
            qdd = 1.5 / (0.3 + ratio**2 * 0.8)
            assert record["lam.gear.torque"] == pytest.approx(0.8 * ratio * qdd, rel=1e-9)
            assert record["wheel.qd"] == pytest.approx(ratio * record["motor.qd"], rel=1e-9)
        assert loop.mailbox.units["lam.gear.torque"] == "N*m"


def test_a_drive_that_moves_without_its_velocity_is_told(name: str) -> None:
    plant = driven_four_bar()
    alone = [{"crank.q": 1.0 + 1e-3 * k} for k in range(1, 11)]
    report = follow(name, plant, alone)
    assert report.drive_jumps == 10
    told = [note for note in report.notes if "'crank.q' was moved 10 times" in note]
    assert len(told) == 1 and "'crank.qd' was 0" in told[0] and "filtered" in told[0]
    assert told[0] in str(report)


def test_drives_that_move_with_their_velocity_are_not_blamed(name: str) -> None:
    both = [{"crank.q": 1.0 + 1e-3 * k, "crank.qd": 1.0} for k in range(1, 11)]
    at_rest = [{"crank.q": 1.0, "crank.qd": 0.0, "crank.tau": float(k)} for k in range(10)]
    for records in (both, at_rest):
        report = follow(name, driven_four_bar(), records)
        assert report.drive_jumps == 0 and not any("crank" in note for note in report.notes)
    moved = [{"crank.q": 1.0 + 1e-3 * k} for k in range(1, 11)]
    filtered = driven_four_bar(derivatives="filtered", cutoff=20.0)
    assert follow(name, filtered, moved).drive_jumps == 0
    replaced = {"crank": lambda t: 1.0 + 0.1 * t}
    assert follow(name, driven_four_bar(), moved, motions=replaced).drive_jumps == 0
