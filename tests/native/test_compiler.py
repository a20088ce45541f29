"""Finding a compiler, or saying in one sentence why there is none."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inloop.errors import BuildError
from inloop.native import TERMS_FLAGS, BuildOptions, NativeLibrary, build_library
from inloop.native.building import compiler
from inloop.native.building.compiler import (
    Compiler,
    explain_no_compiler,
    find_compiler,
    identify,
    search_compiler,
    zig_command,
)
from inloop.native.building.way import settle_way
from inloop.native.runtime_library import runtime_headers, runtime_sources


@pytest.fixture
def no_ziglang(monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "ziglang" else find_spec(name)
    )


def test_a_compiler_is_found_once() -> None:
    compiler = find_compiler()
    assert compiler is not None and compiler.version
    assert find_compiler() is compiler


def test_no_compiler_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_ziglang: None
) -> None:
    settle_way()  # compiled; it vanishes
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("INLOOP_CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_compiler() is None
    sentence = explain_no_compiler()
    assert "gcc: not found" in sentence and "ziglang: not installed" in sentence
    assert "apt-get install gcc" in sentence and "inloop[cc]" in sentence and "\n" not in sentence
    with pytest.raises(BuildError, match="No C compiler works here"):
        build_library({"a.c": "int a;\n"})


def test_a_named_compiler_is_never_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INLOOP_CC", "/nowhere/cc -m64")
    assert find_compiler() is None
    assert "/nowhere/cc -m64: not found" in explain_no_compiler()


def test_inloop_cc_wins_over_cc(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = find_compiler()
    assert usual is not None
    monkeypatch.setenv("CC", "/nowhere/cc")
    monkeypatch.setenv("INLOOP_CC", f"{usual.command[0]} -g0")
    found = find_compiler()
    assert found == Compiler((usual.command[0], "-g0"), usual.version, usual.kind)


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 3", "exit status 3"),
        ("echo 'boom: no licence' >&2; exit 1", "boom: no licence"),
        ("echo 'fake cc 1.0'", "probe.so"),
    ],
)
def test_a_compiler_that_does_not_work_is_passed_over(
    script: str, reason: str, tmp_path: Path, fresh_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "fakecc"
    fake.write_text(f"#!/bin/sh\n{script}\n")
    fake.chmod(0o755)
    monkeypatch.setenv("INLOOP_CC", str(fake))
    search = search_compiler()
    assert search.compiler is None
    assert reason in search.rejected[0]


def test_a_cross_compiler_is_passed_over(
    tmp_path: Path, fresh_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library for another machine compiles well and cannot be loaded."""
    cc = shutil.which("cc") or shutil.which("gcc")
    assert cc is not None
    fake = tmp_path / "crosscc"
    # what it links is no library of this machine: the machine field of the ELF header is changed
    fake.write_text(
        f'#!/bin/sh\n{cc} "$@" || exit 1\n'
        "[ -f probe.so ] && printf '\\377' | dd of=probe.so bs=1 seek=18 conv=notrunc 2>/dev/null\n"
        "exit 0\n"
    )
    fake.chmod(0o755)
    monkeypatch.setenv("INLOOP_CC", str(fake))
    assert find_compiler() is None


def test_success_of_the_probe_is_remembered(
    fresh_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, calls, counts = subprocess.run, [], []

    def count(*words: Any, **options: Any) -> Any:
        calls.append(words)
        return run(*words, **options)

    monkeypatch.setattr(subprocess, "run", count)
    for _ in range(2):
        compiler._search.cache_clear()  # as in a process that begins
        assert find_compiler() is not None
        counts.append(len(calls))
        calls.clear()
    assert counts == [3, 1]  # version, compile, link; then the version alone


def test_the_dialect_of_zig() -> None:
    zig = Compiler(zig_command(), "zig 0", "zig")
    flags = zig.spelled(("-O2", "-march=native"))
    assert "-mcpu=native" in flags and "-march=native" not in flags
    # there -Og means no optimization
    assert "-O1" in zig.spelled(TERMS_FLAGS) and "-Og" not in zig.spelled(TERMS_FLAGS)


# gcc warns of more the more it optimizes, clang of the same: exported sources are compiled by it
@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("gcc", ("-O0",)),
        pytest.param("gcc", (), marks=pytest.mark.long),
        pytest.param("clang", ("-O0",), marks=pytest.mark.long),
    ],
)
def test_runtime_is_clean_under_each_compiler(
    name: str, flags: tuple[str, ...], require_program: Callable[[str], str]
) -> None:
    require_program(name)
    compiler = identify((name,))
    assert compiler.kind == name
    options = BuildOptions(strict=True, extra_flags=flags)
    library = build_library(
        runtime_sources(), runtime_headers(), options=options, compiler=compiler
    )
    assert "il_run_fixed" in NativeLibrary(library)


@pytest.mark.long
def test_zig_builds_and_runs(program, fresh_cache: Path) -> None:
    pytest.importorskip("ziglang")
    zig = identify(zig_command())
    assert zig.kind == "zig"
    options = BuildOptions(strict=True)
    library = NativeLibrary(build_library(*program("zig"), options=options, compiler=zig))
    assert library.exported_symbols() == ("weighted_sum",)
    runtime = build_library(runtime_sources(), runtime_headers(), options=options, compiler=zig)
    assert "il_run_fixed" in NativeLibrary(runtime)


@pytest.mark.long
def test_zig_is_found_when_nothing_else_is(
    tmp_path: Path, fresh_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ziglang")
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("INLOOP_CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    compiler = find_compiler()
    assert compiler is not None and compiler.kind == "zig"
