"""A slider-crank with clearance, integrated on its own: one corner hits at a time.

Flores, Leine & Glocker 2010, doi:10.1007/s11044-009-9178-y. Coordinates are the absolute angles of
crank, rod and slider. Between impacts DOP853 at 1e-12; corners of the slider hit by Newton's and
Coulomb's laws, each alone and in its turn, with no tolerance: where two corners hit by turns ever
faster, the rest of that infinite sequence is made at one time, until velocities are below 1e-13 of
what they were. Corners that rest carry until a force would pull.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

G, E, MU = 9.81, 0.4, 0.01
L1, L2, A, B, C = 0.153, 0.306, 0.05, 0.025, 0.001
M1, M2, M3 = 0.038, 0.038, 0.076
J1, J2, J3 = 7.4e-5, 5.9e-4, 2.7e-6
CORNERS = ((-1, 1), (1, 1), (-1, -1), (1, -1))
INSTANT = 1e-12  # [s]: impacts that follow each other faster happen at one time


def mass(q: np.ndarray) -> np.ndarray:
    couple = (M2 / 2 + M3) * L1 * L2 * np.cos(q[1] - q[0])
    first = J1 + (M1 / 4 + M2 + M3) * L1**2
    return np.array(
        [[first, couple, 0.0], [couple, J2 + (M2 / 4 + M3) * L2**2, 0.0], [0.0, 0.0, J3]]
    )


def forces(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    turn = (M2 / 2 + M3) * L1 * L2 * np.sin(q[1] - q[0])
    weight = [(M1 / 2 + M2 + M3) * L1 * np.cos(q[0]), (M2 / 2 + M3) * L2 * np.cos(q[1]), 0.0]
    return np.array([turn * v[1] ** 2, -turn * v[0] ** 2, 0.0]) - G * np.array(weight)


def corner(q: np.ndarray, v: np.ndarray, k: int) -> tuple[float, np.ndarray, np.ndarray, float]:
    """Gap of a corner, rows of its normal and tangent, and what v adds to the normal's rate."""
    side, level = CORNERS[k]
    s, c = np.sin(q), np.cos(q)
    along, across = side * A, level * B
    height = L1 * s[0] + L2 * s[1] + along * s[2] + across * c[2]
    up = np.array([L1 * c[0], L2 * c[1], along * c[2] - across * s[2]])
    aside = np.array([-L1 * s[0], -L2 * s[1], -along * s[2] - across * c[2]])
    bend = -(L1 * s[0] * v[0] ** 2 + L2 * s[1] * v[1] ** 2)
    bend += (-along * s[2] - across * c[2]) * v[2] ** 2
    return B + C - level * height, -level * up, aside, -level * bend


def hit(q: np.ndarray, v: np.ndarray, k: int) -> np.ndarray:
    """One corner alone, which slips all through its impact."""
    _, normal, tangent, _ = corner(q, v, k)
    slip = np.sign(tangent @ v)
    answer = np.linalg.solve(mass(q), normal - MU * slip * tangent)
    after = v - (1.0 + E) * (normal @ v) / (normal @ answer) * answer
    assert slip * (tangent @ after) > 0.0
    return np.asarray(after)


def accelerations(q: np.ndarray, v: np.ndarray, rests: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations, and the forces of corners that rest and slip."""
    found = [corner(q, v, k) for k in rests]
    free = np.linalg.solve(mass(q), forces(q, v))
    if not rests:
        return free, np.zeros(0)
    pushes = [np.linalg.solve(mass(q), n - MU * np.sign(t @ v) * t) for _, n, t, _ in found]
    W = np.array([[n @ push for push in pushes] for _, n, _, _ in found])
    f = np.linalg.solve(W, [-(n @ free + bend) for _, n, _, bend in found])
    return free + np.array(pushes).T @ f, f


def lead(t: float, t_end: float, y: np.ndarray, rests: list[int]):  # type: ignore[no-untyped-def]
    """Up to the next impact, or to where a corner that rests would pull."""

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[3:], accelerations(y[:3], y[3:], rests)[0]])

    def events() -> list[object]:
        made: list[object] = []
        for k in range(4):
            if k in rests:
                place = rests.index(k)
                f = lambda t, y, p=place: accelerations(y[:3], y[3:], rests)[1][p]  # noqa: E731
            else:
                f = lambda t, y, k=k: corner(y[:3], y[3:], k)[0]  # noqa: E731
            f.terminal, f.direction = True, -1.0  # type: ignore[attr-defined]
            made.append(f)
        return made

    return solve_ivp(
        rates, (t, t_end), y, "DOP853", events=events(), rtol=1e-12, atol=1e-13, max_step=1e-4
    )


def rattled(t_end: float) -> tuple[np.ndarray, int]:
    """Angles and speeds, and the impacts that are apart in time."""
    t, y, impacts = 0.0, np.array([0.0, 0.0, 0.0, 150.0, -75.0, -0.01]), 0
    rests: list[int] = []
    while t < t_end:
        found = lead(t, t_end, y, rests)
        before, t, y = t, float(found.t[-1]), found.y[:, -1].copy()
        if found.status == 0:
            break
        (k,) = (k for k in range(4) if len(found.t_events[k]))
        if k in rests:
            rests.remove(k)
            continue
        q, v = y[:3], y[3:]
        start = np.abs([corner(q, v, k)[1] @ v for k in range(4)]).max()
        v, impacts = hit(q, v, k), impacts + 1
        level = CORNERS[k][1]
        pair = [j for j in range(4) if CORNERS[j][1] == level]
        if rests or t - before < INSTANT:
            # by turns, in no time
            while min(u := [corner(q, v, j)[1] @ v for j in pair]) < -1e-13 * start:
                v = hit(q, v, pair[int(np.argmin(u))])
            rests = [j for j, rate in zip(pair, u, strict=True) if rate < 1e-12 * start]
        y = np.concatenate([q, v])
    return y, impacts
