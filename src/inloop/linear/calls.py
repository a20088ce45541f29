"""The functions of `il_sparse_lu.h`, compiled and bound to the memory of one matrix."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np

from inloop.linear.choice import CompiledPattern
from inloop.native import (
    POINTER,
    REAL,
    NativeLibrary,
    build_library,
    load_runtime,
    model_options,
    runtime_headers,
)
from inloop.native.library import Reals
from inloop.native.mirror import enumeration, mirror

_LINE = 64  # size of a cache line [bytes]


@dataclass(frozen=True)
class SolveReport:
    """Quality of a solution.

    Attributes:
        status: "OK", "SINGULAR", "INEXACT", "NOT_FINITE" or "NO_FACTORS".
        backward_error: smallest relative change of the entries of A and b that makes x exact; the
            worst one of several right-hand sides.
        forward_error: estimated bound of the rounding error of x, relative to its largest entry,
            with balanced unknowns; None if no pivot is small enough to require the estimate.
        refinements: number of refinement steps.
        new_pivots: whether the matrix had to be factored with pivots other than the compiled ones.
        rounded_rows: number of rows that could not be satisfied to the tolerance because all of
            their terms are rounding errors of larger unknowns; they were compared with those.
    """

    status: str
    backward_error: float
    forward_error: float | None
    refinements: int
    new_pivots: bool
    rounded_rows: int


def compiled(code: CompiledPattern, built: NativeLibrary | None) -> NativeLibrary:
    """The library with the tables of a pattern, linked with its generated code."""
    linked = [load_runtime().path, *([built.path] if built else [])]
    options = model_options(linked=tuple(linked))
    return NativeLibrary(
        build_library({"sparse_lu.c": code.tables}, runtime_headers(), options=options)
    )


class Calls:
    """The functions of `il_sparse_lu.h`, bound to the memory of one matrix."""

    def __init__(self, library: NativeLibrary, entries: int, tolerance: float) -> None:
        self._values = np.zeros(entries)  # C keeps a pointer to it
        self._lu = library.function("sparse_lu", returns=POINTER)()
        size = library.function("il_sparse_lu_bytes", POINTER, returns=ctypes.c_int64)(self._lu)
        self._bytes = np.zeros(size + _LINE, dtype=np.uint8)
        begin = self._bytes.ctypes.data + -self._bytes.ctypes.data % _LINE
        self._memory = mirror("il_sparse_lu_memory")()
        self._address = ctypes.addressof(self._memory)
        prepare = library.function(
            "il_sparse_lu_prepare", POINTER, REAL, POINTER, POINTER, returns=None
        )
        prepare(self._lu, tolerance, begin, self._address)
        self._factor = library.function("il_sparse_lu_factor", *[POINTER] * 3)
        self._solve = library.function(
            "il_sparse_lu_solve", POINTER, POINTER, ctypes.c_int32, POINTER, POINTER
        )
        self._solve_with = library.function("il_sparse_lu_solve_with", *[POINTER] * 5)
        names = enumeration("il_sparse_lu_status")
        self._names = {number: name.removeprefix("IL_SPARSE_LU_") for name, number in names.items()}

    @property
    def addresses(self) -> tuple[int, int]:
        """Addresses of the `il_sparse_lu` and its memory."""
        return self._lu, self._address

    def factor(self, values: Reals) -> SolveReport:
        """See `SparseLU.factor`."""
        self._values[:] = values
        return self._report(self._factor(self._lu, self._values.ctypes.data, self._address))

    def solve(self, b: Reals, transposed: bool, x: Reals) -> SolveReport:
        """See `SparseLU.solve`."""
        places = b.ctypes.data, int(transposed), self._address, x.ctypes.data
        return self._report(self._solve(self._lu, *places))

    def solve_with(self, values: Reals, b: Reals, x: Reals) -> SolveReport:
        """See `SparseLU.solve_with`."""
        self._values[:] = values
        places = self._values.ctypes.data, b.ctypes.data, self._address, x.ctypes.data
        return self._report(self._solve_with(self._lu, *places))

    def _report(self, status: int) -> SolveReport:
        told = self._memory.report
        return SolveReport(
            self._names[status],
            told.backward_error,
            told.forward_error if told.forward_error >= 0.0 else None,
            told.refinements,
            bool(told.new_pivots),
            told.rounded_rows,
        )
