"""A motor with lag that turns a beam: Euler-Bernoulli elements written by hand, with NumPy.

Transverse displacement is w(x) in the axes of the rest position, so w'(0) is the angle of the hub.
"""

from __future__ import annotations

import numpy as np

import inloop as il

LENGTH, MASS, STIFFNESS = 1.5, 0.788, 191.67  # [m], per length [kg/m], flexural [N m²]
HUB, LAG = 0.0021, 0.003  # inertia [kg m²], time constant [s]
ALPHA, BETA = 0.45, 4.2e-5  # Rayleigh damping of the bending [1/s], [s]


def element(h: float) -> tuple[np.ndarray, np.ndarray]:
    """Consistent mass and stiffness of w1, w1', w2, w2'."""
    M = MASS * h / 420 * np.array([
        [156, 22 * h, 54, -13 * h],
        [22 * h, 4 * h * h, 13 * h, -3 * h * h],
        [54, 13 * h, 156, -22 * h],
        [-13 * h, -3 * h * h, -22 * h, 4 * h * h],
    ])  # fmt: skip
    K = STIFFNESS / h**3 * np.array([
        [12, 6 * h, -12, 6 * h],
        [6 * h, 4 * h * h, -6 * h, 2 * h * h],
        [-12, -6 * h, 12, -6 * h],
        [6 * h, 2 * h * h, -6 * h, 4 * h * h],
    ])  # fmt: skip
    return M, K


def weight(start: float, h: float, gravity: float) -> np.ndarray:
    """Stiffness of gravity in an upright element that begins at a height: it carries what is above.

    Its potential is -½ ∫ m g (L - x) w'² dx.
    """
    K = np.zeros((4, 4))
    # three points are exact: w'² is of fourth order, the load of first
    points, shares = np.polynomial.legendre.leggauss(3)
    for x, share in zip(0.5 * h * (points + 1.0), 0.5 * h * shares, strict=True):
        s = x / h
        slope = np.array(
            [6 * (s * s - s) / h, 1 - 4 * s + 3 * s * s, 6 * (s - s * s) / h, 3 * s * s - 2 * s]
        )
        K -= share * MASS * gravity * (LENGTH - start - x) * np.outer(slope, slope)
    return K


def beam(elements: int = 4, gravity: float = 0.0, *, bare: bool = False) -> il.control.LinearModel:
    """Command of the motor [N m] to its angle [rad] and to the slope at mid-span [rad].

    Args:
        elements: an even number.
        gravity: on an upright beam [m/s²].
        bare: without hub and damping.
    """
    n = 2 * elements + 2
    M, K, falls = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    h = LENGTH / elements
    for k in range(elements):
        m_e, k_e = element(h)
        here = slice(2 * k, 2 * k + 4)
        M[here, here] += m_e
        K[here, here] += k_e
        falls[here, here] += weight(k * h, h, gravity)
    # the root does not move, only turns
    M, K, falls = M[1:, 1:], K[1:, 1:], falls[1:, 1:]
    n -= 1
    # velocities of bending are damped as the source does it, turning as a whole is not
    rigid = np.zeros((n, 1))
    rigid[0] = 1.0
    for node in range(1, elements + 1):
        rigid[2 * node - 1 : 2 * node + 1, 0] = node * LENGTH / elements, 1.0
    bending = np.eye(n) - rigid @ np.eye(n)[:1]
    damping = (not bare) * (ALPHA * M @ bending + BETA * K)
    M[0, 0] += 0.0 if bare else HUB
    K = K + falls
    inverse = np.linalg.inv(M)
    A = np.zeros((2 * n + 1, 2 * n + 1))
    A[:n, n : 2 * n] = np.eye(n)
    A[n : 2 * n, :n], A[n : 2 * n, n : 2 * n] = -inverse @ K, -inverse @ damping
    A[n : 2 * n, -1] = inverse[:, 0]
    A[-1, -1] = -1.0 / LAG
    B = np.zeros((2 * n + 1, 1))
    B[-1] = 1.0 / LAG
    C = np.zeros((2, 2 * n + 1))
    mid = elements
    C[0, 0], C[1, mid], C[1, 0] = 1.0, 1.0, -1.0
    names = ["hub", *(f"{kind}{k}" for k in range(1, elements + 1) for kind in ("w", "slope"))]
    states = [*(f"{name}.q" for name in names), *(f"{name}.qd" for name in names), "torque"]
    return il.control.LinearModel(
        A, B, C, np.zeros((2, 1)), tuple(states), ("command",), ("angle", "strain")
    )
