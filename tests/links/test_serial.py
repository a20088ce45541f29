"""Serial links: frames against the board's C, hostile bytes, a real loop over a pseudo-terminal."""

from __future__ import annotations

import ctypes
import json
import os
import pty
import random
import struct
import subprocess
import termios
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from realtime_arm import do_steps

import inloop as il
from inloop.cli import main
from inloop.io.boards.building import call
from inloop.io.boards.sources import board_file
from inloop.io.boards.targets import TARGETS
from inloop.links.serial import Conversation, SerialBoard, SerialLink
from inloop.links.serial.frames import MOST_VALUES, Frame, Splitter, pack, unpack
from inloop.native import serial_files

MS = 1_000_000  # [ns]
HANG = 120.0  # [s] after which something that should happen never will


class Board:
    """`il_serial` of the package, compiled here, as a board would use it."""

    def __init__(self, library: ctypes.CDLL, count: int) -> None:
        self._library, self._link = library, ctypes.create_string_buffer(1024)
        library.il_serial_send.restype = ctypes.c_size_t
        library.il_serial_age_us.restype = ctypes.c_uint32
        library.il_serial_init(self._link, count)

    @property
    def values(self) -> np.ndarray:
        return np.frombuffer(self._link, np.float32, MOST_VALUES, 4)

    @property
    def counters(self) -> dict[str, int]:
        """Behind the values: status, sequence, arrived, sent, own status, accepted, damaged, …"""
        numbers = struct.unpack_from("<HxxIIIHxxIII", self._link, 4 + 4 * MOST_VALUES)
        names = (
            "status",
            "sequence",
            "arrived",
            "sent",
            "own",
            "accepted",
            "damaged",
            "unexpected",
        )
        return dict(zip(names, numbers, strict=True))

    def hear(self, data: bytes, now_us: int = 0) -> int:
        receive = self._library.il_serial_receive
        return sum(receive(self._link, byte, now_us) != 0 for byte in data)

    def say(self, values: list[float], now_us: int = 0) -> bytes:
        frame = ctypes.create_string_buffer(248)
        numbers = (ctypes.c_float * len(values))(*values)
        size = self._library.il_serial_send(self._link, numbers, len(values), now_us, frame)
        return frame.raw[:size]

    def age_us(self, now_us: int) -> int:
        return int(self._library.il_serial_age_us(self._link, ctypes.c_uint32(now_us)))


@pytest.fixture(scope="module")
def library(
    tmp_path_factory: pytest.TempPathFactory, require_program: Callable[[str], str]
) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("il_serial")
    for name, text in serial_files().items():
        (folder / name).write_text(text)
    words = "-std=c99 -pedantic -Wall -Wextra -Werror -O1 -shared -fPIC il_serial.c -o s.so"
    subprocess.run([require_program("cc"), *words.split()], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "s.so"))


# frames


def test_frames_of_both_halves_are_the_same(library: ctypes.CDLL) -> None:
    chance = random.Random(4)
    for count in (0, 1, 3, MOST_VALUES):
        board, ear = Board(library, count), Board(library, count)
        values = [0.0, -1.5, 3e-39, *map(float, range(53))][:count]
        for k in range(1, 300):
            expected = pack(Frame(0, k, 0, 0, tuple(values)))
            assert board.say(values) == expected
            assert b"\0" not in expected[:-1] and expected.endswith(b"\0")
            assert unpack(expected[:-1]) == Frame(0, k, 0, 0, tuple(np.float32(values).tolist()))
            assert ear.hear(expected) == 1
            assert ear.values[:count].tolist() == np.float32(values).tolist()
            values = [chance.choice([0.0, 1.0, chance.uniform(-9, 9)]) for _ in values]
    assert board.say([0.0] * (MOST_VALUES + 1)) == b""


