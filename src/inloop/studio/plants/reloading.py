"""Builds a plant anew when its file changes, beside the one that runs, and puts it in its place."""

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
    """Watches the files of a plant for as long as it is the one that runs.

    Args:
        choice: the plant, whose command is run again; nothing else ever is.
        succeed: puts a plant that is ready, and waits for a word, in the place of the other.
        tell: called when `notice` has changed.

    Attributes:
        notice: what a person should know of it now.
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
        self._committed = False  # the old plant is being replaced: no way back

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            if not (changed := self._watch.changed()):
                continue
            while changed:  # again while it is being built
                changed = await self._build(changed)

    async def _build(self, changed: list[Path]) -> list[Path]:
        """Build, and replace; returns files that have changed meanwhile."""
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
                # whatever has happened, the next change of the file is seen
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
        """Watch no more; what is being built is ended."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
