"""Recordings of which nobody knows who wrote them: every reader refuses them in its own words."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from mcap.writer import CompressionType
from recording_mutations import LAYOUT, write_recording

import inloop as il
from inloop import gallery
from inloop.cli import main
from inloop.errors import FileFormatError, MailboxError
from inloop.realtime import Recording, repair, replay
from inloop.realtime.mailboxes.layout import Quantity, parse_text
from inloop.realtime.recordings.seekable import SeekableRecording
from inloop.realtime.run import digest_of
from inloop.studio.plants.playback import Playback

HERE = Path(__file__).resolve().parent
MOST_GROWTH = 64.0  # [MB]


def read_mutations(count: int, seed: int) -> dict[str, object]:
    """In a process of its own, with its processor time limited."""
    program = [sys.executable, str(HERE / "recording_mutations.py"), str(count), str(seed)]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert "surprise" not in found["ends"], done.stderr[-3000:]
    assert found["grown_mb"] < MOST_GROWTH
    return found


def test_mutations_are_read_or_refused() -> None:
    found = read_mutations(100, seed=3)
    ends = found["ends"]
    for reader in ("read", "repair", "show", "tell"):
        # the mutations are neither all harmless nor all fatal
        assert min(ends[f"{reader}: well"], ends[f"{reader}: refused"]) > 10


@pytest.mark.long
def test_ten_thousand_mutations() -> None:
    read_mutations(10_000, seed=7)


def test_nothing_is_decompressed(tmp_path: Path) -> None:
    """Zeros shrink to nothing: a few kilobytes would become gigabytes."""
    path = tmp_path / "bomb.mcap"
    write_recording(path, 5, compression=CompressionType.ZSTD)
    for read in (lambda: list(Recording(path)), lambda: Playback(path),
                 lambda: repair(path, tmp_path / "new.mcap")):  # fmt: skip
        with pytest.raises(FileFormatError, match=r"bomb\.mcap is compressed.*mcap compress"):
            read()


@pytest.mark.parametrize("states", ["1000000000", "-1", "9" * 400, "nan"])
def test_sizes_are_checked_before_work(tmp_path: Path, states: str) -> None:
    path = tmp_path / "wide.mcap"
    write_recording(path, 5, told={"stepper_states": states})
    with pytest.raises(FileFormatError, match="does not describe its contents"):
        Recording(path)


def test_messages_must_be_as_wide_as_told(tmp_path: Path) -> None:
    path = tmp_path / "wide.mcap"
    write_recording(path, 40, told={"stepper_states": "200000"})
    with pytest.raises(FileFormatError, match=r"no inloop\.State"):
        Playback(path)


TIMES = {
    "nan": (lambda k, counts, numbers: numbers.__setitem__(0, math.nan), "its time is nan"),
    "inf": (lambda k, counts, numbers: numbers.__setitem__(0, math.inf), "its time is inf"),
    "back": (lambda k, counts, numbers: counts.__setitem__(1, 5), "the clock has gone back"),
    "again": (lambda k, counts, numbers: counts.__setitem__(0, 3), "it comes after record 33"),
    "negative": (lambda k, counts, numbers: counts.__setitem__(2, -5), "counts is negative"),
}


@pytest.mark.parametrize("what", TIMES)
def test_times_that_make_no_sense(what: str, tmp_path: Path) -> None:
    path, (alter, words) = tmp_path / "odd.mcap", TIMES[what]

    def change(k: int, kind: str, counts: list[int], numbers: np.ndarray) -> None:
        if kind == "outputs" and k == 33:  # in the middle of a chunk
            alter(k, counts, numbers)

    write_recording(path, change=change)
    with pytest.raises(FileFormatError, match=f"makes no sense: .*{words}"):
        list(Recording(path))
    assert main(["report", str(path)]) == 2
    # who moves through it gets everything but the chunk of this record
    with SeekableRecording(path) as recording:
        tables = recording.between(recording.begin, recording.end)
        numbers = [n for table in tables for n in table.count("sequence").tolist()]
        assert len(recording.damaged) == 1 and 34 not in numbers
        assert {*range(1, 25), *range(45, 61)} <= set(numbers)


NO_REPORTS = [
    "[" * 10_000, "3", "{", "null", '{"a": {"b": "c"}}', '{"a": [1]}', '{"a": {"b": [1]}}',
    '{"a": {"p50": 1' + 400 * "0" + "}}",
]  # fmt: skip


@pytest.mark.parametrize("report", NO_REPORTS, ids=range(len(NO_REPORTS)))
def test_reports_that_are_none(report: str, tmp_path: Path) -> None:
    path, plain = tmp_path / "run.mcap", tmp_path / "report.json"
    write_recording(path, report=report)
    plain.write_text(report)
    for file in (path, plain):
        assert main(["report", str(file)]) == 2


def test_reports_cannot_move_the_cursor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps({"\x1b[2J": "\x9b1m", "x": {"\x07": 1.0}, "y": ["\x1b"]}))
    assert main(["report", str(path)]) == 0
    assert not set(capsys.readouterr().out) & set("\x1b\x9b\x07")


def test_replays_that_would_take_for_ever_or_fit_nothing(tmp_path: Path) -> None:
    plant = gallery.get("pendulum").build().compile()
    digest = {"digest": digest_of(plant)}
    path = tmp_path / "run.mcap"
    write_recording(path, 5, told=digest)
    with pytest.raises(FileFormatError, match="other quantities"):
        replay(Recording(path), plant)
    joint = plant.coordinates[0]
    layout = replace(
        LAYOUT, model=plant.name, coordinates=(replace(LAYOUT.coordinates[0], name=joint),),
        inputs=(replace(LAYOUT.inputs[0], name=f"{joint}.tau"),), states=(), signals=(),
    )  # fmt: skip
    told = [{"rehearse": "1e300"}, {"rehearse": "nan"}, {"rate": "nan"}, {"substeps": "x"},
            {"rate": "1e300"}, {"substeps": "9" * 5000}]  # fmt: skip
    for facts in told:
        write_recording(path, 5, layout=layout, told={**digest, "rehearse": "1.0", **facts})
        with pytest.raises(FileFormatError, match="how its steps were made"):
            replay(Recording(path), plant)
    for facts in ({"method": "magic"}, {"rate": "1e9"}):
        write_recording(path, 5, layout=layout, told={**digest, **facts})
        with pytest.raises(il.InputError):
            replay(Recording(path), plant)


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.mcap"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(FileFormatError, match="is not a file"):
            Recording(path)


def test_texts_that_move_the_cursor_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    for told in ({"name": "\x1b[2J"}, {"method": "rk4\r"}, {"model": "\u202e"}):
        write_recording(path, 5, told=told)
        with pytest.raises(FileFormatError, match="does not describe its contents"):
            Recording(path)


def test_layouts_keep_every_fact_on_its_line() -> None:
    """A file name may hold anything; what cannot be printed is a blank."""
    odd = "a\tb\nc\rd\x1b[2J\u2028e\udce9\0f.py"
    layout = replace(LAYOUT, about=(("source", odd), ("o\tdd", "x")))
    found = parse_text(layout.text(), LAYOUT.stepper_states, LAYOUT.period)
    assert found.about == (("source", "a b c d [2J e f.py"), ("o dd", "x"))
    assert found.groups == layout.groups


@pytest.mark.parametrize("period", [0.0, -1.0, math.nan, math.inf, 5e-324])
def test_layouts_without_a_period_make_no_sense(period: float) -> None:
    with pytest.raises(MailboxError, match="damaged"):
        parse_text(LAYOUT.text(), LAYOUT.stepper_states, period)


@pytest.mark.parametrize(
    "line", ["parameter\tx\tm\tnan\t1\t0", "parameter\tx\tm\t2\t1\t0", "input\tx\tN\t0\t0\tnan",
             "q\tx\x1b\trad\t0\t0\t0", "model\tx\t\t0\t0\t0", "other\tx\t\t0\t0\t0"],
)  # fmt: skip
def test_layouts_with_odd_lines_make_no_sense(line: str) -> None:
    with pytest.raises(MailboxError, match="damaged"):
        parse_text(LAYOUT.text() + line.encode() + b"\n", 5, 1e-3)


@pytest.mark.parametrize("parameters", [LAYOUT.parameters, ()], ids=["some", "none"])
def test_a_show_tells_what_was_written(parameters: tuple[Quantity, ...], tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"

    def change(k: int, kind: str, counts: list[int], numbers: np.ndarray) -> None:
        numbers[kind == "outputs" :] = k  # all but the time

    write_recording(path, change=change, layout=replace(LAYOUT, parameters=parameters))
    played = Playback(path)
    played.command("pause")
    played.command("reset")
    shown, numbers = 0, []
    for steps in (7, 12, 1, 5, 19, 15):  # parameters change at every twentieth record
        played.command("step", steps)
        shown += steps
        moment = played.newest()
        assert moment is not None and moment.t == 1e-3 * shown
        assert set(moment.values[1:].tolist()) == {shown}
        changed = 20 * (shown // 20)
        assert played.parameters() == {p.name: changed for p in parameters}
        numbers.append(moment.parameters)
    # a number tells one set of parameters from another
    assert [a == b for a, b in pairwise(numbers)] == [True, False, True, False, True]
    assert sum(len(block.values) for block in played.take()) == shown + 1
    played.close()