def test_the_check_is_the_one_of_ieee_802_3() -> None:
    """A frame written by hand: the CRC of its 16 bytes is that of the standard's polynomial."""
    body = bytes([1, 0, 2, 3, 7, 0, 0, 0, 5, 0, 0, 0, 9, 0, 0, 0])
    crc = 0xFFFFFFFF
    for bit in (byte >> k & 1 for byte in body for k in range(8)):
        crc = crc >> 1 ^ (0xEDB88320 if (crc ^ bit) & 1 else 0)
    data = pack(Frame(0x0302, 7, 5, 9, ()))
    assert struct.pack("<I", crc ^ 0xFFFFFFFF) in data
    assert data[:4] == bytes([2, 1, 4, 2])  # 1, then a zero; 2, 3, 7, then a zero


@pytest.mark.parametrize("kind", ["changed", "torn", "noise", "long"])
def test_bytes_that_are_no_frames_change_nothing(library: ctypes.CDLL, kind: str) -> None:
    """Each single bit of a frame changed, each tear of it, noise, endless bytes without a zero."""
    good, chance = pack(Frame(0, 9, 0, 0, (1.5, -2.0))), random.Random(7)
    hostile = {
        "changed": [
            bytes(b ^ 1 << k if i == at else b for i, b in enumerate(good))
            for at in range(len(good) - 1)
            for k in range(8)
        ],
        "torn": [good[:at] + b"\0" for at in range(1, len(good) - 1)]
        + [good[at:] for at in range(1, len(good) - 1)],
        "noise": [chance.randbytes(400) + b"\0" for _ in range(200)],
        "long": [b"\x07" * 100_000 + b"\0", b"\xff" * 255 + b"\0"],
    }[kind]
    board, splitter = Board(library, 2), Splitter()
    for data in hostile:
        assert board.hear(data) == 0, data
        assert not [found for found in splitter.feed(data) if isinstance(found, Frame)]
        # the next good one counts
        board.hear(pack(Frame(0, 1, 0, 0, (0.0, 0.0))))
        assert board.hear(good) == 1 and board.values[:2].tolist() == [1.5, -2.0]
        assert [f.values for f in splitter.feed(good) if isinstance(f, Frame)] == [(1.5, -2.0)]
    assert board.counters["damaged"] >= len(hostile) // 2


def test_frames_in_any_portions(library: ctypes.CDLL) -> None:
    data = b"".join(pack(Frame(0, k, 0, 0, (float(k),))) for k in range(1, 40))
    for size in (1, 2, 7, 1000):
        splitter = Splitter()
        parts = [data[k : k + size] for k in range(0, len(data), size)]
        found = [frame for part in parts for frame in splitter.feed(part)]
        assert [frame.values[0] for frame in found] == list(range(1, 40))
    assert list(Splitter().feed(b"\0\0\0")) == []


# what counts


def test_only_answers_count_and_tell_their_age(library: ctypes.CDLL) -> None:
    board, here = Board(library, 1), Conversation(1)
    assert list(here.hear(board.say([4.0]), 1 * MS)) == []  # it has not heard of us yet
    assert here.counts.unproven == 1
    board.hear(here.say((0.5,), 0, 10 * MS, about=77), now_us=1000)
    (heard,) = here.hear(board.say([5.0], now_us=3500), 14 * MS)
    assert heard.frame.values == (5.0,) and heard.about == 77
    assert heard.since == 10 * MS + 2500_000  # sent at 10 ms, held for 2.5 ms
    # a board that says it held it longer than can be is as young as it can be
    board.hear(here.say((0.5,), 0, 20 * MS), now_us=0)
    (heard,) = here.hear(board.say([5.0], now_us=50_000), 21 * MS)
    assert heard.since == 21 * MS


