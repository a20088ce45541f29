"""Each fault does what it says, and nothing else; a killed controller costs only its time."""

from __future__ import annotations

import math
import os
import select
import subprocess
from pathlib import Path

import numpy as np
import pytest
from realtime_arm import HANG, RATE, all_records

import inloop as il
from inloop import gallery
from inloop.cli import main
from inloop.realtime import Fault, Flag, Injector, Outputs, Recording, read_fault, replay
from inloop.realtime.clock import START
from inloop.realtime.faults import Corruption
from warm_python import WarmPython

NAMES = ("t", "a", "b", "c")


def stream(count: int = 4000) -> np.ndarray:
    rng = np.random.default_rng(11)
    values = rng.normal(size=(count, 4))
    values[:, 0] = np.arange(count) / 1000.0
    return values


def passed(text: str, values: np.ndarray) -> tuple[Corruption, list[np.ndarray | None]]:
    corruption = Corruption([read_fault(text)], NAMES, seed=5)
    kept = values.copy()
    found = [corruption.apply(float(row[0]), row) for row in values]
    assert np.array_equal(values, kept)
    return corruption, found


def test_faults_are_read() -> None:
    assert read_fault("noise:a.q=1e-3") == Fault("noise", "a.q", 1e-3)
    assert read_fault("stuck:a.q@5s") == Fault("stuck", "a.q", 0.0, 5.0)
    assert read_fault("drop:outputs=0.1@2-3.5s") == Fault("drop", "outputs", 0.1, 2.0, 3.5)
    assert read_fault("lost:a.q@5-6") == Fault("lost", "a.q", 0.0, 5.0, 6.0)
    assert read_fault("limit:a.tau=2.5@5") == Fault("limit", "a.tau", 2.5, 5.0)
    assert read_fault("kill:controller@5-6") == Fault("kill", "controller", 0.0, 5.0, 6.0)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("nois:a=1", "is not a fault"), ("noise:a", "needs a value"), ("noise", "is not a fault"),
        ("drop:a=1.5", "makes no sense"), ("noise:a=nan", "makes no sense"),
        ("noise:a=-1", "makes no sense"), ("stuck:a=3@1", "has no value"), ("stuck:a", "when"),
        ("stuck:a@5-4", "ends before"), ("kill:a@3", "only the controller"),
        ("lost:a=1", "has no value"), ("limit:a@1", "needs a value"),
        ("noise:controller=1", "only the controller"), ("delay:a=inf", "makes no sense"),
    ],
)  # fmt: skip
def test_what_is_no_fault_is_refused(text: str, what: str) -> None:
    with pytest.raises(il.InputError, match=what):
        read_fault(text)


def test_noise_has_its_deviation() -> None:
    values = stream()
    found = np.array(passed("noise:b=0.25@1-3", values)[1])
    noise = (found - values)[:, 2]
    window = (values[:, 0] >= 1.0) & (values[:, 0] < 3.0)
    count = int(window.sum())
    assert count == 2000
    assert np.all(noise[~window] == 0.0)
    # five standard deviations of the estimates
    assert abs(noise[window].mean()) < 5 * 0.25 / math.sqrt(count)
    assert abs(noise[window].std() - 0.25) < 5 * 0.25 / math.sqrt(2 * count)
    assert abs(np.corrcoef(noise[window][1:], noise[window][:-1])[0, 1]) < 5 / math.sqrt(count)
    assert np.array_equal(found[:, [0, 1, 3]], values[:, [0, 1, 3]])


def test_noise_on_everything_leaves_time_alone() -> None:
    values = stream()
    found = np.array(passed("noise:outputs=0.1", values)[1])
    assert np.array_equal(found[:, 0], values[:, 0])
    assert np.all((found - values)[:, 1:].std(axis=0) > 0.09)


def test_lost_and_limited_signals() -> None:
    values = stream()
    window = (values[:, 0] >= 1.0) & (values[:, 0] < 3.0)
    lost = np.array(passed("lost:b@1-3", values)[1])
    assert np.all(lost[window, 2] == 0.0)
    limited = np.array(passed("limit:b=0.5@1-3", values)[1])
    assert np.array_equal(limited[window, 2], np.clip(values[window, 2], -0.5, 0.5))
    for found in (lost, limited):
        assert np.array_equal(found[~window], values[~window])
        assert np.array_equal(found[:, [0, 1, 3]], values[:, [0, 1, 3]])


