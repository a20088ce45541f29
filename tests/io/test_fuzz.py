"""Files damaged at random: an error of our own or a model, never anything else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from inloop.errors import FileFormatError, InloopError
from inloop.io.load import load

SAMPLES = ["sorter.urdf", "crane.mbs", "toy.xml", "arm.sdf"]
TRUNCATIONS = 250
DAMAGES, MANY_DAMAGES = 80, 300
# what is most likely to lead somewhere
TOKENS = [
    b"nan",
    b"-1e999",
    b"1e308",
    b"0",
    b'""',
    b"<",
    b"&#0;",
    b"\x00",
    b"\xff\xfe",
    b"&a;",
    b"-",
]


def outcome(path: Path) -> str:
    """The kind of error, or "" if a model came out; everything else is raised."""
    try:
        model = load(path)
    except InloopError as error:
        assert str(error)
        assert all(mistake.where.startswith(str(path)) for mistake in error.mistakes)
        return type(error).__name__
    model.build().describe()
    return ""


@pytest.mark.parametrize("sample", SAMPLES)
def test_truncated_files(data: Path, written, sample: str) -> None:
    content = (data / sample).read_bytes().rstrip()
    for k in range(TRUNCATIONS):
        length = k * len(content) // TRUNCATIONS
        with pytest.raises(FileFormatError):
            load(written(content[:length]))


DAMAGED = [
    *((sample, DAMAGES) for sample in SAMPLES[::2]),
    *(pytest.param(sample, MANY_DAMAGES, marks=pytest.mark.long) for sample in SAMPLES),
]


@pytest.mark.parametrize(("sample", "damages"), DAMAGED)
def test_flipped_bytes(data: Path, written, sample: str, damages: int) -> None:
    content = (data / sample).read_bytes()
    rng = random.Random(7)
    seen = set()
    for _ in range(damages):
        damaged = bytearray(content)
        for _ in range(rng.choice((1, 1, 3))):
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        seen.add(outcome(written(bytes(damaged))))
    assert {"", "FileFormatError", "ModelError"} >= seen
    assert len(seen) >= 2


@pytest.mark.parametrize(("sample", "damages"), DAMAGED)
def test_replaced_values(data: Path, written, sample: str, damages: int) -> None:
    """Damage numbers and words where the XML stays well-formed more often."""
    content = (data / sample).read_bytes()
    rng = random.Random(11)
    ends = [k for k, byte in enumerate(content) if byte in b'" >']
    for _ in range(damages):
        start = rng.choice(ends) + 1
        stop = min(start + rng.randrange(1, 12), len(content))
        outcome(written(content[:start] + rng.choice(TOKENS) + content[stop:]))


@pytest.mark.parametrize(
    ("sample", "every"),
    [
        *((sample, 4) for sample in SAMPLES[::2]),
        *(pytest.param(sample, 1, marks=pytest.mark.long) for sample in SAMPLES),
    ],
)
def test_lines_left_out_or_doubled(data: Path, written, sample: str, every: int) -> None:
    lines = (data / sample).read_bytes().splitlines(keepends=True)
    for k in range(0, len(lines), every):
        outcome(written(b"".join(lines[:k] + lines[k + 1 :])))
        outcome(written(b"".join(lines[: k + 1] + lines[k:])))
