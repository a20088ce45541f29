"""Files of recordings: never lost in silence, never shared, and what survives a power cut."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from realtime_arm import RATE
from recording_mutations import write_recording

import inloop as il
from inloop.cli import main
from inloop.errors import FileFormatError
from inloop.realtime import Recording, repair
from inloop.realtime.recordings.recorder import Recorder
from inloop.realtime.recordings.recording_file import WholePieces, check_replaceable
from warm_python import WarmPython

# one writer, one owner


def test_a_recording_is_for_its_owner_alone(tmp_path: Path) -> None:
    path, torn, whole = (tmp_path / f"{name}.mcap" for name in ("own", "torn", "whole"))
    before = os.umask(0)
    try:
        with WholePieces(path):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
        write_recording(torn)
        repair(torn, whole)
    finally:
        os.umask(before)
    assert stat.S_IMODE(whole.stat().st_mode) == 0o600


def test_a_file_that_is_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    path.write_bytes(b"precious")
    with pytest.raises(il.InputError, match=r"there is a file .*run\.mcap' already.*--overwrite"):
        WholePieces(path)
    assert path.read_bytes() == b"precious"
    with WholePieces(path, overwrite=True) as file:
        file.write(b"new")
        file.commit()
    assert path.read_bytes() == b"new"


def test_a_file_that_somebody_writes_cannot_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    with WholePieces(path) as first:
        first.write(b"first")
        for overwrite in (False, True):
            with pytest.raises(il.InputError, match=r"already|another program"):
                WholePieces(path, overwrite)
        first.commit()
        assert path.read_bytes() == b"first"
    assert check_replaceable(path)


def test_only_files_of_their_own_are_replaced(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere.mcap"
    target.write_bytes(b"precious")
    link, pipe = tmp_path / "link.mcap", tmp_path / "pipe.mcap"
    link.symlink_to(target)
    os.mkfifo(pipe)
    for path in (link, pipe):
        with pytest.raises(il.InputError, match="not a regular file of its own"):
            WholePieces(path, overwrite=True)
    assert target.read_bytes() == b"precious" and link.is_symlink() and pipe.is_fifo()


# repair


def test_repair_never_destroys_its_source(tmp_path: Path) -> None:
    path, link, soft = tmp_path / "run.mcap", tmp_path / "hard.mcap", tmp_path / "soft.mcap"
    write_recording(path)
    data = path.read_bytes()[:-100]
    path.write_bytes(data)
    os.link(path, link)
    soft.symlink_to(path)
    for target in (path, link, soft, tmp_path / ".." / tmp_path.name / "run.mcap"):
        for words in ([], ["--overwrite"]):
            assert main(["report", str(path), "--repair", str(target), *words]) == 2
        assert path.read_bytes() == data
    other = tmp_path / "other.mcap"
    other.write_bytes(b"precious")
    assert main(["report", str(path), "--repair", str(other)]) == 2
    assert other.read_bytes() == b"precious"
    assert main(["report", str(path), "--repair", str(other), "--overwrite"]) == 0
    assert path.read_bytes() == data
    assert [s.values.tobytes() for s in Recording(other)] == [
        s.values.tobytes() for s in Recording(path)
    ]
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".")]


def test_a_repair_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, target = tmp_path / "run.mcap", tmp_path / "whole.mcap"
    write_recording(path)
    target.write_bytes(b"precious")

    def full(self: WholePieces, data: memoryview) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(WholePieces, "_put", full)
    with pytest.raises(OSError, match="No space left"):
        repair(path, target, overwrite=True)
    assert target.read_bytes() == b"precious"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run.mcap", "whole.mcap"]


# a power cut


@contextlib.contextmanager
def recorded(
    plant: il.Plant, name: str, path: Path, sync: Callable[[int], None]
) -> Iterator[Callable[[int], None]]:
    """A recorder of a plant that steps only when it is told to; gives steps."""
    with il.start(plant, name=name, rate=RATE, mode="free", paused=True) as loop:
        box = loop.mailbox
        with il.attach(name) as other:
            file = WholePieces(path, sync=sync)
            with Recorder(other, path, file) as recorder:

                def step(count: int) -> None:
                    goal = recorder.records + count
                    box.step(count)
                    while recorder.records < goal:
                        recorder.take()
                    recorder.commit()

                yield step
                recorder.finish()


def test_what_was_synced_survives_a_power_cut(
    plant: il.Plant, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk holds all that was synced; of the rest it may hold any part, or other bytes."""
    monkeypatch.setattr("inloop.realtime.recordings.recording_file.SYNC_EVERY", 0.0)  # each commit
    path, sizes = tmp_path / "cut.mcap", []

    def sync(descriptor: int) -> None:
        os.fdatasync(descriptor)
        sizes.append(os.fstat(descriptor).st_size)

    with recorded(plant, name, path, sync) as step:
        assert len(sizes) == 1  # what the plant is, before the first record
        for _ in range(6):
            step(50)
    whole = [s.values.tobytes() for s in Recording(path)]
    data, cut = path.read_bytes(), tmp_path / "left.mcap"
    assert sizes == sorted(sizes) and sizes[-1] == len(data)
    found_before = 0
    for size in sizes:
        for rest in (b"", bytes(5000), os.urandom(3000), data[size : size + 1000]):
            cut.write_bytes(data[:size] + rest)
            found = [s.values.tobytes() for s in Recording(cut)]
            assert found == whole[: len(found)]
            assert len(found) >= found_before
        cut.write_bytes(data[:size])
        found_before = len(list(Recording(cut)))
    assert found_before == len(whole) > 300


