"""Weighted linear least squares with a noise level for each joint, found from its own residuals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from inloop.plant import Array

ROUNDS = 4  # of residuals to weights and back
FIRST = 1e-3  # of the largest efforts: what is first taken for the noise of small ones
LEAST = 1e-12  # of the size of the efforts: noise of data without noise


@dataclass(frozen=True)
class Solution:
    """What solves tau = W b best.

    Attributes:
        b: shape (columns,).
        covariance: of b.
        noise: standard deviation of the efforts of each joint, from the residuals [N·m or N].
        residuals: tau - W b, shape (samples, joints).
        condition: of W with weighted rows, and columns scaled to the same length.
    """

    b: Array
    covariance: Array
    noise: Array
    residuals: Array
    condition: float


def solve(W: Array, tau: Array) -> Solution:
    """Solve with rows of each joint weighted by its noise.

    Args:
        W: shape (samples, joints, columns).
        tau: shape (samples, joints), not all zero.
    """
    samples, joints, columns = W.shape
    size = np.sqrt(np.mean(tau**2, axis=0))
    floor = LEAST * float(size.max())
    # joints without motors have no efforts, but noise
    noise = np.maximum(size, FIRST * float(size.max()))
    share = columns / joints  # parameters that each joint pays for
    for _ in range(ROUNDS):
        A = (W / noise[:, None]).reshape(-1, columns)
        length = np.linalg.norm(A, axis=0)
        Q, R = scipy.linalg.qr(A / length, mode="economic")
        b = scipy.linalg.solve_triangular(R, Q.T @ (tau / noise).ravel()) / length
        residuals = tau - W @ b
        weighed = np.sum(residuals**2, axis=0) / max(samples - share, 1.0)
        used, noise = noise, np.maximum(np.sqrt(weighed), floor)
    inverse = scipy.linalg.solve_triangular(R, np.eye(columns)) / length[:, None]
    left = np.sum((residuals / used) ** 2) / max(samples * joints - columns, 1)
    singular = np.linalg.svd(R, compute_uv=False)
    return Solution(
        b, left * inverse @ inverse.T, noise, residuals, float(singular[0] / singular[-1])
    )
