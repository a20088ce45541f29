"""The heavy top against an integration of Euler's equations in quaternions, and satellites."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import inloop as il

# the top of Brüls & Cardona 2010 (doi:10.1115/1.4001370): 15 kg, 1 m out along y
MASS, COM = 15.0, np.array([0.0, 1.0, 0.0])
CENTRAL = np.array([0.234375, 0.46875, 0.234375])
SPIN = np.array([0.0, 150.0, -4.61538])
GRAVITY = np.array([0.0, 0.0, -9.81])
ABOUT_POINT = np.diag(CENTRAL) + MASS * (COM @ COM * np.eye(3) - np.outer(COM, COM))
ATTITUDES = ((0.3, -0.5, 0.7, 0.2), (1.0, 0.0, 0.0, 0.0), (0.5, 0.5, -0.5, 0.5))


@cache
def top() -> il.Plant:
    m = il.Model("top", gravity=tuple(GRAVITY))
    m.body("top", on=m.ground, joint=il.ball(), mass=MASS, com=tuple(COM), inertia=tuple(CENTRAL))
    return m.compile(methods=["implicit", "rodas"])


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of quaternions (w, x, y, z)."""
    vector = a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])
    return np.concatenate([[a[0] * b[0] - a[1:] @ b[1:]], vector])


def rotation(p: np.ndarray) -> Rotation:
    return Rotation.from_quat(np.roll(p, -1, axis=-1))


def euler(_: float, x: np.ndarray) -> np.ndarray:
    """I omd + om × I om = c × m Rᵀ g about the point, and the turn of the quaternion."""
    p, om = x[:4] / np.linalg.norm(x[:4]), x[4:]
    weight = MASS * (rotation(p).as_matrix().T @ GRAVITY)
    omd = np.linalg.solve(ABOUT_POINT, np.cross(COM, weight) - np.cross(om, ABOUT_POINT @ om))
    return np.concatenate([0.5 * product(p, np.concatenate([[0.0], om])), omd])


@cache
def reference(attitude: tuple[float, ...], t: float) -> np.ndarray:
    start = np.concatenate([np.array(attitude) / np.linalg.norm(attitude), SPIN])
    found = solve_ivp(euler, (0.0, t), start, "DOP853", rtol=1e-13, atol=1e-13)
    return np.asarray(found.y[:, -1])


def turned_by(a: np.ndarray, b: np.ndarray) -> float:
    """Angle between two attitudes [rad]."""
    return float((rotation(a).inv() * rotation(b)).magnitude())


@pytest.mark.thinned(3)
@pytest.mark.parametrize("attitude", ATTITUDES)
def test_from_any_attitude(attitude: tuple[float, ...]) -> None:
    plant, t_end = top(), 0.2
    found = plant.simulate(
        t_end=t_end, q={"top": attitude}, qd={"top": SPIN}, method="dopri", tolerance=1e-12
    )
    expected = reference(attitude, t_end)
    assert turned_by(found.q[-1, 3:], expected[:4]) < 1e-9
    np.testing.assert_allclose(found.qd[-1], expected[4:], atol=1e-8)
    # it has turned through several times the whole way around
    assert np.abs(found.q[-1, :3]).max() > 20.0


# 150 rad/s: steps of a fortieth of a radian and less
@pytest.mark.parametrize(
    ("method", "order", "step"),
    [("euler", 1, 4e-6), ("rk4", 4, 2e-4), ("dopri", 5, 4e-4), ("rodas", 4, 2e-4),
     ("implicit", 2, 2e-5)],
)  # fmt: skip
def test_order_of_every_method(method: str, order: int, step: float) -> None:
    plant, t_end = top(), 0.04
    expected = reference(ATTITUDES[0], t_end)
    errors = []
    for h in (step, step / 2.0):
        found = plant.simulate(
            t_end=t_end, step=h, sample=t_end, q={"top": ATTITUDES[0]}, qd={"top": SPIN},
            method=method,
        )  # fmt: skip
        errors.append(turned_by(found.q[-1, 3:], expected[:4]))
    assert errors[0] < 0.05
    assert np.log2(errors[0] / errors[1]) > order - 0.35


@cache
def satellite(axes: tuple[float, float, float]) -> il.Plant:
    m = il.Model("satellite", gravity=(0, 0, 0))
    m.body("hull", on=m.ground, joint=il.free(), mass=3.0, com=(0.1, -0.2, 0.3), inertia=axes)
    return m.compile()


TURNS = 1000


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    "spin", [(0.02, 1.0, -0.01), (0.6, -0.5, 0.62)], ids=["flips over", "tumbles"]
)
def test_a_thousand_turns(spin: tuple[float, float, float]) -> None:
    """Energy and angular momentum about the center of mass, through every attitude."""
    inertia, com = np.array([0.8, 1.1, 1.6]), np.array([0.1, -0.2, 0.3])
    plant = satellite(tuple(inertia))
    om = np.array(spin) / np.linalg.norm(spin)
    # the center of mass rests
    start: dict[str, object] = {"hull": om}
    start |= dict(zip(("hull_tx", "hull_ty", "hull_tz"), -np.cross(om, com), strict=True))
    found = plant.simulate(
        t_end=2.0 * np.pi * TURNS, step=2.0 * np.pi / 400, sample=2.0 * np.pi, qd=start,
        method="dopri",
    )  # fmt: skip
    assert found.status == "OK"
    energy = found.energy.sum(axis=1)
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-10
    p, om = found.q[:, plant.n :], found.qd[:, 3:]
    momentum = rotation(p).apply(om * inertia)
    assert np.abs(momentum - momentum[0]).max() < 1e-10 * np.linalg.norm(momentum[0])
    assert np.abs(np.linalg.norm(p, axis=1) - 1.0).max() < 1e-12
    # every attitude: the body's axes have looked in all directions
    seen = rotation(p).apply([0.0, 1.0, 0.0])
    assert np.all(seen.min(axis=0) < 0.3) and np.all(seen.max(axis=0) > -0.3)


@pytest.mark.long
def test_a_million_steps_keep_the_length() -> None:
    plant = satellite((0.8, 1.1, 1.6))
    found = plant.simulate(
        t_end=1e4, step=1e-2, sample=1.0, qd={"hull": (0.3, 1.0, -0.2)}, method="rk4"
    )
    length = np.linalg.norm(found.q[:, plant.n :], axis=1)
    assert np.abs(length - 1.0).max() < 1e-12
    # no kink: rates of the components are those of the velocities
    rates = plant.configuration.rates(found.q, found.qd)[:, plant.n :]
    middle = (found.q[2:, plant.n :] - found.q[:-2, plant.n :]) / 2.0
    assert np.abs(middle - rates[1:-1]).max() < 0.2
