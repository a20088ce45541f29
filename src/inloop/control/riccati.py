"""Algebraic Riccati equations with scaling.

States of one mechanism may differ by ten orders of magnitude: angles of a hub, rates of bending at
a kilohertz. The equations are solved for scaled states, weights and inputs, and scaled back.

The sampled equation is solved by doubling (Chu, Fan, Lin & Wang 2004): pass k gives the minimum
cost of 2^k samples. SciPy's solver orders eigenvalues instead, which occasionally fails for models
whose fast modes decay within a sample.
"""

from __future__ import annotations

import numpy as np
import scipy

from inloop.control.linear_model import Array
from inloop.errors import InputError

MOST_PASSES = 60
SETTLED = 1e-14  # relative change of the cost in a pass


def riccati(A: Array, B: Array, Q: Array, R: Array, *, sampled: bool, fix: str) -> Array:
    """The stabilizing solution P.

    Continuous: Aᵀ P + P A - P B R⁻¹ Bᵀ P + Q = 0.
    Sampled: P = Aᵀ P A - Aᵀ P B (R + Bᵀ P B)⁻¹ Bᵀ P A + Q.

    Args:
        A: shape (n, n).
        B: shape (n, m).
        Q: weights of the states, symmetric.
        R: weights of the inputs, diagonal and positive.
        sampled: which of the two equations.
        fix: advice for the user if there is no solution.

    Raises:
        InputError: there is no solution, or it cannot be computed.
    """
    _, (scale, _) = scipy.linalg.matrix_balance(A, permute=False, separate=True)
    # x = T x', u = R^(-1/2) u'
    A_s = A * scale[None, :] / scale[:, None]
    B_s = B / scale[:, None] / np.sqrt(np.diag(R))[None, :]
    Q_s = Q * np.outer(scale, scale)
    # P' = c P'' balances both quadratic terms
    sizes = np.linalg.norm(Q_s), np.linalg.norm(B_s) ** 2
    c = np.sqrt(sizes[0] / sizes[1]) if min(sizes) > 0.0 else 1.0
    B_s, Q_s = np.sqrt(c) * B_s, Q_s / c
    one = np.eye(B.shape[1])
    try:
        solution = (
            _doubled(A_s, B_s @ B_s.T, Q_s)
            if sampled
            else (scipy.linalg.solve_continuous_are(A_s, B_s, Q_s, one))
        )
    except (np.linalg.LinAlgError, ValueError) as error:
        raise InputError(
            f"the Riccati equation has no stabilizing solution ({error})", fix=fix
        ) from error
    return np.asarray(c * solution / np.outer(scale, scale), dtype=np.float64)


def _doubled(A: Array, G: Array, H: Array) -> Array:
    """P for G = B R⁻¹ Bᵀ and H = Q."""
    one, given = np.eye(len(A)), (A, G, H)
    for _ in range(MOST_PASSES):
        W = np.linalg.solve(one + G @ H, np.hstack([A, G]))
        to_A, to_G = W[:, : len(A)], W[:, len(A) :]
        added = A.T @ H @ to_A
        G = G + A @ to_G @ A.T
        H = H + 0.5 * (added + added.T)
        A = A @ to_A
        if not (np.all(np.isfinite(H)) and np.all(np.isfinite(A))):
            break
        # A is the closed-loop transition over 2^k samples
        if np.linalg.norm(added) <= SETTLED * np.linalg.norm(H) and np.linalg.norm(A) < 1.0:
            return _improved(*given, H)
    raise ValueError("a mode does not decay, at any cost or because it costs nothing")


def _improved(A: Array, G: Array, Q: Array, P: Array) -> Array:
    """One Newton step (Kleinman 1968): the cost of the gains that belong to P.

    It is a sum of squares over all samples, so that small entries next to large ones are accurate.
    """
    F = np.linalg.solve(np.eye(len(A)) + G @ P, A)
    half = P @ F
    cost = Q + half.T @ G @ half
    for _ in range(MOST_PASSES):
        added = F.T @ cost @ F
        cost = cost + 0.5 * (added + added.T)
        F = F @ F
        if np.linalg.norm(added) <= SETTLED * np.linalg.norm(cost):
            break
    return np.asarray(cost)
