"""A double pendulum at a wall, event-driven: an independent solution for the exhibit.

Two point masses on massless bars, angles a and b from the vertical, towards +x. Between impacts
Lagrange's equations are integrated with DOP853; at a root of the gap of a ball its velocity along x
is reversed by an impulse along x, with Newton's restitution.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp


@dataclass(frozen=True)
class BouncingPendulum:
    """Lengths [m], masses [kg], room between the pivot's vertical and the balls [m]."""

    l1: float
    l2: float
    m1: float
    m2: float
    room: float
    restitution: float
    g: float = 9.81

    def mass(self, a: float, b: float) -> np.ndarray:
        """M of the angles from the vertical."""
        c = self.m2 * self.l1 * self.l2 * np.cos(a - b)
        return np.array([[(self.m1 + self.m2) * self.l1**2, c], [c, self.m2 * self.l2**2]])

    def rates(self, _t: float, x: np.ndarray) -> np.ndarray:
        """Lagrange's equations."""
        a, b, va, vb = x
        s = self.m2 * self.l1 * self.l2 * np.sin(a - b)
        force = [
            -s * vb**2 - (self.m1 + self.m2) * self.g * self.l1 * np.sin(a),
            s * va**2 - self.m2 * self.g * self.l2 * np.sin(b),
        ]
        return np.concatenate([x[2:], np.linalg.solve(self.mass(a, b), force)])

    def row(self, ball: str, x: np.ndarray) -> np.ndarray:
        """How the gap of a ball changes with the angles."""
        a, b = x[:2]
        tip = self.l2 * np.cos(b) if ball == "tip" else 0.0
        return -np.array([self.l1 * np.cos(a), tip])

    def gap(self, ball: str, x: np.ndarray) -> float:
        """From a ball to the wall [m]."""
        a, b = x[:2]
        return float(self.room - self.l1 * np.sin(a) - self.l2 * np.sin(b) * (ball == "tip"))

    def solved(self, x: np.ndarray, end: float) -> tuple[dict[str, list[float]], np.ndarray]:
        """Times of the impacts of each ball [s], and the state at the end."""
        hits: dict[str, list[float]] = {"elbow": [], "tip": []}
        watched = []
        for ball in hits:

            def gap(_t: float, x: np.ndarray, ball: str = ball) -> float:
                return self.gap(ball, x)

            gap.terminal, gap.direction = True, -1.0  # type: ignore[attr-defined]
            watched.append(gap)
        t = 0.0
        while t < end:
            run = solve_ivp(self.rates, (t, end), x, "DOP853", events=watched, rtol=1e-12,
                            atol=1e-13)  # fmt: skip
            t, x = float(run.t[-1]), run.y[:, -1].copy()
            for ball, found in zip(hits, run.t_events, strict=True):
                if len(found):
                    hits[ball].append(t)
                    n, back = self.row(ball, x), np.linalg.inv(self.mass(*x[:2]))
                    x[2:] -= (1.0 + self.restitution) * (n @ x[2:]) / (n @ back @ n) * (back @ n)
        return hits, x
