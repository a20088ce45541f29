"""Content-addressed store of libraries, shared by independent processes.

An entry is a directory named by its key. It is prepared elsewhere and appears by one atomic rename,
so it is never seen half-written; a manifest with size and checksum detects later damage by a crash
or a full disk.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from inloop.native.building.locking import exclusive, is_held

_MANIFEST = "manifest.json"
_ALIVE = ".alive"
_SWEPT = "swept"  # its age is the time since entries were last checked
_READABLE = (".c", ".h", ".txt")

_PATIENCE = 600.0  # maximum wait for another process that builds the same key [s]
_GRACE = 60.0  # age below which a working directory may not have its lock yet [s]
_DAY = 86400.0  # [s]
_UNUSED = 90 * _DAY  # entries unused for this long are removed [s]


@dataclass(frozen=True)
class Store:
    """The build cache under `root`, which `cache_directory` has prepared.

    Attributes:
        root: its directory.
        library_name: name of the library file of an entry.
    """

    root: Path
    library_name: str = "library.so"

    def find(self, key: str) -> Path | None:
        """The library of `key`, or None if it is absent or damaged."""
        entry = self._entry(key)
        library = entry / self.library_name
        try:
            expected = json.loads((entry / _MANIFEST).read_text())["library"]
            if expected != _fingerprint(library):
                return None
        except (OSError, ValueError, KeyError, TypeError):
            return None
        with contextlib.suppress(OSError):
            os.utime(entry / _MANIFEST)  # the time of last use
        return library

    @contextlib.contextmanager
    def lock(self, key: str) -> Iterator[None]:
        """Keep other processes from building `key` at the same time."""
        with exclusive(self.root / "locks" / key, patience=_PATIENCE):
            yield

    @contextlib.contextmanager
    def workspace(self) -> Iterator[Path]:
        """A directory to build in; removed at the end unless it has been published."""
        self._sweep_daily()
        directory = Path(tempfile.mkdtemp(dir=self.root / "work"))
        try:
            with exclusive(directory / _ALIVE, patience=0.0):
                yield directory
        finally:
            shutil.rmtree(directory, ignore_errors=True)

    def publish(self, directory: Path, key: str, notes: dict[str, object]) -> Path:
        """Atomically turn a finished working directory into the entry of `key`."""
        manifest = {"library": _fingerprint(directory / self.library_name), **notes}
        (directory / _MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
        (directory / _ALIVE).unlink(missing_ok=True)
        self._swap(directory, key)
        library = self.find(key)
        if library is None:
            raise OSError(5, "the library just written cannot be read back")
        return library

    def keep_failed(self, directory: Path, key: str) -> Path:
        """Keep the sources of a failed build for inspection; returns their location."""
        kept = self.root / "failed" / key
        shutil.rmtree(kept, ignore_errors=True)
        with contextlib.suppress(OSError):
            kept.mkdir(mode=0o700)
            for file in _listed(directory):
                if file.suffix in _READABLE:
                    shutil.copyfile(file, kept / file.name)
        return kept

    def sweep(self) -> None:
        """Remove leftovers of killed builds and entries unused for long."""
        self._sweep_work()
        self._sweep_entries()

    def _sweep_daily(self) -> None:
        """The same, but entries are checked only once a day."""
        self._sweep_work()
        mark = self.root / _SWEPT
        if _age(mark, absent=math.inf) > _DAY:
            with contextlib.suppress(OSError):
                mark.touch()
            self._sweep_entries()

    def _sweep_work(self) -> None:
        for directory in _listed(self.root / "work"):
            age = _age(directory)
            if age > _DAY or (age > _GRACE and not is_held(directory / _ALIVE)):
                shutil.rmtree(directory, ignore_errors=True)

    def _sweep_entries(self) -> None:
        for room, file in (("entries", _MANIFEST), ("failed", "")):
            for directory in _listed(self.root / room):
                if _age(directory / file) > _UNUSED:
                    shutil.rmtree(directory, ignore_errors=True)

    def _entry(self, key: str) -> Path:
        return self.root / "entries" / key

    def _swap(self, directory: Path, key: str) -> None:
        """Rename `directory` to the entry, unless a valid one has appeared in the meantime."""
        for _ in range(10):
            try:
                directory.rename(self._entry(key))
                return
            except OSError:
                if self.find(key) is not None:
                    return
                self._discard(key)
        directory.rename(self._entry(key))

    def _discard(self, key: str) -> None:
        """Move a damaged entry away; a process that has it loaded keeps its pages."""
        grave = Path(tempfile.mkdtemp(dir=self.root / "work"))
        with contextlib.suppress(FileNotFoundError):
            self._entry(key).rename(grave / "entry")
        shutil.rmtree(grave, ignore_errors=True)


def _fingerprint(library: Path) -> dict[str, object]:
    content = library.read_bytes()
    return {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def _listed(directory: Path) -> list[Path]:
    try:
        return sorted(directory.iterdir())
    except OSError:
        return []


def _age(path: Path, absent: float = 0.0) -> float:
    """Seconds since the last change of `path`; 0 if it is gone, so that it is not removed."""
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return absent
