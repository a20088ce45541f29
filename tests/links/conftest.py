"""A small arm to link, processes that end with their test, ports that are free."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "realtime"))
sys.path.insert(0, str(Path(__file__).parent))

from realtime_arm import arm, own_name

import inloop as il
from warm_python import WarmPython

HANG = 120.0  # [s] after which something that should happen never will


@pytest.fixture(scope="session")
def plant() -> il.Plant:
    """The compiled arm: joints shoulder and elbow, input push, parameters stiffness and damping."""
    return arm().compile(backend="c")


@pytest.fixture
def name() -> Iterator[str]:
    """A name for a running plant, and for "<name>.far"; nothing of it may be left at the end."""
    with own_name("links") as chosen:
        yield chosen


@pytest.fixture
def begin() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """`begin("program", "argument", …)`: a process of its own, killed at the end of the test."""
    begun: list[subprocess.Popen[str]] = []

    def start(*words: str, **options: Any) -> subprocess.Popen[str]:
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        options = {"text": True, **pipes, **options}
        if words[:3] == (sys.executable, "-m", "inloop.cli"):
            begun.append(WarmPython(list(words[1:]), **options))
        else:
            begun.append(subprocess.Popen(words, **options))
        return begun[-1]

    yield start
    for process in begun:
        process.kill()
        process.communicate()


@pytest.fixture
def link(begin: Any) -> Callable[..., subprocess.Popen[str]]:
    """`link("udp", name, …)`: `inloop link` in a process of its own, ready when this returns."""

    def start(*words: str, before: tuple[str, ...] = (), **options: Any) -> subprocess.Popen[str]:
        command = (*before, sys.executable, "-m", "inloop.cli", "link", *words, "--json")
        process: subprocess.Popen[str] = begin(*command, **options)
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line and not line.startswith(("error", "Traceback")), line
        return process

    return start


@pytest.fixture
def ports() -> tuple[int, int]:
    """Two UDP ports of this machine that nobody uses."""
    sockets = [socket.socket(type=socket.SOCK_DGRAM) for _ in range(2)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    found = tuple(each.getsockname()[1] for each in sockets)
    for each in sockets:
        each.close()
    return found  # type: ignore[return-value]


@pytest.fixture
def eventually() -> Callable[[Callable[[], Any]], Any]:
    """`eventually(condition)`: what it gives as soon as that is true, for what then stays so.

    The limit is no claim about speed: it ends a test that hangs.
    """

    def wait(condition: Callable[[], Any]) -> Any:
        end = time.monotonic() + HANG
        while not (found := condition()):
            assert time.monotonic() < end, f"it did not happen within {HANG:g} s"
            time.sleep(0.001)
        return found

    return wait
