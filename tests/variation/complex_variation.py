"""A motion and its derivatives, integrated together by SciPy on equations nobody differentiated.

Rates come from `ANALYTIC` numbers: each derivative is the imaginary part of the rates along a
direction of 1e-30, all directions side by side. Loops are closed by Newton's method, whose
Jacobian is found the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from complex_step import ANALYTIC, NEWTON_STEPS, STEP
from scipy.integrate import solve_ivp

from inloop.bridges.smooth_system import Arguments, SmoothSystem
from inloop.plant import BarePlant

CLOSED = 1e-13


class ComplexVariation:
    """x of a plant and its derivatives by parameters, which do not change its start.

    Args:
        plant: the compiled mechanism.
        by: names of parameters.
        sizes: by parameter, a derivative that counts as 1 for the tolerance.
    """

    def __init__(self, plant: BarePlant, by: Sequence[str], sizes: np.ndarray) -> None:
        self.system, self._sizes = SmoothSystem(plant, [], by), sizes
        self._z = self.system.z0

    def integrate(self, times: np.ndarray, tolerance: float) -> np.ndarray:
        """Derivatives by DOP853, shape (times, states, by)."""
        nx, count = len(self.system.states), len(self._sizes)
        start = np.concatenate([self.system.x0, np.zeros(nx * count)])
        run = solve_ivp(self._rates, (0.0, times[-1]), start, "DOP853", t_eval=times,
                        rtol=tolerance, atol=1e-2 * tolerance)  # fmt: skip
        return run.y[nx:].T.reshape(-1, nx, count) * self._sizes

    def _rates(self, t: float, y: np.ndarray) -> np.ndarray:
        s, count = self.system, len(self._sizes)
        nx = len(s.states)
        x, p = y[:nx, None] + 1j * STEP * y[nx:].reshape(nx, count) * self._sizes, s.p0
        x, p = list(x), list(p[:, None] + 1j * STEP * np.eye(count))
        z, J = self._closed(y[:nx], t)
        open_by = self._lanes(s.closure(self._at(x, z, p, t), ANALYTIC), count).imag
        # the real part of z, and what keeps the loops closed along each direction
        z = [a + 1j * b for a, b in zip(z, -np.linalg.solve(J, open_by), strict=True)]
        found = self._lanes(s.rates(self._at(x, z, p, t), ANALYTIC), count)
        return np.concatenate([found[:, 0].real, (found.imag / STEP / self._sizes).ravel()])

    def _closed(self, x: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Dependent coordinates, and the Jacobian of the closure by them."""
        s, z = self.system, self._z
        for _ in range(NEWTON_STEPS):
            moved = list(z[:, None] + 1j * STEP * np.eye(len(z)))
            h = self._lanes(s.closure(self._at(x, moved, s.p0, t), ANALYTIC), len(z))
            J = h.imag / STEP
            step = np.linalg.solve(J, h[:, 0].real)
            z = z - step
            if np.abs(step).max() < CLOSED:
                break
        self._z = z
        return z, J

    @staticmethod
    def _at(x: Any, z: Any, p: Any, t: float) -> Arguments:
        return Arguments(list(x), list(z), [], list(p), t)

    @staticmethod
    def _lanes(values: Sequence[Any], count: int) -> np.ndarray:
        return np.array([np.broadcast_to(np.asarray(v, dtype=complex), (count,)) for v in values])
