"""Each fault does what it says, and nothing else; a killed controller costs only its time."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from realtime_arm import RATE

import inloop as il
from inloop import gallery
from inloop.cli import main
from inloop.realtime import Fault, Flag, Injector, Recording, read_fault, replay
from inloop.realtime.faults import Corruption

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
        ("nois:a=1", "is no fault"), ("noise:a", "needs a value"), ("noise", "is no fault"),
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
        il.start(plant, name=name, rate=RATE, paused=True),
        pytest.raises(il.InputError, match=message),
    ):
        Injector(name, [read_fault("noise:elbow.x=1")])


def test_between_plant_and_controller(plant: il.Plant, name: str) -> None:
    """What arrives differs from what the plant says by the faults alone."""
    faults = ["noise:shoulder.q=0.01", "stuck:elbow.q@0.3", "stuck:push@0.3", "drop:outputs=0.25"]
    seen, truth = [], []
    with (
        il.start(plant, name=name, rate=RATE, stale_after=None, paused=True) as loop,
        il.attach(name) as watcher,
        Injector(name, [read_fault(text) for text in faults]) as injector,
        il.attach(injector.name) as box,
    ):
        assert box.layout == watcher.layout
        loop.mailbox.resume()
        k = 0
        while not truth or truth[-1].t < 0.8:
            box.write(push=float(k))
            k += 1
            box.wait(1.0)
            seen += list(iter(box.next, None))
            truth += list(iter(watcher.next, None))
        applied = {out.step: out["push"] for out in truth}
    true = {out.step: out for out in truth}
    pairs = [(out, true[out.step]) for out in seen if out.step in true and out.step > 0]
    assert len(pairs) > 300
    noise = np.array([a["shoulder.q"] - b["shoulder.q"] for a, b in pairs])
    assert abs(noise.std() - 0.01) < 5 * 0.01 / math.sqrt(2 * len(pairs))
    assert all(a["shoulder.qd"] == b["shoulder.qd"] and a.t == b.t for a, b in pairs)
    late = {a["elbow.q"] for a, _ in pairs if a.t >= 0.3}
    assert len(late) == 1
    assert all(a["elbow.q"] == b["elbow.q"] for a, b in pairs if a.t < 0.3)
    lost, steps = injector.dropped[0], max(true)
    assert abs(lost - 0.25 * steps) < 5 * math.sqrt(steps * 0.25 * 0.75) + 10
    pushes = [applied[step] for step in sorted(applied)]
    early, after = pushes[: int(0.3 * RATE)], pushes[int(0.35 * RATE) :]
    assert len(set(early)) > 50
    assert len(set(after)) == 1


def test_two_injectors_of_one_seed_agree() -> None:
    values = stream(500)
    first, second = (
        np.array(passed("noise:outputs=0.1", values)[1]) for _ in range(2)
    )  # fmt: skip
    assert np.array_equal(first, second)


def test_a_killed_controller_costs_only_its_time(name: str, tmp_path: Path) -> None:
    """Safe state when the inputs are stale, takeover by a new process, the plant goes on."""
    path = tmp_path / "killed.mcap"
    words = [
        "run", "robot", "--rate", "500", "--seconds", "3", "--controller", "pd_c", "--name", name,
        "--fault", "kill:controller@1-1.5", "--record", str(path), "--stale-after", "0.1", "--json",
    ]  # fmt: skip
    command = [sys.executable, "-m", "inloop.cli", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    samples = list(Recording(path))
    counts = {key: np.array([s.counts[key] for s in samples]) for key in samples[0].counts}
    # the plant was not restarted and no step is missing
    assert len(samples) == 1501
    assert np.all(np.diff(counts["step"]) == 1)
    assert np.count_nonzero(counts["flags"] & Flag.SET) == 1
    safe = counts["flags"] & Flag.SAFE != 0
    t = np.array([s.values[0] for s in samples])
    dead = np.flatnonzero(safe & (t > 1.0))
    first = int(dead[0])
    # the last inputs of the dead one came between the records `last - 1` and `last`
    last = int(np.flatnonzero(np.diff(counts["input_sequence"][: first + 1]))[-1]) + 1
    stamps = counts["stamp"] / 1e9
    assert stamps[first] - stamps[last - 1] > 0.1
    longest = np.diff(stamps).max()
    assert stamps[first - 1] - stamps[last] < 0.1 + longest
    assert np.all(samples[first].inputs == 0.0)
    # the new one has the inputs to the end, counting on from where the dead one was
    again = int(np.flatnonzero(counts["input_sequence"] > counts["input_sequence"][last])[0])
    assert t[again] >= 1.5
    assert not safe[-1]
    assert np.any(samples[-1].inputs != 0.0)
    found = replay(Recording(path), gallery.get("robot").build().compile())
    assert found.identical
    assert found.steps == 1500


def test_a_controller_that_is_not_there(name: str, tmp_path: Path) -> None:
    words = ["run", "robot", "--rate", "500", "--seconds", "1", "--name", name]
    assert main([*words, "--controller", str(tmp_path / "nothing")]) == 2
    assert main([*words, "--controller", "false"]) == 2
    assert main([*words, "--fault", "kill:controller@1"]) == 2
    assert main([*words, "--controller", "pd", "--record", "x.bag"]) == 2


def test_time_goes_on_in_order(plant: il.Plant, name: str) -> None:
    """Delayed records arrive in the order of the plant."""
    with (
        il.start(plant, name=name, rate=RATE, stale_after=None) as loop,
        Injector(name, [read_fault("delay:outputs=0.01")]) as injector,
        il.attach(injector.name) as box,
    ):
        while loop.mailbox.read().t < 0.3:
            time.sleep(0.01)
        records = list(iter(box.next, None))
    steps = [out.step for out in records]
    assert all(a < b for a, b in itertools.pairwise(steps))
