"""Ship the libraries of a plant to other machines: as binaries, or as text to be compiled there."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from inloop.native.building.build import build_library
from inloop.native.building.cache_directory import cache_directory
from inloop.native.building.identity import machine_identity
from inloop.native.building.options import BuildOptions, model_options
from inloop.native.building.store import Store
from inloop.native.building.way import usable_compiler
from inloop.native.library import NativeLibrary
from inloop.native.runtime_library import adopt_runtime, build_runtime


@dataclass(frozen=True)
class LibraryText:
    """C text of a library, to be compiled the same way on any machine.

    Attributes:
        sources: file name → C text.
        headers: file name → text of the included headers.
        flags: compiler flags, in gcc spelling.
        extra_flags: appended flags, which override them.
        spaces: source → name space, as in `build_library`.
    """

    sources: Mapping[str, str]
    headers: Mapping[str, str]
    flags: tuple[str, ...]
    extra_flags: tuple[str, ...]
    spaces: Mapping[str, str]

    def build(self, linked: Sequence[Path] = ()) -> Path:
        """Build the library on this machine, including the code of others.

        Raises:
            BuildError: there is no compiler, or the text does not compile.
        """
        options = BuildOptions(self.flags, self.extra_flags, together=True, linked=tuple(linked))
        return build_library(self.sources, self.headers, options=options, spaces=self.spaces)


@dataclass(frozen=True)
class Libraries:
    """The libraries of a run, as binaries.

    Attributes:
        kind: kind of machine that can use them.
        made_by: kind, compiler and flags, which determine the last bits of results.
        runtime, unit: contents of the library files.
    """

    kind: str
    made_by: str
    runtime: bytes
    unit: bytes

    def load(self) -> NativeLibrary:
        """Load the library of the plant, and the runtime, in this process.

        The files are deleted after loading: mapped pages stay.
        """
        with Store(cache_directory()).workspace() as directory:
            for name, content in (("runtime.so", self.runtime), ("unit.so", self.unit)):
                (directory / name).write_bytes(content)
            adopt_runtime(directory / "runtime.so")
            return NativeLibrary(directory / "unit.so")


@functools.cache
def machine_kind() -> str:
    """Machines of one kind (same processor and C library) can share libraries."""
    return hashlib.sha256(repr(machine_identity()).encode()).hexdigest()[:16]


def libraries_here(unit: Path) -> Libraries:
    """The libraries built on this machine: that of a plant, and the runtime."""
    runtime = build_runtime().read_bytes()
    return Libraries(machine_kind(), made_here(), runtime, unit.read_bytes())


def made_here() -> str:
    """How libraries are built in this process: kind of machine, compiler and flags."""
    compiler = usable_compiler()
    version = "no compiler" if compiler is None else compiler.version
    return f"{machine_kind()} {version} {' '.join(model_options().compile_flags)}"


def build_libraries(texts: Sequence[LibraryText]) -> Libraries:
    """Build the libraries of a plant for machines of this kind.

    Args:
        texts: libraries of functions, then the unit that includes the code of all of them.

    Raises:
        BuildError: there is no compiler, or the text does not compile.
    """
    *functions, unit = texts
    return libraries_here(unit.build([text.build() for text in functions]))
