"""The libraries of an FMU: for this machine, and for others if a cross compiler is found."""

from __future__ import annotations

import functools
import importlib.util
import platform as machine
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

from inloop.errors import BuildError, InputError
from inloop.native import (
    BuildOptions,
    build_library,
    load_runtime,
    model_options,
    require_compiler,
    runtime_headers,
    variation_headers,
)
from inloop.native.building.compiler import compiler_environment
from inloop.plant.leaving.exported import ExportedPlant

HERE = f"{machine.machine().lower().replace('amd64', 'x86_64')}-{sys.platform}"
# platform names of FMI 2, where different
FOLDERS_2 = {"x86_64-linux": "linux64", "x86_64-windows": "win64"}
ENDINGS = {"windows": ".dll", "linux": ".so"}
# calls between functions of the library stay inside it, whatever else the process has loaded
OWN_CALLS = "-Wl,-Bsymbolic"
PORTABLE_FLAGS = ("-std=c99", "-O2", "-ffp-contract=off", "-fno-math-errno", "-fvisibility=hidden")


@dataclass(frozen=True)
class Target:
    """A platform other than this machine, or generic for this kind of machine.

    Attributes:
        platform: such as "aarch64-linux".
        command: the compiler.
        flags: additional flags for this compiler.
    """

    platform: str
    command: tuple[str, ...]
    flags: tuple[str, ...] = ()


def wrapper_files(version: str) -> dict[str, str]:
    """The C files of the FMI wrapper, for a version of the standard."""
    folder = files("inloop.io.fmi").joinpath("c")
    names = sorted(item.name for item in folder.iterdir() if item.name.endswith((".c", ".h")))
    other = {"2.0": "fmi3.c", "3.0": "fmi2.c"}[version]
    texts = {name: folder.joinpath(name) for name in names if name != other}
    own = {name: file.read_text(encoding="utf-8") for name, file in texts.items()}
    return variation_headers() | own


def folder_of(platform: str, version: str) -> str:
    """Folder of the library of a platform in an FMU."""
    return FOLDERS_2.get(platform, platform) if version == "2.0" else platform


def library_name(name: str, platform: str) -> str:
    """File name of a library."""
    return name + ENDINGS[platform.rpartition("-")[2]]


def build_here(
    exported: ExportedPlant, facts: Mapping[str, str], more: Sequence[Path], version: str
) -> bytes:
    """The library for this machine, from the same code that `plant.simulate` runs.

    Args:
        exported: the plant.
        facts: C file with the facts of the FMU.
        more: libraries to link with, in addition to those of the plant.
        version: version of the standard.
    """
    require_compiler()
    headers = {**runtime_headers(), **wrapper_files(version)}
    headers = {name: text for name, text in headers.items() if name.endswith(".h")}
    # the plant first: it may contain runtime files that were compiled for it
    linked = [*(engine.library.path for engine in exported.unit.engines), *more]
    linked += [load_runtime().path, _wrapper(version)]
    options = replace(model_options(linked=tuple(dict.fromkeys(linked))), together=False)
    options = replace(options, libraries=(OWN_CALLS, *options.libraries))
    table = {name: text for name, text in exported.files.items() if name.endswith("_plant.c")}
    sources = {**table, **exported.unit.own_code, **facts}
    return build_library(sources, headers, options=options).read_bytes()


@functools.cache
def _wrapper(version: str) -> Path:
    """The wrapper alone, for linking; built once."""
    texts = wrapper_files(version)
    sources = {name: text for name, text in texts.items() if name.endswith(".c")}
    headers = {**runtime_headers(), **{n: t for n, t in texts.items() if n.endswith(".h")}}
    return build_library(sources, headers, options=BuildOptions())


def build_for(target: Target, sources: Mapping[str, str], name: str) -> bytes:
    """The library for a different platform, from all sources.

    Raises:
        BuildError: the compiler failed.
    """
    with tempfile.TemporaryDirectory(prefix="inloop-fmu-") as place:
        folder = Path(place)
        for file, text in sources.items():
            (folder / file).write_text(text, encoding="utf-8")
        made = library_name(name, target.platform)
        listed = sorted(file for file in sources if file.endswith(".c"))
        shared = ("-shared",) if target.platform.endswith("windows") else ("-shared", "-fPIC")
        words = [*target.command, *target.flags, *PORTABLE_FLAGS, *shared, "-o", made]
        command = [*words, *listed, "-lm"]
        done = subprocess.run(
            command,
            check=False,
            cwd=folder,
            env=compiler_environment(folder),
            capture_output=True,
            text=True,
            errors="replace",
        )
        if done.returncode != 0:
            line = next((x for x in done.stderr.splitlines() if "error" in x), done.stderr[:300])
            what = f"{target.command[0]} cannot build the library for {target.platform}: {line}"
            raise BuildError(what, fix="Leave this platform out.")
        return (folder / made).read_bytes()


def found_targets() -> dict[str, Target]:
    """Platforms with an installed compiler, other than this machine."""
    found: dict[str, Target] = {}
    zig = importlib.util.find_spec("ziglang") is not None
    for platform, triple in (
        ("x86_64-linux", "x86_64-linux-gnu"),
        ("aarch64-linux", "aarch64-linux-gnu"),
        ("x86_64-windows", "x86_64-windows-gnu"),
    ):
        command = shutil.which(f"{triple}-gcc")
        if command:
            found[platform] = Target(platform, (command,))
        elif zig:
            by_zig = (sys.executable, "-m", "ziglang", "cc", "-target", triple)
            found[platform] = Target(platform, by_zig, ("-fno-sanitize=undefined",))
    return found


def wanted_platforms(names: Sequence[str] | None) -> list[str]:
    """The platforms to build for: those named, or all that are possible.

    Raises:
        InputError: no compiler for one of them.
    """
    possible = [HERE, *(name for name in found_targets() if name != HERE)]
    if names is None:
        return possible
    names = [HERE if name == "here" else name for name in names]
    for name in names:
        if name not in possible:
            raise InputError(
                f"there is no compiler for platform {name!r}",
                fix=f"Use {', '.join(possible)}; 'pip install ziglang' adds others.",
            )
    return list(dict.fromkeys(names))
