"""Recordings: every record is there, replay gives the same bits, nothing disturbs the loop."""

from __future__ import annotations

import errno
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from mcap.reader import make_reader
from realtime_arm import RATE, advance_with_controller, arm, do_steps

import inloop as il
from inloop import gallery
from inloop.cli.main import main
from inloop.errors import FileFormatError
from inloop.realtime import Flag, Recording, record, repair, replay
from inloop.realtime.clock import START
from inloop.realtime.recordings.fixed_message import FixedMessage
from inloop.realtime.recordings.recorder import Recorder, WholePieces
from warm_python import WarmPython

Begin = Callable[..., subprocess.Popen[str]]

# knows nothing but the mailbox: damps the arm, with noise, and changes a parameter now and then
NOISY = """
import random, sys
import inloop as il
random.seed(7)
box = il.attach(sys.argv[1], wait=20.0)
try:
    for k in range(10**9):
        out = box.wait(60.0)
        noise = [random.gauss(0.0, 0.5) for _ in range(2)]
        box.write(tau=[-2.0 * v + n for v, n in zip(out.qd, noise)], push=random.random())
        if k % 200 == 50:  # ten times: the mailbox keeps them all
            box.parameters["stiffness"] = random.uniform(1.0, 80.0)
except il.errors.MailboxError:
    pass
"""
RECORDER = """
import sys
import inloop as il
from inloop.realtime import record
with il.attach(sys.argv[1], wait=20.0) as box:
    print("attached", flush=True)
    done = record(box, sys.argv[2])
print(done.records, done.lost, done.problem)
"""
# takes what is there whenever it is told to, and says how far it has got
OBEDIENT = """
import sys
import inloop as il
from inloop.realtime.recordings.recorder import Recorder
with il.attach(sys.argv[1], wait=20.0) as box, Recorder(box, sys.argv[2]) as recorder:
    for line in sys.stdin:
        while recorder.take():
            pass
        print(recorder.records, recorder.written, flush=True)
"""


class FullDisk(WholePieces):
    """A disk with room for so many bytes."""

    def __init__(self, path: Path, room: int) -> None:
        super().__init__(path)
        self.room = room

    def _put(self, data: memoryview) -> int:
        if self.room == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = super()._put(data[: self.room])
        self.room -= written
        return written


