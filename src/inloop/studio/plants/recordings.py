"""Recordings of the plant: one recorder at a time, and its files."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from inloop.errors import InputError
from inloop.studio.messaging.message_types import File, Recording
from inloop.studio.plants.catalog import Catalog
from inloop.studio.plants.processes import Process

WRITTEN_WITHIN = 20.0  # [s] after the end of a recording
LOOK_EVERY = 0.02  # [s]
ENDING = ".mcap"


class Recordings:
    """A directory of recordings.

    Attributes:
        directory: where they are; created with the first one.
        changed: called before and after a recording starts or ends.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.changed: Callable[[], None] = lambda: None
        self._process: Process | None = None
        self._path: Path | None = None
        self._since = 0.0  # start time [s]
        self._turning: Literal["starting", "ending"] | None = None

    @property
    def active(self) -> bool:
        """Whether a recording is in progress."""
        return self._process is not None and self._process.running

    @property
    def busy(self) -> bool:
        """Whether there is a recorder, even one that has died."""
        return self._process is not None

    @property
    def problem(self) -> str:
        """Why the recorder has ended early; "" if it has not."""
        failure = "" if self._process is None else self._process.failure
        # the message also says how much was written
        return failure.rpartition("ended early: ")[2]

    def writes(self, path: Path) -> bool:
        """Whether this file is being written."""
        return self.active and self._turning != "starting" and path == self._path

    def status(self) -> Recording:
        """State of the recorder, and the list of files."""
        written = self._path if self.busy else None
        size = 0
        with contextlib.suppress(OSError):
            size = 0 if written is None else written.stat().st_size
        return {
            "phase": self._turning or ("on" if self.active else "off"),
            "file": "" if written is None else written.name,
            "bytes": size,
            "seconds": time.monotonic() - self._since if self.active else 0.0,
            "problem": self.problem,
            "files": self.files(),
        }

    def files(self) -> list[File]:
        """Name and size [bytes] of complete recordings, the newest first."""
        if not self.directory.is_dir():
            return []
        paths = [p for p in self.directory.glob(f"*{ENDING}") if p.is_file()]
        if self.active:
            paths = [p for p in paths if p != self._path]  # not complete yet
        paths.sort(key=lambda p: p.stat().st_mtime, reverse=True)
        return [{"name": p.name, "bytes": p.stat().st_size} for p in paths]

    def find(self, name: str, *, growing: bool = False) -> Path:
        """The file of a recording.

        Args:
            name: name of the file.
            growing: accept also the file that is being written.

        Raises:
            InputError: unknown name.
        """
        path = self._path
        if growing and path is not None and self.writes(path) and name == path.name:
            return path
        # only names of the list are accepted, so that no path leads elsewhere
        if name not in [entry["name"] for entry in self.files()]:
            raise InputError(
                f"there is no recording {name[:60]!a}", fix="Choose one from the list."
            )
        return self.directory / name

    async def begin(self, catalog: Catalog, plant: str) -> None:
        """Start a recorder, and wait until it records.

        Raises:
            InputError: a recording is in progress, or the directory cannot be created.
        """
        if self.active:
            raise InputError("a recording is in progress", fix="Stop it first.")
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"no recordings in {str(self.directory)!a}: {error.strerror}",
                fix="Start the studio with --recordings DIRECTORY.",
            ) from None
        await self.end()  # one that has died
        self._path = self._new_path(f"{plant}_{time.strftime('%Y-%m-%d_%H-%M-%S')}")
        self._process = process = Process(catalog.record_command(plant, self._path))
        self._since = time.monotonic()
        try:
            self._turn("starting")
            while process.running and not self._path.exists():
                await asyncio.sleep(LOOK_EVERY)
        finally:
            self._turn(None)
        # a recorder that has already ended normally has recorded everything there was
        if not self._path.exists():
            raise InputError(f"the recorder did not start: {await self.end()}")

    def _turn(self, phase: Literal["starting", "ending"] | None) -> None:
        """Report that a start or an end is imminent, or done (None)."""
        self._turning = phase
        self.changed()

    def _new_path(self, stem: str) -> Path:
        """A file name that is not in use."""
        path, number = self.directory / f"{stem}{ENDING}", 1
        while os.path.lexists(path):
            number += 1
            path = self.directory / f"{stem}_{number}{ENDING}"
        return path

    async def end(self) -> str:
        """End the recorder; returns what went wrong, or ""."""
        process = self._process
        if process is None:
            return ""
        try:
            self._turn("ending")
            await process.stop(WRITTEN_WITHIN)
            problem = self.problem
            await process.end(0.0)
        finally:
            self._process = None
            self._turn(None)
        return problem