def test_a_dropped_sample_is_the_one_before() -> None:
    values = stream()
    found = np.array(passed("drop:c=0.2", values)[1])
    old = found[1:, 3] != values[1:, 3]
    assert np.array_equal(found[1:, 3][old], found[:-1, 3][old])
    assert abs(old.sum() - 0.2 * 4000) < 5 * math.sqrt(4000 * 0.2 * 0.8)
    assert np.array_equal(found[:, :3], values[:, :3])


def test_dropped_records_do_not_come() -> None:
    corruption, found = passed("drop:outputs=0.3", stream())
    lost = sum(row is None for row in found)
    assert lost == corruption.dropped
    assert abs(lost - 0.3 * 4000) < 5 * math.sqrt(4000 * 0.3 * 0.7)


def test_a_delayed_signal_is_an_old_one() -> None:
    values = stream()
    found = np.array(passed("delay:a=0.02", values)[1])
    assert np.array_equal(found[20:, 1], values[:-20, 1])
    assert np.all(found[:20, 1] == values[0, 1])
    assert np.array_equal(found[:, [0, 2, 3]], values[:, [0, 2, 3]])


def test_a_stuck_signal_stays() -> None:
    values = stream()
    found = np.array(passed("stuck:b@1-2", values)[1])
    assert np.all(found[1000:2000, 2] == values[999, 2])
    assert np.array_equal(found[:1000], values[:1000])
    assert np.array_equal(found[2000:], values[2000:])
    assert np.array_equal(found[:, [0, 1, 3]], values[:, [0, 1, 3]])


def test_an_unknown_signal_is_told(plant: il.Plant, name: str) -> None:
    message = r"no signal 'elbow\.x'"
    with (
        il.start(plant, name=name, rate=RATE, clock=il.ScriptedClock()),
        pytest.raises(il.InputError, match=message),
    ):
        Injector(name, [read_fault("noise:elbow.x=1")])


def test_between_plant_and_controller(plant: il.Plant, name: str) -> None:
    """What arrives differs from what the plant says by the faults alone."""
    faults = ["noise:shoulder.q=0.01", "stuck:elbow.q@0.3", "stuck:push@0.3", "drop:outputs=0.25"]
    seen: list[Outputs] = []
    steps, options = round(0.8 * RATE), {"stale_after": None, "clock": il.ScriptedClock()}
    with (
        il.start(plant, name=name, rate=RATE, **options) as loop,
        il.attach(name) as watcher,
        Injector(name, [read_fault(text) for text in faults]) as injector,
        il.attach(injector.name) as box,
    ):
        assert box.layout == watcher.layout
        for k in range(steps):
            box.write(push=float(k))
            assert injector.wait(inputs=k + 1, timeout=HANG)
            loop.clock.advance_to(START + (k + 1.5) / RATE)
            assert injector.wait(outputs=k + 2, timeout=HANG)
            seen += all_records(box)
        truth = all_records(watcher)
        applied = {out.step: out["push"] for out in truth}
    true = {out.step: out for out in truth}
    assert list(true) == list(range(steps + 1))
    pairs = [(out, true[out.step]) for out in seen if out.step > 0]
    assert len(pairs) + injector.dropped[0] == steps
    noise = np.array([a["shoulder.q"] - b["shoulder.q"] for a, b in pairs])
    assert abs(noise.std() - 0.01) < 5 * 0.01 / math.sqrt(2 * len(pairs))
    assert all(a["shoulder.qd"] == b["shoulder.qd"] and a.t == b.t for a, b in pairs)
    late = {a["elbow.q"] for a, _ in pairs if a.t >= 0.3}
    assert len(late) == 1
    assert all(a["elbow.q"] == b["elbow.q"] for a, b in pairs if a.t < 0.3)
    lost = injector.dropped[0]
    assert abs(lost - 0.25 * steps) < 5 * math.sqrt(steps * 0.25 * 0.75)
    # each step has what was written before it, until that is stuck: the injector knows the time by
    # what the plant has said, whether it passed that on or not
    stuck = math.ceil(0.3 * RATE)
    assert [applied[k + 1] for k in range(steps)] == [
        float(min(k, stuck - 1)) for k in range(steps)
    ]


