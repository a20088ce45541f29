"""A linear filter with one input, as matrices: an estimator without rounding."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


class LinearFilter(NamedTuple):
    """memory' = A memory + B reading; (position, velocity, acceleration) = C memory + D reading.

    Attributes:
        A: shape (n, n).
        B: shape (n,).
        C: shape (3, n).
        D: shape (3,).
    """

    A: Matrix
    B: Matrix
    C: Matrix
    D: Matrix

    def after(self, first: LinearFilter) -> LinearFilter:
        """This filter in series after another one, reading its position."""
        n, m = len(first.B), len(self.B)
        A = np.block([[first.A, np.zeros((n, m))], [np.outer(self.B, first.C[0]), self.A]])
        B = np.concatenate([first.B, self.B * first.D[0]])
        C = np.hstack([np.outer(self.D, first.C[0]), self.C])
        return LinearFilter(A, B, C, self.D * first.D[0])
