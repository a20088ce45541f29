"""Builds timing programs of generated C functions around `native_main.c`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.peers.cache import cached, content_key
from benchmarks.peers.toolchain import BENCHMARKS, C_COMPILERS, compiler_identity, run_compiler

HARNESS = [BENCHMARKS / name for name in ("native_main.c", "states.h", "timing.h")]


def native_program(
    label: str, calls: str, sources: Sequence[Path], command: Sequence[str] = C_COMPILERS["gcc"]
) -> Path:
    """Program that times one function.

    Args:
        label: short name, part of the name in the cache.
        calls: text of the calls file (`SETUP`, `CALL(i)`, `ERROR(i)`; see `native_main.c`).
        sources: the generated C files and the headers they include (for the cache key).
        command: compiler and flags.
    """
    identity = compiler_identity(command[0])
    key = content_key(identity, " ".join(command), calls, *sources, *HARNESS)

    def make(work: Path) -> None:
        (work / "calls.h").write_text(calls)
        files = [str(HARNESS[0]), *(str(s) for s in sources if s.suffix == ".c")]
        include = ["-I", str(BENCHMARKS), "-I", str(work), '-DCALLS="calls.h"']
        run_compiler([*command, *include, *files, "-o", str(work / "program"), "-lm"])

    return cached(f"native-{label}", key, make) / "program"
