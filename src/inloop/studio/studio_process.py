"""The studio for a plant that this program runs: `il.run(plant, studio=True)`."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from select import select

from inloop.errors import InputError
from inloop.model import Mechanism
from inloop.native.building.cache_directory import cache_directory
from inloop.realtime.closing import Closing
from inloop.studio.drawing.stage import make_stage
from inloop.studio.plants.processes import child_environment

ENDS_WITHIN = 5.0  # [s]
STARTS_WITHIN = 60.0  # [s]


class StudioProcess(Closing):
    """A studio in its own process, attached to a running plant; use it in a `with` statement.

    Args:
        plant: name of the running plant.
        mechanism: the mechanism of the plant.
        browser: whether to open the page.
        framed: to be embedded in another page on this machine, such as a notebook: nothing is
            printed, and `address` holds the URL.

    Attributes:
        address: URL of the page, with its token; "" unless `framed`.

    Raises:
        InputError: the studio did not start.
    """

    def __init__(
        self, plant: str, mechanism: Mechanism, browser: bool = True, *, framed: bool = False
    ) -> None:
        self._stack = contextlib.ExitStack()
        directory = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        stage = directory / "stage.json"
        make_stage(mechanism).save(stage)
        command = [sys.executable, "-m", "inloop.cli", "studio", "--attach", plant]
        command += ["--stage", str(stage), "--with-parent"]
        command += ["--framed", "--port", "0", "--json"] if framed else []
        # Ctrl-C is for the plant; the studio ends with the plant
        self._process = subprocess.Popen(
            command if browser else [*command, "--no-browser"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if framed else None,
            bufsize=0,  # unbuffered: `select` sees all available data
            start_new_session=True,
            # it loads what was compiled here
            env={**child_environment(), "INLOOP_CACHE": str(cache_directory().parent)},
        )

        self.address = self._read_address() if framed else ""

    def _read_address(self) -> str:
        """The address that the studio prints when its page can be opened: JSON on several lines."""
        assert self._process.stdout is not None
        told = b""
        with self._process.stdout as said:
            while not told.endswith(b"}\n"):
                ready, _, _ = select([said], [], [], STARTS_WITHIN)
                line = said.readline() if ready else b""
                if not line:
                    self.close()
                    raise InputError("the studio did not start", fix="Try: inloop studio.")
                told += line
        return str(json.loads(told)["address"])

    @property
    def ended(self) -> bool:
        """Whether the studio process has ended."""
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
