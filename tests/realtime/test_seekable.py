"""Moving through a recording: every record is found, in any order, with little read and kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from recording_mutations import LAYOUT, write_recording

from inloop.errors import FileFormatError, InputError
from inloop.native import Status
from inloop.realtime import Flag, Recording
from inloop.realtime.mailboxes.layout import Quantity
from inloop.realtime.recordings import seekable
from inloop.realtime.recordings.marks import MOST, Mark, Marks
from inloop.realtime.recordings.seekable import SeekableRecording

COUNT = 60
BEGIN, APART = 10**9, 10**6  # stamps of `write_recording` [ns]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("seek") / "run.mcap"
    write_recording(found, COUNT)
    return found


def test_every_record_is_found_by_time_and_by_steps(path: Path) -> None:
    expected = list(Recording(path))
    with SeekableRecording(path) as recording:
        assert recording.complete and recording.chunks > 5 and not recording.damaged
        assert recording.length == (COUNT - 1) * APART
        place = recording.begin
        for k, sample in enumerate(expected):
            for late in (0, APART - 1):
                found = recording.find(BEGIN + k * APART + late)
                assert found == place
            table = recording.table(place.chunk)
            assert table.counts[place.row].tolist() == [
                sample.counts[name] for name in ("sequence", "stamp", "step", "status", "flags")
            ]
            row = table.values[place.row]
            assert row.tolist() == [*sample.values.tolist(), *sample.inputs.tolist()]
            # parameters are in every twentieth sample
            values = recording.parameters_at(place)[1]
            assert np.array_equal(values, expected[k - k % 20].parameters)
            assert recording.shifted(recording.begin, k) == place
            assert recording.shifted(place, -k) == recording.begin
            place = recording.shifted(place, 1)
        assert place == recording.end == recording.shifted(place, 1000)
        assert recording.find(0) == recording.shifted(place, -1000) == recording.begin
        assert recording.find(1 << 61) == recording.end


def test_little_is_read_and_little_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seekable, "KEPT_BYTES", 5000)
    with SeekableRecording(path) as recording:
        read: list[int] = []
        content = recording._index.content
        monkeypatch.setattr(
            recording._index, "content", lambda chunk: read.append(chunk) or content(chunk)
        )
        for k in (50, 3, 41, 17, 29, 55):
            read.clear()
            recording.find(BEGIN + k * APART)
            # its chunk, and the one before if a record lies in both
            assert len(read) <= 2 < recording.chunks
        assert sum(map(seekable._size, recording._tables.values())) <= 5000


@pytest.mark.parametrize("part", [0.3, 0.5, 0.7])
def test_a_file_without_its_end_is_moved_through(path: Path, part: float, tmp_path: Path) -> None:
    torn = tmp_path / "torn.mcap"
    data = path.read_bytes()
    torn.write_bytes(data[: round(part * len(data))])
    with SeekableRecording(torn) as recording:
        assert not recording.complete
        found = recording.between(recording.begin, recording.end)
        numbers = [n for table in found for n in table.count("sequence").tolist()]
        assert numbers == [s.counts["sequence"] for s in Recording(torn)]
        assert 0 < len(numbers) < COUNT


def test_a_file_that_grows(path: Path, tmp_path: Path) -> None:
    grown, data = tmp_path / "grown.mcap", path.read_bytes()
    grown.write_bytes(data[: len(data) // 2])
    with SeekableRecording(grown) as recording, grown.open("ab") as file:
        before = recording.length
        assert not recording.extend()
        file.write(data[len(data) // 2 :])
        file.flush()
        assert recording.extend() and recording.length == (COUNT - 1) * APART > before
        assert recording.stamp(recording.find(1 << 61)) == BEGIN + (COUNT - 1) * APART
        assert recording.complete and not recording.extend()


def test_a_damaged_chunk_is_passed_over(path: Path, tmp_path: Path) -> None:
    hurt, data = tmp_path / "hurt.mcap", bytearray(path.read_bytes())
    with SeekableRecording(path) as sound:
        middle = sound.chunks // 2
        data[sound._index._offsets[middle] + 100] ^= 255
        lost = sound.table(middle).count("stamp")
    hurt.write_bytes(data)
    with SeekableRecording(hurt) as recording:
        assert recording.stamp(recording.find(int(lost[1]))) < lost[0]
        after = recording.shifted(recording.find(int(lost[1])), 1)
        assert recording.stamp(after) > lost[-1] and recording.damaged == {middle}


def test_what_is_no_recording_is_refused(path: Path, tmp_path: Path) -> None:
    odd = tmp_path / "odd.mcap"
    for data in (b"", b"hello", path.read_bytes()[:9]):
        odd.write_bytes(data)
        with pytest.raises(FileFormatError, match="not a recording of inloop"):
            SeekableRecording(odd)
    write_recording(odd, 0)
    with pytest.raises(InputError, match="holds no samples"):
        SeekableRecording(odd)


def test_what_happened_is_marked(tmp_path: Path) -> None:
    path = tmp_path / "marks.mcap"
    layout = LAYOUT.__class__(**{
        **LAYOUT.__dict__, "signals": (*LAYOUT.signals, Quantity("mode")),
        "about": (*LAYOUT.about, ("modes", "free locked")),
    })  # fmt: skip
    flags = {7: Flag.EXTRA, 8: Flag.EXTRA, 30: Flag.SAFE, 31: Flag.SAFE, 45: Flag.SET}

    def change(k: int, kind: str, counts: list[int], numbers: np.ndarray) -> None:
        if kind == "parameters":
            numbers[:] = (0.7, 30.0 + k)
        if kind == "outputs":
            counts[0] += 5 * (k >= 50)  # five records are missing
            counts[3] = Status.LOOP_OPEN if k in (20, 21, 24) else Status.OK
            counts[4] = flags.get(k, 0)
            numbers[layout.index["mode"]] = k >= 36

    write_recording(path, COUNT, layout=layout, change=change)
    with SeekableRecording(path) as recording:
        marks = Marks(recording.layout, BEGIN)
        for chunk in range(recording.chunks):
            marks.read(recording.read(chunk))
    found = [(mark.kind, round(1e3 * mark.at), mark.text) for mark in marks.found()]
    assert sorted(found) == sorted([
        ("late", 7, ""), ("late", 8, ""), ("safe", 30, ""), ("reset", 45, ""),
        ("failed", 20, "LOOP_OPEN"), ("failed", 24, "LOOP_OPEN"), ("mode", 36, "locked"),
        ("parameters", 20, "k = 50"), ("parameters", 40, "k = 70"), ("lost", 50, ""),
    ])  # fmt: skip


def test_marks_without_end_are_put_together() -> None:
    marks = Marks(LAYOUT, 0)
    for k in range(20_000):
        marks.add(Mark("late", 0.01 * k))
    found = marks.found()
    assert len(found) <= MOST and sum(mark.count for mark in found) == 20_000
    assert found[0].at == 0.0 and found[-1].at > 190.0
