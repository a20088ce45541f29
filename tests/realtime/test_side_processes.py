"""`inloop record`, `replay`, `report`, and processes beside a plant: nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from realtime_arm import RATE

import inloop as il
from inloop.cli import main
from inloop.realtime import Recording

CLI = [sys.executable, "-m", "inloop.cli"]


def processes_with(word: str) -> list[int]:
    """Processes whose command line holds a word."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if word in words and int(path.name) != os.getpid():
            found.append(int(path.name))
    return found


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the pendulum, recorded by the command line."""
    path = tmp_path_factory.mktemp("recorded") / "pendulum.mcap"
    name = f"test-beside-{os.getpid()}"
    words = ["run", "pendulum", "--rate", "500", "--seconds", "1", "--set", "length=0.7"]
    done = subprocess.run(
        [*CLI, *words, "--clock", "scripted", "--name", name, "--record", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "501 records, 0 lost" in done.stderr
    return path


@pytest.mark.long
def test_a_recording_knows_its_mechanism(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(recorded), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["identical"] and found["complete"]
    assert (found["samples"], found["steps"], found["different"]) == (501, 500, 0)


@pytest.mark.long
def test_the_report_tells_what_is_in_it(
    recorded: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["report", str(recorded), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["samples"], found["missing"], found["complete"]) == (501, 0, True)
    assert found["t_end"] == 1.0
    assert found["report"]["steps"] == 500
    assert found["report"]["lost_telemetry"] == 0
    assert main(["report", str(recorded)]) == 0
    assert "501 records over 1 s at 500 Hz (rk4)" in capsys.readouterr().out
    # torn, then whole again
    torn, whole = tmp_path / "torn.mcap", tmp_path / "whole.mcap"
    torn.write_bytes(recorded.read_bytes()[:-1000])
    assert main(["report", str(torn), "--repair", str(whole), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["complete"]


def test_what_cannot_be_done_is_told(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(recorded), "--set", "length=2"]) == 0
    assert "--set length changes nothing: parameters follow the" in capsys.readouterr().err
    assert main(["replay", str(recorded), "double_pendulum"]) == 2
    assert "the recording is of model" in capsys.readouterr().err
    assert main(["replay", str(tmp_path / "nothing.mcap")]) == 2
    assert "there is no file" in capsys.readouterr().err
    rubbish = tmp_path / "rubbish.mcap"
    rubbish.write_bytes(b"\x89MCAP0\r\n" + bytes(range(256)))
    assert main(["report", str(rubbish)]) == 2
    assert "not a recording of inloop" in capsys.readouterr().err
    assert main(["record", "nobody", "--to", str(tmp_path / "x.bag")]) == 2


def test_a_recorder_ends_when_it_is_told_to(plant: il.Plant, name: str, tmp_path: Path) -> None:
    path = tmp_path / "told.mcap"
    clock = il.ScriptedClock()
    with il.start(plant, name=name, rate=RATE, stale_after=None, clock=clock) as loop:
        recorder = subprocess.Popen(
            [*CLI, "record", name, "--to", str(path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert recorder.stderr is not None
        assert recorder.stderr.readline().startswith(f"recording '{name}' to ")
        loop.clock.advance(1.0)
        recorder.send_signal(signal.SIGINT)
        told, _ = recorder.communicate()
        assert recorder.returncode == 0
        assert loop.running
    # all that was there when it was told to end, the start included
    assert told.strip().startswith(f"{round(RATE) + 1} records, 0 lost")
    recording = Recording(path)
    assert len(list(recording)) == round(RATE) + 1
    assert recording.complete


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)]
)
def test_a_signal_ends_the_whole_company(name: str, tmp_path: Path, number: int) -> None:
    path = tmp_path / "ended.mcap"
    words = ["run", "robot", "--rate", "500", "--controller", "pd_c", "--name", name]
    more = ["--fault", "noise:joint_1.q=0.001", "--record", str(path), "--clock", "held"]
    process = subprocess.Popen(
        [*CLI, *words, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        # of the plant, after its recorder and its controller are there
        assert any(line.startswith("running ") for line in process.stderr)
        with il.attach(name) as box:
            box.clock.advance(0.3)
            assert box.read().step == 150
            # the plant, the recorder, the controller
            assert len(processes_with(name)) == 3
        process.send_signal(number)
        process.communicate()
    finally:
        process.kill()
        process.communicate()
    assert processes_with(name) == []
    recording = Recording(path)
    assert len(list(recording)) == 151
    assert recording.complete
