"""Recordings of the plant: one recorder at a time, and the files that it leaves."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

from inloop.errors import InputError
from inloop.studio.messaging.message_types import File
from inloop.studio.plants.catalog import Catalog
from inloop.studio.plants.processes import Process

WRITTEN_WITHIN = 20.0  # [s] from the end of a recording
LOOK_EVERY = 0.02  # [s]
ENDING = ".mcap"


class Recordings:
    """A directory of recordings.

    Attributes:
        directory: where they are; made when the first one begins.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._process: Process | None = None
        self._path: Path | None = None

    @property
    def active(self) -> bool:
        """Is something being recorded?"""
        return self._process is not None and self._process.running

    @property
    def problem(self) -> str:
        """Why the recorder has ended early; "" if it has not."""
        return "" if self._process is None else self._process.failure

    def files(self) -> list[File]:
        """Name and size [bytes] of complete recordings, the newest first."""
        if not self.directory.is_dir():
            return []
        paths = [p for p in self.directory.glob(f"*{ENDING}") if p.is_file()]
        if self.active:
            paths = [p for p in paths if p != self._path]  # not complete yet
        paths.sort(key=lambda p: p.stat().st_mtime, reverse=True)
        return [{"name": p.name, "bytes": p.stat().st_size} for p in paths]

    def find(self, name: str) -> Path:
        """The file of a recording.

        Raises:
            InputError: there is none of this name.
        """
        # compared with names of the list, so that no path can lead elsewhere
        if name not in [entry["name"] for entry in self.files()]:
            raise InputError(f"there is no recording {name[:60]!a}", fix="Choose one of the list.")
        return self.directory / name

    async def begin(self, catalog: Catalog, plant: str) -> None:
        """Start a recorder, and wait until it records.

        Raises:
            InputError: there is one already, or no place for its file.
        """
        if self.active:
            raise InputError("a recording is going on", fix="End it first.")
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"no recordings in {str(self.directory)!a}: {error.strerror}",
                fix="Start the studio with --recordings DIRECTORY.",
            ) from None
        self._path = self._new_path(f"{plant}_{time.strftime('%Y-%m-%d_%H-%M-%S')}")
        self._process = Process(catalog.record_command(plant, self._path))
        while self._process.running and not self._path.exists():
            await asyncio.sleep(LOOK_EVERY)
        if not self._process.running:
            raise InputError(f"the recorder did not start: {await self.end()}")

    def _new_path(self, stem: str) -> Path:
        """A name that no file has."""
        path, number = self.directory / f"{stem}{ENDING}", 1
        while os.path.lexists(path):
            number += 1
            path = self.directory / f"{stem}_{number}{ENDING}"
        return path

    async def end(self) -> str:
        """End the recorder; returns what went wrong, "" for nothing."""
        process, self._process = self._process, None
        if process is None:
            return ""
        await process.stop(WRITTEN_WITHIN)
        problem = process.failure
        await process.end(0.0)
        return problem
