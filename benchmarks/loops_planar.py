"""Planar mechanisms in absolute coordinates for the peer, and an accurate reference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

GROUND = -1
GRAVITY = 9.81  # along -y [m/s²]
Point = tuple[float, float]


@dataclass(frozen=True)
class Bar:
    """A body in the plane; its origin is its center of mass.

    Attributes:
        mass: [kg].
        inertia: about the center of mass [kg·m²]; 0 for a point mass.
        position: initial position of the center of mass [m].
        angle: initial angle [rad].
        velocity: initial velocity of the center of mass [m/s].
        rate: initial angular velocity [rad/s].
    """

    mass: float
    inertia: float
    position: Point
    angle: float
    velocity: Point
    rate: float


@dataclass(frozen=True)
class Pin:
    """Points of two bodies that coincide, in body axes; GROUND is the world."""

    a: int
    p_A: Point
    b: int
    p_B: Point


@dataclass(frozen=True)
class Planar:
    """Bodies, the crank first; pins; bodies whose center of mass keeps its height."""

    bars: tuple[Bar, ...]
    pins: tuple[Pin, ...]
    rails: tuple[int, ...] = ()


def reference_angle(planar: Planar, t_end: float) -> float:
    """Angle of the crank at t_end [rad], from multipliers and DOP853 at a tolerance of 1e-12."""
    first = np.array([[*bar.position, bar.angle] for bar in planar.bars]).ravel()
    speeds = np.array([[*bar.velocity, bar.rate] for bar in planar.bars]).ravel()
    # the angle of a point mass is free and stays at rest: any inertia works
    inertias = [[bar.mass, bar.mass, bar.inertia or 1.0] for bar in planar.bars]
    masses = np.array(inertias).ravel()
    weights = np.array([[0.0, -GRAVITY * bar.mass, 0.0] for bar in planar.bars]).ravel()
    n = len(first)

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        rows = list(_rows(planar, y[:n], y[n:]))
        J, gamma = np.array([row for row, _ in rows]), np.array([value for _, value in rows])
        system = np.block([[np.diag(masses), J.T], [J, np.zeros((len(J), len(J)))]])
        found = np.linalg.solve(system, np.concatenate([weights, -gamma]))
        return np.concatenate([y[n:], found[:n]])

    start = np.concatenate([first, speeds])
    found = solve_ivp(rates, (0.0, t_end), start, method="DOP853", rtol=1e-12, atol=1e-13)
    return float(found.y[2, -1])


def loop_error(planar: Planar, moved: Sequence[float]) -> float:
    """Largest distance between the points of a pin [m].

    Args:
        planar: the mechanism.
        moved: changes of x, y, angle of each body since the start.
    """
    worst = 0.0
    for pin in planar.pins:
        ends = []
        for body, (px, py) in ((pin.a, pin.p_A), (pin.b, pin.p_B)):
            x, y, angle = 0.0, 0.0, 0.0
            if body != GROUND:
                bar, (dx, dy, turned) = planar.bars[body], moved[3 * body : 3 * body + 3]
                x, y, angle = bar.position[0] + dx, bar.position[1] + dy, bar.angle + turned
            S, C = np.sin(angle), np.cos(angle)
            ends.append((x + C * px - S * py, y + S * px + C * py))
        worst = max(worst, *(abs(p - q) for p, q in zip(*ends, strict=True)))
    return worst


def _rows(planar: Planar, x: np.ndarray, v: np.ndarray) -> Iterator[tuple[np.ndarray, float]]:
    """Row of the Jacobian and gamma of each constraint: J a + gamma = 0."""
    for pin in planar.pins:
        rows, gamma = np.zeros((2, len(x))), np.zeros(2)
        for sign, body, (px, py) in ((1.0, pin.a, pin.p_A), (-1.0, pin.b, pin.p_B)):
            if body == GROUND:
                continue
            angle, rate = x[3 * body + 2], v[3 * body + 2]
            S, C = np.sin(angle), np.cos(angle)
            arm = np.array([C * px - S * py, S * px + C * py])
            rows[:, 3 * body : 3 * body + 2] += sign * np.eye(2)
            rows[:, 3 * body + 2] += sign * np.array([-arm[1], arm[0]])
            gamma -= sign * arm * rate**2
        yield rows[0], float(gamma[0])
        yield rows[1], float(gamma[1])
    for body in planar.rails:
        row = np.zeros(len(x))
        row[3 * body + 1] = 1.0
        yield row, 0.0
