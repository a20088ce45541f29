"""The hand-written C99 code: its text, and the libraries built from it.

`runtime` is portable; `realtime`, the loop and the mailbox, needs Linux and is built on demand.
"""

from __future__ import annotations

import functools
import hashlib
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from inloop.native.building.build import build_library
from inloop.native.building.options import DEFAULT_OPTIONS, RUNTIME_FLAGS, BuildOptions
from inloop.native.building.way import require_compiler, settle_way
from inloop.native.library import NativeLibrary


def runtime_sources() -> dict[str, str]:
    """The .c files of the runtime: name → text."""
    return dict(_texts("runtime", ".c"))


def runtime_headers() -> dict[str, str]:
    """The .h files of the runtime: name → text."""
    return dict(_texts("runtime", ".h"))


def absent_sources() -> dict[str, str]:
    """The .c files that replace omitted parts of the runtime in a plant: name → text."""
    return dict(_texts("absent", ".c"))


def realtime_sources() -> dict[str, str]:
    """The .c files of the loop and the mailbox: name → text."""
    return dict(_texts("realtime", ".c"))


def realtime_headers() -> dict[str, str]:
    """The .h files of the loop and the mailbox: name → text."""
    return dict(_texts("realtime", ".h"))


def serial_files() -> dict[str, str]:
    """The board side of a serial link: name → text."""
    return {**_texts("serial", ".h"), **_texts("serial", ".c")}


def variation_sources() -> dict[str, str]:
    """The .c files of runs with derivatives, which are built with generated code: name → text."""
    linear = "il_linear.c"
    return {**_texts("variation", ".c"), linear: _texts("runtime", ".c")[linear]}


def variation_headers() -> dict[str, str]:
    """The .h files of runs with derivatives: name → text."""
    return dict(_texts("variation", ".h"))


def include_dir() -> Path:
    """The directory of `inloop.h`, for controllers written in C."""
    return Path(str(files("inloop.native").joinpath("realtime")))


def load_runtime(options: BuildOptions = DEFAULT_OPTIONS) -> NativeLibrary:
    """The runtime as a library of its own, loaded once per process.

    Raises:
        BuildError: there is no compiler.
    """
    return _load(options)


def load_realtime(options: BuildOptions = DEFAULT_OPTIONS) -> NativeLibrary:
    """The loop and the mailbox, with the steppers they call; loaded once per process.

    Raises:
        BuildError: there is no compiler.
    """
    return _load_realtime(options)


@functools.cache
def _load_realtime(options: BuildOptions) -> NativeLibrary:
    require_compiler()
    headers = {**runtime_headers(), **realtime_headers()}
    libraries, runtime = (*options.libraries, "-lpthread"), load_runtime(options).path
    threads = replace(options, libraries=libraries, linked=(*options.linked, runtime))
    return NativeLibrary(build_library(realtime_sources(), headers, options=threads))


def build_runtime(options: BuildOptions = DEFAULT_OPTIONS) -> Path:
    """Path of the runtime library for this machine, built if necessary.

    Raises:
        BuildError: there is no compiler.
    """
    scalar = replace(options, extra_flags=(*RUNTIME_FLAGS, *options.extra_flags))
    return build_library(runtime_sources(), runtime_headers(), options=scalar)


def adopt_runtime(path: Path) -> None:
    """Use a runtime built elsewhere from the same text, unless one is already loaded."""
    if not _adopted and not _load.cache_info().currsize:
        _adopted.append(NativeLibrary(path))


def runtime_digest() -> str:
    """Hash of the text of this runtime."""
    texts = sorted({**runtime_sources(), **runtime_headers()}.items())
    return hashlib.sha256(repr(texts).encode()).hexdigest()


_adopted: list[NativeLibrary] = []


@functools.cache
def _load(options: BuildOptions) -> NativeLibrary:
    if _adopted and options == DEFAULT_OPTIONS:
        return _adopted[0]
    settle_way()
    return NativeLibrary(build_runtime(options))


@functools.cache
def _texts(name: str, ending: str) -> dict[str, str]:
    folder = files("inloop.native").joinpath(name)
    found = sorted(item.name for item in folder.iterdir() if item.name.endswith(ending))
    return {file: folder.joinpath(file).read_text(encoding="utf-8") for file in found}
