"""Read the pattern of a matrix: SciPy matrices and samples of values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from inloop.errors import InputError
from inloop.native.library import Reals

MOST_UNKNOWNS = 20_000
MADE_SAMPLES = 8  # random samples added to a single given one
SPREAD = 2.0  # maximum factor between a value of a random sample and the given one
USED_SAMPLES = 40


@dataclass(frozen=True)
class Pattern:
    """Sparsity pattern of a square matrix, in the order in which SciPy stores its values.

    Attributes:
        n: number of rows and columns.
        format: "csc" or "csr".
        indptr: as in SciPy.
        indices: as in SciPy, sorted in each column or row.
    """

    n: int
    format: str
    indptr: NDArray[np.int64]
    indices: NDArray[np.int64]

    @property
    def places(self) -> list[tuple[int, int]]:
        """(row, column) of each value."""
        line = np.repeat(np.arange(self.n), np.diff(self.indptr)).tolist()
        across = self.indices.tolist()
        pairs = (
            zip(line, across, strict=True)
            if self.format == "csr"
            else zip(across, line, strict=True)
        )
        return [*pairs]

    def matrix(self, values: Reals) -> Any:
        """A matrix with these values."""
        form = scipy.sparse.csr_array if self.format == "csr" else scipy.sparse.csc_array
        return form((values, self.indices, self.indptr), shape=(self.n, self.n))

    def values_of(self, matrix: Any) -> Reals:
        """The values of a matrix in this order; missing entries are zero.

        Raises:
            InputError: the matrix has a different size, or an entry outside of the pattern.
        """
        other = as_sparse(matrix, self.format)
        if other.shape != (self.n, self.n):
            raise InputError(
                f"the matrix has shape {other.shape}", fix=f"It needs {(self.n, self.n)}."
            )
        if np.array_equal(other.indptr, self.indptr) and np.array_equal(
            other.indices, self.indices
        ):
            return np.ascontiguousarray(other.data, dtype=np.float64)
        own = self._numbers(self.indptr, self.indices)
        wanted = self._numbers(other.indptr, other.indices)
        at = np.searchsorted(own, wanted)
        missing = (at == len(own)) | (own[np.minimum(at, len(own) - 1)] != wanted)
        missing &= other.data != 0.0
        if missing.any():
            line, across = divmod(int(wanted[np.argmax(missing)]), self.n)
            row, column = (line, across) if self.format == "csr" else (across, line)
            raise InputError(
                f"the entry in row {row}, column {column} is outside of the pattern",
                fix="Give SparseLU a pattern with all entries that ever occur.",
            )
        values = np.zeros(len(own))
        inside = (at < len(own)) & (own[np.minimum(at, len(own) - 1)] == wanted)
        values[at[inside]] = other.data[inside]
        return values

    def _numbers(self, indptr: NDArray[Any], indices: NDArray[Any]) -> NDArray[np.int64]:
        """An index for each entry, increasing."""
        line = np.repeat(np.arange(self.n, dtype=np.int64), np.diff(indptr))
        return np.asarray(line * self.n + indices, dtype=np.int64)


def read_numbers(numbers: Any, name: str) -> Reals:
    """An array of real numbers.

    Raises:
        InputError: it is none, for example because it is complex.
    """
    try:
        found = np.asarray(numbers)
    except (TypeError, ValueError):  # ragged
        found = np.array(None)
    if found.dtype.kind not in "fiub":
        raise InputError(f"{name}: not an array of real numbers", fix="Give real numbers.")
    return np.asarray(found, dtype=np.float64)


def as_sparse(matrix: Any, form: str) -> Any:
    """A matrix in one of SciPy's compressed formats, indices sorted, without duplicates.

    Raises:
        InputError: not a square matrix of numbers.
    """
    if not scipy.sparse.issparse(matrix):
        matrix = np.asarray(matrix)
    if matrix.dtype.kind not in "fiub":
        raise InputError(
            f"the matrix has values of type {matrix.dtype}",
            fix="Give a SciPy sparse matrix, or a square array, of real numbers.",
        )
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
        raise InputError(f"the matrix has shape {matrix.shape}", fix="Give a square one.")
    found = (scipy.sparse.csr_array if form == "csr" else scipy.sparse.csc_array)(matrix)
    if not found.has_canonical_format:
        found = found.copy()
        found.sum_duplicates()
    return found


def read_pattern(matrices: Sequence[Any]) -> Pattern:
    """Union of the patterns of all matrices; explicit zeros count as entries.

    Raises:
        InputError: a matrix is not square, too large, or differs in size from the first.
    """
    form = "csr" if getattr(matrices[0], "format", "csc") == "csr" else "csc"
    first = as_sparse(matrices[0], form)
    n = first.shape[0]
    if n > MOST_UNKNOWNS:
        raise InputError(f"the matrix has {n} rows", fix=f"Give at most {MOST_UNKNOWNS}.")
    union = _ones(first)
    for matrix in matrices[1:]:
        other = as_sparse(matrix, form)
        if other.shape != first.shape:
            raise InputError(
                f"samples have shapes {first.shape} and {other.shape}", fix="Give one size."
            )
        union = union + _ones(other)
    if union.nnz == 0:
        raise InputError(
            "the matrix has no entries", fix="Give a pattern with all entries that ever occur."
        )
    union.sort_indices()
    return Pattern(n, form, union.indptr.astype(np.int64), union.indices.astype(np.int64))


def _ones(matrix: Any) -> Any:
    return type(matrix)((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)


def read_constants(pattern: Pattern, constant: Any) -> NDArray[np.bool_]:
    """Mask of the values that never change, shape (values,).

    Raises:
        InputError: the mask does not fit the pattern.
    """
    count = len(pattern.indices)
    if constant is None:
        return np.zeros(count, dtype=bool)
    if not scipy.sparse.issparse(constant) and np.ndim(constant) == 1:
        mask = np.asarray(constant)
        if mask.shape != (count,) or mask.dtype != bool:
            raise InputError(
                f"constant has shape {mask.shape} and type {mask.dtype}",
                fix=f"Give a mask with True or False for each of the {count} values.",
            )
        return mask
    return np.asarray(pattern.values_of(constant) != 0.0)


def read_samples(
    pattern: Pattern,
    matrices: Sequence[Any],
    samples: ArrayLike | Sequence[Any] | None,
    constant: NDArray[np.bool_],
) -> Reals:
    """Sample values from which pivots are chosen, shape (samples, values).

    A single sample is supplemented by random ones: each value times a factor between 1/2 and 2,
    reproducible, except for `constant` values. If there are more than USED_SAMPLES, an evenly
    spaced subset is used.

    Raises:
        InputError: a sample does not fit the pattern or is not finite.
    """
    if samples is None:
        found = np.array([pattern.values_of(matrix) for matrix in matrices])
    elif isinstance(samples, list | tuple) and any(scipy.sparse.issparse(s) for s in samples):
        found = np.array([pattern.values_of(matrix) for matrix in samples])
    else:
        found = np.atleast_2d(read_numbers(samples, "samples"))
    count = len(pattern.indices)
    if found.ndim != 2 or found.shape[1] != count or len(found) == 0:
        raise InputError(
            f"samples have shape {found.shape}",
            fix=f"Give matrices, or one row of {count} values for each.",
        )
    if not np.isfinite(found).all():
        raise InputError("a sample has NaN or infinity", fix="Give finite values.")
    if len(found) == 1:
        random = np.random.default_rng(0)
        factors = SPREAD ** random.uniform(-1.0, 1.0, (MADE_SAMPLES, count))
        most = np.finfo(np.float64).max / SPREAD
        fixed = constant | (abs(found) > most)
        found = np.concatenate([found, found * np.where(fixed, 1.0, factors)])
    if np.any(found[:, constant] != found[0, constant]):
        raise InputError(
            "a value that is said to be constant differs from sample to sample",
            fix="Leave it out of `constant`.",
        )
    keep = np.linspace(0, len(found) - 1, min(len(found), USED_SAMPLES)).round().astype(int)
    return np.asarray(found[keep], dtype=np.float64)