def test_syncs_are_due_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now, syncs = [100.0], []
    monkeypatch.setattr("inloop.realtime.recordings.recording_file.time.monotonic", lambda: now[0])
    path = tmp_path / "run.mcap"
    with WholePieces(path, sync=syncs.append) as file:
        for k in range(40):  # ten seconds of commits, four in each
            now[0] = 100.0 + 0.25 * k
            file.write(b"x")
            file.commit()
        assert len(syncs) == 9
        file.commit(sync=True)
        assert len(syncs) == 10
    assert path.stat().st_size == 40


def test_the_name_of_a_new_file_is_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    real = os.fsync
    monkeypatch.setattr(
        os, "fsync", lambda file: (synced.append(os.fstat(file).st_ino), real(file))
    )
    with WholePieces(tmp_path / "new.mcap"):
        assert synced == [tmp_path.stat().st_ino]


# a recorder that fails


def recorder_of(run: subprocess.Popen[str], path: Path) -> int:
    """Process id of the recorder that a run has started."""
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if b"record" in words and os.fsencode(path) in words:
                return int(entry.name)
    raise AssertionError("there is no recorder")


def kill(recorder: int) -> None:
    os.kill(recorder, signal.SIGKILL)


def fill_disk(recorder: int) -> None:
    """No file of this process may become longer."""
    resource.prlimit(recorder, resource.RLIMIT_FSIZE, (20_000, 20_000))


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("harm", "word"), [(kill, "killed by signal 9"), (fill_disk, "exit code 2")]
)
def test_a_run_fails_with_its_recorder(
    name: str, tmp_path: Path, harm: Callable[[int], None], word: str
) -> None:
    path = tmp_path / "run.mcap"
    words = ["run", "pendulum", "--rate", "500", "--name", name, "--record", str(path)]
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    run = WarmPython(["-m", "inloop.cli", *words], text=True, **streams)
    assert run.stderr is not None
    try:
        lines = iter(run.stderr.readline, "")
        assert any(line.startswith("running '") for line in lines)
        with il.attach(name) as box:
            harm(recorder_of(run, path))
            # it tells at once, and goes on
            warning = next(line for line in lines if line.startswith("warning: "))
            assert not box.gone
        run.send_signal(signal.SIGINT)
        rest = "".join(lines)
        assert run.wait() == 2
    finally:
        run.kill()
        run.communicate()
    for text in (warning, rest):
        assert "the recorder" in text and word in text and "does not contain the whole run" in text
    # what it has written can be read
    recording = Recording(path)
    list(recording)
    assert not recording.complete


def test_a_run_does_not_begin_over_another_recording(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.mcap"
    path.write_bytes(b"precious")
    assert main(["run", "pendulum", "--rate", "500", "--seconds", "1", "--record", str(path)]) == 2
    assert "already" in capsys.readouterr().err
    assert main(["record", "nobody", "--to", str(path)]) == 2
    assert "already" in capsys.readouterr().err
    assert path.read_bytes() == b"precious"


def test_what_is_no_recording_is_not_repaired(tmp_path: Path) -> None:
    path = tmp_path / "rubbish.mcap"
    path.write_bytes(b"rubbish")
    with pytest.raises(FileFormatError):
        repair(path, tmp_path / "new.mcap")
    assert not (tmp_path / "new.mcap").exists()
