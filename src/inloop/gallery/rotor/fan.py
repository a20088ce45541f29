"""Frequencies of rotating blades, independent of the plant."""

from __future__ import annotations

import numpy as np

from inloop.gallery.rotor.model import EI, LENGTH, MASS, OFFSET

POWERS = range(2, 10)  # of the polynomials that approximate the blade's shapes


def flap_by_ritz(speed: float, count: int = 2) -> np.ndarray:
    """Flap frequencies of a clamped rotating blade [rad/s].

    Rayleigh-Ritz with polynomials: EI ∫ w''² + ∫ T w'² over m ∫ w², where T is the centrifugal
    tension.
    """
    x, weights = np.polynomial.legendre.leggauss(24)
    s, weights = 0.5 * (x + 1.0), 0.5 * weights
    w, w1, w2 = (np.array([_derivative(p, order, s) for p in POWERS]) for order in (0, 1, 2))
    pull = MASS * speed**2 * (OFFSET * LENGTH * (1.0 - s) + 0.5 * LENGTH**2 * (1.0 - s**2))
    K = (EI / LENGTH**3) * (w2 * weights) @ w2.T + (1.0 / LENGTH) * (w1 * weights * pull) @ w1.T
    M = (MASS * LENGTH) * (w * weights) @ w.T
    squares = np.linalg.eigvals(np.linalg.solve(M, K))
    return np.sqrt(np.sort(squares.real)[:count])


def _derivative(power: int, order: int, s: np.ndarray) -> np.ndarray:
    factor = float(np.prod([power - k for k in range(order)]))
    return factor * s ** (power - order)


def lag_by_hand(speed: float) -> float:
    """Lag frequency of a rigid blade in the plane of the rotor: Ω √(3 e / 2 L) [rad/s]."""
    return float(speed * np.sqrt(1.5 * OFFSET / LENGTH))
