"""The studio beside a plant that this program runs: `il.run(plant, studio=True)`."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from inloop.model import Mechanism
from inloop.native.building.cache_directory import cache_directory
from inloop.realtime.closing import Closing
from inloop.studio.drawing.stage import make_stage

ENDS_WITHIN = 5.0  # [s]


class StudioProcess(Closing):
    """A studio in a process of its own, attached to a running plant; use it in a `with` statement.

    Args:
        plant: name of the running plant.
        mechanism: what it is made of.
        browser: whether to open the page.
    """

    def __init__(self, plant: str, mechanism: Mechanism, browser: bool = True) -> None:
        self._stack = contextlib.ExitStack()
        directory = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        stage = directory / "stage.json"
        make_stage(mechanism).save(stage)
        command = [sys.executable, "-m", "inloop.cli", "studio", "--attach", plant]
        command += ["--stage", str(stage), "--with-parent"]
        # Ctrl-C is for the plant; the studio ends with it
        self._process = subprocess.Popen(
            command if browser else [*command, "--no-browser"],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            # it loads what was built here
            env={**os.environ, "INLOOP_CACHE": str(cache_directory().parent)},
        )

    @property
    def ended(self) -> bool:
        """Is the studio gone?"""
        return self._process.poll() is not None

    def close(self) -> None:
        """End the studio."""
        with self._stack:
            self._process.terminate()
            try:
                self._process.wait(ENDS_WITHIN)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
