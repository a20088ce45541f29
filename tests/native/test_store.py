"""The cache under bad conditions: many builders, killed ones, full disks, damaged files."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inloop.errors import BuildError
from inloop.native import NativeLibrary, build_library
from inloop.native.building import locking
from inloop.native.building.cache_directory import cache_directory
from inloop.native.building.locking import exclusive, is_held
from inloop.native.building.store import Store

HANG = 120.0  # [s] after which something that should happen never will
BUILD = """import json, sys
from inloop.native import build_library
print(build_library(*json.loads(sys.argv[1])))
"""


def builder(program: tuple[dict[str, str], dict[str, str]]) -> subprocess.Popen[str]:
    """Another Python process that builds the same."""
    command = [sys.executable, "-c", BUILD, json.dumps(program)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def compiler_script(path: Path, before: str) -> str:
    """A C compiler that does something else first."""
    path.write_text(f'#!/bin/sh\n{before}\nexec {shutil.which("cc")} "$@"\n')
    path.chmod(0o755)
    return str(path)


def rooms(cache: Path, *names: str) -> list[Path]:
    return [path for name in names for path in (cache / "v1" / name).iterdir()]


@pytest.mark.long
def test_four_processes_build_once(program, tmp_path, fresh_cache, monkeypatch) -> None:
    log = tmp_path / "log"
    script = compiler_script(tmp_path / "cc", f'case "$*" in *sum.c*) echo x >> {log};; esac')
    monkeypatch.setenv("INLOOP_CC", script)
    builders = [builder(program("four")) for _ in range(4)]
    outputs = [process.communicate(timeout=HANG) for process in builders]
    assert [process.returncode for process in builders] == [0] * 4, outputs
    assert len({output for output, _ in outputs}) == 1
    assert log.read_text() == "x\n"
    assert not rooms(fresh_cache, "work", "locks")


def test_threads_build_once(program, fresh_cache) -> None:
    sources, headers = program("threads")
    steps: list[str] = []
    libraries: list[Path] = []

    def build() -> None:
        path = build_library(sources, headers, progress=lambda *step: steps.append(step[2]))
        libraries.append(path)

    threads = [threading.Thread(target=build) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(libraries) == 6 and len(set(libraries)) == 1
    assert len(steps) == 3


@pytest.fixture
def hanging_compiler(tmp_path, monkeypatch) -> Iterator[Callable[[], int]]:
    """A compiler that hangs the first time it sees sum.c; a call waits for it and tells its pid."""
    pipe, mark, found = tmp_path / "pid", tmp_path / "seen", []
    os.mkfifo(pipe)
    hang = f"[ -e {mark} ] || {{ : > {mark}; echo $$ > {pipe}; exec sleep 3600; }}"
    monkeypatch.setenv(
        "INLOOP_CC", compiler_script(tmp_path / "cc", f'case "$*" in *sum.c*) {hang};; esac')
    )
    # open for writing as well: no end of file before anybody has written
    reader = os.open(pipe, os.O_RDWR)

    def hangs() -> int:
        assert select.select([reader], [], [], HANG)[0], "the compiler was never started"
        found.append(int(os.read(reader, 100)))
        return found[-1]

    yield hangs
    os.close(reader)
    for process in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def test_a_killed_builder_blocks_nobody(
    program, fresh_cache, hanging_compiler, monkeypatch
) -> None:
    victim = builder(program("killed"))
    hanging_compiler()
    (lock,) = rooms(fresh_cache, "locks")
    assert is_held(lock)
    victim.kill()
    victim.communicate()
    # its compiler still hangs, and the next builder gets the lock at once
    monkeypatch.setattr(locking, "time", NoWaiting())
    library = build_library(*program("killed"))
    assert "weighted_sum" in NativeLibrary(library)
    # its working directory is left over, and goes as soon as it is old enough
    (leftover,) = rooms(fresh_cache, "work")
    long_ago = time.time() - 3600.0
    os.utime(leftover, (long_ago, long_ago))
    Store(cache_directory()).sweep()
    assert not rooms(fresh_cache, "work")


class NoWaiting:
    """In the place of `time`, for what must not wait."""

    @staticmethod
    def monotonic() -> float:
        return 0.0

    @staticmethod
    def sleep(seconds: float) -> None:
        pytest.fail("it waited for a lock")


def test_an_interrupted_builder_cleans_up(program, fresh_cache, hanging_compiler) -> None:
    victim = builder(program("interrupted"))
    compiler = os.pidfd_open(hanging_compiler())
    victim.send_signal(signal.SIGINT)
    _, errors = victim.communicate(timeout=HANG)
    assert "KeyboardInterrupt" in errors
    assert not rooms(fresh_cache, "work", "locks", "entries")
    # its compiler ends with it
    assert select.select([compiler], [], [], HANG)[0]
    os.close(compiler)


def test_sweep_spares_living_builders(fresh_cache) -> None:
    store = Store(cache_directory())
    with store.workspace() as directory:
        hours_ago = time.time() - 7200.0
        os.utime(directory, (hours_ago, hours_ago))
        store.sweep()
        assert directory.exists()
    assert not directory.exists()


def test_entries_unused_for_long_go(program, fresh_cache) -> None:
    library = build_library(*program("old"))
    long_ago = time.time() - 100 * 86400.0
    os.utime(library.parent / "manifest.json", (long_ago, long_ago))
    assert build_library(*program("old")) == library  # a use, which counts
    Store(cache_directory()).sweep()
    assert library.exists()
    os.utime(library.parent / "manifest.json", (long_ago, long_ago))
    Store(cache_directory()).sweep()
    assert not library.exists()


def test_builds_look_for_unused_entries_once_a_day(program, fresh_cache) -> None:
    library = build_library(*program("old"))
    long_ago = time.time() - 100 * 86400.0
    os.utime(library.parent / "manifest.json", (long_ago, long_ago))
    build_library(*program("the same day"))
    assert library.exists()
    os.utime(fresh_cache / "v1" / "swept", (long_ago, long_ago))
    build_library(*program("the next day"))
    assert not library.exists()


def truncate(library: Path) -> None:
    os.truncate(library, library.stat().st_size // 2)


def flip_a_byte(library: Path) -> None:
    content = bytearray(library.read_bytes())
    content[len(content) // 2] ^= 0xFF
    library.write_bytes(content)


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    "damage",
    [
        truncate,
        flip_a_byte,
        Path.unlink,
        lambda library: library.write_bytes(b""),
        lambda library: (library.parent / "manifest.json").write_text("{"),
        lambda library: (library.parent / "manifest.json").write_text("[]"),
        lambda library: (library.parent / "manifest.json").unlink(),
        lambda library: shutil.rmtree(library.parent),
    ],
)
def test_a_damaged_entry_is_built_anew(damage, program, fresh_cache) -> None:
    library = build_library(*program("damaged"))
    damage(library)
    assert build_library(*program("damaged")) == library
    assert "weighted_sum" in NativeLibrary(library)
    assert not rooms(fresh_cache, "work", "locks")


def test_a_full_disk_is_explained(program, tmp_path, monkeypatch, fresh_cache) -> None:
    build_library(*program("finds the compiler first"))
    write_text = Path.write_text

    def full(*args: object, **kwargs: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(BuildError, match=r"No space left on device.*INLOOP_CACHE"):
        build_library(*program("full"))
    assert not rooms(fresh_cache, "work", "locks")
    monkeypatch.setattr(Path, "write_text", write_text)
    assert build_library(*program("full")).exists()


def test_a_really_full_disk(program, tmp_path, monkeypatch) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=128k,mode=700", "tmpfs", str(disk)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("only root can make a small disk")
    try:
        monkeypatch.setenv("INLOOP_CACHE", str(disk / "cache"))
        build_library(*program("fits"))
        filler = disk / "filler"
        with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
            while file.write(b"x" * 4096):
                pass
        with pytest.raises(BuildError, match="No space left on device"):
            build_library(*program("does not fit"))
        filler.unlink()
        assert "weighted_sum" in NativeLibrary(build_library(*program("does not fit")))
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


@pytest.mark.parametrize("kind", ["file", "below a file", "open to all"])
def test_an_unusable_cache_is_replaced_with_a_warning(kind, program, tmp_path, monkeypatch) -> None:
    place = tmp_path / "cache"
    if kind == "open to all":
        (place / "v1").mkdir(parents=True)
        (place / "v1").chmod(0o777)
    else:
        place.write_text("in the way")
    monkeypatch.setenv("INLOOP_CACHE", str(place / "deep" if kind == "below a file" else place))
    with pytest.warns(UserWarning, match="set INLOOP_CACHE to a directory of your own"):
        library = build_library(*program("elsewhere"))
    assert "weighted_sum" in NativeLibrary(library)
    assert not library.is_relative_to(place)


def test_the_cache_is_private(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("INLOOP_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    directory = cache_directory()
    assert directory.is_relative_to(tmp_path / "inloop")
    for path in (directory, *directory.iterdir()):
        assert path.stat().st_mode & 0o777 == 0o700
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_directory().is_relative_to(tmp_path / "home" / ".cache" / "inloop")


def test_a_lock_excludes_and_gives_up(tmp_path) -> None:
    path = tmp_path / "lock"
    with exclusive(path, patience=1.0) as first:
        assert first and is_held(path)
        with exclusive(path, patience=0.05) as second:
            assert not second
        assert path.exists()  # the one who gave up removes nothing
    assert not path.exists() and not is_held(path)
