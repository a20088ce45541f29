"""Controllers as functions beside a plant against the clock, in a process of their own."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from realtime_arm import HANG, RATE, all_records

import inloop as il
import warm_python
from inloop import gallery
from inloop.native import Status
from inloop.realtime import Flag, Loop
from inloop.realtime.controller_process import ControllerProcess, Service

HERE = str(Path(__file__))
SAMPLES = 4  # periods of the plant between two calls


class Pid:
    """A controller with states, on the shoulder, and a push that counts its calls."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.total, self.calls = 0.0, 0

    def __call__(self, t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        error = 0.3 - outputs["shoulder.q"]
        self.total += error * SAMPLES / RATE
        self.calls += 1
        force = 60.0 * error + 25.0 * self.total - 6.0 * outputs["shoulder.qd"]
        return {"shoulder.tau": force, "push": 1e-3 * self.calls}


def offline(plant: il.Plant, steps: int) -> il.Result:
    """What a run in lock-step gives."""
    options: dict[str, Any] = {"method": "rk4", "step": 1.0 / RATE, "period": SAMPLES / RATE}
    return plant.simulate(t_end=steps / RATE, controller=Pid(), **options)


def check_records(records: list[il.realtime.Outputs], result: il.Result) -> None:
    """The same bits at the end of each step."""
    assert [r.t for r in records] == result.t.tolist()
    np.testing.assert_array_equal([r.q for r in records], result.q)
    np.testing.assert_array_equal([r.qd for r in records], result.qd)
    # a record tells what was held in the step that led to it, a result what is held from there on
    for name in ("shoulder.tau", "push"):
        assert [r[name] for r in records[1:]] == result[name][:-1].tolist()
    assert np.ptp(result["shoulder.q"]) > 0.005 and np.ptp(result["shoulder.tau"]) > 1.0


def answered_steps(loop: Loop, count: int) -> None:
    """Let time pass, a period whenever the controller has answered."""
    for _ in range(count):
        assert loop.mailbox.answered(HANG)
        loop.clock.advance(1.0 / RATE)


def test_a_run_in_lock_step_gives_the_bits_of_a_simulated_one(plant: il.Plant, name: str) -> None:
    options: dict[str, Any] = {"rate": RATE, "method": "rk4", "mode": "lock-step"}
    with il.start(
        plant, name=name, seconds=200 / RATE, controller=Pid(), period=SAMPLES / RATE, **options
    ) as loop:
        loop.mailbox.rewind()
        assert loop.wait(HANG)
        check_records(all_records(loop.mailbox), offline(plant, 200))


def test_so_does_one_on_a_scripted_clock_with_a_controller_in_time(
    plant: il.Plant, name: str
) -> None:
    options: dict[str, Any] = {"rate": RATE, "method": "rk4", "clock": il.ScriptedClock()}
    with il.start(plant, name=name, controller=Pid(), period=SAMPLES / RATE, **options) as loop:
        answered_steps(loop, 100)
        records = all_records(loop.mailbox)
        assert not any(r.flags & Flag.SAFE for r in records)
        check_records(records, offline(plant, len(records) - 1))
        assert len(records) > 95


@pytest.mark.parametrize("exhibit", ["four_bar", "cart_pendulum", "robot"])
def test_loops_modes_and_contacts_give_the_same_bits_in_all_signals(
    exhibit: str, name: str
) -> None:
    plant = gallery.get(exhibit).build().compile()
    joint = plant.coordinates[0]

    def law(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        return {f"{joint}.tau": 0.3 - 0.05 * outputs[f"{joint}.qd"] + t}

    given: dict[str, Any] = {"controller": law, "period": SAMPLES / RATE}
    result = plant.simulate(t_end=300 / RATE, step=0.5 / RATE, **given)
    options: dict[str, Any] = {"rate": RATE, "substeps": 2, "mode": "lock-step"}
    with il.start(plant, name=name, seconds=300 / RATE, **given, **options) as loop:
        assert loop.wait(HANG)
        records, inputs = all_records(loop.mailbox), loop.mailbox.inputs
    assert len(records) == 301
    outputs = [n for n in records[0].names if n in result.names and n not in inputs]
    assert len(outputs) > 2 * plant.n
    for output in outputs:
        np.testing.assert_array_equal([r[output] for r in records], result[output][::2], output)
    assert np.ptp(result[f"{joint}.q"]) > 1e-4


def test_a_missed_sample_is_made_up_at_once_and_the_others_stay_where_they_are(
    plant: il.Plant, name: str
) -> None:
    calls = []

    def law(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        calls.append(round(t * 1000.0))
        return {}

    options: dict[str, Any] = {"rate": 1000.0, "clock": il.ScriptedClock()}
    with il.start(plant, name=name, **options) as loop, il.attach(name) as box:
        service = Service(box, law, SAMPLES, {})
        service.answer(box.read())
        loop.clock.advance(0.5e-3)
        for periods in (6, 1, 1, 3, 1, 4):
            loop.clock.advance(1e-3 * periods)
            service.answer(box.read())
    assert calls == [0, 6, 8, 12, 16]


def test_a_controller_beside_another_writer_is_told(plant: il.Plant, name: str) -> None:
    def law(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        return {}

    process = ControllerProcess(law)
    with il.start(plant, name=name, rate=RATE, paused=True) as loop:
        loop.mailbox.write(push=0.1)
        with pytest.raises(il.SimulationError, match=r"are written by process \d+"):
            process.attend(name)
    process.end()


def test_a_plant_that_ends_before_its_controller_has_answered_is_no_failure(
    plant: il.Plant, name: str
) -> None:
    context = multiprocessing.get_context("fork")
    entered, go_on = context.Event(), context.Event()

    def law(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        entered.set()
        go_on.wait()
        return {}

    process = ControllerProcess(law)
    with il.start(plant, name=name, rate=RATE, paused=True) as loop:

        def stop() -> None:
            entered.wait()
            with il.attach(name) as box:
                box.stop()
            go_on.set()

        stopping = threading.Thread(target=stop)
        stopping.start()
        process.attend(name)
        stopping.join()
        assert not loop.running
    process.end()
    assert process.failure is None


def test_a_plant_that_is_reset_finds_a_controller_that_begins_anew(
    plant: il.Plant, name: str
) -> None:
    options: dict[str, Any] = {"rate": RATE, "clock": il.ScriptedClock()}
    with il.start(plant, name=name, controller=Pid(), **options) as loop:
        answered_steps(loop, 20)
        box = loop.mailbox
        before = box.read()
        assert before["push"] == pytest.approx(1e-3 * before.step)
        box.reset()
        answered_steps(loop, 7)
        after = box.read()
        assert after.step < before.step
        assert after["push"] == pytest.approx(1e-3 * after.step)


def breaks(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
    """Works for a while."""
    if t > 10.5 / RATE:
        raise ValueError("no more")
    return {"push": 0.4}


def test_what_a_controller_raises_ends_the_run_and_reaches_the_user(
    plant: il.Plant, name: str
) -> None:
    with pytest.raises(il.SimulationError) as caught:
        il.run(plant, name=name, rate=RATE, mode="lock-step", controller=breaks)
    error = caught.value
    line = breaks.__code__.co_firstlineno + 3
    told = f"controller 'breaks' failed at t = {11 / RATE:.6g} s with ValueError: no more"
    assert str(error) == f"{told} ({HERE}:{line}). Check this line of the controller."
    assert 'raise ValueError("no more")' in error.__notes__[0]
    assert error.report.outputs["push"] == 0.4  # type: ignore[attr-defined]
    assert error.report.outputs.step == 11  # type: ignore[attr-defined]


def test_a_loop_that_nobody_waited_for_tells_it_when_it_is_closed(
    plant: il.Plant, name: str
) -> None:
    loop = il.start(plant, name=name, rate=RATE, mode="lock-step", controller=breaks)
    with contextlib.suppress(il.MailboxError):  # it has ended
        while True:
            loop.mailbox.wait(1.0)
    with pytest.raises(il.SimulationError, match="with ValueError: no more"):
        loop.close()
    assert loop.close().steps == 11


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"shoulder.ta": 1.0}, "has no input 'shoulder.ta'.*Did you mean 'shoulder.tau'"),
        ({"push": float("inf")}, "input 'push' is inf"),
        (None, "returned None, not inputs by name"),
    ],
)
def test_a_plant_does_not_start_with_a_controller_that_cannot_answer(
    plant: il.Plant, name: str, answer: Any, told: str
) -> None:
    with pytest.raises(il.SimulationError, match=f"controller '<lambda>' at t = 0 s: .*{told}"):
        il.start(plant, name=name, rate=RATE, controller=lambda t, outputs: answer)


def test_a_controller_whose_process_dies_is_told(plant: il.Plant, name: str) -> None:
    def dies(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        if t > 5.5 / RATE:
            os.kill(os.getpid(), signal.SIGKILL)
        return {}

    with pytest.raises(il.SimulationError, match="of controller 'dies' was killed by signal 9"):
        il.run(plant, name=name, rate=RATE, mode="lock-step", controller=dies)


def test_the_watchdog_acts_when_a_controller_hangs(plant: il.Plant, name: str) -> None:
    def hangs(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        if t > 9.5 / RATE:
            threading.Event().wait()
        return {"push": 0.4}

    stale_after = 0.05
    options: dict[str, Any] = {"rate": RATE, "clock": il.ScriptedClock()}
    with il.start(plant, name=name, stale_after=stale_after, controller=hangs, **options) as loop:
        box = loop.mailbox
        while box.read().step < 10:
            answered_steps(loop, 1)
        loop.clock.advance(0.5 * stale_after)
        held = box.read()
        assert (held["push"], held.status_name) == (0.4, "OK")
        loop.clock.advance(stale_after)
        safe = box.read()
        assert (safe["push"], safe.status) == (0.0, Status.INPUT_STALE)
        assert safe.flags & Flag.SAFE
        assert loop.running


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"period": 1e-3}, "a period without a controller"),
        (
            {"controller": breaks, "period": 2.5 / RATE},
            "not a whole number of periods of the plant",
        ),
        ({"controller": breaks, "period": float("nan")}, "period = nan"),
        ({"controller": Pid}, "controller 'Pid' is a class"),
        ({"controller": "breaks"}, "cannot be called"),
    ],
)
def test_what_makes_no_sense_is_refused(plant: il.Plant, name: str, given: Any, told: str) -> None:
    with pytest.raises(il.InputError, match=told):
        il.start(plant, name=name, rate=RATE, **given)