def test_resets_repetitions_and_losses_are_counted(library: ctypes.CDLL) -> None:
    board, here = Board(library, 1), Conversation(1)
    board.hear(here.say((0.0,), 0, 0))
    first = board.say([1.0])
    assert len(list(here.hear(first, 1))) == 1
    assert list(here.hear(first, 2)) == [] and here.counts.repeated == 1
    for _ in range(3):
        board.say([2.0])  # lost on the way
    assert len(list(here.hear(board.say([3.0]), 3))) == 1
    assert here.counts.lost == 3
    # after a reset it counts from 1, and is believed once it has heard of us
    board = Board(library, 1)
    assert list(here.hear(board.say([9.0]), 4)) == []
    assert here.counts.resets == 1
    board.hear(here.say((0.0,), 0, 5))
    assert [h.frame.values for h in here.hear(board.say([9.5]), 6)] == [(9.5,)]
    assert list(here.hear(pack(Frame(0, 77, 0, 0, (1.0, 2.0))), 7)) == []
    assert here.counts.unexpected == 1


def test_what_was_said_before_the_link_began_does_not_count(library: ctypes.CDLL) -> None:
    board, before, now = Board(library, 1), Conversation(1), Conversation(1)
    board.hear(before.say((0.0,), 0, 0))
    now.say((0.0,), 0, 0)
    assert list(now.hear(board.say([1.0]), 1)) == []
    assert now.counts.unproven == 1


def test_silence_is_seen_by_the_board(library: ctypes.CDLL) -> None:
    board, here = Board(library, 1), Conversation(1)
    assert board.age_us(5) == 2**32 - 1
    board.hear(here.say((0.0,), 3, 0), now_us=2**32 - 500)
    assert board.counters["status"] == 3
    assert board.age_us(1500) == 2000  # its clock has gone round


# a real loop over a pseudo-terminal


@pytest.fixture
def line() -> Iterator[tuple[int, str]]:
    """The board's end of a pseudo-terminal, and the name of the other one."""
    board_end, other = pty.openpty()
    tty.setraw(board_end, termios.TCSANOW)
    yield board_end, os.ttyname(other)
    os.close(board_end)
    os.close(other)


def take_one(link: SerialLink) -> None:
    """Wait until the next whole frame of the board has come."""
    counts = link.conversation.counts
    before, limit = counts.accepted + counts.unproven, time.monotonic() + HANG
    while counts.accepted + counts.unproven == before:
        link.receive(0.5)
        assert time.monotonic() < limit


def exchange(link: SerialLink, board: Board, end: int, value: float) -> None:
    """One frame each way, as the clock of the plant stands."""
    now_us = link._box.clock.now_ns // 1000 % 2**32
    link.send()
    coming = b""
    while not coming.endswith(b"\0"):
        coming += os.read(end, 4096)
    assert board.hear(coming, now_us) == 1
    os.write(end, board.say([value], now_us))
    take_one(link)


