"""Key of a build: everything that determines the machine code and where it can run."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

from inloop.native.building.compiler import Compiler
from inloop.native.building.options import LINK_FLAGS, BuildOptions

# lines of /proc/cpuinfo that determine the instructions of -march=native
_CPU_FIELDS = ("model name", "flags", "Features", "CPU implementer", "CPU part", "isa", "uarch")


def build_key(
    files: Mapping[str, str],
    units: Sequence[tuple[str, ...]],
    options: BuildOptions,
    compiler: Compiler,
) -> str:
    """A name for the library that these files, options and compiler produce on this machine.

    Args:
        files: file name → text, sources and headers.
        units: names of sources that are compiled as one, in their order.
        options: flags and libraries.
        compiler: the compiler.

    Returns:
        40 hexadecimal digits.
    """
    facts = {
        "files": sorted((name, _digest(text)) for name, text in files.items()),
        "flags": [*compiler.spelled(options.compile_flags), *LINK_FLAGS, *options.libraries],
        "units": sorted(units),
        "linked": [library.parent.name for library in options.linked],
        "objects": "kept beside the library",
        "compiler": [compiler.kind, compiler.version, *compiler.command[1:]],
        "machine": machine_identity(),
    }
    return _digest(json.dumps(facts, sort_keys=True))[:40]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@functools.cache
def machine_identity() -> tuple[str, ...]:
    """Processor, word size and C library of this machine."""
    return (
        platform.system(),
        platform.machine(),
        f"{8 * struct.calcsize('P')} bit",
        _c_library(),
        *_cpu_facts(),
    )


def _c_library() -> str:
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (AttributeError, OSError, ValueError):
        return "".join(platform.libc_ver())


def _cpu_facts() -> tuple[str, ...]:
    try:
        text = Path("/proc/cpuinfo").read_text(errors="replace")
    except OSError:
        return (platform.processor(),)
    # the first processor represents all
    lines = (line.partition(":") for line in text.partition("\n\n")[0].splitlines())
    facts = {name.strip(): value.split() for name, _, value in lines}
    return tuple(
        f"{name}: {' '.join(sorted(facts[name]))}" for name in _CPU_FIELDS if name in facts
    )