FILE = """
import inloop as il
m = il.Model("cart")
m.body("cart", on=m.ground, joint=il.prismatic("x"), mass=2.0)

def push(t, outputs):
    return {"cart.tau": 3.0}

class Breaks:
    def __call__(self, t, outputs):
        if t > 0.0105:
            raise ValueError("no more")
        return {}
"""


def inloop(*words: str) -> subprocess.CompletedProcess[str]:
    return warm_python.run(["-m", "inloop.cli", *words], timeout=240)


def test_the_command_line_finds_controllers_in_the_file(tmp_path: Path, name: str) -> None:
    """With a constant force, q = F t² / (2 m) and qd = F t / m."""
    file = tmp_path / "cart.py"
    file.write_text(FILE, encoding="utf-8")
    common = ("run", str(file), "--headless", "--seconds", "0.25")
    simulated = (*common, "--step", "0.0009765625")
    clocked = (*common, "--rate", "1024", "--mode", "lock-step", "--name", name)
    for words in (simulated, clocked):
        done = inloop(*words, "--controller", "push", "--period", "0.0078125", "--json")
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        assert told["q"]["cart"] == pytest.approx(3.0 * 0.25**2 / 4.0, rel=1e-12)
        assert told["qd"]["cart"] == pytest.approx(3.0 * 0.25 / 2.0, rel=1e-12)
        failed = inloop(*words, "--controller", "Breaks")
        assert failed.returncode != 0
        assert "controller 'Breaks' failed at t = 0.01" in failed.stderr
        assert "cart.py:12" in failed.stderr
    assert "Did you mean push?" in inloop(*simulated, "--controller", "pusch").stderr


INTERRUPTED = """
import os, sys
import inloop as il

def law(t, outputs):
    if t == 0.0:
        print(os.getpid(), flush=True)
    return {}

m = il.Model("cart")
m.body("cart", on=m.ground, joint=il.prismatic("x"), mass=2.0)
with il.start(m.compile(), name=sys.argv[1], controller=law) as loop:
    try:
        print("running", flush=True)
        loop.wait()
    except KeyboardInterrupt:
        print("ended", loop.close().status, flush=True)
"""


def test_ctrl_c_ends_plant_and_controller(name: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, name],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        controller = int(process.stdout.readline())
        assert process.stdout.readline() == "running\n"
        os.killpg(process.pid, signal.SIGINT)
        told, _ = process.communicate(timeout=240)
        assert told == "ended OK\n"
        with pytest.raises(ProcessLookupError):
            os.kill(controller, 0)
    finally:
        process.kill()
        process.wait()
