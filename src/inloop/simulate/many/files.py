"""Files of many runs: one Parquet file per chunk, written atomically."""

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
VARIED, SAMPLES = "varied/", "samples/"  # prefixes of columns; names of signals contain no slash
SWEEP, MADE_BY, STEPS = b"inloop/sweep", b"inloop/made_by", b"inloop/steps"


@dataclass(frozen=True)
class Part:
    """The file of a chunk.

    Attributes:
        begin, end: index of the first run, and of the last plus 1.
        path: path of the file.
        made_by: machine and compiler that computed it.
        steps: number of steps of its runs.
    """

    begin: int
    end: int
    path: Path
    made_by: str
    steps: int


def part_path(folder: Path, begin: int, end: int) -> Path:
    """Path of the file of a chunk."""
    return folder / RUNS / f"{begin:09d}-{end - 1:09d}.parquet"


def write_part(
    folder: Path,
    order: Order,
    chunk: ChunkRuns,
    reasons: Mapping[int, str],
    facts: dict[bytes, str],
) -> Part:
    """Write the runs of a chunk.

    Raises:
        SimulationError: the disk is full, or the file cannot be written.
    """
    pyarrow, parquet = need_parquet()
    runs = range(chunk.begin, chunk.end)
    columns: dict[str, Any] = {"run": np.array(runs, dtype=np.int64)}
    columns |= {VARIED + n: c[chunk.begin : chunk.end] for n, c in order.varied.items()}
    columns["status"] = [Status(int(s)).name for s in chunk.status]
    columns["reason"] = pyarrow.array([reasons.get(run) for run in runs], pyarrow.string())
    columns["reached"] = chunk.reached
    signals = [(name, chunk.q[:, :, k]) for k, name in enumerate(order.positions)]
    signals += [(f"{name}.qd", chunk.qd[:, :, k]) for k, name in enumerate(order.coordinates)]
    columns |= {name: values[:, -1].copy() for name, values in signals}
    width = order.work.samples
    for name, values in signals:
        flat = pyarrow.array(np.ascontiguousarray(values).ravel())
        columns[SAMPLES + name] = pyarrow.FixedSizeListArray.from_arrays(flat, width)
    facts = {**facts, STEPS: str(chunk.steps)}
    table = pyarrow.table(columns).replace_schema_metadata(facts)
    target = part_path(folder, chunk.begin, chunk.end)
    options = {"use_dictionary": ["status", "reason"], "write_statistics": False}
    with replacing_in_sweep(target) as unfinished:
        parquet.write_table(table, unfinished, **options)
    return Part(chunk.begin, chunk.end, target, facts[MADE_BY], chunk.steps)


@contextlib.contextmanager
def replacing_in_sweep(target: Path) -> Iterator[Path]:
    """A temporary path to write to; the file replaces one of the sweep atomically.

    Raises:
        SimulationError: the disk is full, or the file cannot be written.
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
    """Remove temporary files of killed writers."""
    for path in (*folder.glob(f"{UNFINISHED}-*"), *(folder / RUNS).glob(f"{UNFINISHED}-*")):
        with contextlib.suppress(OSError):
            path.unlink()


def find_part(folder: Path, begin: int, end: int, sweep: str) -> Part | None:
    """The file of a chunk if it exists and is complete; None if the chunk is still to be done."""
    pyarrow, parquet = need_parquet()
    path = part_path(folder, begin, end)
    if not path.exists():
        return None
    try:
        metadata = parquet.read_metadata(path)
        facts = metadata.metadata or {}
        steps = int(facts.get(STEPS, b"0"))
    except (OSError, ValueError, pyarrow.ArrowException):
        return None
    if metadata.num_rows != end - begin or facts.get(SWEEP) != sweep.encode():
        return None
    return Part(begin, end, path, facts.get(MADE_BY, b"").decode(errors="replace"), steps)


@dataclass(frozen=True)
class SampleFiles:
    """Samples of many runs in files, read on demand.

    Attributes:
        parts: the files; runs without a file are NaN.
        runs: number of runs.
        count: number of samples per run.
    """

    parts: tuple[Part, ...]
    runs: int
    count: int

    def signal(self, name: str) -> Array:
        """One signal of all runs, shape (runs, samples)."""
        samples = np.full((self.runs, self.count), np.nan)
        for part in self.parts:
            with _reporting_damage(part):
                flat = read_column(part, SAMPLES + name).flatten().to_numpy()
                samples[part.begin : part.end] = flat.reshape(-1, self.count)
        return samples

    def end(self, name: str) -> Array:
        """The same at the end of the runs, shape (runs,)."""
        return self.numbers(name)

    def numbers(self, name: str) -> Array:
        """A column of numbers, shape (runs,)."""
        numbers = np.full(self.runs, np.nan)
        for part in self.parts:
            with _reporting_damage(part):
                column = read_column(part, name)
                numbers[part.begin : part.end] = column.to_numpy(zero_copy_only=False)
        return numbers


def read_column(part: Part, name: str) -> Any:
    """A column of a file.

    Raises:
        FileFormatError: it cannot be read.
    """
    _, parquet = need_parquet()
    with _reporting_damage(part), parquet.ParquetFile(part.path) as file:
        return file.read(columns=[name]).column(name).combine_chunks()


@contextlib.contextmanager
def _reporting_damage(part: Part) -> Iterator[None]:
    """Report a damaged file as such.

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
        FileFormatError: there is none, or it is invalid.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise FileFormatError(
            f"'{folder}' does not contain a sweep: {MANIFEST} cannot be read ({error})",
            fix="Give the folder written by simulate_many or inloop sweep.",
        ) from error
    if not isinstance(manifest, dict):
        raise FileFormatError(
            f"'{folder / MANIFEST}' does not describe a sweep", fix="Give the folder of a sweep."
        )
    return manifest
