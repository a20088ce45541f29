"""Mechanisms with force laws of every kind, and calls of their rates, predictor and Jacobian."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np

import inloop as il
from inloop.native import Method
from inloop.native.mirror import mirror
from inloop.simulate.drives import read_drives
from inloop.simulate.inputs import Inputs
from inloop.simulate.systems import Conditions, make_system

ARM_START = (0.4, -0.7, 0.5, 0.9)


def arm(laws: Callable[[il.Model], None] | None = None, name: str = "arm") -> il.Model:
    """Four joints in space, one of them sliding; a second branch on the first body."""
    m = il.Model(name, gravity=(0.3, -0.2, -9.7))
    base = m.body(
        "base", on=m.ground, joint=il.revolute("z", initial=(ARM_START[0], 0.0)), mass=2.1,
        com=(0.05, 0.02, 0.1), inertia=(0.02, 0.03, 0.025),
    )  # fmt: skip
    upper = m.body(
        "upper", on=base.point("shoulder", (0.1, 0.03, 0.3)),
        joint=il.revolute("y", initial=(ARM_START[1], 0.0)), mass=1.3, com=(0.2, 0.01, -0.03),
        inertia=(0.01, 0.02, 0.017),
    )  # fmt: skip
    slide = m.body(
        "slide", on=upper.point("rail", (0.4, 0.02, 0.05)),
        joint=il.prismatic("x", initial=(ARM_START[2], 0.0)), mass=0.8, com=(0.03, 0.02, 0.01),
        inertia=(0.004, 0.003, 0.005),
    )  # fmt: skip
    slide.point("tip", (0.15, 0.03, 0.07))
    other = m.body(
        "other", on=base.point("side", (-0.1, 0.2, 0.1)),
        joint=il.revolute("x", initial=(ARM_START[3], 0.0)), mass=0.9, com=(0.02, 0.1, 0.05),
        inertia=(0.006, 0.004, 0.005),
    )  # fmt: skip
    other.point("end", (0.05, 0.25, 0.02))
    m.ground.point("anchor", (0.3, 0.2, -0.2))
    if laws is not None:
        laws(m)
    return m


def bristle(sigma0: float, sigma1: float, sigma2: float, level: float) -> Callable:
    """LuGre friction with a constant level: effort and rate of z."""

    def law(qd, z):
        rate = qd - sigma0 * abs(qd) / level * z
        return -(sigma0 * z + sigma1 * rate + sigma2 * qd), {"z": rate}

    return law


class Bench:
    """The functions that the steppers call, as Python functions of t and x."""

    def __init__(self, plant: il.Plant, method: Method, tau: np.ndarray | None = None) -> None:
        self.plant = plant
        tau = np.zeros(plant.n) if tau is None else tau
        conditions = Conditions(tau, Inputs(plant.first_inputs), read_drives(plant, {}))
        self.held = make_system(plant, conditions, method)
        self.system = mirror("il_mode").from_address(self.held.instance.modes).system

    def start(self, q: np.ndarray, qd: np.ndarray, z: np.ndarray) -> np.ndarray:
        return self.held.start(0.0, q, qd, z)

    def _call(self, address: int, reals: tuple[float, ...], arrays: list[np.ndarray]) -> None:
        pointer, real = ctypes.c_void_p, ctypes.c_double
        types = [pointer, real, pointer, *[real] * (len(reals) - 1), *[pointer] * (len(arrays) - 1)]
        function = ctypes.CFUNCTYPE(ctypes.c_int, *types)(address)
        places = [a.ctypes.data for a in arrays]
        found = function(self.system.context, reals[0], places[0], *reals[1:], *places[1:])
        assert found == 0

    def rates(self, t: float, x: np.ndarray) -> np.ndarray:
        xd = np.empty(len(x))
        self._call(self.system.rates, (t,), [np.ascontiguousarray(x), xd])
        return xd

    def predict(self, t: float, x: np.ndarray, g: float) -> np.ndarray:
        k = np.empty(len(x))
        self._call(self.system.predict, (t, g), [np.ascontiguousarray(x), k])
        return k

    def correct(self, t: float, x: np.ndarray, g: float, w: float, k: np.ndarray) -> np.ndarray:
        y = np.empty(len(x))
        self._call(self.system.correct, (t, g, w), [np.ascontiguousarray(x), k, y])
        return y

    def jacobian(self, t: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        size = len(x)
        J, dfdt = np.zeros((size, size)), np.empty(size)
        J[: self.system.n, self.system.n : 2 * self.system.n] = np.eye(self.system.n)
        x = np.ascontiguousarray(x)
        self._call(self.system.jacobian, (t, 1e-3), [x, self.rates(t, x), J, dfdt])
        return J, dfdt


def differences(f: Callable[[np.ndarray], np.ndarray], x: np.ndarray, h: float = 1e-5):
    """∂f/∂x by central differences with one extrapolation, so that errors are of h⁴."""
    columns = []
    for j in range(len(x)):
        e = np.eye(len(x))[j]
        one = (f(x + h * e) - f(x - h * e)) / (2 * h)
        two = (f(x + 2 * h * e) - f(x - 2 * h * e)) / (4 * h)
        columns.append((4 * one - two) / 3)
    return np.stack(columns, axis=1)
