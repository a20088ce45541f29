"""A small arm to run, and processes that end with their test."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from realtime_arm import arm, own_name

import inloop as il
from warm_python import WarmPython


@pytest.fixture(scope="session")
def plant() -> il.Plant:
    """The compiled arm."""
    return arm().compile(backend="c")


@pytest.fixture
def name() -> Iterator[str]:
    """A name for a running plant; nothing of it may be left at the end."""
    with own_name("test") as chosen:
        yield chosen


@pytest.fixture
def python() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """`python(text, *arguments)`: a Python process of its own, ended with the test.

    With `fresh=True`, or with variables of its environment: a child of the test.
    """
    begun: list[subprocess.Popen[str]] = []

    def begin(
        text: str, *arguments: str, fresh: bool = False, **environment: str
    ) -> subprocess.Popen[str]:
        pipes = {"stdout": subprocess.PIPE, "stdin": subprocess.PIPE}
        if fresh or environment:  # of libraries, which read it when they are loaded
            command = [sys.executable, "-c", text, *arguments]
            own = {**os.environ, **environment}
            process = subprocess.Popen(command, env=own, text=True, **pipes)
        else:
            process = WarmPython(["-c", text, *arguments], text=True, **pipes)
        begun.append(process)
        return process

    yield begin
    for process in begun:
        process.kill()
        with contextlib.suppress(BrokenPipeError):
            process.communicate()
