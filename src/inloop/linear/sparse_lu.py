"""`SparseLU`: compiled solver of a sparse matrix with fixed pattern and changing values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from numbers import Real
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inloop.errors import InputError, SolveError
from inloop.linear.calls import Calls, SolveReport, compiled
from inloop.linear.choice import Kind, Wanted, choose_code
from inloop.linear.pattern import (
    Pattern,
    read_constants,
    read_numbers,
    read_pattern,
    read_samples,
)
from inloop.native import (
    NativeLibrary,
    build_library,
    model_options,
    runtime_headers,
    runtime_sources,
)
from inloop.native.building.translation import needed_headers
from inloop.native.library import Reals
from inloop.symbolic.pivot_order import THRESHOLD

TOLERANCE = 1e-12
_RUNTIME = ("il_pivoting.c", "il_sparse.c", "il_sparse_lu.c", "il_sparse_lu_error.c")


class SparseLU:
    """Factor and solve A x = b with code generated for the sparsity pattern of A.

    Pivots are chosen once, from sample values, and everything that depends only on the pattern is
    compiled. The residual of each solution is checked: if it is too large, the solution is refined,
    then the matrix is factored with new pivots; an error is raised if `tolerance` is still not
    reached. Calls from several threads wait for each other. Copies and pickles have memory of their
    own, the same compiled code, and no factors yet.

    Args:
        pattern: a square SciPy sparse matrix (or array) whose explicit zeros count as entries, or a
            list of such matrices, which are then the samples too.
        samples: typical values of A: matrices, or rows of values in the order of `pattern`. They
            should vary as much as later values will. Default: the values of `pattern`, supplemented
            by random ones around them if it is a single matrix.
        tolerance: maximum backward error.
        threshold: smallest pivot relative to the largest entry of its column, in every sample.
        kind: "straight" for straight-line code, "rolled" for code that equal steps of a repetitive
            matrix share, "tables" for a table-driven program, which compiles immediately; default:
            the fastest.
        constant: values that never change, as a mask in the order of `pattern` or as a matrix.
            Straight-line code contains them as numbers. Solutions are checked with the actual
            values: a constant that changes costs time, not accuracy.
        arranged: whether arrays of values are in the order in which the code reads them,
            `lu.arrangement`, instead of that of the pattern. The caller can often write them in
            this order directly, which saves gathering them.

    Raises:
        InputError: a matrix is not square, not finite, or singular.
        BuildError: no compiler was found.
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
        arranged: bool = False,
    ) -> None:
        _check_limits(tolerance, threshold)
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
        wanted = Wanted(threshold, kind, constants, arranged)
        code = choose_code(self.pattern, sampled, wanted)
        self.kind: Kind = code.kind
        self._elimination = code.elimination
        self._code = code
        self._built = (
            NativeLibrary(build_library(code.files, options=model_options()))
            if code.files
            else None
        )
        library = compiled(code, self._built)
        self._calls = Calls(library, self.entries, tolerance)
        self._turn = Lock()
        self._again = partial(
            SparseLU,
            self.pattern.matrix(sampled[0]),
            sampled,
            tolerance=tolerance,
            threshold=threshold,
            kind=kind,
            constant=mask,
            arranged=arranged,
        )
        self.report = SolveReport("NO_FACTORS", np.nan, None, 0, False, 0)

    def __reduce__(self) -> tuple[Callable[[], SparseLU], tuple[()]]:
        return self._again, ()

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
        """Entries of the factors that are zero in the matrix."""
        return self._elimination.pattern.size - len({*self._elimination.moved})

    @property
    def operations(self) -> int:
        """Operations of one factorization and one solution; a multiply-subtract counts as one."""
        return self._elimination.operations

    @property
    def order(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Rows and columns of the compiled pivot sequence."""
        return self._elimination.order.rows, self._elimination.order.columns

    @property
    def arrangement(self) -> NDArray[np.int64]:
        """Index in the pattern of each entry of an array of values.

        `A.data[lu.arrangement]` are the values of a matrix with this pattern.
        """
        found = self._code.arrangement
        return np.arange(self.entries) if found is None else np.array(found, dtype=np.int64)

    @property
    def weakest_pivot(self) -> float:
        """Smallest pivot over all samples, relative to the largest entry of its column."""
        return self._elimination.order.weakest

    @property
    def code_size(self) -> int:
        """Size of the library of generated code [bytes]; 0 if there is none."""
        return self._built.path.stat().st_size if self._built else 0

    @property
    def addresses(self) -> tuple[int, int]:
        """Addresses of `il_sparse_lu` and `il_sparse_lu_memory`, for C code in this process."""
        return self._calls.addresses

    def factor(self, values: Any) -> None:
        """Factor the matrix with these values.

        Args:
            values: in the order of the pattern (`lu.pattern`: SciPy's arrays) or arranged, shape
                (entries,), or a matrix with entries inside the pattern.

        Raises:
            SolveError: a pivot is zero in any order, or not finite.
        """
        numbers = self._values(values)
        with self._turn:
            self._tell(self._calls.factor(numbers))

    def solve(self, b: ArrayLike, *, transposed: bool = False) -> Reals:
        """Solve A x = b with the values that were factored last.

        Args:
            b: right-hand side, shape (n,), or several as columns, shape (n, count).
            transposed: solve Aᵀ x = b instead.

        Raises:
            SolveError: no accurate solution was found; see `lu.report`.
        """
        right = self._right(b)
        x = np.empty_like(right)
        with self._turn:
            reports = [
                self._calls.solve(row, transposed, solution)
                for row, solution in zip(right, x, strict=True)
            ]
            if reports:
                self._tell(max(reports, key=_badness))
        return x[0] if np.ndim(b) == 1 else np.ascontiguousarray(x.T)

    def solve_with(self, values: Any, b: ArrayLike) -> Reals:
        """`factor(values)` and `solve(b)` in one call, which is faster.

        Args:
            values: as for `factor`.
            b: right-hand side, shape (n,).

        Raises:
            SolveError: no accurate solution was found; see `lu.report`.
        """
        right = self._right(b)
        if np.ndim(b) != 1:
            raise InputError(
                f"b has shape {np.shape(b)}", fix="Use factor(values), then solve(b), for several."
            )
        x, numbers = np.empty(self.n), self._values(values)
        with self._turn:
            self._tell(self._calls.solve_with(numbers, right[0], x))
        return x

    def export_c(self, directory: str | Path) -> tuple[Path, ...]:
        """Write all C files of this solver, for use in your own loop.

        `sparse_lu()` of `sparse_lu.c` returns the argument of the functions of `il_sparse_lu.h`.
        They do not allocate; the caller provides their memory (`il_sparse_lu_bytes`).

        Returns:
            All files to compile, and their headers.
        """
        files = {name: runtime_sources()[name] for name in _RUNTIME}
        files["sparse_lu.c"] = self._code.tables
        files |= needed_headers(files, runtime_headers())
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
            return np.ascontiguousarray(read_numbers(values, "values"))
        found = self.pattern.values_of(values)
        return found if self._code.arrangement is None else found[self.arrangement]

    def _right(self, b: ArrayLike) -> Reals:
        """Right-hand sides as rows."""
        right = read_numbers(b, "b")
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


def _check_limits(tolerance: float, threshold: float) -> None:
    numbers = isinstance(tolerance, Real) and isinstance(threshold, Real)
    if not numbers or not 0.0 < tolerance < 1.0 or not 0.0 <= threshold <= 1.0:
        raise InputError(
            f"tolerance={tolerance!r}, threshold={threshold!r}",
            fix="Use a tolerance above 0 and below 1, and a threshold from 0 to 1.",
        )


def _badness(report: SolveReport) -> tuple[bool, float]:
    return report.status != "OK", report.backward_error
