"""The loop: states, times, counts; each against a simulation or a count made another way."""

from __future__ import annotations

import ctypes
import itertools
import math
import resource
import threading
from dataclasses import replace

import numpy as np
import pytest
from realtime_arm import HANG, RATE, all_records, arm, do_steps

import inloop as il
from inloop import gallery
from inloop.native.mirror import mirror
from inloop.native.realtime_functions import INPUTS, realtime_function
from inloop.realtime import Flag, Snapshot, State
from inloop.realtime.clock import START

STEP = 1.0 / RATE


@pytest.mark.parametrize("method", ["rk4", "euler", "dopri", "rodas"])
@pytest.mark.parametrize("substeps", [1, 4])
def test_free_run_is_the_simulation_to_the_last_bit(
    plant: il.Plant, name: str, method: str, substeps: int
) -> None:
    steps = 300
    with il.start(
        plant, name=name, rate=RATE, substeps=substeps, method=method, mode="free",
        seconds=steps / RATE, tau={"elbow": 0.7}, inputs={"push": -0.4},
    ) as loop:  # fmt: skip
        assert loop.wait(HANG)
        records = all_records(loop.mailbox)
    result = plant.simulate(
        t_end=steps / RATE, step=STEP / substeps, method=method, tau={"elbow": 0.7},
        inputs={"push": -0.4},
    )  # fmt: skip
    assert [r.step for r in records] == list(range(steps + 1))
    np.testing.assert_array_equal([r.t for r in records], result.t[::substeps])
    np.testing.assert_array_equal([r.q for r in records], result.q[::substeps])
    np.testing.assert_array_equal([r.qd for r in records], result.qd[::substeps])
    assert np.ptp(result.q[:, 0]) > 0.05


