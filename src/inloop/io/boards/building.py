"""Calls of the compiler and other tools of a target."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from inloop.errors import BuildError
from inloop.io.boards.targets import CALL_GRAPH, Target

_LONGEST = 600.0  # time limit of a program [s]


def missing_programs(target: Target) -> str:
    """Programs that are not installed, as a sentence; empty if all are available."""
    needed = [(target.compiler, target.package)]
    if target.emulator:
        needed.append((target.emulator[0], target.emulator_package))
    missing = [
        f"{program} is not installed (Debian and Ubuntu: apt-get install {package})"
        for program, package in needed
        if shutil.which(program) is None
    ]
    return "; ".join(missing)


def call(*command: str | Path) -> str:
    """Run a program and return its output.

    Raises:
        BuildError: it exits with a nonzero status, or takes too long.
    """
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=_LONGEST, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"{words[0]} cannot be run: {error}") from None
    if done.returncode != 0:
        output = (done.stderr or done.stdout)[-2000:]
        raise BuildError(f"{words[0]} failed with status {done.returncode}: {output}")
    return done.stdout


@dataclass(frozen=True)
class Built:
    """A plant compiled for a target.

    Attributes:
        target: the target board.
        library: the static library.
        sources: directory of the source files.
        objects: directory of object files and call graphs.
    """

    target: Target
    library: Path
    sources: Path
    objects: Path

    def call_graphs(self) -> Mapping[str, str]:
        """Call graphs by name of the object file, as written by the compiler."""
        files = sorted(self.objects.glob("*.ci"))
        return {path.name: path.read_text(encoding="utf-8") for path in files}

    def link(self, program: Path, files: Sequence[Path], *options: str) -> None:
        """Link the library with some C files to a program."""
        scripts = [f"-T{file}" for file in files if file.suffix == ".ld"]
        texts = [file for file in files if file.suffix == ".c"]
        start = ["-nostartfiles", "--specs=nosys.specs"] if self.target.bare else []
        start += [] if self.target.bare or "-r" in options else ["-static"]
        call(
            self.target.compiler,
            *self.target.flags,
            f"-I{self.sources}",
            *options,
            *texts,
            *scripts,
            self.library,
            *start,
            "-Wl,--gc-sections",
            "-lm",
            "-o",
            program,
        )


def build(target: Target, sources: Path, library: Path, objects: Path, jobs: int = 2) -> Built:
    """Compile all sources of a directory into a library.

    Raises:
        BuildError: the compiler is missing, or rejects a file.
    """
    files = sorted(sources.glob("*.c"))

    def compiled(file: Path) -> Path:
        made = objects / f"{file.stem}.o"
        call(target.compiler, *target.flags, CALL_GRAPH, "-c", file, "-o", made)
        return made

    with ThreadPoolExecutor(jobs) as pool:
        made = list(pool.map(compiled, files))
    library.unlink(missing_ok=True)
    call(f"{target.cross}ar", "rcs", library, *made)
    return Built(target, library, sources, objects)


@dataclass(frozen=True)
class Footprint:
    """Size of a program that contains only the plant [bytes].

    Attributes:
        flash: code and constants; on bare boards with the functions of the C library that it uses.
        ram: all static data, without the stack: the instance, inputs and outputs.
    """

    flash: int
    ram: int


def footprint(built: Built, program: Path, main: Path) -> Footprint:
    """Size of the plant, linked with nothing else."""
    entry = ["-Wl,-e,footprint"]
    if not built.target.bare:
        # without the C library, which an operating system provides
        entry += ["-nostdlib", "-r"]
    built.link(program, [main], *entry)
    row = call(f"{built.target.cross}size", program).splitlines()[1].split()
    text, data, bss = (int(word) for word in row[:3])
    return Footprint(text + data, data + bss)
