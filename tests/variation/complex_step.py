"""Derivatives by steps along the imaginary axis, on equations that nothing has differentiated.

The equations of the bridge to other programs, in complex numbers: a step of 1e-30 i has no
cancellation, so that its imaginary part is the derivative to the last digits. Loops are closed by
Newton's method in complex numbers, whose Jacobian is found the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inloop.bridges.smooth_system import Arguments, SmoothSystem
from inloop.plant import BarePlant
from inloop.symbolic import NUMPY

STEP = 1e-30
NEWTON_STEPS = 12


def _choose(condition: Any, a: Any, b: Any) -> Any:
    return np.where(np.real(condition) != 0.0, a, b)


def _atan2(y: Any, x: Any) -> Any:
    """Its imaginary part to the first order, which is all that so small steps have."""
    square = np.real(x) ** 2 + np.real(y) ** 2
    turned = np.real(x) * np.imag(y) - np.real(y) * np.imag(x)
    return np.arctan2(np.real(y), np.real(x)) + 1j * turned / square


ANALYTIC = {
    **NUMPY,
    "abs": lambda x: np.where(np.real(x) < 0.0, -x, x),
    "sign": lambda x: np.sign(np.real(x)),
    "min": lambda a, b: np.where(np.real(a) <= np.real(b), a, b),
    "max": lambda a, b: np.where(np.real(a) >= np.real(b), a, b),
    "lt": lambda a, b: 1.0 * (np.real(a) < np.real(b)),
    "le": lambda a, b: 1.0 * (np.real(a) <= np.real(b)),
    "where": _choose,
    "atan2": _atan2,
}


class ComplexRates:
    """xd of a plant and its derivatives by x and by parameters and inputs.

    Args:
        plant: the compiled mechanism.
        by: names of parameters and inputs.
    """

    def __init__(self, plant: BarePlant, by: Sequence[str]) -> None:
        parameters = [name for name in by if name in plant.parameters]
        inputs = [name for name in by if name not in plant.parameters]
        self._system = SmoothSystem(plant, inputs, parameters)
        self._by = by

    def jacobian(self, x: np.ndarray, z: np.ndarray, t: float) -> tuple[np.ndarray, ...]:
        """xd, ∂xd/∂x and ∂xd/∂by; z: a guess of the dependent coordinates."""
        s = self._system
        g = {**dict(zip(s.parameters, s.p0, strict=True)), **dict(zip(s.inputs, s.u0, strict=True))}
        whole = np.concatenate([x, [g[name] for name in self._by]]).astype(complex)
        value = self._rates(whole, z, t)
        columns = []
        for k in range(len(whole)):
            moved = whole.copy()
            moved[k] += 1j * STEP
            columns.append(self._rates(moved, z, t).imag / STEP)
        found = np.array(columns).T
        return value.real, found[:, : len(x)], found[:, len(x) :]

    def _rates(self, whole: np.ndarray, z: np.ndarray, t: float) -> np.ndarray:
        s = self._system
        x, g = whole[: len(s.states)], dict(zip(self._by, whole[len(s.states) :], strict=True))
        u, p = [g[name] for name in s.inputs], [g[name] for name in s.parameters]

        def closure(z: np.ndarray) -> np.ndarray:
            found = s.closure(Arguments(list(x), list(z), u, p, t), ANALYTIC)
            return np.array([complex(v) for v in found])

        z = z.astype(complex)
        for _ in range(NEWTON_STEPS if len(z) else 0):
            still = closure(z.real).imag
            columns = [closure(z.real + 1j * STEP * e).imag - still for e in np.eye(len(z))]
            z = z - np.linalg.solve(np.array(columns).T / STEP, closure(z))
        found = s.rates(Arguments(list(x), list(z), u, p, t), ANALYTIC)
        return np.array([complex(v) for v in found])
