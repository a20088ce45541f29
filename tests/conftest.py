"""What all tests share: one build cache for all workers, and programs from outside Python."""

from __future__ import annotations

import gc
import importlib.util
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import NoReturn

import pytest
from hypothesis import HealthCheck, settings

REPOSITORY = Path(__file__).resolve().parent.parent


# no verdict depends on how fast the machine is
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# in CI the same random cases in every run; elsewhere others each time
settings.register_profile("ci", UNHURRIED, derandomize=True, print_blob=True)
settings.register_profile("elsewhere", UNHURRIED)


def pytest_configure(config: pytest.Config) -> None:
    in_ci = os.environ.get("CI", "").lower() in ("true", "1")
    settings.load_profile("ci" if in_ci else "elsewhere")
    # kept between runs and shared by all workers: what has been compiled once is not compiled again
    os.environ["INLOOP_CACHE"] = str(REPOSITORY / ".cache" / "inloop-tests")
    os.environ["INLOOP_JOBS"] = "1"  # the workers of the tests keep all CPUs busy
    # models of tests are compiled more often than they run long; empty: as for users
    os.environ.setdefault("INLOOP_CFLAGS", "-O0")
    named = os.environ.get("INLOOP_CC") or os.environ.get("CC")
    if not named and all(map(shutil.which, ("tcc", "cc", "ld"))):
        os.environ["INLOOP_CC"] = str(REPOSITORY / "tests" / "quick_cc")
    # tests start many processes: each would translate all modules anew
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    # started in the background by a shell, a process ignores Ctrl-C; tests press it
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Let the collector of garbage pass over modules and tests, which stay to the end.

    Derivations make many objects, so it comes often; with some 5,000 tests to look through each
    time it took two fifths of a derivation. What they make lives as long as the derivation does,
    so that looking at it after every 700 objects finds nothing.
    """
    gc.freeze()
    gc.set_threshold(50_000)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the repository."""
    return REPOSITORY


@pytest.fixture
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty build cache for one test."""
    directory = tmp_path / "cache"
    monkeypatch.setenv("INLOOP_CACHE", str(directory))
    return directory


@pytest.fixture(scope="module")
def shipped_flags() -> Iterator[None]:
    """Models are compiled as for users, for tests of speed or of bits against other programs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("INLOOP_CFLAGS", raising=False)
        yield


@pytest.fixture(scope="session")
def calls() -> Callable[[Callable[[], object]], int]:
    """`calls(work)`: how many functions of Python and C it calls; work without a clock."""

    def count_calls(work: Callable[[], object]) -> int:
        count = 0

        def see(frame: FrameType, event: str, argument: object) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(see)
        try:
            work()
        finally:
            sys.setprofile(before)
        return count

    return count_calls


@pytest.fixture
def require_program() -> Callable[[str], str]:
    """`require_program("octave")`: its path; without it, fail in CI and skip elsewhere."""
    return find_program


@pytest.fixture(scope="session")
def walkman() -> Path:
    """The humanoid's file beside the repository; without it, fail in CI and skip elsewhere."""
    path = REPOSITORY.parent / "shared" / "data" / "walkman.mbs"
    if not path.exists():
        miss("walkman.mbs is not beside the repository")
    return path


@pytest.fixture(scope="session")
def require_file() -> Callable[[str, str], None]:
    """`require_file(path, package)`: without the file, fail in CI and skip elsewhere."""

    def look(path: str, package: str) -> None:
        if not Path(path).exists():
            miss(f"{path} is not there (Debian: {package})")

    return look


@pytest.fixture(scope="session")
def require_package() -> Callable[[str], Path]:
    """`require_package("gymnasium")`: its folder, not imported; without it as for programs."""

    def look(name: str) -> Path:
        found = importlib.util.find_spec(name)
        if found is None or not found.submodule_search_locations:
            miss(f"the package '{name}' is not installed")
        return Path(found.submodule_search_locations[0])

    return look


def find_program(name: str) -> str:
    """Path of a program."""
    path = shutil.which(name)
    if path is None:
        miss(f"the program '{name}' is not installed")
    return path


def miss(message: str) -> NoReturn:
    """What a test needs is not there: in CI that is a failure, elsewhere a reason to skip."""
    if os.environ.get("CI", "").lower() in ("true", "1"):
        pytest.fail(f"{message}; in CI it must be there")
    pytest.skip(message)
