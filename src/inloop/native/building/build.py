"""Build shared libraries from C text, in parallel and only once per content."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from inloop.errors import BuildError
from inloop.native.building.cache_directory import cache_directory
from inloop.native.building.compiler import (
    Compiler,
    compiler_environment,
    explain_no_compiler,
)
from inloop.native.building.identity import build_key
from inloop.native.building.options import DEFAULT_OPTIONS, BuildOptions
from inloop.native.building.processes import Job, JobError, JobRunner, wanted_jobs
from inloop.native.building.store import Store
from inloop.native.building.translation import including, needed_headers, translation_units
from inloop.native.building.way import usable_compiler

# called after each finished step of a build: steps done, total steps, the file just finished
Progress = Callable[[int, int, str], None]

_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,98}\.[ch]", re.ASCII)
_SHOWN_ERRORS = 5
_LOG_NAME = "compiler_output.txt"


def build_library(
    sources: Mapping[str, str],
    headers: Mapping[str, str] | None = None,
    *,
    options: BuildOptions = DEFAULT_OPTIONS,
    compiler: Compiler | None = None,
    progress: Progress | None = None,
    spaces: Mapping[str, str] | None = None,
) -> Path:
    """Compile and link C text, or return the library from the cache.

    Only functions marked `__attribute__((visibility("default")))` are exported. The C files are
    kept next to the library for reading.

    Args:
        sources: file name ending in .c → C text.
        headers: file name ending in .h → C text; those that are included are placed in the
            directory of the sources.
        options: flags and number of parallel compilers.
        compiler: the compiler; default: `usable_compiler`.
        progress: called after each finished step, in the calling thread; not called on a cache hit.
        spaces: source → name space, if there are several; with `options.together`, static names may
            be reused in different ones.

    Returns:
        Path of the shared library.

    Raises:
        BuildError: no compiler, an invalid file name, C that does not compile, or a full disk.
    """
    files = _checked_files(sources, headers or {})
    names = [(name,) for name in sources]
    units = translation_units(sources, spaces) if options.together else names
    compiler = compiler or usable_compiler()
    if compiler is None:
        raise BuildError("the equations cannot be compiled", fix=explain_no_compiler())
    build = _Build(
        files=files,
        options=options,
        compiler=compiler,
        store=Store(cache_directory(), compiler.library_name),
        key=build_key(files, units, options, compiler),
        progress=progress or _silent,
        units=units,
    )
    try:
        return build.run()
    except OSError as error:
        _raise_no_space(build.store, error.strerror or str(error), error)


@dataclass(frozen=True)
class _Build:
    files: Mapping[str, str]
    options: BuildOptions
    compiler: Compiler
    store: Store
    key: str
    progress: Progress
    units: Sequence[tuple[str, ...]]

    def run(self) -> Path:
        if library := self.store.find(self.key):
            return library
        with self.store.lock(self.key):
            # another process may have built it in the meantime
            if library := self.store.find(self.key):
                return library
            with self.store.workspace() as directory:
                return self._build_in(directory)

    def _build_in(self, directory: Path) -> Path:
        for name, text in self.files.items():
            (directory / name).write_text(text, encoding="utf-8", newline="\n")
        try:
            if self.compiler.kind == "python":
                self._translate(directory)
            else:
                self._compile(directory)
        except JobError as failure:
            self._raise_rejected(directory, failure)
        return self.store.publish(directory, self.key, self._notes())

    def _translate(self, directory: Path) -> None:
        """Translate all sources to Python; modules they are linked with are in the store."""
        from inloop.native.translated.translator import translate  # rarely needed

        linked = [library.parent.name for library in self.options.linked]
        text = translate(self.files, linked)
        (directory / self.store.library_name).write_text(text, encoding="utf-8")
        self.progress(1, 1, self.store.library_name)

    def _compile(self, directory: Path) -> None:
        """Compile all sources in parallel, then link; objects are kept for linking with others."""
        runner = JobRunner(directory, compiler_environment(directory))
        jobs = [self._compile_job(name) for name in self._written_units(directory)]
        objects = [_object_name(job.name) for job in jobs]
        objects += _linked_objects(self.options.linked, objects)
        count = 0

        def finished(job: Job) -> None:
            nonlocal count
            count += 1
            self.progress(count, len(jobs) + 1, job.name)

        runner.run_all(jobs, self.options.jobs or wanted_jobs(), finished)
        library = self.store.library_name
        link = self.compiler.link_command(objects, library, self.options.libraries)
        runner.run_all([Job(library, link)], 1, finished)

    def _written_units(self, directory: Path) -> list[str]:
        """Names of the files to compile; writes those that include several sources."""
        units = []
        for number, names in enumerate(self.units, start=1):
            unit = names[0] if len(names) == 1 else f"together_{number}.c"
            if len(names) > 1:
                (directory / unit).write_text(including(names), encoding="utf-8")
            units.append(unit)
        return units

    def _compile_job(self, name: str) -> Job:
        flags = self.options.compile_flags
        return Job(name, self.compiler.compile_command(name, _object_name(name), flags))

    def _notes(self) -> dict[str, object]:
        """Notes for people who inspect the cache."""
        flags = " ".join(self.compiler.spelled(self.options.compile_flags))
        return {"compiler": self.compiler.version, "flags": flags}

    def _raise_rejected(self, directory: Path, failure: JobError) -> NoReturn:
        if "No space left on device" in failure.output:
            _raise_no_space(self.store, "No space left on device", failure)
        (directory / _LOG_NAME).write_text(failure.output, encoding="utf-8")
        kept = self.store.keep_failed(directory, self.key)
        name = failure.job.name
        act = "link" if name == self.store.library_name else "compile"
        raise BuildError(
            f"{self.compiler.command[0]} cannot {act} '{name}': {_first_errors(failure)}",
            where=str(kept / name) if act == "compile" else str(kept),
            fix=f"The full output of the compiler is in {kept / _LOG_NAME}.",
        ) from failure


def _checked_files(sources: Mapping[str, str], headers: Mapping[str, str]) -> dict[str, str]:
    if not sources:
        raise BuildError("there is nothing to build", fix="Give at least one .c file.")
    for names, ending in ((sources, ".c"), (headers, ".h")):
        for name in names:
            if not _FILE_NAME.fullmatch(name) or not name.endswith(ending):
                raise BuildError(
                    f"{name!r} cannot be the name of a C file here",
                    fix=f"Use letters, digits, '_', '-' and '.', and the ending '{ending}'.",
                )
    return {**sources, **needed_headers(sources, headers)}


def _linked_objects(libraries: tuple[Path, ...], own: list[str]) -> list[str]:
    """Objects of other libraries; runtime objects that several contain are taken once."""
    found: list[str] = []
    runtime = {name for name in own if name.startswith("il_")}
    for library in libraries:
        for path in sorted(library.parent.glob("*.o")):
            if path.name not in runtime:
                found.append(str(path))
            if path.name.startswith("il_"):
                runtime.add(path.name)
    return found


def _object_name(source: str) -> str:
    return source.removesuffix(".c") + ".o"


def _first_errors(failure: JobError) -> str:
    """The relevant lines of the compiler's output, joined to one line."""
    if failure.status < 0:
        return f"the compiler was killed by signal {-failure.status} (out of memory?)"
    lines = [line.strip() for line in failure.output.splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"error|undefined|cannot", line)] or lines
    return " | ".join(errors[:_SHOWN_ERRORS]) or f"exit status {failure.status}"


def _raise_no_space(store: Store, reason: str, cause: Exception) -> NoReturn:
    raise BuildError(
        f"the build cache cannot be used: {reason}",
        where=str(store.root),
        fix="Free some space there, or set INLOOP_CACHE to a directory on another disk.",
    ) from cause


def _silent(done: int, total: int, name: str) -> None:
    """Default progress callback: does nothing."""