def test_a_board_leads_a_plant_and_its_silence_is_safe(
    plant: il.Plant, name: str, line: tuple[int, str], library: ctypes.CDLL
) -> None:
    end, device = line
    board, clock = Board(library, 2), il.ScriptedClock()
    options: dict[str, Any] = {"rate": 1000.0, "stale_after": 0.5, "paused": True, "clock": clock}
    with (
        il.start(plant, name=name, **options),
        il.attach(name) as box,
        SerialLink(name, device, ["push"], ["shoulder.q", "elbow.qd"]) as link,
    ):
        counts = link.conversation.counts
        exchange(link, board, end, 1.5)
        record = do_steps(box, 1)
        assert record.status_name == "OK" and record["push"] == 1.5
        assert board.values[:2].tolist() == np.float32([0.4, 0.3]).tolist()
        # the board hangs: what it sent last gets stale, and the plant takes its safe value
        box.clock.advance(0.8)
        record = do_steps(box, 1)
        assert record.status_name == "INPUT_STALE" and record["push"] == 0.0
        # so is a frame that was under way for long, however soon it is read
        delayed = board.say([9.0], box.clock.now_ns // 1000)
        box.clock.advance(0.8)
        os.write(end, delayed)
        take_one(link)
        assert counts.accepted == 2
        record = do_steps(box, 1)
        assert record.status_name == "INPUT_STALE" and record["push"] == 0.0
        exchange(link, board, end, -2.5)
        assert do_steps(box, 1)["push"] == -2.5
        # what no plant takes, noise, and a board that was reset
        exchange(link, board, end, float("nan"))
        assert counts.refused == 1 and do_steps(box, 1)["push"] == -2.5
        os.write(end, b"\x05noise\0" + bytes(range(1, 256)) + b"\0")
        board = Board(library, 2)
        exchange(link, board, end, 0.75)
        assert do_steps(box, 1)["push"] == 0.75
        assert (counts.damaged, counts.resets, counts.unproven) == (2, 1, 0)
        # outputs that got old are told so to the board
        box.clock.advance(0.2)
        exchange(link, board, end, 0.75)
        assert board.counters["status"] & 0x8000


def test_a_device_that_goes_away_is_told(plant: il.Plant, name: str, library: ctypes.CDLL) -> None:
    board_end, other = pty.openpty()
    tty.setraw(board_end, termios.TCSANOW)
    device, said = os.ttyname(other), []
    options: dict[str, Any] = {"paused": True, "clock": il.ScriptedClock()}
    with (
        il.start(plant, name=name, **options),
        SerialLink(name, device, ["push"], ["shoulder.q"], said=said.append) as link,
    ):
        with pytest.raises(il.LinkError, match="in use"):
            SerialLink(name, device, ["push"], [])
        os.close(other)
        os.close(board_end)
        limit = time.monotonic() + HANG
        while link.conversation.counts.gone == 0:
            link.receive(0.1)
            assert time.monotonic() < limit
        link.send()  # goes on without it
        assert "is gone" in said[0]


@pytest.mark.parametrize(
    ("inputs", "outputs", "words"),
    [(["pull"], [], "no input 'pull'"), ([], ["knee.q"], "no output"), (["push"] * 2, [], "once")],
)
def test_wrong_names_are_told(
    plant: il.Plant, name: str, line: tuple[int, str], inputs: Any, outputs: Any, words: str
) -> None:
    with (
        il.start(plant, name=name, paused=True, clock=il.ScriptedClock()),
        pytest.raises(il.LinkError, match=words),
    ):
        SerialLink(name, line[1], inputs, outputs)


def test_the_command_tells_what_it_counted(
    plant: il.Plant, name: str, line: tuple[int, str], capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["--inputs", "push", "--outputs", "shoulder.q,elbow.q", "--seconds", "0.01", "--json"]
    with il.start(plant, name=name, paused=True, clock=il.ScriptedClock()):
        assert main(["link", "serial", line[1], "--plant", name, *names]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["link"], told["name"], told["device"]) == ("serial", name, line[1])
    assert told["accepted"] == told["damaged"] == 0


def test_no_serial_device_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path, words in (
        (tmp_path / "none", "cannot be opened"),
        (tmp_path / "file", "not a serial"),
    ):
        with pytest.raises(il.LinkError, match=words):
            SerialBoard(str(path), outputs=1)
    with pytest.raises(il.LinkError, match="baud"):
        SerialBoard("/dev/null", outputs=1, baud=12345)


# on an emulated board

BOARD_PROGRAM = """
#include "board.h"
#include "il_serial.h"
#define UART ((volatile uint32_t *)0x40004000u) /* data, state, control, interrupts, divider */
static il_serial link;
static uint8_t frame[IL_SERIAL_FRAME];
int main(void)
{
    UART[4] = 16;
    UART[2] = 3;
    il_serial_init(&link, 2);
    for (;;) {
        if (!(UART[1] & 2u)) continue;
        const uint32_t now_us = (uint32_t)((uint64_t)board_instructions());
        if (!il_serial_receive(&link, (uint8_t)UART[0], now_us)) continue;
        const float measured[1] = {-2.0f * link.values[0] + link.values[1]};
        const size_t size = il_serial_send(&link, measured, 1, now_us, frame);
        for (size_t k = 0; k < size; k++) {
            while (UART[1] & 1u) {
            }
            UART[0] = frame[k];
        }
    }
}
"""


@pytest.fixture
def emulated(
    tmp_path: Path, require_program: Callable[[str], str], begin: Any
) -> Callable[[], str]:
    """Starts an emulated Cortex-M4 with the board's half; the name of its serial device."""
    target = TARGETS["cortex-m4f"]
    require_program(target.compiler)
    require_program(target.emulator[0])
    texts = {name: board_file(name) for name in ("board.h", "mps2.c", "mps2.ld")}
    for name, text in {**texts, **serial_files(), "main.c": BOARD_PROGRAM}.items():
        (tmp_path / name).write_text(text)
    parts = [tmp_path / name for name in ("main.c", "mps2.c", "il_serial.c")]
    script = [f"-T{tmp_path / 'mps2.ld'}", "-nostartfiles", "--specs=nosys.specs"]
    call(target.compiler, *target.flags, *parts, *script, "-o", tmp_path / "board.elf")

    def start() -> str:
        words = "qemu-system-arm -M mps2-an386 -display none -monitor none -serial pty -kernel"
        process = begin(*words.split(), str(tmp_path / "board.elf"))
        line = process.stdout.readline()
        assert "/dev/pts/" in line, line
        return str(line[line.index("/dev/pts/") :].split()[0])

    return start


def test_an_emulated_board_drives_a_plant(
    plant: il.Plant, name: str, emulated: Callable[[], str]
) -> None:
    options: dict[str, Any] = {"rate": 1000.0, "paused": True, "clock": il.ScriptedClock()}
    with (
        il.start(plant, name=name, **options),
        il.attach(name) as box,
        SerialLink(name, emulated(), ["push"], ["shoulder.q", "elbow.qd"]) as link,
    ):
        for _ in range(20):
            before = np.float32([box.read()[key] for key in link.outputs])
            link.send()
            take_one(link)
            record = do_steps(box, 1)
            expected = np.float32(-2.0) * before[0] + before[1]
            assert record.status_name == "OK" and record["push"] == expected
        counts = link.conversation.counts
        assert (counts.accepted, counts.sent, counts.lost, counts.damaged) == (20, 20, 0, 0)


def test_python_leads_what_runs_on_a_board(emulated: Callable[[], str]) -> None:
    with SerialBoard(emulated(), outputs=1) as board:
        for k in range(5):
            found = board.exchange([float(k), 0.25], timeout=HANG)
            assert found is not None
            assert found.values == (0.25 - 2.0 * k,) and found.status == 0 and found.age >= 0.0


def test_the_command_controls_what_runs_on_a_board(
    emulated: Callable[[], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The board answers y = 0.25 - 2 u. The controller keeps what it sees and ends it by Ctrl-C."""
    kept = tmp_path / "seen.json"
    file = tmp_path / "up.py"
    file.write_text(f"""
import json, pathlib
seen = []
def up(t, outputs):
    seen.append(outputs["y"])
    if len(seen) == 5:
        pathlib.Path({str(kept)!r}).write_text(json.dumps(seen))
        raise KeyboardInterrupt
    return {{"u": len(seen), "offset": 0.25}}
""")
    # however slow the machine is: nothing is sent twice, nothing is too old
    patience = ["--rate", str(1 / HANG), "--stale-after", str(HANG)]
    names = ["--outputs", "y", "--inputs", "u,offset", *patience, "--json"]
    assert main(["link", "serial", emulated(), "--controller", f"{file}:up", *names]) == 130
    told = json.loads(capsys.readouterr().out)
    assert (told["accepted"], told["lost"], told["damaged"]) == (5, 0, 0)
    # inputs are 0 until the controller has seen something
    assert json.loads(kept.read_text()) == [0.0, *(0.25 - 2.0 * k for k in range(1, 5))]
