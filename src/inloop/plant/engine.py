"""Programs made callable: as native code, or as Python where there is no compiler."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from inloop.codegen import emit_lanes, emit_library, emit_rates
from inloop.codegen import python as python_text
from inloop.errors import BuildError, InputError
from inloop.native import (
    COUNT,
    POINTER,
    BuildOptions,
    NativeLibrary,
    explain_no_compiler,
    model_options,
    runs_as_python,
    runtime_headers,
    tell_slowness,
)
from inloop.plant.backlog import Backlog, Order, compiled
from inloop.plant.progress import writing
from inloop.symbolic import Program, Solved

Array = np.ndarray[Any, np.dtype[np.float64]]

LANES_FROM = 256  # rows from which vector registers pay for their compilation
ROWS_AT_ONCE = 2000  # of functions that run as Python
WORK_PER_THREAD = 4_000_000  # operations; less is done sooner than a second thread has started


@dataclass(frozen=True)
class Unit:
    """Programs that are built together.

    Attributes:
        prefix: first part of all exported names.
        prepare: from parameters to prepared quantities.
        programs: the functions, each with `pre` as its first input.
        about: comment lines for generated files.
        manifest: description of the sizes and names.
        extra: further C files of the library, or such that take the place of a function's own.
        flags: further flags of the compiler.
        turned: of each unit quaternion, the first of the coordinates that turn it.
    """

    prefix: str
    prepare: Program
    programs: tuple[Program, ...]
    about: tuple[str, ...]
    manifest: dict[str, object]
    extra: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    turned: tuple[int, ...] = ()

    def find(self, name: str) -> Program:
        """A program by name."""
        return next(p for p in (self.prepare, *self.programs) if p.name == name)


class Engine(Protocol):
    """Evaluates the programs of a unit."""

    unit: Unit

    def call(
        self, name: str, inputs: Sequence[Array], rows: int | None, lanes: bool = True
    ) -> list[Array]:
        """Outputs of a program; `rows` is None for one state, `lanes` allows vector code."""
        ...


def runs_native(backend: str) -> bool:
    """True if this backend is C, compiled or, where there is no compiler, as Python.

    Raises:
        InputError: there is no such backend.
    """
    if str(backend) not in ("auto", "c", "python"):
        raise InputError(f"backend {backend!r} is unknown", fix='Use "auto", "c" or "python".')
    if backend == "auto":
        tell_slowness()
    return backend == "auto" or runs_as_python() == (backend == "python")


def make_engine(
    unit: Unit, backend: str = "auto", backlog: Backlog | None = None, *, later: bool = False
) -> Engine:
    """Make a unit callable.

    Args:
        unit: what to build.
        backend: "c", "python", or "auto" for C where a compiler is found.
        backlog: where C waits until it is needed.
        later: the plant is compiled already: what cannot be built runs as Python.
    """
    if later and backend != "python":
        with contextlib.suppress(BuildError):
            alone = NativeEngine(unit)
            alone.library  # noqa: B018
            return alone
        return PythonEngine(unit)
    if runs_native(backend):
        return NativeEngine(unit, backlog=backlog)
    if backend == "c":
        raise BuildError(
            explain_no_compiler(),
            fix='Or use backend="python", which needs no compiler but is slower.',
        )
    return PythonEngine(unit)


class PythonEngine:
    """Generated Python functions."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        programs = (unit.prepare, *unit.programs)
        self.text = python_text.emit_module(programs, unit.prefix, unit.about)
        self._module = python_text.load_module(self.text)

    def call(
        self, name: str, inputs: Sequence[Array], rows: int | None, lanes: bool = True
    ) -> list[Array]:
        """Outputs of a program; of many rows in blocks, for all that is in them is kept."""
        program = self.unit.find(name)
        if rows is not None and rows > ROWS_AT_ONCE:
            edges = [*range(0, rows, ROWS_AT_ONCE), rows]
            blocks = [
                self.call(name, _cut(program, inputs, a, b), b - a, lanes)
                for a, b in itertools.pairwise(edges)
            ]
            return [np.concatenate(parts) for parts in zip(*blocks, strict=True)]
        result = self._module[f"{self.unit.prefix}_{name}"](*inputs)
        found = list(result) if isinstance(result, tuple) else [result]
        lead = () if rows is None else (rows,)
        return [
            np.array(np.broadcast_to(value, (*lead, *out.shape)), dtype=np.float64)
            for value, out in zip(found, program.outputs, strict=True)
        ]


def _cut(program: Program, inputs: Sequence[Array], begin: int, end: int) -> list[Array]:
    """Some rows of all inputs; prepared quantities are the same for all."""
    return [
        a if block.name == "pre" else a[begin:end]
        for a, block in zip(inputs, program.inputs, strict=True)
    ]


