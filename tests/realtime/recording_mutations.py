"""Recordings that nobody vouches for: a small one, made without a plant, and what can become of it.

Run as a program it reads so many mutations in a process with little memory and time, and prints
what became of them.
"""

from __future__ import annotations

import collections
import json
import math
import random
import resource
import struct
import sys
import tempfile
import traceback
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from mcap.writer import CompressionType, Writer

from inloop.cli.commands.record import _show_data, _summary
from inloop.errors import FileFormatError, InputError
from inloop.realtime import Recording, recorded_result, repair
from inloop.realtime.mailboxes.layout import Layout, Quantity
from inloop.realtime.recordings.channels import FACTS, REPORT, facts, messages
from inloop.studio.messaging.client import encode
from inloop.studio.plants.playback import Playback
from inloop.studio.server.messages import inputs, parameters, signals

LAYOUT = Layout(
    model="arm",
    coordinates=(Quantity("shoulder", "rad"), Quantity("slide", "m")),
    states=(Quantity("bristle", "m"),),
    signals=(Quantity("force", "N"),),
    inputs=(Quantity("shoulder.tau", "N·m"), Quantity("slide.tau", "N"), Quantity("push", "N")),
    parameters=(Quantity("length", "m", 0.1, 2.0, 0.7), Quantity("k", "N/m", default=30.0)),
    stepper_states=5,
    period=1e-3,
    about=(("digest", "0123456789abcdef"), ("rate", "1000.0"), ("method", "rk4"),
           ("substeps", "1"), ("source", "pendulum"), ("settings", "[]")),
)  # fmt: skip
REPORTED = {"rate": 1000.0, "status": "OK", "steps": 100, "notes": ["one"],
            "step_us": {"p50": 1.0, "p99": 2.0, "p999": None, "max": 4.5}}  # fmt: skip
Change = Callable[[int, str, list[int], np.ndarray], None]


def write_recording(
    path: Path,
    samples: int = 60,
    *,
    layout: Layout = LAYOUT,
    told: dict[str, str] | None = None,
    change: Change = lambda k, kind, counts, numbers: None,
    report: str = json.dumps(REPORTED),
    compression: CompressionType = CompressionType.NONE,
) -> None:
    """A recording as the recorder writes it.

    Args:
        path: file to write.
        samples: in it.
        layout: of the plant.
        told: facts in place of the usual ones.
        change: alters integers and numbers of each message before it is written.
        report: at the end.
        compression: of the chunks.
    """
    kinds, rng = messages(layout), np.random.default_rng(5)
    with path.open("wb") as file:
        writer: Any = Writer(file, chunk_size=2000, compression=compression)
        writer.start(library="inloop")
        writer.add_metadata(FACTS, {**facts("arm-1", layout, 0), **(told or {})})
        channels = {}
        for kind, message in kinds.items():
            schema = writer.register_schema(message.name, "protobuf", message.schema())
            channels[kind] = writer.register_channel(f"/arm-1/{kind}", "protobuf", schema)
        for k in range(samples):
            sequence, stamp = k + 1, 10**9 + 10**6 * k
            counts = {"parameters": [1], "state": [sequence, k, 0], "inputs": [sequence],
                      "hand": [sequence],
                      "outputs": [sequence, stamp, k, 0, 4 if k == 0 else 0, 0, 1]}  # fmt: skip
            for kind, message in kinds.items():
                if (kind in ("parameters", "state") and k % 20) or (kind == "hand" and k % 3):
                    continue
                numbers = rng.uniform(-1.0, 1.0, len(message.numbers))
                if kind == "outputs":
                    numbers[0] = 1e-3 * k
                change(k, kind, counts[kind], numbers)
                data = message.encode(counts[kind], numbers)
                writer.add_message(channels[kind], stamp, data, stamp, sequence)
        writer.add_metadata(REPORT, {"json": report})
        writer.finish()


# mutations


@dataclass
class Piece:
    """A record of the file, whose length may lie."""

    opcode: int
    data: bytes
    length: int | None = None

    def text(self) -> bytes:
        length = len(self.data) if self.length is None else self.length
        return struct.pack("<BQ", self.opcode, length & (2**64 - 1)) + self.data


