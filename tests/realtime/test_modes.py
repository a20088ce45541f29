"""Plants with modes in the loop: the same machine, step for step, as offline."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from realtime_arm import HANG, do_steps

import inloop as il
from inloop import gallery
from inloop.realtime.recordings.recorder import Recorder
from inloop.realtime.recordings.recording import Recording
from inloop.realtime.recordings.replay import replay
from inloop.realtime.run import digest_of


@pytest.fixture(scope="module")
def ball() -> il.Plant:
    return gallery.get("bouncing_ball").build().compile()


@pytest.fixture(scope="module")
def action() -> il.Plant:
    return gallery.get("simple_action").build(at_rest=False).compile()


def same_bits(plant: il.Plant, name: str, seconds: float) -> None:
    """A run in the loop against the stepper: every bit of every output."""
    with il.start(
        plant, name=name, rate=1000.0, mode="free", seconds=seconds, telemetry=seconds
    ) as loop:
        assert loop.wait(HANG)
        records = list(iter(loop.mailbox.next, None))
        report = loop.close()
    stepper, events = plant.stepper(step=1e-3), 0
    modes = list(plant.by_mode)
    assert (report.status, report.failed, len(records)) == ("OK", 0, round(1000 * seconds) + 1)
    for k, record in enumerate(records):
        if k > 0:
            stepper.step()
            events += len(stepper.events)
        assert (modes[int(record["mode"])], record["events"]) == (stepper.mode, events)
        if k % 50 == 0 or k + 1 == len(records):
            seen = stepper.look()
            np.testing.assert_array_equal(record.q, seen.q[0])
            np.testing.assert_array_equal(record.qd, seen.qd[0])
            for signal in set(seen.signals) & set(record.names):
                assert record[signal] == seen.signals[signal][0]
    assert report.statistics["events"] == events > 2
    assert len({record["mode"] for record in records}) > 1


def test_the_ball_steps_as_the_stepper_does(name: str, ball: il.Plant) -> None:
    """Into rest, through infinitely many impacts."""
    same_bits(ball, name, 9.0)


def test_the_action_steps_as_the_stepper_does(name: str, action: il.Plant) -> None:
    """Modes with loops and drives of their own, and an output of a law."""
    same_bits(action, name, 1.0)


@pytest.mark.parametrize("method", ["euler", "dopri", "rodas", "implicit"])
def test_methods_step_as_in_the_stepper(name: str, ball: il.Plant, method: str) -> None:
    """Of a plant with modes, and of one whose law depends on time."""
    for plant in (ball, gallery.get("stick_slip").build().compile()):
        report = il.run(plant, name=name, rate=2000.0, mode="free", seconds=0.6, method=method)
        stepper = plant.stepper(step=5e-4, method=method)
        for _ in range(1200):
            stepper.step()
        seen, outputs = stepper.look(), report.outputs
        assert outputs is not None
        assert (outputs.t, report.failed) == (stepper.t, 0)
        for found, expected in ((outputs.q, seen.q), (outputs.qd, seen.qd), (outputs.z, seen.z)):
            np.testing.assert_array_equal(found, expected[0])


def test_the_impacts_are_those_of_the_closed_form(name: str, ball: il.Plant) -> None:
    """At sqrt(2 h / g), then flights of 2 e^k sqrt(2 h / g); in the end the ball lies still."""
    g, e = ball.parameters["g"], ball.parameters["e"]
    first = np.sqrt(2.0 / g)
    with il.start(ball, name=name, rate=1000.0, mode="free", seconds=9.0, telemetry=10) as loop:
        assert loop.wait(HANG)
        records = list(iter(loop.mailbox.next, None))
        assert dict(loop.mailbox.layout.about)["modes"] == "flight rest"
    times = first + np.concatenate([[0.0], np.cumsum(2 * first * e ** np.arange(1, 6))])
    for count, t in enumerate(times, start=1):
        seen = next(r.t for r in records if r["events"] >= count)
        assert -1e-9 <= seen - t <= 1e-3 + 1e-9
    resting = [r for r in records if r["mode"] == 1.0]
    assert abs(resting[0].t - first * (1 + e) / (1 - e)) < 2e-3
    assert resting[-1].q[0] == pytest.approx(0.0, abs=1e-12)
    # what a mode does not have is not a number
    assert np.isnan(records[0]["lam.floor.hold"])
    assert abs(resting[-1]["lam.floor.hold"]) == pytest.approx(g * ball.parameters["mass"])


def test_a_step_that_chatters_fails_and_time_stays(name: str) -> None:
    """A ball that may not come to rest: time goes up to where the impacts accumulate."""
    m = il.Model("hopping")
    ball = m.body("ball", on=m.ground, joint=il.prismatic("z", initial=(0.3, 0.0)), mass=0.7)
    flight, held = m.mode("flight"), m.mode("held")
    with m.during(held):
        m.lock(ball, name="floor")
    m.event("impact", lambda q: q["ball"], mode=flight, impact=held, restitution=0.6)
    m.event("lift_off", lambda force: force["floor"], mode=held, to=flight)
    report = il.run(m.compile(), name=name, rate=1000.0, mode="free", seconds=1.5)
    end = np.sqrt(2 * 0.3 / 9.81) * (1 + 0.6) / (1 - 0.6)
    assert report.status == "CHATTERING"
    assert report.outputs is not None
    assert end - 2e-3 < report.outputs.t <= end
    assert report.failed == 1500 - report.outputs.step
    assert report.safe_steps == report.failed - 1


def test_sub_models_with_other_coordinates(name: str) -> None:
    """Off a table at 1 m and 2 m/s, then a parabola; in the air there is one coordinate more."""

    def table_and_air(mass: float) -> il.Plant:
        table, air = il.Model("table"), il.Model("air")
        table.body("x", on=table.ground, joint=il.prismatic("x", initial=(0.0, 2.0)), mass=1.0)
        then = {"z.q": 0.8, "z.qd": 0.0}
        table.event("edge", lambda q: 1.0 - q["x"], to="air", then=lambda: then)
        x = air.body("x", on=air.ground, joint=il.prismatic("x"))
        air.body("z", on=x, joint=il.prismatic("z"), mass=mass)
        return il.piecewise({"table": table, "air": air})

    plant, other = table_and_air(1.0), table_and_air(1.5)
    assert plant.digest == other.digest
    assert digest_of(plant) != digest_of(other)  # all modes count in recordings
    with il.start(plant, name=name, rate=1000.0, mode="free", seconds=0.8) as loop:
        assert loop.wait(HANG)
        records = list(iter(loop.mailbox.next, None))
        assert loop.mailbox.coordinates == ("x", "z")
    for r in records:
        if abs(r.t - 0.5) > 1e-9:
            assert (np.isnan(r["z.q"]), r["mode"]) == ((True, 0.0) if r.t < 0.5 else (False, 1.0))
    assert records[-1]["x.q"] == pytest.approx(1.6, abs=1e-12)
    assert records[-1]["z.q"] == pytest.approx(0.8 - 0.5 * 9.81 * 0.3**2, abs=1e-9)


def test_snapshots_and_parameters_reach_all_modes(name: str, ball: il.Plant) -> None:
    with il.start(ball, name=name, rate=1000.0, paused=True, clock=il.ScriptedClock()) as loop:
        box = loop.mailbox
        start, middle = box.read(), do_steps(box, 1500)
        end = do_steps(box, 1500)
        box.restore(middle.snapshot)
        again = do_steps(box, 1500)
        np.testing.assert_array_equal(again.values, end.values)
        box.reset()
        np.testing.assert_array_equal(do_steps(box, 1500).values, middle.values)
        # a ball that does not bounce lies after its first impact
        box.restore(start.snapshot)
        box.parameters["e"] = 0.0
        assert do_steps(box, 1000)["mode"] == 1.0


@pytest.mark.parametrize(("mechanism", "effort"), [("ball", 5.0), ("action", 0.1)])
def test_a_replay_gives_the_same_bits(
    request: pytest.FixtureRequest, name: str, tmp_path: Path, mechanism: str, effort: float
) -> None:
    """With inputs, parameters, a reset and a recording that begins in the middle."""
    plant: il.Plant = request.getfixturevalue(mechanism)
    path = tmp_path / "modes.mcap"
    with il.start(
        plant, name=name, rate=1000.0, paused=True, telemetry=1, clock=il.ScriptedClock()
    ) as loop:
        box = loop.mailbox
        do_steps(box, 1500)  # more than the ring holds
        with il.attach(name) as other, Recorder(other, path) as recorder:
            for times, e in ((-1.0, 0.5), (-1.0, 0.0), (6.0, 0.5), (-1.0, 0.5)):
                box.write({f"{plant.coordinates[0]}.tau": times * effort})
                box.parameters["e"] = e
                do_steps(box, 400)
                if times > 0.0:
                    box.reset()
                while recorder.take():
                    pass
            recorder.finish()
    samples = list(Recording(path))
    names = Recording(path).layout.output_names
    seen = np.array([[s.values[names.index(x)] for x in ("mode", "events")] for s in samples])
    assert len(np.unique(seen[:, 0])) > 1
    assert len(np.unique(seen[:, 1])) > 3
    found = replay(Recording(path), plant)
    assert found.identical, found.first
    assert (found.gaps, found.steps) == (0, len(samples) - 2)  # the first and the reset
    assert samples[0].counts["sequence"] > 1


@pytest.mark.parametrize(("mechanism", "substeps"), [("stick_slip", 1), ("andrews", 2)])
def test_outputs_of_laws_are_signals(name: str, mechanism: str, substeps: int) -> None:
    """Of a tree and of a mechanism with loops: what the compiled function says of each record."""
    plant = gallery.get(mechanism).build().compile()
    wanted = [output.name for output in plant.mechanism.law_outputs]
    options = {"rate": 1000.0, "mode": "free", "substeps": substeps}
    with il.start(plant, name=name, seconds=0.05, **options) as loop:
        assert loop.wait(HANG)
        records = list(iter(loop.mailbox.next, None))
        units = loop.mailbox.units
        count = len(plant.inputs)
    assert {units[x] for x in wanted} == {x.unit for x in plant.mechanism.law_outputs}
    found = np.array([[r[x] for x in wanted] for r in records])
    for r, row in zip(records, found, strict=True):
        u = r.inputs[len(r.inputs) - count :]
        expected = plant.law_outputs(r.q[None], r.qd[None], r.z[None], u, np.array([r.t]))
        np.testing.assert_array_equal(row, [expected[x][0] for x in wanted])
    assert np.ptp(found, axis=0).max() > 1e-3