def wait_for_end(pid: int) -> None:
    """Wait until a process that is not a child of this one has ended."""
    process = os.pidfd_open(pid)
    try:
        assert select.select([process], [], [], HANG)[0]
    finally:
        os.close(process)


def test_two_injectors_of_one_seed_agree() -> None:
    values = stream(500)
    first, second = (
        np.array(passed("noise:outputs=0.1", values)[1]) for _ in range(2)
    )  # fmt: skip
    assert np.array_equal(first, second)


@pytest.mark.long
def test_a_killed_controller_costs_only_its_time(name: str, tmp_path: Path) -> None:
    """Safe state when the inputs are stale, takeover by a new process, the plant goes on."""
    path, rate = tmp_path / "killed.mcap", 500
    words = [
        "run", "robot", "--rate", str(rate), "--seconds", "3", "--controller", "pd_c",
        "--fault", "kill:controller@1-1.5", "--record", str(path), "--stale-after", "0.1",
        "--name", name, "--clock", "held",
    ]  # fmt: skip
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with WarmPython(["-m", "inloop.cli", *words], text=True, **pipes) as process:
        assert process.stderr is not None
        assert any(line.startswith("running ") for line in process.stderr)
        with il.attach(name) as box:
            start = box.clock.now

            def go_on(begin: int, end: int, controlled: bool = True) -> None:
                for k in range(begin, end):
                    assert not controlled or box.answered(HANG)
                    box.clock.advance_to(start + (k + 1) / rate)
                    assert box.peek().step == k + 1 or box.gone

            go_on(0, rate)
            assert box.answered(HANG)
            assert box.writer is not None
            wait_for_end(box.writer)
            go_on(rate, rate * 3 // 2, controlled=False)
            go_on(rate * 3 // 2, 3 * rate)
        _, err = process.communicate()
    assert process.returncode == 0, err
    samples = list(Recording(path))
    counts = {key: np.array([s.counts[key] for s in samples]) for key in samples[0].counts}
    # the plant was not restarted and no step is missing
    assert np.array_equal(counts["step"], np.arange(1501))
    assert np.count_nonzero(counts["flags"] & Flag.SET) == 1
    # the last inputs were written at 1 s; they were used up to an age of 0.1 s
    safe = counts["flags"] & Flag.SAFE != 0
    assert np.flatnonzero(safe).tolist() == list(range(551, 751))
    assert all(np.all(s.inputs == 0.0) for s in samples[551:751])
    assert np.any(samples[550].inputs != 0.0)
    # the new one has the inputs from 1.5 s to the end, counting on from where the dead one was
    assert len(set(counts["input_sequence"][501:751])) == 1
    assert np.all(np.diff(counts["input_sequence"][750:]) > 0)
    assert np.any(samples[-1].inputs != 0.0)
    found = replay(Recording(path), gallery.get("robot").build().compile())
    assert found.identical
    assert found.steps == 1500


def test_a_controller_that_is_not_there(name: str, tmp_path: Path) -> None:
    words = [
        "run",
        "robot",
        "--rate",
        "500",
        "--seconds",
        "1",
        "--name",
        name,
        "--clock",
        "scripted",
    ]
    assert main([*words, "--controller", str(tmp_path / "nothing")]) == 2
    assert main([*words, "--controller", "false"]) == 2
    assert main([*words, "--fault", "kill:controller@1"]) == 2
    assert main([*words, "--controller", "pd", "--record", "x.bag"]) == 2


def test_time_goes_on_in_order(plant: il.Plant, name: str) -> None:
    """Delayed records arrive in the order of the plant."""
    options = {"rate": RATE, "stale_after": None, "clock": il.ScriptedClock()}
    with (
        il.start(plant, name=name, **options) as loop,
        Injector(name, [read_fault("delay:outputs=0.01")]) as injector,
        il.attach(injector.name) as box,
    ):
        loop.clock.advance(0.3)
        count = loop.mailbox.read().sequence
        assert count == 1 + math.floor(0.3 * RATE)
        assert injector.wait(outputs=count, timeout=HANG)
        records = all_records(box)
    assert [out.step for out in records] == list(range(count))
    # each tells what was true 0.01 s before
    late = [out.t for out in records]
    assert late == sorted(late)