CHUNK, METADATA, DATA_END = 6, 12, 15
MAGIC = b"\x89MCAP0\r\n"
LENGTHS = [0, 1, 7, 21, 2**16, 2**31 - 1, 2**32 - 1, 2**40, 2**63, 2**64 - 1]
NUMBERS = [math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, -0.0, 1e18]
COUNTS = [-1, 0, 2**31, 2**63 - 1, -(2**63), 2**32, 7]
WORDS = [
    "", "nan", "inf", "-1", "0", "1e400", "9" * 5000, "[" * 5000, "{}", "null", "\0", "\x1b[2J",
    "200001", "1000000000", "-0.0", '{"a":[1]}', '{"a":{"b":"c"}}', "\u2028", "x\ty\nz",
    '{"a":{"p50":1}}', '{"a":{"p50":1' + 400 * "0" + "}}", '{"a":1' + 400 * "0" + "}",
]  # fmt: skip


def split(data: bytes) -> list[Piece]:
    """Records of a sound file, or of a sound chunk."""
    pieces, at = [], 0
    while at < len(data):
        opcode, length = struct.unpack_from("<BQ", data, at)
        pieces.append(Piece(opcode, data[at + 9 : at + 9 + length]))
        at += 9 + length
    return pieces


def join(pieces: Iterable[Piece]) -> bytes:
    return b"".join(piece.text() for piece in pieces)


def flip(data: bytes, rng: random.Random) -> bytes:
    """Some bytes that are others."""
    found = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8])):
        if found:
            found[rng.randrange(len(found))] = rng.choice([0, 1, 127, 128, 255, rng.randrange(256)])
    return bytes(found)


def shuffle(pieces: list[Piece], rng: random.Random) -> None:
    """Records that lie, or are gone, doubled or elsewhere."""
    k = rng.randrange(len(pieces))
    kind = rng.randrange(7)
    if kind == 0:
        pieces[k].length = rng.choice([*LENGTHS, len(pieces[k].data) + rng.choice([-1, 1])])
    elif kind == 1:
        pieces[k].data = flip(pieces[k].data, rng)
    elif kind == 2:
        del pieces[k]
    elif kind == 3:
        pieces.insert(rng.randrange(len(pieces)), pieces[k])
    elif kind == 4:
        pieces[k].opcode = rng.choice([*range(18), 128, 255])
    elif kind == 5:
        pieces[k].data = pieces[k].data[: rng.randrange(len(pieces[k].data) + 1)]
    else:
        pieces[k].data += rng.randbytes(rng.choice([1, 30]))


def rechunk(chunk: bytes, change: Callable[[bytes], bytes], compression: bytes = b"") -> bytes:
    """A chunk with other content, whose checksum is right."""
    content = change(chunk[40:])
    head = chunk[:16] + struct.pack("<QI", len(content), zlib.crc32(content))
    size = struct.pack("<I", len(compression)) + compression + struct.pack("<Q", len(content))
    return head + size + content


