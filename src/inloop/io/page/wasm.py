"""Compiles C files to a WebAssembly module, with clang and its linker or with package ziglang.

Object files are kept in the build cache by a hash of their inputs, so that the runtime is compiled
once for all plants.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from inloop.errors import BuildError
from inloop.io.page.plant_code import headers_of, libc_headers
from inloop.native.building.cache_directory import cache_directory
from inloop.native.building.store import Store
from inloop.native.runtime_library import runtime_headers, runtime_sources

VERSIONS = ("", "-20", "-19", "-18", "-17", "-16", "-15", "-14")  # of clang, as Debian names them
# for this target, the SLP vectorizer does not terminate on large functions
FLAGS = (
    "-std=c99", "-O2", "-fno-slp-vectorize", "-fno-math-errno", "-fvisibility=hidden",
    "-ffp-contract=off", "-nostdlibinc", "-DINLOOP_TYPES_ONLY",
    "-Werror=implicit-function-declaration",
)  # fmt: skip
# memcpy must not be compiled to a call of itself
BARE = {"il_page.c": ("-fno-builtin",)}
STACK = 1 << 20  # bytes
# functions that the page provides; any other missing symbol is an error
IMPORTS = (
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "tanh", "exp", "log", "pow",
)  # fmt: skip
LONGEST = 600.0  # time limit per file [s]
MOST_KEPT = 2000  # objects, some 20 kB each


@dataclass(frozen=True)
class Toolchain:
    """Compiler and linker for WebAssembly.

    Attributes:
        compiler: start of the command that compiles a file.
        linker: start of the command that links.
        version: version as text.
    """

    compiler: tuple[str, ...]
    linker: tuple[str, ...]
    version: str


def find_toolchain() -> Toolchain:
    """The first toolchain found.

    Raises:
        BuildError: none found; the message says what to install.
    """
    for version in VERSIONS:
        clang, linker = shutil.which(f"clang{version}"), shutil.which(f"wasm-ld{version}")
        if clang and linker:
            return _told((clang, "--target=wasm32"), (linker,))
    if importlib.util.find_spec("ziglang") is not None:
        zig = (sys.executable, "-m", "ziglang")
        return _told((*zig, "cc", "-target", "wasm32-freestanding"), (*zig, "wasm-ld"))
    raise BuildError(
        "a live page needs a compiler for WebAssembly, and there is none",
        fix="Install clang and lld (Debian: apt install clang lld), or pip install ziglang.",
    )


def _told(compiler: tuple[str, ...], linker: tuple[str, ...]) -> Toolchain:
    return Toolchain(compiler, linker, _run([*compiler, "--version"], Path.cwd()))


def build_wasm(code: Mapping[str, str]) -> bytes:
    """Compile C files, by name, to a module.

    Raises:
        BuildError: no compiler, or it rejects the files.
    """
    tools = find_toolchain()
    headers = {**headers_of(code), **libc_headers()}
    common = {**runtime_headers(), **libc_headers()}
    runtime = runtime_sources()
    sources = {name: text for name, text in code.items() if name.endswith(".c")}
    shelf = cache_directory() / "wasm"
    shelf.mkdir(mode=0o700, exist_ok=True)
    with Store(cache_directory()).workspace() as folder:
        for header, text in headers.items():
            (folder / header).write_text(text, encoding="utf-8")

        def compiled(source: str) -> str:
            # runtime files include runtime headers only
            seen = common if runtime.get(source) == sources[source] else headers
            return str(_object(tools, folder, shelf, source, sources[source], seen))

        with ThreadPoolExecutor(os.cpu_count()) as workers:
            objects = list(workers.map(compiled, sorted(sources)))
        module = _link(tools, folder, objects)
    _forget_old(shelf, MOST_KEPT)
    return module


def _object(
    tools: Toolchain,
    folder: Path,
    shelf: Path,
    name: str,
    text: str,
    headers: Mapping[str, str],
) -> Path:
    """The object file, from the cache if available."""
    flags = (*FLAGS, *BARE.get(name, ()))
    made_from = repr((tools, flags, text, sorted(headers.items())))
    kept = shelf / f"{hashlib.sha256(made_from.encode()).hexdigest()}.o"
    if not kept.exists():
        source, fresh = folder / name, folder / f"{name}.o"
        source.write_text(text, encoding="utf-8")
        _run(
            [*tools.compiler, *flags, "-isystem", ".", "-c", source.name, "-o", fresh.name], folder
        )
        fresh.replace(kept)
    return kept


def _forget_old(shelf: Path, most: int) -> None:
    """Keep only the given number of objects, the newest ones."""
    kept: list[tuple[float, Path]] = []
    for path in shelf.glob("*.o"):
        with contextlib.suppress(OSError):  # another process may clean up, too
            kept.append((path.stat().st_mtime, path))
    for _, path in sorted(kept, reverse=True)[most:]:
        path.unlink(missing_ok=True)


def _link(tools: Toolchain, folder: Path, objects: Sequence[str]) -> bytes:
    (folder / "imports").write_text("\n".join(IMPORTS), encoding="utf-8")
    words = ["--no-entry", "--gc-sections", "--strip-all", "--stack-first"]
    words += ["-z", f"stack-size={STACK}", "--allow-undefined-file=imports", "-o", "plant.wasm"]
    _run([*tools.linker, *words, *objects], folder)
    return (folder / "plant.wasm").read_bytes()


def _run(command: Sequence[str], folder: Path) -> str:
    """Run a command and return its output.

    Raises:
        BuildError: the command fails.
    """
    try:
        done = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=LONGEST, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"{Path(command[0]).name} does not run: {error}") from error
    if done.returncode != 0:
        raise BuildError(
            f"{Path(command[0]).name} failed: {done.stderr.strip()[:2000]}",
            fix="Install clang 14 or newer with lld of the same version, or pip install ziglang.",
        )
    return done.stdout