class NativeEngine:
    """Generated C in a shared library; many rows use vector registers and all cores."""

    def __init__(
        self, unit: Unit, options: BuildOptions | None = None, backlog: Backlog | None = None
    ) -> None:
        """Write the C text; it is compiled when it is needed.

        Args:
            unit: what to build.
            options: how to compile it; as models are compiled by default.
            backlog: what it is to be compiled with.
        """
        self.unit = unit
        self.options = options or model_options(unit.flags)
        programs = (unit.prepare, *unit.programs)
        with writing(len(programs), unit.prefix):
            self.files = emit_library(programs, unit.prefix, unit.about, unit.manifest, unit.extra)
        sources = {**self.files.sources, **unit.extra}
        if any(p.name == "direct_dynamics" for p in unit.programs):
            program = unit.find("direct_dynamics")
            sources.update(emit_rates(program, unit.prefix, unit.about, unit.turned))
        self.sources = sources
        self.headers = {**runtime_headers(), **self.files.headers}
        self._backlog = backlog or Backlog()
        self._order = Order(unit.prefix, sources, self.headers, self.options)
        self._backlog.add(self._order)
        self._functions: dict[str, Any] = {}
        self._lanes: dict[str, Any] = {}

    @property
    def library(self) -> NativeLibrary:
        """What holds the compiled functions, those of other units among them."""
        return self._backlog.library(self._order)

    def manifest(self) -> str:
        """What the library tells about itself, as JSON text."""
        tell = self.library.function(f"{self.unit.prefix}_manifest", returns=ctypes.c_char_p)
        return bytes(tell()).decode()

    def call(
        self, name: str, inputs: Sequence[Array], rows: int | None, lanes: bool = True
    ) -> list[Array]:
        """Outputs of a program."""
        program = self.unit.find(name)
        lead = () if rows is None else (rows,)
        outputs = [np.empty((*lead, *out.shape)) for out in program.outputs]
        arrays = [np.ascontiguousarray(a, dtype=np.float64) for a in inputs]
        if rows is None:
            addresses = [a.ctypes.data for a in (*arrays, *outputs)]
            self._function(program)(*addresses)
        else:
            self._many(program, arrays, outputs, lanes)
        return outputs

    def _function(self, program: Program) -> Any:
        known = self._functions.get(program.name)
        if known is None:
            count = len(program.inputs) + len(program.outputs)
            name = f"{self.unit.prefix}_{program.name}"
            known = self.library.function(name, *[POINTER] * count, returns=None)
            self._functions[program.name] = known
        return known

    def _many(
        self, program: Program, arrays: list[Array], outputs: list[Array], lanes: bool
    ) -> None:
        """Rows in chunks, one chunk per core; without lanes all in one."""
        rows = len(outputs[0])
        function = self._rows_function(program, lanes and rows >= LANES_FROM)
        moving = [a for a, b in zip(arrays, program.inputs, strict=True) if b.name != "pre"]
        fixed = [a for a, b in zip(arrays, program.inputs, strict=True) if b.name == "pre"]

        def work(begin: int, end: int) -> None:
            cut = [*fixed, *(a[begin:end] for a in moving), *(o[begin:end] for o in outputs)]
            function(end - begin, *(a.ctypes.data for a in cut))

        cores = len(os.sched_getaffinity(0))
        operations = rows * program.operations()["total"]
        threads = min(cores, max(1, operations // WORK_PER_THREAD)) if lanes else 1
        if threads == 1:
            work(0, rows)
            return
        # whole groups of lanes per thread
        edges = [round(k * rows / threads / 8) * 8 for k in range(threads)] + [rows]
        with ThreadPoolExecutor(threads) as pool:
            for future in [pool.submit(work, a, b) for a, b in itertools.pairwise(edges)]:
                future.result()

    def _rows_function(self, program: Program, lanes: bool) -> Any:
        whole = program.name == "prepare" or isinstance(program, Solved)  # has no vector form
        if whole or not lanes:
            return self._bound_rows(self.library, f"{self.unit.prefix}_{program.name}", program)
        known = self._lanes.get(program.name)
        if known is None:
            sources = emit_lanes(program, self.unit.prefix, self.unit.about)
            options = model_options((*self.unit.flags, "-O3"))
            name = f"{program.name} of {self.unit.prefix}, many states at once"
            library, prefix = self.library, self.unit.prefix
            with contextlib.suppress(BuildError):  # then one state after the other
                library = compiled(name, sources, self.headers, options)
                prefix = f"{self.unit.prefix}_lanes"
            known = self._bound_rows(library, f"{prefix}_{program.name}", program)
            self._lanes[program.name] = known
        return known

    def _bound_rows(self, library: NativeLibrary, name: str, program: Program) -> Any:
        count = len(program.inputs) + len(program.outputs)
        return library.function(f"{name}_rows", COUNT, *[POINTER] * count, returns=None)