def mutate_message(data: bytes, rng: random.Random) -> bytes:
    """Another number or count somewhere in the table of a message: tag, then eight bytes."""
    found, at = bytearray(data), 22 + 2 + 10 * rng.randrange(max(1, (len(data) - 22) // 10))
    value = struct.pack("<d", rng.choice(NUMBERS)) if rng.random() < 0.5 else (
        struct.pack("<q", rng.choice(COUNTS)))  # fmt: skip
    found[at : at + 8] = value
    return bytes(found)


def in_chunk(data: bytes, rng: random.Random) -> bytes:
    """Something inside a chunk."""
    pieces = split(data)
    for _ in range(rng.choice([1, 1, 3])):
        chosen = [p for p in pieces if p.opcode == 5]
        if chosen and rng.random() < 0.6:
            piece = rng.choice(chosen)
            piece.data = mutate_message(piece.data, rng)
        elif pieces:
            shuffle(pieces, rng)
    return join(pieces)


def mutate_metadata(data: bytes, rng: random.Random) -> bytes:
    """Another word in a map of texts, whose lengths are right."""

    def text(at: int) -> tuple[str, int]:
        (size,) = struct.unpack_from("<I", data, at)
        return data[at + 4 : at + 4 + size].decode(), at + 4 + size

    name, at = text(0)
    at += 4
    found: dict[str, str] = {}
    while at < len(data):
        key, at = text(at)
        found[key], at = text(at)
    key = rng.choice(list(found))
    kind = rng.randrange(4)
    if kind == 0:
        del found[key]
    elif kind == 1 or key != "layout":
        found[key] = rng.choice(WORDS)
    else:  # one field of the layout
        lines = [line.split("\t") for line in found[key].splitlines()]
        line = rng.choice(lines)
        line[rng.randrange(len(line))] = rng.choice([*WORDS, "parameter", "q", "model"])
        found[key] = "\n".join("\t".join(line) for line in lines)

    def quoted(word: str) -> bytes:
        return struct.pack("<I", len(word.encode())) + word.encode()

    items = b"".join(quoted(k) + quoted(v) for k, v in found.items())
    return quoted(name) + struct.pack("<I", len(items)) + items


def mutate(data: bytes, rng: random.Random) -> bytes:
    """A file that differs from a sound one in one or a few ways."""
    kind = rng.randrange(10)
    if kind == 0:
        return flip(data, rng)
    if kind == 1:
        return data[: rng.randrange(len(data))]
    pieces = split(data[len(MAGIC) : -len(MAGIC)])
    chunks = [p for p in pieces if p.opcode == CHUNK]
    if kind in (2, 3):
        shuffle(pieces, rng)
    elif kind in (4, 5):
        piece = rng.choice([p for p in pieces if p.opcode == METADATA])
        piece.data = mutate_metadata(piece.data, rng)
    elif kind == 6:
        piece = rng.choice(chunks)
        word = rng.choice([b"zstd", b"lz4", b"none", b"\xff"])
        piece.data = rechunk(piece.data, lambda content: flip(content, rng), word)
    else:
        piece = rng.choice(chunks)
        piece.data = rechunk(piece.data, lambda content: in_chunk(content, rng))
    for piece in pieces:  # nobody hostile leaves a wrong checksum behind
        if piece.opcode == DATA_END and len(piece.data) == 4:
            piece.data = bytes(4)
    return MAGIC + join(pieces) + MAGIC


# reading


def show(path: Path) -> None:
    """All that the studio asks of a recording."""
    played = Playback(path)
    moves = (("step", 7), ("seek", 0.04), ("pause", 0), ("step_back", 9), ("go", 0),
             ("speed", 1000.0), ("seek", -1.0), ("seek", 1e300), ("reset", 0))  # fmt: skip
    for what, value in moves:
        played.command(what, value)
        moment = played.newest()
        assert moment is not None and math.isfinite(moment.t)
        encode({"t": moment.t, "step": moment.step, "flags": moment.flags})
        encode({"values": played.parameters()})
        for block in (*played.take(), *played.to_plot([])[1]):
            assert len(block.values) == len(block.stamps) > 0
    encode(played.timeline())
    played.close()
    encode({"parameters": parameters(played.layout, played.parameters(), {})})
    encode({"signals": signals(played.layout), "inputs": inputs(played.layout, None, {})})


def tell(path: Path) -> None:
    """`inloop report`."""
    data = _summary(Recording(path))
    if data["report"]:
        _show_data(data["report"], False)


def read_everywhere(path: Path) -> collections.Counter[str]:
    """How each reader ends: well, with an error of its own, or by surprise."""
    ends: collections.Counter[str] = collections.Counter()
    copy = path.with_name("copy.mcap")
    readers: dict[str, Callable[[], object]] = {
        "read": lambda: list(Recording(path)),
        "repair": lambda: repair(path, copy, overwrite=True),
        "show": lambda: show(path),
        "tell": lambda: tell(path),
        "result": lambda: str(recorded_result(path)),
    }
    for name, reader in readers.items():
        try:
            reader()
            ends[f"{name}: well"] += 1
        except FileFormatError:
            ends[f"{name}: refused"] += 1
        except InputError as error:
            known = "holds no samples" in str(error) and name in ("show", "tell", "result")
            ends[f"{name}: refused" if known else "surprise"] += 1
        except Exception:
            traceback.print_exc()
            ends["surprise"] += 1
    return ends


def main(words: Sequence[str]) -> None:
    """COUNT SEED: read so many mutations, print what became of them as JSON."""
    count, seed = map(int, words)
    resource.setrlimit(resource.RLIMIT_CPU, (60 + count // 4, 120 + count // 4))
    with tempfile.TemporaryDirectory() as name:
        sound, path = Path(name) / "sound.mcap", Path(name) / "hostile.mcap"
        write_recording(sound)
        data = sound.read_bytes()
        ends = read_everywhere(sound)
        assert ends == {f"{k}: well": 1 for k in ("read", "repair", "show", "tell", "result")}, ends
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for k in range(count):
            path.write_bytes(mutate(data, random.Random(seed * 1_000_003 + k)))
            ends += read_everywhere(path)
            if ends["surprise"] > 20:
                break
        after = resource.getrusage(resource.RUSAGE_SELF)
    grown = (after.ru_maxrss - before) / 1024  # [MB]
    print(json.dumps({"ends": ends, "grown_mb": grown, "cpu": after.ru_utime}), file=sys.__stdout__)


if __name__ == "__main__":
    # what the readers print for people goes where the tracebacks go
    sys.stdout = sys.stderr
    main(sys.argv[1:])
