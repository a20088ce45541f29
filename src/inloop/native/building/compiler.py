"""Find a working C compiler, and translate flags to its dialect."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from inloop.native.building.cache_directory import cache_directory
from inloop.native.building.options import DEFAULT_FLAGS, LINK_FLAGS, LINK_LIBRARIES

Kind = Literal["gcc", "clang", "zig", "python"]
AS_PYTHON = "python"  # as the value of INLOOP_CC: use no compiler

_PROBE = """#include <math.h>
__attribute__((visibility("default"))) double il_probe(double x) { return 41.0 + cos(x); }
"""
_PROBE_TIME = 120.0  # the first run of zig builds its C library [s]

# gcc flag → equivalent of the compiler family
_DIALECTS: dict[Kind, dict[str, str]] = {
    "gcc": {},
    "clang": {},
    # zig treats -Og as no optimization at all
    "zig": {"-march=native": "-mcpu=native", "-Og": "-O1"},
    "python": {},
}
# zig enables the undefined-behavior sanitizer by default
_ADDITIONS: dict[Kind, tuple[str, ...]] = {
    "gcc": (),
    "clang": (),
    "zig": ("-fno-sanitize=undefined",),
    "python": (),
}


@dataclass(frozen=True)
class Compiler:
    """A C compiler and how to call it.

    Attributes:
        command: program and fixed arguments.
        version: its version text, on one line.
        kind: the family whose flags it understands.
    """

    command: tuple[str, ...]
    version: str
    kind: Kind

    @property
    def library_name(self) -> str:
        """File name of a shared library."""
        return "library.py" if self.kind == "python" else "library.so"

    def compile_command(self, source: str, target: str, flags: tuple[str, ...]) -> list[str]:
        """The command that compiles one .c file to an object."""
        return [*self.command, *self.spelled(flags), "-c", source, "-o", target]

    def link_command(
        self, objects: list[str], target: str, libraries: tuple[str, ...] = LINK_LIBRARIES
    ) -> list[str]:
        """The command that links objects to a shared library."""
        return [*self.command, *LINK_FLAGS, "-o", target, *objects, *libraries]

    def spelled(self, flags: tuple[str, ...]) -> tuple[str, ...]:
        """gcc flags in the spelling of this compiler."""
        dialect = _DIALECTS[self.kind]
        return tuple(dialect.get(flag, flag) for flag in flags) + _ADDITIONS[self.kind]


@dataclass(frozen=True)
class CompilerSearch:
    """The compiler found, if any, and why others were rejected."""

    compiler: Compiler | None
    rejected: tuple[str, ...]


def python_compiler() -> Compiler:
    """The replacement used where there is no compiler; see `inloop.native.translated`."""
    from inloop.native.translated.translator import version  # rarely needed

    return Compiler((AS_PYTHON,), f"C as Python {version()}", "python")


def find_compiler() -> Compiler | None:
    """A C compiler that has been tested, or None; see `explain_no_compiler`."""
    return search_compiler().compiler


def explain_no_compiler() -> str:
    """One sentence for users: why there is no compiler and how to get one."""
    tried = "; ".join(search_compiler().rejected)
    return (
        f"No C compiler works here ({tried}): install one, for example with "
        "'sudo apt-get install gcc libc6-dev' or 'pip install inloop[cc]', "
        "or name one in the environment variable INLOOP_CC."
    )


def search_compiler() -> CompilerSearch:
    """Search for a compiler; cached per process and environment."""
    names = ("INLOOP_CC", "CC", "PATH")
    return _search(*(os.environ.get(name, "") for name in names))


@functools.cache
def _search(inloop_cc: str, cc: str, path: str) -> CompilerSearch:
    """`path` is only part of the cache key."""
    rejected = []
    if inloop_cc.strip() == AS_PYTHON:
        return CompilerSearch(None, ("disabled by INLOOP_CC=python",))
    for command in _candidates(inloop_cc or cc):
        try:
            compiler = identify(command)
            _try_out(compiler)
        except (OSError, subprocess.SubprocessError, AttributeError, ValueError) as error:
            rejected.append(f"{shlex.join(command)}: {_reason(error)}")
        else:
            return CompilerSearch(compiler, tuple(rejected))
    if importlib.util.find_spec("ziglang") is None:
        rejected.append("ziglang: not installed")
    return CompilerSearch(None, tuple(rejected))


def _candidates(named: str) -> Iterator[tuple[str, ...]]:
    """Commands to try; a compiler named by the user is never replaced silently."""
    if named.strip():
        yield tuple(shlex.split(named))
        return
    yield from (("cc",), ("gcc",), ("clang",))
    if importlib.util.find_spec("ziglang") is not None:
        yield zig_command()


def zig_command() -> tuple[str, ...]:
    """The C compiler of the PyPI package ziglang."""
    return (sys.executable, "-m", "ziglang", "cc")


def identify(command: tuple[str, ...]) -> Compiler:
    """Identify a compiler command.

    Raises:
        OSError: it cannot be started.
        subprocess.SubprocessError: it does not answer `--version`.
    """
    if shutil.which(command[0]) is None:
        raise FileNotFoundError(2, "not found", command[0])
    text = _output([*command, "--version"])
    version = text.partition("\n")[0].strip()
    if command[-2:] == ("ziglang", "cc"):
        return Compiler(command, f"zig {_output([*command[:-1], 'version'])}, {version}", "zig")
    return Compiler(command, version, "clang" if "clang" in text else "gcc")


def compiler_environment(directory: Path) -> dict[str, str]:
    """The environment for a compiler run in `directory`: English, and no files elsewhere."""
    environment = {**os.environ, "LC_ALL": "C", "TMPDIR": str(directory)}
    environment.setdefault("ZIG_GLOBAL_CACHE_DIR", str(cache_directory() / "zig"))
    environment.setdefault("ZIG_LOCAL_CACHE_DIR", str(cache_directory() / "zig"))
    return environment


def _try_out(compiler: Compiler) -> None:
    """Compile, load and call a tiny library; a success is recorded next to the cache."""
    identity = repr((compiler, DEFAULT_FLAGS, os.environ.get("PATH", "")))
    mark = cache_directory() / "probes" / hashlib.sha256(identity.encode()).hexdigest()
    if mark.exists():
        return
    with tempfile.TemporaryDirectory(prefix="probe-", dir=cache_directory() / "work") as name:
        _build_probe(compiler, Path(name))
        probe = ctypes.CDLL(str(Path(name) / "probe.so")).il_probe
        probe.argtypes, probe.restype = [ctypes.c_double], ctypes.c_double
        if probe(0.0) != 42.0:
            raise ValueError("its code computes wrong numbers")
    mark.touch()


def _build_probe(compiler: Compiler, directory: Path) -> None:
    (directory / "probe.c").write_text(_PROBE)
    for command in (
        compiler.compile_command("probe.c", "probe.o", DEFAULT_FLAGS),
        compiler.link_command(["probe.o"], "probe.so"),
    ):
        _output(command, directory)


def _output(command: list[str], directory: Path | None = None) -> str:
    """Output of a command."""
    environment = compiler_environment(directory) if directory else None
    return subprocess.run(
        command,
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_PROBE_TIME,
        check=True,
    ).stdout.strip()


def _reason(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "not found"
    if isinstance(error, subprocess.CalledProcessError):
        lines = [line for line in error.stderr.splitlines() if line.strip()]
        return lines[0].strip() if lines else f"exit status {error.returncode}"
    return str(error)
