"""Rebuilds a plant when its file changes, while the old one runs, and replaces it."""

from __future__ import annotations

import asyncio
import json
import logging
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from inloop.errors import InloopError
from inloop.studio.drawing.stage import Stage
from inloop.studio.messaging.message_types import Told
from inloop.studio.plants.catalog import Choice, load_offers
from inloop.studio.plants.file_watch import FileWatch
from inloop.studio.plants.processes import Process

LOOK_EVERY = 0.25  # [s]
ENDS_WITHIN = 2.0  # [s]


class Reloading:
    """Watches the files of a plant while it runs.

    Args:
        choice: the plant, whose command is run again; no other command is ever run.
        succeed: replaces the old plant by one that is ready and waits for a line.
        tell: called when `notice` has changed.

    Attributes:
        notice: current notice for the user.
    """

    def __init__(
        self,
        choice: Choice,
        succeed: Callable[[Process, Choice], Awaitable[None]],
        tell: Callable[[], None],
    ) -> None:
        self.notice: Told | None = None
        self._choice, self._succeed, self._tell = choice, succeed, tell
        self._watch = FileWatch(choice.watched)
        self._task = asyncio.get_running_loop().create_task(self._run())
        self._building: Process | None = None
        self._committed = False  # the old plant is being replaced: point of no return

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            if not (changed := self._watch.changed()):
                continue
            while changed:  # changed again during the build
                changed = await self._build(changed)

    async def _build(self, changed: list[Path]) -> list[Path]:
        """Build and replace; returns files that have changed meanwhile."""
        name = changed[0].name
        self._say({"level": "info", "text": f"{name} has changed: rebuilding", "fix": ""})
        with tempfile.TemporaryDirectory() as directory:
            stage = Path(directory) / "stage.json"
            words = ("--in-place-of", self._choice.plant, "--stage-to", str(stage))
            self._building = process = Process((*self._choice.command, *words), piped=True)
            try:
                while process.running and not stage.exists():
                    await asyncio.sleep(LOOK_EVERY)
                    if again := self._watch.changed():
                        return again
                if not stage.exists():
                    words_of_it = process.last_words().rpartition("error: ")[2]
                    self._refuse(name, words_of_it or process.failure)
                    return []
                files = json.loads(stage.with_suffix(".files").read_text(encoding="utf-8"))
                offers = load_offers(stage.with_suffix(".controllers"))
                choice = replace(self._choice, stage=Stage.load(stage), controllers=offers)
                self._watch.watch(map(Path, files))
                self._choice, self._committed = choice, True
                await self._succeed(process, choice)
                self._say(None)
            except InloopError as error:
                self._refuse(name, error.mistakes[0].what)
            except Exception as error:
                # after any error, the next change of the file is still detected
                logging.getLogger(__name__).error("a plant was not replaced", exc_info=error)
                self._refuse(name, f"{type(error).__name__}: {error}"[:200])
            finally:
                if not self._committed:
                    await process.end(ENDS_WITHIN)
                self._building, self._committed = None, False
        return []

    def _refuse(self, name: str, words: str) -> None:
        self._say({
            "level": "error",
            "text": f"{name} cannot be used: {words}",
            "fix": "The previous plant keeps running. Correct the file and save it again.",
        })  # fmt: skip

    def _say(self, notice: Told | None) -> None:
        self.notice = notice
        self._tell()

    async def close(self) -> None:
        """Stop watching; a build in progress is ended."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
