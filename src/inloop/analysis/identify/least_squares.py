"""Weighted linear least squares with noise levels per joint, estimated from the residuals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from inloop.plant import Array

ROUNDS = 4  # iterations of the reweighting
FIRST = 1e-3  # minimum initial noise level, relative to the largest efforts
LEAST = 1e-12  # minimum noise level, relative to the efforts, for noiseless data


@dataclass(frozen=True)
class Solution:
    """Least-squares solution of tau = W b.

    Attributes:
        b: shape (columns,).
        covariance: covariance of b.
        noise: standard deviation of the efforts of each joint, from the residuals [N·m or N].
        residuals: tau - W b, shape (samples, joints).
        condition: condition number of W with weighted rows and columns scaled to unit length.
    """

    b: Array
    covariance: Array
    noise: Array
    residuals: Array
    condition: float


def solve(W: Array, tau: Array) -> Solution:
    """Solve with the rows of each joint weighted by its noise.

    Args:
        W: shape (samples, joints, columns).
        tau: shape (samples, joints), not all zero.
    """
    samples, joints, columns = W.shape
    size = np.sqrt(np.mean(tau**2, axis=0))
    floor = LEAST * float(size.max())
    # joints without motors have no effort, but still noise
    noise = np.maximum(size, FIRST * float(size.max()))
    share = columns / joints  # degrees of freedom lost per joint
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