def test_closed_mechanism_runs_like_the_simulation(name: str) -> None:
    plant = gallery.get("slider_crank").build().compile()
    with il.start(plant, name=name, rate=RATE, mode="free", seconds=0.25) as loop:
        assert loop.wait(HANG)
        last = loop.mailbox.read()
    result = plant.simulate(t_end=0.25, step=STEP)
    np.testing.assert_allclose(last.q, result.q[-1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(last.qd, result.qd[-1], rtol=0, atol=1e-8)
    for signal in (x.name for x in loop.mailbox.layout.signals):
        reference = result[signal][-1]
        assert last[signal] == pytest.approx(reference, rel=1e-6, abs=1e-6)
    assert np.ptp(result.q[:, 0]) > 0.1


def test_lock_step_is_bit_identical_to_simulations_with_the_same_inputs(
    plant: il.Plant, name: str
) -> None:
    rng = np.random.default_rng(5)
    efforts = rng.normal(size=(40, 2))
    found = []
    with (
        il.start(plant, name=name, rate=RATE, mode="lock-step") as loop,
        il.attach(name) as box,
    ):
        outputs = box.wait(HANG)
        assert outputs is not None
        for tau in efforts:
            box.write(tau=tau)
            outputs = box.wait(HANG)
            assert outputs is not None
            found.append(np.concatenate([outputs.q, outputs.qd]))
        assert loop.report().steps == len(efforts)
    result = None
    for k, tau in enumerate(efforts):
        result = plant.simulate(t_end=(k + 1) * STEP, step=STEP, tau=tau, start=result)
        np.testing.assert_array_equal(found[k], np.concatenate([result.q[-1], result.qd[-1]]))


def test_what_was_recorded_against_the_clock_can_be_replayed_to_the_last_bit(
    plant: il.Plant, name: str
) -> None:
    """A controller that changes inputs and parameters at any time, goes stale, comes back.

    The loop is woken late, steps take long: some are made up, some are skipped.
    """
    rng = np.random.default_rng(6)
    late = np.where(rng.random(500) < 0.1, rng.uniform(0.0, 0.02, 500), 0.0).tolist()
    clock = il.ScriptedClock(late=late, took=rng.uniform(0.0, 4e-4, 500).tolist())
    options = {"rate": 1000.0, "stale_after": 0.03, "most_late": 0.01}
    with il.start(plant, name=name, clock=clock, **options) as loop, il.attach(name) as box:
        for k in range(60):
            box.write(rng.normal(size=3))
            if k % 10 == 0:
                box.parameters["stiffness"] = float(rng.uniform(1.0, 60.0))
            loop.clock.advance(0.06 if k % 20 == 7 else float(rng.uniform(0.0, 0.008)))
        records = all_records(loop.mailbox)
        known = {r.parameter_sequence: box.parameters_at(r.parameter_sequence) for r in records}
        assert box.parameters_at(10**6) is None
        report = loop.report()
    assert {r.status_name for r in records} == {"OK", "INPUT_STALE", "OVERRUN"}
    assert report.skipped > 0 < report.made_up
    assert len(known) == 7
    with il.start(plant, name=name, rate=1000, mode="lock-step"), il.attach(name) as box:
        outputs = box.wait(HANG)
        for before, record in itertools.pairwise(records):
            if record.parameter_sequence != before.parameter_sequence:
                box.parameters.set(known[record.parameter_sequence] or {})
            box.write(record.inputs)
            outputs = box.wait(HANG)
            assert outputs is not None
            np.testing.assert_array_equal(outputs.values, record.values)


def test_a_lock_step_without_an_answer_waits(plant: il.Plant, name: str) -> None:
    options = {"mode": "lock-step", "clock": il.ScriptedClock()}
    with il.start(plant, name=name, **options) as loop, il.attach(name) as box:
        loop.clock.advance(10.0)
        assert loop.report().steps == 0
        box.read()
        box.write(push=1.0)
        loop.clock.settle()
        assert loop.report().steps == 1
        box.read()
        box.write(push=2.0)
        loop.clock.settle()
        box.write(push=3.0)  # answers the same outputs: no step of its own
        loop.clock.settle()
        assert loop.report().steps == 2
        assert box.read()["push"] == 2.0


@pytest.mark.parametrize("rate", [100.0, 1000.0, 4096.0, 20_000.0])
def test_steps_and_periods_add_up_at_every_rate(plant: il.Plant, name: str, rate: float) -> None:
    """Some wake-ups are late by up to three periods; simulated time is that of the clock."""
    rng = np.random.default_rng(12)
    late = (rng.uniform(0.0, 3.0, 400) / rate * (rng.random(400) < 0.2)).tolist()
    steps = round(0.5 * rate)
    clock = il.ScriptedClock(late=late, took=[0.05 / rate] * steps)
    report = il.run(plant, name=name, rate=rate, seconds=0.5, clock=clock)
    assert report.steps == steps
    assert report.woken_late > 5
    assert report.too_long == 0 < report.preempted
    assert report.overruns == report.made_up + report.skipped + report.backlog
    assert report.overruns == report.woken_late + report.preempted
    assert report.steps == report.periods - report.skipped - report.backlog
    assert report.outputs is not None
    assert report.outputs.t == pytest.approx(0.5)
    # within the last of the periods that were counted, and not ahead of the clock
    end = 1e-9 * report.outputs.stamp - START
    assert -2e-9 <= end - report.periods / rate < 1.0 / rate
    assert end >= report.outputs.t - 2e-9
    histograms = report.statistics.histograms
    assert histograms["step"].count == histograms["step_cpu"].count == report.steps
    assert histograms["latency"].count <= report.periods


def test_too_much_to_do_is_counted_and_does_not_burst(plant: il.Plant, name: str) -> None:
    """Each step takes two and a half periods: what is too late is skipped."""
    took = [2.5e-3] * 200
    clock = il.ScriptedClock(took=took)
    report = il.run(plant, name=name, rate=1000, seconds=0.2, most_late=0.02, clock=clock)
    assert report.steps == 200
    # the clock begins after the first step; all others one after the other from a wake-up on, which
    # is at the end of the first period
    periods = 1 + math.floor(199 * 2.5)
    assert (report.woken_late, report.preempted) == (0, 0)
    assert report.too_long == report.overruns == periods - 1
    assert report.made_up == 199
    assert report.backlog == 20
    assert report.skipped == report.overruns - report.made_up - report.backlog
    # the same time, but most of it without the processor
    clock = il.ScriptedClock(took=took, used=[0.9e-3] * 200)
    again = il.run(plant, name=name, rate=1000, seconds=0.2, most_late=0.02, clock=clock)
    assert (again.preempted, again.too_long) == (report.too_long, 0)


def test_the_thread_pauses_steps_and_goes_on(plant: il.Plant, name: str) -> None:
    options = {"rate": 1000.0, "paused": True, "clock": il.ScriptedClock()}
    with il.start(plant, name=name, **options) as loop, il.attach(name) as box:
        assert box.state == State.PAUSED
        first = box.read()
        assert first.step == 0
        assert first.flags & Flag.SET
        assert do_steps(box, 1).step == 1
        assert do_steps(box, 5).step == 6
        loop.clock.advance(1.0)
        assert box.read().step == 6
        assert loop.report().periods == 0
        box.resume()
        loop.clock.advance(0.0145)
        assert box.read().step == 20
        box.pause()
        assert box.state == State.PAUSED
        loop.clock.advance(1.0)
        assert box.read().step == 20
        assert loop.report().periods == 14


def test_reset_and_restore_are_exact(plant: il.Plant, name: str) -> None:
    clock = il.ScriptedClock()
    with il.start(plant, name=name, rate=RATE, paused=True, clock=clock) as loop:
        box = loop.mailbox
        start = box.read()
        middle = do_steps(box, 30)
        end = do_steps(box, 30)
        box.restore(middle.snapshot)
        again = box.read()
        assert again.flags & Flag.SET
        np.testing.assert_array_equal(again.values, middle.values)
        np.testing.assert_array_equal(do_steps(box, 30).values, end.values)
        box.reset()
        np.testing.assert_array_equal(box.read().values, start.values)
        np.testing.assert_array_equal(do_steps(box, 60).values, end.values)


def test_a_run_goes_on_from_a_snapshot(plant: il.Plant, name: str) -> None:
    """From its first record on: nobody sees another state before it."""
    options = {"rate": RATE, "paused": True}
    with il.start(plant, name=name, clock=il.ScriptedClock(), **options) as loop:
        start, middle = loop.mailbox.read(), do_steps(loop.mailbox, 30)
        end = do_steps(loop.mailbox, 30)
    begin = {"clock": il.ScriptedClock(), "snapshot": middle.snapshot}
    with il.start(plant, name=name, **options, **begin) as loop:
        box = loop.mailbox
        first = box.next()
        assert first is not None and first.flags & Flag.SET
        np.testing.assert_array_equal(first.values, middle.values)
        assert first.t == middle.t
        np.testing.assert_array_equal(do_steps(box, 30).values, end.values)
        box.reset()
        np.testing.assert_array_equal(box.read().values, start.values)
    mode = middle.x.copy()
    mode[1] = 99.0
    wrong = {
        "is not a snapshot": middle.x,
        "does not fit plant": Snapshot(0, middle.x[1:]),
        "not finite": Snapshot(0, np.nan * middle.x),
        "cannot start": Snapshot(0, mode),
        # its time would be twice as late
        "runs at 2048 Hz does not fit": replace(middle.snapshot, period=0.5 / RATE),
        "coordinates rail, elbow does": replace(middle.snapshot, coordinates=("rail", "elbow")),
    }
    for told, snapshot in wrong.items():
        with pytest.raises(il.InloopError, match=told):
            il.start(plant, name=name, clock=il.ScriptedClock(), snapshot=snapshot)


def test_speed_changes_the_clock_not_the_motion(plant: il.Plant, name: str) -> None:
    ends = {}
    for speed in (0.5, 4.0):
        options = {"rate": RATE, "seconds": 0.125, "speed": speed, "clock": il.ScriptedClock()}
        outputs = il.run(plant, name=name, **options).outputs
        assert outputs is not None
        assert 1e-9 * outputs.stamp - START == pytest.approx(0.125 / speed, abs=2e-9)
        ends[speed] = outputs.q
    np.testing.assert_array_equal(ends[0.5], ends[4.0])
    options = {"rate": 100.0, "speed": 0.001, "clock": il.ScriptedClock()}
    with il.start(plant, name=name, **options) as loop, il.attach(name) as box:
        # one step takes ten seconds now: commands do not wait for it
        loop.clock.advance(9.0)
        assert box.read().step == 0
        box.set_speed(10.0)
        assert loop.clock.now == pytest.approx(START + 9.0)
        loop.clock.advance(0.0505)
        assert box.read().step == 50
        assert loop.report().statistics.speed == 10.0


def test_stale_inputs_lead_to_the_safe_state_and_fresh_ones_out_of_it(
    plant: il.Plant, name: str
) -> None:
    options = {"rate": 1000.0, "stale_after": 0.2, "clock": il.ScriptedClock()}
    with (
        il.start(plant, name=name, safe={"push": 0.25}, inputs={"push": 0.5}, **options) as loop,
        il.attach(name) as box,
    ):
        # before anybody writes, the inputs of the start hold
        loop.clock.advance(0.3)
        assert box.read()["push"] == 0.5
        assert loop.report().stale_inputs == 0
        all_records(loop.mailbox)
        box.write(push=2.0)
        loop.clock.advance(0.5)
        records = all_records(loop.mailbox)
        # as long as they are not older than that, not a step longer
        assert [r["push"] for r in records] == 200 * [2.0] + 300 * [0.25]
        fresh, safe = records[:200], records[200:]
        assert all(r.status_name == "OK" and not r.flags & Flag.SAFE for r in fresh)
        assert all(r.status_name == "INPUT_STALE" and r.flags & Flag.SAFE for r in safe)
        assert all(r["shoulder.tau"] == 0.0 for r in safe)
        box.write(push=3.0)
        loop.clock.advance(0.001)
        (record,) = all_records(loop.mailbox)
        assert (record["push"], record.status_name) == (3.0, "OK")
        report = loop.report()
        assert (report.safe_steps, report.stale_inputs) == (300, 300)


def test_stale_inputs_can_hold_or_stop(plant: il.Plant, name: str) -> None:
    options = {"name": name, "rate": 1000.0, "stale_after": 0.02, "clock": il.ScriptedClock()}
    with (
        il.start(plant, policies={"INPUT_STALE": "hold"}, **options) as loop,
        il.attach(name) as box,
    ):
        box.write(push=2.0)
        loop.clock.advance(0.15)
        last = box.read()
        assert last["push"] == 2.0
        assert last.status_name == "INPUT_STALE"
        assert (loop.report().stale_inputs, loop.report().safe_steps) == (130, 0)
    with (
        il.start(plant, policies={"INPUT_STALE": "stop"}, **options) as loop,
        il.attach(name) as box,
    ):
        box.write(push=2.0)
        loop.clock.advance(0.15)
        assert not loop.running
        assert (loop.report().status, loop.report().steps) == ("INPUT_STALE", 21)
        box.read()
        with pytest.raises(il.MailboxError, match="has ended"):
            box.wait(HANG)


def test_divergence_keeps_the_last_good_state(name: str) -> None:
    m = il.Model("runaway")
    m.body("cart", on=m.ground, joint=il.prismatic("x", initial=(0.1, 0.0)), mass=1.0)
    m.joint_force("cart", lambda q, qd: 50.0 * qd + 900.0 * q * q * q)
    plant = m.compile()
    with il.start(plant, name=name, rate=1000, mode="free", seconds=2.0) as loop:
        assert loop.wait(HANG)
        records = all_records(loop.mailbox)
    report = loop.close()
    bad = [r for r in records if r.status_name == "OUT_OF_BOUNDS"]
    assert bad
    assert report.failed >= len(bad)
    good = next(r for r in reversed(records) if r.status_name == "OK")
    assert all(np.array_equal(r.values[:3], good.values[:3]) for r in bad)
    assert np.all(np.isfinite(good.values))
    # latched: safe from the step after the first failure on
    assert all(r.flags & Flag.SAFE for r in bad[1:])
    assert report.steps == 2000
    assert report.status == "OUT_OF_BOUNDS"


def test_divergence_can_stop_and_reset_leads_out(name: str) -> None:
    m = il.Model("runaway")
    m.body("cart", on=m.ground, joint=il.prismatic("x", initial=(0.1, 0.0)), mass=1.0)
    m.joint_force("cart", lambda q, qd: 50.0 * qd + 900.0 * q * q * q)
    plant = m.compile()
    report = il.run(plant, name=name, mode="free", policies={"DIVERGED": "stop"})
    assert report.status == "OUT_OF_BOUNDS"
    assert report.failed == 1
    clock = il.ScriptedClock()
    with il.start(plant, name=name, rate=1000, clock=clock) as loop, il.attach(name) as box:
        loop.clock.advance(2.0)
        assert box.read().status_name == "OUT_OF_BOUNDS"
        box.pause()
        box.reset()
        record = box.read()
        assert (record.step, record.t, record.status_name) == (0, 0.0, "OK")
        record = do_steps(box, 1)
        assert (record.step, record.status_name) == (1, "OK")


def test_bad_inputs_are_refused_by_both_sides(plant: il.Plant, name: str) -> None:
    options = {"rate": 1000.0, "stale_after": None, "clock": il.ScriptedClock()}
    with il.start(plant, name=name, **options) as loop, il.attach(name) as box:
        box.write(push=1.5)
        loop.clock.advance(0.003)
        assert box.read()["push"] == 1.5
        for bad in (math.nan, math.inf):
            with pytest.raises(il.InputError, match="NaN or infinity"):
                box.write(push=bad)
        with pytest.raises(il.InputError, match=r"no input 'pusch'.*push"):
            box.write(pusch=1.0)
        with pytest.raises(il.InputError, match="the plant takes 3"):
            box.write([1.0])
        # a writer that does not check: the loop does
        record = mirror("inloop_record")()
        words = np.array([0.0, 0.0, math.nan])
        publish = realtime_function("il_mailbox_publish")
        publish(box._use().address, INPUTS, ctypes.addressof(record), words.ctypes.data)
        loop.clock.advance(0.05)
        assert loop.report().bad_inputs == 1
        assert box.read()["push"] == 1.5
        box.write(push=2.5)
        loop.clock.advance(0.001)
        assert box.read()["push"] == 2.5


def test_parameters_changed_live_equal_a_plant_built_that_way(name: str) -> None:
    model = arm()
    plant, other = model.compile(), model.compile()
    other.parameters["stiffness"] = 23.0
    assert plant.prepared("direct_dynamics").shape == other.prepared("direct_dynamics").shape
    options = {"rate": RATE, "paused": True, "clock": il.ScriptedClock()}
    with il.start(plant, name=name, **options) as loop, il.attach(name) as box:
        assert dict(box.parameters) == dict(plant.parameters)
        box.parameters["stiffness"] = 23.0
        record = do_steps(box, 100)
        assert box.parameters["stiffness"] == 23.0
        assert record.parameter_sequence == 2
        assert loop.report().bad_parameters == 0
    expected = other.simulate(t_end=100 * STEP, step=STEP)
    before = plant.simulate(t_end=100 * STEP, step=STEP)
    np.testing.assert_array_equal(record.q, expected.q[-1])
    # the plant itself has not changed, and the parameter matters
    assert np.max(np.abs(before.q[-1] - expected.q[-1])) > 1e-3


def test_parameters_are_checked(plant: il.Plant, name: str) -> None:
    clock = il.ScriptedClock()
    with il.start(plant, name=name, rate=1000, clock=clock) as loop, il.attach(name) as box:
        with pytest.raises(il.InputError, match=r"outside 0 \.\. 90"):
            box.parameters["stiffness"] = 91.0
        with pytest.raises(il.InputError, match="outside"):
            box.parameters["damping"] = math.nan
        with pytest.raises(il.InputError, match="Did you mean stiffness"):
            box.parameters["stifness"] = 1.0
        box.parameters.set({"stiffness": 3.0, "damping": 0.1})
        assert (box.parameters["stiffness"], box.parameters["damping"]) == (3.0, 0.1)
        # past the check of the client
        write = realtime_function("il_mailbox_write_parameters")
        words = np.array([1e9, 0.1])
        assert write(box._use().address, words.ctypes.data) == 0
        loop.clock.advance(0.05)
        assert loop.report().bad_parameters == 1
        # a bad value in the mailbox does not travel with the next good one
        box.parameters["damping"] = 0.2
        loop.clock.advance(0.05)
        assert loop.report().bad_parameters == 1
        box.parameters.reset()
        assert box.parameters["damping"] == 0.4


def test_extrapolated_inputs_follow_a_ramp(name: str) -> None:
    """A free mass pushed by a ramp that is sampled at each period: x = t³/6."""
    m = il.Model("mass")
    m.body("cart", on=m.ground, joint=il.prismatic("x"), mass=1.0)
    plant = m.compile()
    errors = {}
    for extrapolate in (False, True):
        with (
            il.start(
                plant, name=name, rate=64.0, substeps=8, mode="lock-step", extrapolate=extrapolate
            ),
            il.attach(name) as box,
        ):
            outputs = box.wait(HANG)
            while outputs is not None and outputs.step < 64:
                box.write(tau=[outputs.t])
                outputs = box.wait(HANG)
            assert outputs is not None
            errors[extrapolate] = abs(outputs.q[0] - 1.0 / 6.0)
    assert errors[False] == pytest.approx(0.5 * 0.5 / 64, rel=0.1)  # the hold is half a period late
    assert errors[True] < errors[False] / 20


def test_driven_joints_follow_a_function_of_time(name: str) -> None:
    m = il.Model("driven")
    crank = m.body("crank", on=m.ground, joint=il.revolute("y", initial=(0.3, 0.0)), mass=1.0)
    m.body(
        "bob", on=crank.point("tip", (0.5, 0, 0)), joint=il.revolute("y", initial=(0.2, 0.0)),
        mass=0.7, com=(0.2, 0, 0), inertia=(0.01, 0.01, 0.01),
    )  # fmt: skip
    m.drive(crank)
    plant = m.compile()
    motions = {plant.coordinates[0]: lambda t: 0.3 + 0.2 * il.sin(9.0 * t)}
    options = {"rate": RATE, "mode": "free", "seconds": 0.25}
    report = il.run(plant, name=name, motions=motions, **options)
    reference = plant.simulate(t_end=0.25, step=STEP, **motions)
    assert report.outputs is not None
    np.testing.assert_allclose(report.outputs.q, reference.q[-1], rtol=0, atol=1e-9)
    assert report.outputs.q[0] == pytest.approx(0.3 + 0.2 * math.sin(9.0 * 0.25), abs=1e-12)
    effort = f"{plant.coordinates[0]}.effort"
    assert report.outputs[effort] == pytest.approx(reference[effort][-1], rel=1e-6)
    assert report.most_iterations == 10


def test_options_that_make_no_sense_are_explained(plant: il.Plant, name: str) -> None:
    cases = {
        "rate = 0": {"rate": 0.0},
        "method 'heun'": {"method": "heun"},
        "policy 'panic'": {"policies": {"DIVERGED": "panic"}},
        "status 'LATE'": {"policies": {"LATE": "stop"}},
        "speed = 0": {"speed": 0.0},
        "stale_after = -1": {"stale_after": -1.0},
        "safe value of input 'pull'": {"safe": {"pull": 1.0}},
        "a run of -1": {"seconds": -1.0},
        "no input 'pull'": {"inputs": {"pull": 1.0}},
        "has no argument 'rat'. Did you mean rate": {"rat": 1.0},
        "cannot be the name": {"name": "a/b"},
        "core = 9999": {"core": 9999},
    }
    for text, options in cases.items():
        with pytest.raises(il.InputError, match=text):
            il.start(plant, **{"name": name, **options})


def test_a_name_is_used_once(plant: il.Plant, name: str) -> None:
    with il.start(plant, name=name, clock=il.ScriptedClock()):
        with pytest.raises(il.MailboxError, match="runs already, in process"):
            il.start(plant, name=name)
        assert il.attach(name).read().step == 0
    with pytest.raises(il.MailboxError, match="no plant named"):
        il.attach(name)


def test_memory_stays_flat(plant: il.Plant, name: str) -> None:
    """20 starts and stops and many records leave no memory and no thread behind."""

    def once() -> None:
        with (
            il.start(plant, name=name, rate=20_000, mode="free", seconds=0.1),
            il.attach(name) as b,
        ):
            for _ in range(50):
                b.read()

    for _ in range(5):
        once()
    threads = threading.active_count()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(20):
        once()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 4096  # kB
    assert threading.active_count() == threads
