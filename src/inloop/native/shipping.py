"""The libraries of a plant for other machines: as files for the same kind, as text for others."""

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
    """C text that becomes a library, compiled the same way wherever it is built.

    Attributes:
        sources: file name → C text.
        headers: those that they include, likewise.
        flags: of the compiler, in the spelling of gcc.
        extra_flags: that win over them.
        spaces: source → name space, as in `build_library`.
    """

    sources: Mapping[str, str]
    headers: Mapping[str, str]
    flags: tuple[str, ...]
    extra_flags: tuple[str, ...]
    spaces: Mapping[str, str]

    def build(self, linked: Sequence[Path] = ()) -> Path:
        """The library on this machine, together with the code of others.

        Raises:
            BuildError: there is no compiler, or it refuses the text.
        """
        options = BuildOptions(self.flags, self.extra_flags, together=True, linked=tuple(linked))
        return build_library(self.sources, self.headers, options=options, spaces=self.spaces)


@dataclass(frozen=True)
class Libraries:
    """What runs need, as files.

    Attributes:
        kind: of the machines that can use them.
        made_by: kind, compiler and flags, which decide about the last bits of results.
        runtime, unit: content of the libraries.
    """

    kind: str
    made_by: str
    runtime: bytes
    unit: bytes

    def load(self) -> NativeLibrary:
        """The library of the plant in this process, and the runtime with it.

        The files are gone once they are loaded: what a process has mapped stays.
        """
        with Store(cache_directory()).workspace() as directory:
            for name, content in (("runtime.so", self.runtime), ("unit.so", self.unit)):
                (directory / name).write_bytes(content)
            adopt_runtime(directory / "runtime.so")
            return NativeLibrary(directory / "unit.so")


@functools.cache
def machine_kind() -> str:
    """Machines of one kind can use each other's libraries: processor and C library are the same."""
    return hashlib.sha256(repr(machine_identity()).encode()).hexdigest()[:16]


def libraries_here(unit: Path) -> Libraries:
    """The libraries that this machine builds: that of a plant, and the runtime."""
    runtime = build_runtime().read_bytes()
    return Libraries(machine_kind(), made_here(), runtime, unit.read_bytes())


def made_here() -> str:
    """Who makes libraries in this process: kind of machine, compiler and flags."""
    compiler = usable_compiler()
    version = "no compiler" if compiler is None else compiler.version
    return f"{machine_kind()} {version} {' '.join(model_options().compile_flags)}"


def build_libraries(texts: Sequence[LibraryText]) -> Libraries:
    """The libraries of a plant for machines of this kind.

    Args:
        texts: libraries of functions, then the unit that holds the code of all of them.

    Raises:
        BuildError: there is no compiler, or it refuses the text.
    """
    *functions, unit = texts
    return libraries_here(unit.build([text.build() for text in functions]))
