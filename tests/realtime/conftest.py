"""A small arm to run, names that do not collide, and a look at what is left behind."""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from realtime_arm import arm

import inloop as il

_numbers = itertools.count()


@pytest.fixture(scope="session")
def plant() -> il.Plant:
    """The compiled arm."""
    return arm().compile(backend="c")


@pytest.fixture
def name() -> Iterator[str]:
    """A name for a running plant; nothing of it may be left at the end."""
    chosen = f"test-{os.getpid()}-{next(_numbers)}"
    yield chosen
    left = list(Path("/dev/shm").glob(f"inloop.{os.geteuid()}.{chosen}*"))
    for path in left:
        path.unlink()
    assert not left


@pytest.fixture
def python() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """`python(text, *arguments)`: a Python process of its own, ended with the test."""
    begun: list[subprocess.Popen[str]] = []

    def begin(text: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", text, *arguments],
            stdout=subprocess.PIPE,
            stdin=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )
        begun.append(process)
        return process

    yield begin
    for process in begun:
        process.kill()
        with contextlib.suppress(BrokenPipeError):
            process.communicate()
