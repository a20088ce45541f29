"""Ctrl-C while the studio compiles: it ends at once, with all that it has started."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
import websockets

BOUND = 120.0  # [s]: far above what anything here takes


class HeldCompiler:
    """A compiler that stops at work as soon as it is told to, and a pipe that it then holds open.

    It starts another program, as gcc does. Poses, which the studio compiles first, may pass.
    """

    def __init__(self, directory: Path) -> None:
        self.pipe, self._stop = directory / "held", directory / "stop"
        self.script, self.cache = directory / "cc", directory / "cache"
        os.mkfifo(self.pipe)
        self.script.write_text(f"""#!/bin/sh
case "$*" in
  *probe*|*--version*) exec cc "$@";;
esac
if [ ! -e {self._stop} ] || {{ [ "$(cat {self._stop})" = other ] && ls | grep -q poses; }}
then exec cc "$@"
fi
exec 9>{self.pipe}
(echo begun $(ls) >&9; sleep {BOUND}; echo late >&9) &
wait
""")
        self.script.chmod(0o700)

    def stop(self, what: str) -> None:
        """From now on "all" compilations, or all "other" than poses, do not come to an end."""
        self._stop.write_text(what)

    def left_behind(self) -> list[Path]:
        return [path for room in ("work", "locks") for path in (self.cache / room).glob("*")]


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HeldCompiler:
    made = HeldCompiler(tmp_path)
    monkeypatch.setenv("INLOOP_CC", str(made.script))
    monkeypatch.setenv("INLOOP_CACHE", str(made.cache))
    return made


def ended(studio: Any, compiler: HeldCompiler, pipe: Any) -> None:
    """Press Ctrl-C; nothing may be left."""
    studio.process.send_signal(signal.SIGINT)
    assert studio.process.wait(BOUND) == 130
    studio.process.stdout.close()
    # it ends as soon as nobody holds it any more
    assert "late" not in pipe.read()
    assert not compiler.left_behind()


def test_while_the_plant_is_compiled(compiler: HeldCompiler, start_studio: Any) -> None:
    compiler.stop("other")
    studio = start_studio("pendulum")
    with compiler.pipe.open() as pipe:
        assert pipe.readline().startswith("begun")
        ended(studio, compiler, pipe)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("first", ["runs", "is compiled"])
def test_while_another_one_is_compiled(
    first: str, compiler: HeldCompiler, start_studio: Any
) -> None:
    if first == "is compiled":
        compiler.stop("other")
    studio = start_studio("pendulum")

    async def choose() -> None:
        place = studio.address.replace("http", "ws") + "/ws"
        async with websockets.connect(place, origin=studio.address) as socket:
            request = {"do": "choose", "name": "double_pendulum", "options": {}}
            await socket.send(json.dumps(request))
            await asyncio.to_thread(begins.wait, BOUND)

    begins = threading.Event()
    compiler.stop("all")
    page = threading.Thread(target=asyncio.run, args=(choose(),))
    page.start()
    with compiler.pipe.open() as pipe:
        # the first plant may be at work too
        assert any("double_pendulum_poses" in line for line in iter(pipe.readline, ""))
        begins.set()
        page.join()
        ended(studio, compiler, pipe)
