"""Constraints written by hand: two wheels and a relation between their angles, in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

import inloop as il

I_A, I_B = 0.3, 0.7  # [kg·m²]


def wheels(law: object) -> il.Plant:
    m = il.Model("wheels", gravity=(0.0, 0.0, 0.0))
    for name, inertia, start in (("a", I_A, 0.09), ("b", I_B, 0.3)):
        about = (inertia, inertia, inertia)
        joint = il.revolute("z", guess=start)
        m.body(name, on=m.ground, joint=joint, mass=1.3, inertia=about)
    m.constraint("gear", law, unit="rad")
    m.independent("b")
    return m.compile(backend="python")


def accelerations(plant: il.Plant, b: float, bd: float, t: float = 0.0) -> np.ndarray:
    q = plant.formulation.positions.first.q.copy()
    q[1] = b
    return plant.formulation.motion(q, np.array([0.0, bd]), np.array([0.4, -0.2]), t=t)["a"]


def expected(slope: float, drift: float) -> list[float]:
    """a = f(b, t): ad = slope bd + ..., add = slope bdd + drift; virtual work gives bdd."""
    bdd = (-0.2 + slope * (0.4 - I_A * drift)) / (I_B + slope**2 * I_A)
    return [slope * bdd + drift, bdd]


def test_a_gear() -> None:
    plant = wheels(lambda q: q["a"] - 2.5 * q["b"])
    assert accelerations(plant, 0.8, 1.7) == pytest.approx(expected(2.5, 0.0), rel=1e-12)


def test_a_curved_relation() -> None:
    # a = b²: drift 2 bd²; the reproducer of the defect
    plant = wheels(lambda q: q["a"] - q["b"] ** 2)
    assert accelerations(plant, 0.8, 1.7) == pytest.approx(expected(1.6, 2 * 1.7**2), rel=1e-12)


def test_a_relation_that_moves() -> None:
    # a = 2.5 b + 0.1 sin 3t
    plant = wheels(lambda q, t: q["a"] - 2.5 * q["b"] - 0.1 * il.sin(3.0 * t))
    t = 0.4
    drift = -0.9 * math.sin(3.0 * t)
    found = accelerations(plant, 0.8, 1.7, t)
    assert found == pytest.approx(expected(2.5, drift), rel=1e-12)
    q = plant.formulation.close(np.array([1.0, 0.8]), t)
    assert q[0] == pytest.approx(2.0 + 0.1 * math.sin(1.2), abs=1e-14)


def test_velocities_of_a_relation_that_moves() -> None:
    plant = wheels(lambda q, t: q["a"] - 2.5 * q["b"] - 0.1 * il.sin(3.0 * t))
    found = plant.formulation.motion([2.0, 0.8], [0.0, 1.7], [0.0, 0.0], t=0.4)
    assert found["v"] == pytest.approx([2.5 * 1.7 + 0.3 * math.cos(1.2), 1.7], rel=1e-13)