@pytest.fixture(scope="module")
def noisy_run(plant: il.Plant, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of two seconds with a noisy controller in another process."""
    path = tmp_path_factory.mktemp("noisy") / "run.mcap"
    path.with_suffix(".begun").write_text(str(time.time_ns()))
    name = f"test-noisy-{os.getpid()}"

    def python(text: str, *words: str) -> subprocess.Popen[str]:
        return WarmPython(["-c", text, *words], stdout=subprocess.PIPE, text=True)

    options = {"rate": RATE, "seconds": 2.0, "clock": il.ScriptedClock()}
    with il.start(plant, name=name, **options) as loop:
        recorder, controller = python(RECORDER, name, str(path)), python(NOISY, name)
        assert recorder.stdout is not None
        assert recorder.stdout.readline().strip() == "attached"
        advance_with_controller(loop, round(2.0 * RATE))
        assert not loop.running
        records, lost, *problem = recorder.communicate()[0].split()
        controller.communicate()
        assert controller.returncode == 0
        report = loop.close()
    assert not problem
    assert int(lost) == 0
    assert int(records) == report.steps + 1  # and the start
    return path


def test_records_whose_parameters_were_overwritten_are_lost_and_told(
    plant: il.Plant, name: str, tmp_path: Path
) -> None:
    path, changes = tmp_path / "late.mcap", 40
    clock = il.ScriptedClock()
    with il.start(plant, name=name, rate=RATE, stale_after=None, clock=clock) as loop:
        recorder = Recorder(loop.mailbox, path)
        for k in range(changes):
            loop.mailbox.parameters["stiffness"] = 3.0 + 0.1 * k
            loop.clock.advance(1.0 / RATE)
        # the ring of parameters holds fewer than have changed
        recorder.take()
        recorder.finish()
        recorder.close()
    assert 0 < recorder.lost < changes
    recording = Recording(path)
    samples = list(recording)
    assert samples[-1].counts["sequence"] == len(samples) + recorder.lost
    assert recording.report is not None
    found = replay(recording, plant)
    assert found.different == 0, found.first
    assert found.steps > 5


def test_a_replay_gives_the_same_bits(noisy_run: Path, plant: il.Plant) -> None:
    recording = Recording(noisy_run)
    samples = list(recording)
    assert recording.complete
    assert [s.counts["sequence"] for s in samples] == list(range(1, len(samples) + 1))
    # the run was not trivial: inputs and parameters changed, the arm moved
    inputs = np.array([s.inputs for s in samples])
    assert len(np.unique(inputs[:, 0])) > 100
    assert sum(s.parameters is not None for s in samples) > 5
    q = np.array([s.values[1:3] for s in samples])
    assert np.ptp(q, axis=0).min() > 0.1
    found = replay(recording, plant)
    assert found.identical, found.first
    assert found.steps == len(samples) - 1
    assert found.gaps == 0


def test_a_replay_finds_one_changed_bit(
    noisy_run: Path, plant: il.Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = list(Recording(noisy_run))[:200]
    whole[120].values[2] = np.nextafter(whole[120].values[2], np.inf)
    recording = Recording(noisy_run)
    monkeypatch.setattr(Recording, "__iter__", lambda self: iter(whole))
    found = replay(recording, plant)
    assert (found.steps, found.different) == (199, 1)
    assert found.first is not None
    assert (found.first.sequence, found.first.name) == (121, "elbow.q")


def test_a_replay_refuses_another_plant(noisy_run: Path) -> None:
    m = arm()
    m.joint_force("upper", lambda q, qd: -0.001 * qd)
    with pytest.raises(il.InputError, match="the recording is of model"):
        replay(Recording(noisy_run), m.compile(backend="c"))


def test_other_programs_can_read_it(noisy_run: Path) -> None:
    """The MCAP library with its index, and Google's protobuf with the schema in the file."""
    samples, running = list(Recording(noisy_run)), Recording(noisy_run).facts["name"]
    with noisy_run.open("rb") as file:
        reader = make_reader(file)
        summary = reader.get_summary()
        assert summary is not None and summary.statistics is not None
        topics = {c.topic.rpartition("/")[2]: c.id for c in summary.channels.values()}
        counts = summary.statistics.channel_message_counts
        assert counts[topics["outputs"]] == counts[topics["inputs"]] == len(samples)
        schemas = {schema.name: schema.data for schema in summary.schemas.values()}
        pool = descriptor_pool.DescriptorPool()
        for data in schemas.values():
            for proto in descriptor_pb2.FileDescriptorSet.FromString(data).file:
                pool.Add(proto)
        names = {"outputs": "inloop.Outputs", "inputs": "inloop.Inputs"}
        for kind, message in names.items():
            kind_of = message_factory.GetMessageClass(pool.FindMessageTypeByName(message))
            messages = reader.iter_messages(topics=[f"/{running}/{kind}"])
            for sample, (_, _, found) in zip(samples, messages, strict=True):
                decoded = kind_of.FromString(found.data)
                if kind == "outputs":
                    assert decoded.sequence == sample.counts["sequence"]
                    assert decoded.shoulder_q == sample.values[1]
                    assert decoded.elbow_qd == sample.values[4]
                else:
                    assert decoded.elbow_tau == sample.inputs[1]
                    assert decoded.push == sample.inputs[2]
        # Foxglove shows the wall clock: that of the recorder when it came, at most two seconds of
        # the plant's clock after the first record
        begun = int(noisy_run.with_suffix(".begun").read_text())
        start = summary.statistics.message_start_time
        assert begun - 2_000_000_000 <= start <= time.time_ns()


def test_a_killed_recorder_disturbs_nothing(
    plant: il.Plant, name: str, python: Begin, tmp_path: Path
) -> None:
    path = tmp_path / "killed.mcap"
    options = {"rate": RATE, "stale_after": None, "clock": il.ScriptedClock()}
    with il.start(plant, name=name, **options) as loop:
        recorder = python(OBEDIENT, name, str(path))
        assert recorder.stdin is not None and recorder.stdout is not None
        written = 0
        while written < 1000:
            loop.clock.advance(0.3)
            recorder.stdin.write("take\n")
            recorder.stdin.flush()
            written = int(recorder.stdout.readline().split()[1])
        recorder.send_signal(signal.SIGKILL)
        recorder.wait()
        before = loop.mailbox.read().step
        loop.clock.advance_to(START + (before + 100.5) / RATE)
        assert loop.mailbox.read().step == before + 100
        report = loop.close()
    assert (report.steps, report.overruns) == (report.periods, 0)
    assert report.status == "OK"
    recording = Recording(path)
    samples = list(recording)
    assert not recording.complete
    assert len(samples) == written
    # without a gap, from the first record on
    steps = [s.counts["sequence"] for s in samples]
    assert steps == list(range(1, 1 + len(steps)))
    assert replay(recording, plant).identical
    # with its indexes again
    fixed = tmp_path / "fixed.mcap"
    repair(path, fixed)
    again = Recording(fixed)
    assert [s.values.tobytes() for s in again] == [s.values.tobytes() for s in samples]
    assert again.complete
    with fixed.open("rb") as file:
        assert make_reader(file).get_summary() is not None


def test_any_length_can_be_read(noisy_run: Path, tmp_path: Path) -> None:
    """A machine that loses its power may leave any part of the file."""
    data, whole = noisy_run.read_bytes(), [s.values.tobytes() for s in Recording(noisy_run)]
    rng = np.random.default_rng(3)
    cut = tmp_path / "cut.mcap"
    sizes = []
    for length in rng.integers(0, len(data), 12):
        cut.write_bytes(data[:length])
        try:
            found = [s.values.tobytes() for s in Recording(cut)]
        except FileFormatError:
            found = []
        assert found == whole[: len(found)]
        sizes.append((int(length), len(found)))
    sizes.sort()
    counts = [count for _, count in sizes]
    assert counts == sorted(counts) and counts[-1] > 0


def test_a_full_disk_ends_the_recorder_alone(plant: il.Plant, name: str, tmp_path: Path) -> None:
    path = tmp_path / "full.mcap"
    clock = il.ScriptedClock()
    with il.start(plant, name=name, rate=RATE, stale_after=None, clock=clock) as loop:
        with Recorder(loop.mailbox, path, FullDisk(path, 300_000)) as recorder:
            with pytest.raises(OSError, match="No space left"):
                while True:
                    loop.clock.advance(0.02)
                    recorder.take()
            taken, written = recorder.records, recorder.written
        assert loop.running
        report = loop.close()
    assert (report.steps, report.overruns) == (report.periods, 0)
    assert path.stat().st_size < 300_000
    samples = list(Recording(path))
    # only what was not yet written is lost
    assert 100 < len(samples) == written < taken
    assert [s.counts["sequence"] for s in samples] == list(range(1, len(samples) + 1))


def test_the_outcome_tells_of_a_full_disk(
    plant: il.Plant, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sys.modules[Recorder.__module__]
    monkeypatch.setattr(module, "WholePieces", lambda path, _: FullDisk(path, 200_000))
    clock = il.ScriptedClock()
    with il.start(plant, name=name, rate=RATE, stale_after=None, clock=clock) as loop:
        loop.clock.advance(3.5)  # more than the disk has room for
        done = record(loop.mailbox, tmp_path / "full.mcap")
        assert loop.running
    assert done.problem == "No space left on device"
    assert 0 < done.size <= 200_000


def test_resets_gaps_and_late_starts(plant: il.Plant, name: str, tmp_path: Path) -> None:
    path = tmp_path / "gaps.mcap"
    options = {"rate": RATE, "paused": True, "telemetry": 1.0, "clock": il.ScriptedClock()}
    with il.start(plant, name=name, **options) as loop:
        box = loop.mailbox
        do_steps(box, 5000)  # more than the ring keeps
        with il.attach(name) as other, Recorder(other, path) as recorder:
            recorder.take()
            late = recorder.lost
            box.write(push=3.0)
            do_steps(box, 100)
            box.reset()
            do_steps(box, 100)
            recorder.take()
            do_steps(box, 5000)
            while recorder.take():
                pass
            lost = recorder.lost
            recorder.finish()
    assert late == 0
    assert lost > 3000
    recording = Recording(path)
    samples = list(recording)
    assert samples[0].counts["sequence"] > 1
    assert sum(s.was_set for s in samples) == 1
    missing = sum(
        b.counts["sequence"] - a.counts["sequence"] - 1 for a, b in itertools.pairwise(samples)
    )
    assert missing == lost
    found = replay(recording, plant)
    assert found.identical
    assert found.gaps == 1
    assert found.steps == len(samples) - 3  # the first, the reset, the one after the gap


def test_a_recording_begins_when_it_was_asked_for(
    plant: il.Plant, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = {"rate": RATE, "stale_after": None, "telemetry": 4.0, "clock": il.ScriptedClock()}
    with il.start(plant, name=name, **options) as loop:
        loop.clock.advance(3000 / RATE)
        now = il.attach(name)
        with now, Recorder(now, tmp_path / "now.mcap", since=now.clock.now_ns + 1) as recorder:
            loop.clock.advance(20 / RATE)
            while recorder.take():
                pass
            recorder.finish()
        counts = []
        for words in ([], ["--history"]):
            file = str(tmp_path / f"command{len(words)}.mcap")
            assert main(["record", name, "--to", file, "--seconds", "0", "--json", *words]) == 0
            counts.append(json.loads(capsys.readouterr().out)["records"])
    assert len(list(Recording(tmp_path / "now.mcap"))) == 20
    # the time of the command counts by the clock of the machine, which a scripted one is not
    assert counts[0] < 2000
    assert counts[1] == 3021  # and the start


def test_a_closed_mechanism_with_a_failed_step(name: str, tmp_path: Path) -> None:
    plant = gallery.get("four_bar").build().compile(backend="c")
    path = tmp_path / "closed.mcap"
    clock = il.ScriptedClock()
    with il.start(plant, name=name, rate=1000.0, paused=True, clock=clock) as loop:
        box = loop.mailbox
        with il.attach(name) as other, Recorder(other, path) as recorder:
            for torque in (0.0, 3.0, 1e300, -2.0):
                box.write({f"{plant.coordinates[0]}.tau": torque})
                do_steps(box, 20)
                recorder.take()
            recorder.finish()
    samples = list(Recording(path))
    assert len({s.counts["status"] for s in samples}) == 2
    assert any(s.counts["flags"] & Flag.SAFE for s in samples)
    found = replay(Recording(path), plant)
    assert found.identical, found.first
    assert found.steps == len(samples) - 1 == 80


def test_messages_keep_every_bit() -> None:
    message = FixedMessage("Some", ("count",), ("a.b", "a_b", "7"))
    odd = np.array([-0.0, 5e-324, np.nan])
    counts, numbers = message.decode(message.encode((-(2**62),), odd))
    assert counts == [-(2**62)]
    assert numbers.tobytes() == odd.tobytes()
    with pytest.raises(FileFormatError, match=r"no inloop\.Some"):
        message.decode(b"\0" * 40)
