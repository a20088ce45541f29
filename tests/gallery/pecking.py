"""The woodpecker toy in NumPy: an independent solution for the exhibit.

Coordinates: height of the sleeve, angle of the sleeve, angle of the bird, all absolute. Moreau's
midpoint rule, whose contacts are solved by trying all modes; `linear` gives the model of Glocker
for small angles, else it is derived for any angle.
"""

from __future__ import annotations

import itertools

import numpy as np

R_O, R_M, H_M = 0.0025, 0.0031, 0.0058
L_M, L_G, H_S, L_S = 0.010, 0.015, 0.02, 0.0201
M_M, M_S, J_M, J_S = 3e-4, 4.5e-3, 5e-9, 7e-7
C, G = 0.0056, 9.81
MU, RESTITUTION = 0.3, (0.5, 0.0, 0.0)
# beak, lower and upper edge: body, and where on it, to the right and up
POINTS = ((2, L_G - L_S, H_S), (1, R_M, -H_M), (1, R_M, H_M))


def mass(q: np.ndarray, linear: bool) -> np.ndarray:
    """M(q)."""
    a, b = (0.0, 0.0) if linear else q[1:]
    la, lb, c = M_S * L_M * np.cos(a), M_S * L_G * np.cos(b), M_S * L_M * L_G * np.cos(a - b)
    return np.array([[M_M + M_S, la, lb], [la, J_M + M_S * L_M**2, c], [lb, c, J_S + M_S * L_G**2]])


def force(q: np.ndarray, v: np.ndarray, linear: bool) -> np.ndarray:
    """Gravity, spring and velocity terms."""
    a, b = (0.0, 0.0) if linear else q[1:]
    coil = C * (q[2] - q[1])
    h = np.array(
        [-(M_M + M_S) * G, coil - M_S * G * L_M * np.cos(a), -coil - M_S * G * L_G * np.cos(b)]
    )
    if not linear:
        s = M_S * L_M * L_G * np.sin(a - b)
        h += [
            M_S * (L_M * np.sin(a) * v[1] ** 2 + L_G * np.sin(b) * v[2] ** 2),
            -s * v[2] ** 2,
            s * v[1] ** 2,
        ]
    return h


def contacts(q: np.ndarray, linear: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gaps to the pole, rows of their rates, and rows of the velocities upwards."""
    gaps, normal, tangent = [], [], []
    for body, x, z in POINTS:
        a = 0.0 if linear else q[body]
        c, s = np.cos(a), np.sin(a)
        spring = L_M * (1.0 if linear else np.cos(q[1])) if body == 2 else 0.0
        gaps.append(spring + c * x - s * z - R_O - (z * q[body] if linear else 0.0))
        n, t = np.zeros(3), np.array([1.0, 0.0, 0.0])
        n[body], t[body] = -s * x - c * z, c * x - s * z
        if body == 2:
            n[1] = 0.0 if linear else -L_M * np.sin(q[1])
            t[1] = spring
        normal.append(n)
        tangent.append(t)
    return np.array(gaps), np.array(normal), np.array(tangent)


def solved(W: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Impulses: rows in pairs of normal and tangent; every choice of modes is tried."""
    count = len(free) // 2
    for modes in itertools.product(("open", "stick", -MU, MU), repeat=count):
        A, b = W.copy(), -free
        for k, mode in zip(range(0, len(free), 2), modes, strict=True):
            fixed = {"open": (k, k + 1), "stick": ()}.get(mode, (k + 1,))  # type: ignore[call-overload]
            A[list(fixed)], b[list(fixed)] = np.eye(len(free))[list(fixed)], 0.0
            if not isinstance(mode, str):
                A[k + 1, k] = -mode
        r = np.linalg.solve(A, b)
        if all(_holds(mode, r[k : k + 2], (W @ r + free)[k : k + 2])
               for k, mode in zip(range(0, len(free), 2), modes, strict=True)):  # fmt: skip
            return r
    raise ArithmeticError("no mode holds")


def _holds(mode: str | float, r: np.ndarray, u: np.ndarray) -> bool:
    """True if the inequalities of a mode are met."""
    if mode == "open":
        return bool(u[0] >= -1e-12)
    if mode == "stick":
        return bool(r[0] >= 0.0 and abs(r[1]) <= MU * r[0] + 1e-15)
    return bool(r[0] >= 0.0 and u[1] * float(mode) <= 1e-12)


def pecking(
    q: np.ndarray, v: np.ndarray, end: float, h: float, *, linear: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Times of the pecks [s], and heights of the sleeve then [m]; those of one cycle are one."""
    pecks: list[tuple[float, float]] = []
    for step in range(round(end / h)):
        middle = q + 0.5 * h * v
        gaps, normal, tangent = contacts(middle, linear)
        back = np.linalg.inv(mass(middle, linear))
        new = v + h * back @ force(middle, v, linear)
        closed = np.flatnonzero(gaps <= 0.0)
        if len(closed):
            H = np.stack([normal[closed], tangent[closed]], axis=1).reshape(-1, 3)
            meets = normal[closed] @ v
            bounce = np.array(RESTITUTION)[closed] * np.minimum(meets, 0.0)
            free = H @ new
            free[::2] += bounce
            r = solved(H @ back @ H.T, free)
            new = new + back @ H.T @ r
            if 0 in closed and meets[0] < -0.01 and (not pecks or step * h - pecks[-1][0] > 0.02):
                pecks.append((step * h, float(q[0])))
        q, v = middle + 0.5 * h * new, new
    times, heights = np.array(pecks).T
    return times, heights
