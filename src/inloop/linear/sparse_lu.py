"""`SparseLU`: a sparse matrix whose pattern stays and whose values change, compiled."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from inloop.codegen.sparse_lu.fused import FUSED, emit_fused
from inloop.codegen.sparse_lu.layout import Layout
from inloop.codegen.sparse_lu.rolled import emit_rolled
from inloop.codegen.sparse_lu.straight import PREFIX, STRAIGHT, emit_straight
from inloop.codegen.sparse_lu.tables import emit_tables
from inloop.errors import InputError, SolveError
from inloop.linear.pattern import Pattern, read_constants, read_pattern, read_samples
from inloop.native import (
    POINTER,
    REAL,
    NativeLibrary,
    build_library,
    load_runtime,
    model_options,
    runtime_headers,
    runtime_sources,
)
from inloop.native.building.translation import needed_headers
from inloop.native.library import Reals
from inloop.native.mirror import enumeration, mirror
from inloop.symbolic.elimination import Elimination, eliminate, in_order
from inloop.symbolic.pivot_order import THRESHOLD, PivotOrder, StructuralRankError
from inloop.symbolic.repeated.elimination import StepwiseElimination, eliminate_in_steps

TOLERANCE = 1e-12
_LINE = 64  # bytes of a cache line
_RUNTIME = ("il_pivoting.c", "il_sparse.c", "il_sparse_lu.c", "il_sparse_lu_error.c")

Kind = Literal["straight", "rolled", "tables"]
ROLLED = 8_000  # operations from which on code is shared by equal steps, if
REPEATED = 3  # each line of it is used as often as this, on the average


@dataclass(frozen=True)
class SolveReport:
    """How a solution was found.

    Attributes:
        status: "OK", "SINGULAR", "INEXACT", "NOT_FINITE" or "NO_FACTORS".
        backward_error: smallest relative change of all entries of A and b that makes x exact; of
            several right sides the worst.
        forward_error: most that rounding can do to x, in parts of its largest entry, units of the
            unknowns balanced; an estimate, None where no pivot is small enough to ask for it.
        refinements: steps of refinement.
        new_pivots: whether the matrix had to be factored with other pivots than the compiled ones.
    """

    status: str
    backward_error: float
    forward_error: float | None
    refinements: int
    new_pivots: bool


class SparseLU:
    """Factor and solve A x = b in code made for the pattern of A.

    Pivots are chosen once, from samples of values, and everything that depends on the pattern alone
    is compiled. Each solution is put into the equations: what is left over is refined, then the
    matrix is factored with new pivots, and what is not solved to `tolerance` raises an error. An
    object is for one thread at a time.

    Args:
        pattern: a square SciPy sparse matrix (or array) whose explicit zeros count as entries, or a
            list of such matrices, which are then the samples too.
        samples: values that A may have: matrices, or rows of values in the order of `pattern`. Give
            some that differ as much as later ones will. By default the values of `pattern`, joined
            by random ones around them if it is one matrix alone.
        tolerance: of the backward error.
        threshold: smallest pivot in parts of the largest entry of its column, in every sample.
        kind: "straight" for straight-line code, "rolled" for code that is shared by equal steps of
            a matrix that repeats itself, "tables" for a program that walks through tables, which
            is compiled at once; by default what is faster.
        constant: which values never change, as a mask in the order of `pattern` or a matrix of
            them. Straight-line code has them as numbers. Solutions are judged with the values that
            are given: one that has changed costs time, not digits.

    Raises:
        InputError: a matrix is not square, not finite, or singular.
        BuildError: there is no compiler.
    """

    def __init__(
        self,
        pattern: Any,
        samples: ArrayLike | Sequence[Any] | None = None,
        *,
        tolerance: float = TOLERANCE,
        threshold: float = THRESHOLD,
        kind: Kind | None = None,
        constant: Any = None,
    ) -> None:
        if not 0.0 < tolerance < 1.0 or not 0.0 <= threshold <= 1.0:
            raise InputError(
                f"tolerance={tolerance}, threshold={threshold}",
                fix="Use a tolerance above 0 and below 1, and a threshold from 0 to 1.",
            )
        if kind not in (None, "straight", "rolled", "tables"):
            raise InputError(
                f"kind={kind!r}", fix="Use 'straight', 'rolled' or 'tables', or leave it out."
            )
        matrices = [*pattern] if isinstance(pattern, list | tuple) else [pattern]
        if not matrices:
            raise InputError("the list of matrices is empty", fix="Give at least one matrix.")
        self.pattern: Pattern = read_pattern(matrices)
        mask = read_constants(self.pattern, constant)
        sampled = read_samples(self.pattern, matrices, samples, mask)
        constants = {int(k): float(sampled[0, k]) for k in np.flatnonzero(mask)}
        code = _chosen(self.pattern, sampled, threshold, kind, constants)
        self.kind: Kind = code.kind
        self._elimination = code.elimination
        self._code = code
        self._built = (
            NativeLibrary(build_library(code.files, options=model_options()))
            if code.files
            else None
        )
        library = _compiled(code, self._built)
        self._calls = _Calls(library, self.entries, tolerance)
        self.report = SolveReport("NO_FACTORS", np.nan, None, 0, False)

    def __repr__(self) -> str:
        return (
            f"SparseLU({self.n} unknowns, {self.entries} entries, {self.fill} of fill, "
            f"{self.operations} operations, {self.kind})"
        )

    @property
    def n(self) -> int:
        """Number of unknowns."""
        return self.pattern.n

    @property
    def entries(self) -> int:
        """Number of values of the matrix."""
        return len(self.pattern.indices)

    @property
    def fill(self) -> int:
        """Entries that the factors have and the matrix has not."""
        return self._elimination.pattern.size - len({*self._elimination.moved})

    @property
    def operations(self) -> int:
        """Of one factorization and one solution; a multiplication with a subtraction is one."""
        return self._elimination.operations

    @property
    def order(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Rows and columns of the compiled pivots."""
        return self._elimination.order.rows, self._elimination.order.columns

    @property
    def weakest_pivot(self) -> float:
        """Smallest pivot over all samples, in parts of the largest entry of its column."""
        return self._elimination.order.weakest

    @property
    def code_size(self) -> int:
        """Size of the generated code as a library [bytes]; 0 if there is none."""
        return self._built.path.stat().st_size if self._built else 0

    @property
    def addresses(self) -> tuple[int, int]:
        """Of the `il_sparse_lu` and its `il_sparse_lu_memory`, for C code in this process."""
        return self._calls.addresses

    def factor(self, values: Any) -> None:
        """Factor the matrix with these values.

        Args:
            values: in the order of the pattern (`lu.pattern`: the arrays of SciPy), shape
                (entries,), or a matrix whose entries lie in the pattern.

        Raises:
            SolveError: some pivot is zero whatever order is taken, or not finite.
        """
        self._tell(self._calls.factor(self._values(values)))

    def solve(self, b: ArrayLike, *, transposed: bool = False) -> Reals:
        """x of A x = b with the values that were factored last.

        Args:
            b: right side, shape (n,), or several as columns, shape (n, count).
            transposed: solve Aᵀ x = b instead.

        Raises:
            SolveError: no solution can be trusted; `lu.report` tells what was tried.
        """
        right = self._right(b)
        x = np.empty_like(right)
        worst: SolveReport | None = None
        for row, solution in zip(right, x, strict=True):
            report = self._calls.solve(row, transposed, solution)
            if worst is None or _badness(report) > _badness(worst):
                worst = report
        if worst is not None:
            self._tell(worst)
        return x[0] if np.ndim(b) == 1 else np.ascontiguousarray(x.T)

    def solve_with(self, values: Any, b: ArrayLike) -> Reals:
        """`factor(values)` and `solve(b)` in one call, which is faster.

        Args:
            values: as for `factor`.
            b: right side, shape (n,).

        Raises:
            SolveError: no solution can be trusted; `lu.report` tells what was tried.
        """
        if np.ndim(b) != 1:
            raise InputError(
                f"b has shape {np.shape(b)}", fix="Use factor(values), then solve(b), for several."
            )
        (right,) = self._right(b)
        x = np.empty(self.n)
        self._tell(self._calls.solve_with(self._values(values), right, x))
        return x

    def export_c(self, directory: str | Path) -> tuple[Path, ...]:
        """Write all C files of this solver, for a loop of your own.

        `sparse_lu()` of `sparse_lu.c` gives what the functions of `il_sparse_lu.h` take. Nothing in
        them allocates; their memory is that of the caller (`il_sparse_lu_bytes`).

        Returns:
            The files, all that has to be compiled and its headers.
        """
        files = {name: runtime_sources()[name] for name in _RUNTIME}
        files |= needed_headers(files, runtime_headers())
        files["sparse_lu.c"] = self._code.tables
        files |= self._code.files
        folder = Path(directory)
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        return tuple(folder / name for name in sorted(files))

    def _values(self, values: Any) -> Reals:
        if isinstance(values, np.ndarray) and values.ndim == 1:
            if values.shape != (self.entries,):
                raise InputError(
                    f"there are {len(values)} values", fix=f"The pattern has {self.entries}."
                )
            return np.ascontiguousarray(values, dtype=np.float64)
        return self.pattern.values_of(values)

    def _right(self, b: ArrayLike) -> Reals:
        """Right sides as rows."""
        try:
            right = np.asarray(b, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError("b is not an array of numbers", fix="Give real numbers.") from None
        if right.ndim not in (1, 2) or right.shape[0] != self.n:
            raise InputError(
                f"b has shape {right.shape}", fix=f"It needs ({self.n},) or ({self.n}, count)."
            )
        return np.ascontiguousarray(np.atleast_2d(right.T))

    def _tell(self, report: SolveReport) -> None:
        self.report = report
        if report.status == "OK":
            return
        what, fix = _MESSAGES[report.status]
        raise SolveError(what.format(report.backward_error), fix=fix)


_MESSAGES = {
    "SINGULAR": (
        "the matrix is singular to working precision",
        "Look for equations that depend on each other, or unknowns that nothing determines.",
    ),
    "INEXACT": (
        "the solution has a backward error of {:.1e}, above the tolerance, also with new pivots",
        "Scale the equations, or raise the tolerance.",
    ),
    "NOT_FINITE": ("the matrix or the right side has NaN or infinity", "Give finite values."),
    "NO_FACTORS": ("there is no factored matrix", "Call factor(values) first."),
}


def _badness(report: SolveReport) -> tuple[bool, float]:
    return report.status != "OK", report.backward_error


@dataclass(frozen=True)
class _Code:
    """What is compiled for a pattern.

    Attributes:
        elimination: order of pivots.
        kind: of the code.
        files: C files of the code alone, empty for tables.
        tables: C text of the rest.
    """

    elimination: Elimination
    kind: Kind
    files: dict[str, str]
    tables: str


def _chosen(
    pattern: Pattern,
    samples: Reals,
    threshold: float,
    kind: Kind | None,
    constants: dict[int, float],
) -> _Code:
    """The kind that was asked for, or the fastest."""
    try:
        rolled = (
            _rolled(pattern, samples, threshold, kind, constants)
            if kind in (None, "rolled")
            else None
        )
        found = rolled or _in_one_order(pattern, samples, threshold, kind, constants)
    except StructuralRankError:
        raise InputError(
            "the pattern is singular whatever its values are",
            fix="Some rows have entries in too few columns: look for unknowns or equations that "
            "are missing.",
        ) from None
    if found.elimination.order.weakest == 0.0:
        raise InputError(
            "all samples are singular", fix="Give at least one sample of a regular matrix."
        )
    return found


def _in_one_order(
    pattern: Pattern,
    samples: Reals,
    threshold: float,
    kind: Kind | None,
    constants: dict[int, float],
) -> _Code:
    elimination = eliminate(pattern.n, pattern.places, samples, threshold, constants)
    straight = kind == "straight" or (kind is None and elimination.operations <= STRAIGHT)
    fused = straight and elimination.operations <= FUSED
    files = emit_straight(elimination) if straight else {}
    files |= emit_fused(elimination, PREFIX) if fused else {}
    tables = emit_tables(elimination, straight, fused)
    return _Code(elimination, "straight" if straight else "tables", files, tables)


def _rolled(
    pattern: Pattern,
    samples: Reals,
    threshold: float,
    kind: Kind | None,
    constants: dict[int, float],
) -> _Code | None:
    """Code that is shared by equal steps, where that is worth it or asked for."""
    places = pattern.places
    found = eliminate_in_steps(pattern.n, places, samples, threshold)
    if kind == "rolled" and found is None:
        raise InputError(
            "the pattern does not repeat itself",
            fix="Number the unknowns and equations body by body, or leave kind out.",
        )
    if found is None or (kind is None and not _worth_it(found)):
        return None
    layout = Layout(found.schedule, constants)
    order = PivotOrder(tuple(layout.rows), tuple(layout.columns), found.weakest)
    elimination = in_order(places, order)
    return _Code(elimination, "rolled", emit_rolled(layout), emit_tables(elimination, layout))


def _worth_it(found: StepwiseElimination) -> bool:
    return found.operations >= max(ROLLED, REPEATED * found.written)


def _compiled(code: _Code, built: NativeLibrary | None) -> NativeLibrary:
    linked = [load_runtime().path, *([built.path] if built else [])]
    options = model_options(linked=tuple(linked))
    return NativeLibrary(
        build_library({"sparse_lu.c": code.tables}, runtime_headers(), options=options)
    )


class _Calls:
    """The functions of `il_sparse_lu.h` with the memory of one matrix."""

    def __init__(self, library: NativeLibrary, entries: int, tolerance: float) -> None:
        self._values = np.zeros(entries)  # C keeps their address
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
        return self._lu, self._address

    def factor(self, values: Reals) -> SolveReport:
        self._values[:] = values
        return self._report(self._factor(self._lu, self._values.ctypes.data, self._address))

    def solve(self, b: Reals, transposed: bool, x: Reals) -> SolveReport:
        places = b.ctypes.data, int(transposed), self._address, x.ctypes.data
        return self._report(self._solve(self._lu, *places))

    def solve_with(self, values: Reals, b: Reals, x: Reals) -> SolveReport:
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
        )
