"""The hand-written C99 part: its text, and the library made of it."""

from __future__ import annotations

import functools
from importlib.resources import files

from inloop.native.build import build_library
from inloop.native.library import NativeLibrary
from inloop.native.options import DEFAULT_OPTIONS, BuildOptions


def runtime_sources() -> dict[str, str]:
    """The .c files of the runtime: name → text."""
    return _texts(".c")


def runtime_headers() -> dict[str, str]:
    """The .h files of the runtime: name → text."""
    return _texts(".h")


def load_runtime(options: BuildOptions = DEFAULT_OPTIONS) -> NativeLibrary:
    """The runtime as a library of its own, loaded once per process.

    Raises:
        BuildError: there is no compiler.
    """
    return _load(options)


@functools.cache
def _load(options: BuildOptions) -> NativeLibrary:
    return NativeLibrary(build_library(runtime_sources(), runtime_headers(), options=options))


def _texts(ending: str) -> dict[str, str]:
    folder = files("inloop.native").joinpath("runtime")
    names = sorted(item.name for item in folder.iterdir() if item.name.endswith(ending))
    return {name: folder.joinpath(name).read_text(encoding="utf-8") for name in names}
