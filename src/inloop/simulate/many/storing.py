"""Many runs in a folder: written as they complete, and continued after an interruption."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from inloop.errors import FileFormatError, InputError
from inloop.native.building.locking import exclusive
from inloop.native.running.many import ChunkRuns
from inloop.plant.arguments import file_path, whole
from inloop.simulate.many.files import (
    MADE_BY,
    MANIFEST,
    RUNS,
    SWEEP,
    VARIED,
    Part,
    SampleFiles,
    find_part,
    read_column,
    read_manifest,
    remove_unfinished,
    replacing_in_sweep,
    write_part,
)
from inloop.simulate.many.manifest import FORMAT, TOLD, differences, digest_of, manifest_of
from inloop.simulate.many.order import Order
from inloop.simulate.many.reasons import reasons_of
from inloop.simulate.many.result import ManyResult
from inloop.simulate.results.saving import need_parquet
from inloop.simulate.results.whole_files import UNFINISHED

FILES = 200  # approximate number of files of a sweep
MOST_IN_FILE = 1000  # runs
MOST_NUMBERS = 4e6  # maximum of q in a file: 32 MB
MOST_RUNS, MOST_FILES = 100_000_000, 1_000_000  # limits of reading
_LOCK = ".lock"


class Storing:
    """A sweep in its folder."""

    def __init__(
        self, order: Order, design: Mapping[str, Any] | None, folder: Path, chunk: int | None
    ) -> None:
        """Start a sweep, or continue the same one.

        Args:
            order: the runs.
            design: description of the design of the varied values.
            folder: folder of the files.
            chunk: runs in each file; None: chosen from the number of runs.

        Raises:
            InputError: the folder contains another sweep, or something else.
        """
        need_parquet()
        self._order, self.folder = order, folder
        self._chunk = chunk or _chunk_size(order)
        self._manifest = manifest_of(order, design, self._chunk)
        self._digest = digest_of(self._manifest)
        self._open()
        parts = [find_part(folder, *each, self._digest) for each in self._all_ranges()]
        self._parts = {part.begin: part for part in parts if part is not None}

    def ranges(self, workers: int) -> list[tuple[int, int]]:
        """The remaining runs, in the chunks of the files, for any number of workers."""
        return [each for each in self._all_ranges() if each[0] not in self._parts]

    def take(self, chunk: ChunkRuns, made_by: str) -> None:
        """Write a chunk, if all of its runs are complete.

        Raises:
            SimulationError: the disk is full, or the file cannot be written.
        """
        if not chunk.complete:
            return
        order = self._order
        reasons = reasons_of(order.systems, order.coordinates, chunk, order.step)
        facts = {SWEEP: self._digest, MADE_BY: made_by}
        self._parts[chunk.begin] = write_part(self.folder, order, chunk, reasons, facts)

    def result(self) -> ManyResult:
        """The result so far."""
        parts = [self._parts[begin] for begin in sorted(self._parts)]
        return _result(self.folder, self._manifest, parts, self._order)

    def _all_ranges(self) -> list[tuple[int, int]]:
        count, size = self._order.count, self._chunk
        return [(k, min(k + size, count)) for k in range(0, count, size)]

    def _open(self) -> None:
        """Start in an empty folder, or check that it contains this sweep."""
        present = sorted(item.name for item in self.folder.iterdir() if item.name != _LOCK)
        if MANIFEST in present:
            self._compare(read_manifest(self.folder))
        elif [name for name in present if name != RUNS and not name.startswith(UNFINISHED)]:
            raise InputError(
                f"'{self.folder}' contains other files, '{present[0]}' for example",
                fix="Give a folder that is new, empty, or contains this sweep.",
            )
        remove_unfinished(self.folder)
        (self.folder / RUNS).mkdir(exist_ok=True)
        if MANIFEST not in present:
            with replacing_in_sweep(self.folder / MANIFEST) as unfinished:
                unfinished.write_text(json.dumps(self._manifest, indent=1) + "\n", encoding="utf-8")

    def _compare(self, there: Mapping[str, Any]) -> None:
        texts = differences(there, self._manifest)
        if texts:
            raise InputError(
                f"'{self.folder}' contains another sweep: {'; '.join(texts)}",
                fix="Give another folder, or repeat the call that started it.",
            )


@contextlib.contextmanager
def writing_alone(folder: Path) -> Iterator[None]:
    """Create a folder, and lock it against other processes.

    Raises:
        InputError: another process uses it, or the folder cannot be created.
    """
    with contextlib.ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            held = stack.enter_context(exclusive(folder / _LOCK, patience=0.0))
        except OSError as error:
            raise InputError(
                f"'{folder}' cannot be a folder for runs: {error.strerror or error}",
                fix="Give another one.",
            ) from error
        if not held:
            # without file locks, two processes do the same work twice, which is harmless
            with exclusive(folder / f"{_LOCK}-{os.getpid()}", patience=0.0) as has_locks:
                if has_locks:
                    raise InputError(
                        f"another process is writing runs to '{folder}'",
                        fix="Wait for it, or give another folder.",
                    )
        yield


def read_runs(folder: str | Path) -> ManyResult:
    """The runs in a folder written by `plant.simulate_many` or `inloop sweep`, complete or not.

    Missing runs are STOPPED.

    Raises:
        FileFormatError: the folder contains no runs, or files are damaged.
    """
    place = file_path(folder, "folder")
    manifest = read_manifest(place)
    try:
        if manifest["format"] != FORMAT:
            raise FileFormatError(
                f"'{place}' was written by another version of inloop",
                fix="Use that version, or give another folder.",
            )
        runs, chunk = int(manifest["runs"]), int(manifest["chunk"])
        digest, information = digest_of(manifest), manifest[TOLD]
        names = [*information["coordinates"], *information["positions"], *manifest["varied"]]
        if not (0 < runs <= MOST_RUNS and chunk > 0 and runs <= MOST_FILES * chunk):
            raise ValueError(f"{runs} runs, {chunk} in a file")
        if not all(isinstance(name, str) for name in names):
            raise ValueError("invalid names")
        ranges = [(k, min(k + chunk, runs)) for k in range(0, runs, chunk)]
        parts = [find_part(place, *each, digest) for each in ranges]
        return _result(place, manifest, [part for part in parts if part is not None], None)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FileFormatError(
            f"'{place / MANIFEST}' does not describe a sweep: {error}",
            fix="Give the folder of a sweep.",
        ) from error


def read_chunk(chunk: Any) -> int | None:
    """Runs per file, as given by the user.

    Raises:
        InputError: it is not a number of runs.
    """
    if chunk is None:
        return None
    runs = whole(chunk, "chunk")
    if runs < 1:
        raise InputError(f"{runs} runs in a file make no sense", fix="Use chunk >= 1.")
    return runs


def _chunk_size(order: Order) -> int:
    """Runs per file, from their number alone: files do not depend on where runs are computed."""
    wide = order.work.samples * max(1, len(order.positions))
    size = min(MOST_IN_FILE, -(-order.count // FILES))
    return int(max(1, min(size, MOST_NUMBERS // wide)))


def _result(
    folder: Path, manifest: Mapping[str, Any], parts: Sequence[Part], order: Order | None
) -> ManyResult:
    information, runs = manifest[TOLD], int(manifest["runs"])
    t = np.array(information["t"], dtype=np.float64)
    files = SampleFiles(tuple(parts), runs, len(t))
    status, reasons = _endings(parts, runs)
    varied = order.varied if order is not None else None
    return ManyResult(
        str(manifest["model"]),
        tuple(information["coordinates"]),
        tuple(information["positions"]),
        t,
        files,
        status,
        reasons,
        files.numbers("reached"),
        str(manifest["method"]),
        manifest["tolerance"],
        sum(part.steps for part in parts),
        varied or {name: files.numbers(VARIED + name) for name in manifest["varied"]},
        manifest["design"],
        (*information["notes"], *_kinds_note(parts)),
        folder,
        order.plant if order is not None else None,
        order.starts.rows.parameters if order is not None else None,
    )


def _endings(parts: Sequence[Part], runs: int) -> tuple[tuple[str, ...], dict[int, str]]:
    """Status of each run, and reasons of failures."""
    status = ["STOPPED"] * runs
    reasons: dict[int, str] = {}
    for part in parts:
        status[part.begin : part.end] = read_column(part, "status").to_pylist()
        texts = read_column(part, "reason").to_pylist()
        reasons |= {part.begin + k: why for k, why in enumerate(texts) if why is not None}
    missing = (k for k, name in enumerate(status) if name == "STOPPED")
    reasons |= dict.fromkeys(missing, "STOPPED: not run yet")
    return tuple(status), dict(sorted(reasons.items()))


def _kinds_note(parts: Sequence[Part]) -> tuple[str, ...]:
    kinds = {part.made_by for part in parts}
    if len(kinds) < 2:
        return ()
    return (
        f"{len(kinds)} kinds of machines or compilers computed these runs: the last bits of equal "
        "runs may differ between them",
    )
