"""Files of many runs: one Parquet file per chunk, which appears at once or not at all."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from inloop.errors import FileFormatError, SimulationError
from inloop.native import Status
from inloop.native.running.many import ChunkRuns
from inloop.plant import Array
from inloop.simulate.many.order import Order
from inloop.simulate.results.saving import need_parquet
from inloop.simulate.results.whole_files import UNFINISHED, replacing

MANIFEST, RUNS = "sweep.json", "runs"
VARIED, SAMPLES = "varied/", "samples/"  # before names of columns; no signal has a slash
SWEEP, MADE_BY, STEPS = b"inloop/sweep", b"inloop/made_by", b"inloop/steps"


@dataclass(frozen=True)
class Part:
    """The file of a chunk.

    Attributes:
        begin, end: numbers of the first run, and of the one behind the last.
        path: where it is.
        made_by: what computed it.
        steps: of its runs.
    """

    begin: int
    end: int
    path: Path
    made_by: str
    steps: int


def part_path(folder: Path, begin: int, end: int) -> Path:
    """Where the runs of a chunk are."""
    return folder / RUNS / f"{begin:09d}-{end - 1:09d}.parquet"


def write_part(
    folder: Path,
    order: Order,
    found: ChunkRuns,
    reasons: Mapping[int, str],
    facts: dict[bytes, str],
) -> Part:
    """Write the runs of a chunk.

    Raises:
        SimulationError: the disk is full, or refuses it otherwise.
    """
    pyarrow, parquet = need_parquet()
    runs = range(found.begin, found.end)
    columns: dict[str, Any] = {"run": np.array(runs, dtype=np.int64)}
    columns |= {VARIED + n: c[found.begin : found.end] for n, c in order.varied.items()}
    columns["status"] = [Status(int(s)).name for s in found.status]
    columns["reason"] = pyarrow.array([reasons.get(run) for run in runs], pyarrow.string())
    columns["reached"] = found.reached
    signals = [(name, found.q[:, :, k]) for k, name in enumerate(order.positions)]
    signals += [(f"{name}.qd", found.qd[:, :, k]) for k, name in enumerate(order.coordinates)]
    columns |= {name: values[:, -1].copy() for name, values in signals}
    width = order.work.samples
    for name, values in signals:
        flat = pyarrow.array(np.ascontiguousarray(values).ravel())
        columns[SAMPLES + name] = pyarrow.FixedSizeListArray.from_arrays(flat, width)
    facts = {**facts, STEPS: str(found.steps)}
    table = pyarrow.table(columns).replace_schema_metadata(facts)
    target = part_path(folder, found.begin, found.end)
    options = {"use_dictionary": ["status", "reason"], "write_statistics": False}
    with replacing_in_sweep(target) as unfinished:
        parquet.write_table(table, unfinished, **options)
    return Part(found.begin, found.end, target, facts[MADE_BY], found.steps)


@contextlib.contextmanager
def replacing_in_sweep(target: Path) -> Iterator[Path]:
    """A path to write to; what was written becomes a file of the sweep at once, and safely.

    Raises:
        SimulationError: the disk is full, or refuses it otherwise.
    """
    try:
        with replacing(target) as unfinished:
            yield unfinished
    except OSError as error:
        raise SimulationError(
            f"'{target}' cannot be written: {error.strerror or error}",
            fix="Free some space, then repeat the call: files already written are kept.",
        ) from error


def remove_unfinished(folder: Path) -> None:
    """Remove what killed writers left behind."""
    for path in (*folder.glob(f"{UNFINISHED}-*"), *(folder / RUNS).glob(f"{UNFINISHED}-*")):
        with contextlib.suppress(OSError):
            path.unlink()


def find_part(folder: Path, begin: int, end: int, sweep: str) -> Part | None:
    """The file of a chunk if it is there and whole; None where the chunk is still to be done."""
    pyarrow, parquet = need_parquet()
    path = part_path(folder, begin, end)
    if not path.exists():
        return None
    try:
        told = parquet.read_metadata(path)
        facts = told.metadata or {}
        steps = int(facts.get(STEPS, b"0"))
    except (OSError, ValueError, pyarrow.ArrowException):
        return None
    if told.num_rows != end - begin or facts.get(SWEEP) != sweep.encode():
        return None
    return Part(begin, end, path, facts.get(MADE_BY, b"").decode(errors="replace"), steps)


@dataclass(frozen=True)
class SampleFiles:
    """Samples of many runs in files, read when they are asked for.

    Attributes:
        parts: the files; runs in none of them are NaN.
        runs: how many there are.
        count: of samples per run.
    """

    parts: tuple[Part, ...]
    runs: int
    count: int

    def signal(self, name: str) -> Array:
        """One signal of all runs, shape (runs, samples)."""
        found = np.full((self.runs, self.count), np.nan)
        for part in self.parts:
            with _damage_told(part):
                flat = read_column(part, SAMPLES + name).flatten().to_numpy()
                found[part.begin : part.end] = flat.reshape(-1, self.count)
        return found

    def end(self, name: str) -> Array:
        """The same where the runs end, shape (runs,)."""
        return self.numbers(name)

    def numbers(self, name: str) -> Array:
        """A column of numbers, shape (runs,)."""
        found = np.full(self.runs, np.nan)
        for part in self.parts:
            with _damage_told(part):
                column = read_column(part, name)
                found[part.begin : part.end] = column.to_numpy(zero_copy_only=False)
        return found


def read_column(part: Part, name: str) -> Any:
    """A column of a file.

    Raises:
        FileFormatError: it cannot be read.
    """
    _, parquet = need_parquet()
    with _damage_told(part), parquet.ParquetFile(part.path) as file:
        return file.read(columns=[name]).column(name).combine_chunks()


@contextlib.contextmanager
def _damage_told(part: Part) -> Iterator[None]:
    """Errors of a file that is not what it should be.

    Raises:
        FileFormatError: it cannot be read.
    """
    pyarrow, _ = need_parquet()
    wrong = (OSError, KeyError, ValueError, TypeError, AttributeError, pyarrow.ArrowException)
    try:
        yield
    except wrong as error:
        raise FileFormatError(
            f"'{part.path}' cannot be read: {error}",
            fix="Remove it and run the sweep again: only its runs are repeated.",
        ) from error


def read_manifest(folder: Path) -> dict[str, Any]:
    """The facts of the sweep in a folder.

    Raises:
        FileFormatError: there is none, or it makes no sense.
    """
    try:
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise FileFormatError(
            f"'{folder}' does not contain a sweep: {MANIFEST} cannot be read ({error})",
            fix="Give the folder written by simulate_many or inloop sweep.",
        ) from error
    if not isinstance(found, dict):
        raise FileFormatError(
            f"'{folder / MANIFEST}' does not describe a sweep", fix="Give the folder of a sweep."
        )
    return found
