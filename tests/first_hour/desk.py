"""Where a user works: a folder, and the programs of an environment that has the wheel."""

from __future__ import annotations

import os
import shlex
import subprocess
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path


class Desk:
    """Where a user works.

    Attributes:
        folder: with the user's files.
    """

    def __init__(self, folder: Path, programs: Path, compiler: bool) -> None:
        self.folder = folder
        keep = ("INLOOP_CACHE", "INLOOP_CC", "INLOOP_CFLAGS", "INLOOP_JOBS")
        found = {name: os.environ[name] for name in keep if name in os.environ and compiler}
        self.environment = {
            "HOME": str(folder),
            "PATH": f"{programs}:/usr/bin:/bin" if compiler else str(programs),
            # what `pip install inloop[plot,recording,studio]` brings, lent by the tests
            "PYTHONPATH": sysconfig.get_path("purelib"),
            "MPLBACKEND": "agg",
            **found,
        }
        self._programs = programs

    def write(self, files: Mapping[str, str]) -> None:
        """Save the user's files."""
        for name, text in files.items():
            (self.folder / name).write_text(text)

    def types(self, command: str) -> str:
        """What a command prints, which must succeed."""
        done = subprocess.run(
            self.words(command),
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        self.told = done.stderr
        return done.stdout

    def words(self, command: str) -> list[str]:
        program, *others = shlex.split(command)
        return [str(self._programs / program), *others]

    @contextmanager
    def starts(self, command: str) -> Iterator[subprocess.Popen[str]]:
        """A command that runs until the user ends it."""
        process = subprocess.Popen(
            self.words(command),
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            yield process
        finally:
            process.terminate()
            process.communicate(timeout=120.0)
