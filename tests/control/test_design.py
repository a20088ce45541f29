"""Sampling, feedback and filter against closed forms, SciPy's integrator and python-control."""

from __future__ import annotations

import importlib
import itertools
import math
from types import ModuleType

import numpy as np
import pytest
from hinged_beam import beam
from scipy.integrate import solve_ivp
from scipy.linalg import solve_discrete_lyapunov

import inloop as il
from inloop.control import LinearModel, discretize, kalman, lqy, with_integrals

PERIOD = 1e-3


@pytest.fixture(scope="module")
def peer() -> ModuleType:
    """python-control, which takes long to import."""
    return importlib.import_module("control")


ONE = np.ones((1, 1))


def scalar(a: float, b: float, c: float = 1.0) -> LinearModel:
    return LinearModel(a * ONE, b * ONE, c * ONE, 0.0 * ONE, ("x",), ("u",), ("y",))


def double_integrator(inertia: float = 0.7) -> LinearModel:
    return LinearModel(
        [[0.0, 1.0], [0.0, 0.0]], [[0.0], [1.0 / inertia]], [[1.0, 0.0]], [[0.0]],
        ("q", "qd"), ("torque",), ("angle",),
    )  # fmt: skip


# the independent beam itself


def test_the_beam_has_the_frequencies_of_theory() -> None:
    """A hinged-free beam: tan(kl) = tanh(kl)."""
    roots = np.array([3.926602, 7.068583, 10.210176])
    expected = roots**2 * math.sqrt(191.67 / (0.788 * 1.5**4)) / (2 * math.pi)
    found = np.abs(beam(12, bare=True).poles.imag) / (2 * math.pi)
    found = np.unique(np.round(found[found > 1.0], 6))[:3]
    np.testing.assert_allclose(found, expected, rtol=1e-3)


# sampling


def test_sampling_of_a_double_integrator() -> None:
    found = discretize(double_integrator(0.7), 0.1)
    np.testing.assert_allclose(found.A, [[1.0, 0.1], [0.0, 1.0]], atol=1e-15)
    np.testing.assert_allclose(found.B, [[0.005 / 0.7], [0.1 / 0.7]], atol=1e-15)


def test_sampling_agrees_with_python_control(hinged: LinearModel, peer: ModuleType) -> None:
    other = peer.sample_system(peer.ss(hinged.A, hinged.B, hinged.C, hinged.D), PERIOD)
    found = discretize(hinged, PERIOD)
    np.testing.assert_allclose(found.A, other.A, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.B, other.B, rtol=1e-9, atol=1e-12)
    frequency = np.array([0.3, 3.0, 17.0, 140.0])
    theirs = other(np.exp(2j * np.pi * frequency * PERIOD))
    ours = found.response(frequency)
    np.testing.assert_allclose(np.moveaxis(ours, 0, -1), theirs, rtol=1e-6)


@pytest.mark.parametrize("delay", [0.0, 0.03, 0.1, 0.23, 0.3])
def test_late_commands_act_when_they_should(delay: float) -> None:
    """SciPy integrates a damped oscillator piece by piece."""
    A, B = np.array([[0.0, 1.0], [-29.0, -0.6]]), np.array([[0.3], [1.7]])
    plant = LinearModel(A, B, np.eye(2), np.zeros((2, 1)), ("q", "v"), ("f",), ("q", "v"))
    period, commands = 0.1, np.array([0.4, -1.3, 2.2, 0.7, -0.2, 1.1])
    sampled = discretize(plant, period, delay)
    x, seen = np.zeros(len(sampled.states)), []
    for u in commands:
        seen.append(sampled.C @ x)
        x = sampled.A @ x + sampled.B[:, 0] * u
    seen.append(sampled.C @ x)

    def command(t: float) -> float:
        k = math.floor((t - delay) / period + 1e-9)
        return float(commands[min(k, len(commands) - 1)]) if k >= 0 else 0.0

    breaks = {round(k * period, 9) for k in range(7)}
    breaks |= {round(k * period + delay, 9) for k in range(7)}
    times = sorted(t for t in breaks if t <= 0.6 + 1e-12)
    at, expected = np.zeros(2), [np.zeros(2)]
    for begin, end in itertools.pairwise(times):
        u = command(begin + 1e-6)
        run = solve_ivp(lambda _, y, u=u: A @ y + B[:, 0] * u, (begin, end), at, rtol=1e-11,
                        atol=1e-13)  # fmt: skip
        at = run.y[:, -1]
        if min(abs(end / period - round(end / period)), 1.0) < 1e-9:
            expected.append(at)
    np.testing.assert_allclose(seen, expected, atol=1e-9)
    assert len(sampled.states) == 2 + math.ceil(delay / period - 1e-9)


# feedback


def test_gains_of_a_double_integrator() -> None:
    """K = (√(q/r), √(2 J √(q/r))), damping 1/√2."""
    q, r, inertia = 1000.0, 1.3, 0.7
    found = lqy(double_integrator(inertia), {"angle": q}, {}, {"torque": r})
    k = math.sqrt(q / r)
    np.testing.assert_allclose(found.K_x, [[k, math.sqrt(2 * inertia * k)]], rtol=1e-9)
    np.testing.assert_allclose(found.K_r, [[k]], rtol=1e-9)
    np.testing.assert_allclose(-found.poles.real / abs(found.poles), math.sqrt(0.5), rtol=1e-7)


def test_scalar_feedback_and_where_it_comes_to_rest() -> None:
    """Riccati's equation of one state; at rest q (x - r)² + R u² is least, with u = -a x / b."""
    a, b, c, q, r = 0.8, 0.5, 1.4, 3.0, 0.2
    plant = scalar(a, b, c)
    found = lqy(plant, {"y": q}, {}, {"u": r})
    p = (a + math.sqrt(a * a + b * b * q * c * c / r)) * r / (b * b)
    assert found.P[0, 0] == pytest.approx(p, rel=1e-10)
    assert found.K_x[0, 0] == pytest.approx(b * p / r, rel=1e-10)
    x_rest = b * found.K_r[0, 0] / (b * found.K_x[0, 0] - a)
    assert x_rest == pytest.approx(q * c / (q * c * c + r * (a / b) ** 2), rel=1e-10)


@pytest.mark.parametrize("period", [None, PERIOD])
def test_integrals_are_empty_at_rest(hinged: LinearModel, period: float | None) -> None:
    """The least cost that lasts: y = r, the integral gives nothing, K_r all that rest needs."""
    plant = hinged if period is None else discretize(hinged, period)
    found = lqy(plant, {"angle": 1000.0, "strain": 50.0}, {"angle": 100.0}, {"command": 1.0})
    n, r = len(plant.states), np.array([0.07, 0.0])
    one = np.zeros((n, n)) if period is None else np.eye(n)
    x = np.linalg.solve(one - plant.A + plant.B @ found.K_x, plant.B @ found.K_r @ r)
    assert plant.C[0] @ x == pytest.approx(0.07, rel=1e-6)


@pytest.mark.parametrize("period", [None, PERIOD])
def test_feedback_of_the_beam_agrees_with_python_control(
    hinged: LinearModel, period: float | None, peer: ModuleType
) -> None:
    plant = hinged if period is None else discretize(hinged, period)
    found = lqy(plant, {"angle": 1000.0, "strain": 50.0}, {"angle": 100.0}, {"command": 0.7})
    whole = with_integrals(plant, ["angle"])
    Q = whole.C.T @ np.diag([1000.0, 50.0]) @ whole.C
    Q[-1, -1] += 100.0
    K, _, poles = (peer.lqr if period is None else peer.dlqr)(whole.A, whole.B, Q, 0.7 * ONE)
    np.testing.assert_allclose(np.hstack([found.K_x, found.K_w]), K, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(np.sort(np.abs(found.poles)), np.sort(np.abs(poles)), rtol=1e-5)
    assert np.all(found.poles.real < 0.0 if period is None else np.abs(found.poles) < 1.0)


def test_sampled_gains_tend_to_the_continuous_ones() -> None:
    plant = double_integrator()
    weights = ({"angle": 400.0}, {"angle": 90.0}, {"torque": 1.0})
    exact = lqy(plant, *weights)
    errors = []
    for period in (2e-3, 1e-3):
        found = lqy(discretize(plant, period), *weights)
        pairs = [(found.K_x, exact.K_x), (found.K_w, exact.K_w), (found.K_r, exact.K_r)]
        errors.append([np.abs(a - b).max() for a, b in pairs])
    assert np.all(np.array(errors[0]) < 1.0)
    np.testing.assert_allclose(np.divide(*errors), 2.0, rtol=0.1)


# the filter


def test_the_filter_of_a_random_walk() -> None:
    """P = (q + √(q² + 4 q r)) / 2."""
    a, period, w, v = 1.0, 0.1, 0.3, 0.8
    walk = LinearModel(a * ONE, ONE, ONE, 0 * ONE, ("x",), ("u",), ("y",), period)
    found = kalman(walk, {"u": w}, {"y": v})
    q, r = w * w, v * v
    p = 0.5 * (q + math.sqrt(q * q + 4 * q * r))
    assert found.P[0, 0] == pytest.approx(p, rel=1e-12)
    assert found.L[0, 0] == pytest.approx(p / (p + r), rel=1e-12)


def test_the_filter_of_the_beam_is_the_best_one(hinged: LinearModel, peer: ModuleType) -> None:
    """It agrees with python-control, and every other gain leaves larger errors (Lyapunov)."""
    plant = discretize(hinged, PERIOD)
    found = kalman(plant, {"command": 0.05}, {"angle": 1e-4, "strain": 1e-3})
    W, V = plant.B @ plant.B.T * 0.05**2, np.diag([1e-8, 1e-6])
    one_ahead, P, _ = peer.dlqe(plant.A, np.eye(len(W)), plant.C, W, V)
    np.testing.assert_allclose(plant.A @ found.L, one_ahead, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(found.P, P, rtol=1e-4, atol=1e-9 * np.abs(P).max())

    def covariance(L: np.ndarray) -> np.ndarray:
        F = plant.A @ (np.eye(len(W)) - L @ plant.C)
        return solve_discrete_lyapunov(F, W + plant.A @ L @ V @ L.T @ plant.A.T)

    scale = np.sqrt(np.diag(found.P)) + 1e-12
    best = covariance(found.L)
    np.testing.assert_allclose(best / np.outer(scale, scale), P / np.outer(scale, scale), atol=1e-3)
    for factor in (0.7, 1.3):
        worse = np.diag(covariance(factor * found.L)) / scale**2
        assert worse.sum() > 1.02 * (np.diag(best) / scale**2).sum()


def test_fast_modes_do_not_spoil_the_riccati_equation() -> None:
    """Modes of 8 kHz sampled at 1 kHz, and noise of all sizes: what is left of the equation."""
    plant = discretize(beam(12, gravity=9.81), PERIOD)
    A, C = plant.A, plant.C
    for acts in (1e-3, 0.1, 10.0):
        for seen in (1e-6, 1e-3, 1.0):
            found = kalman(plant, {"command": acts}, {"angle": seen, "strain": 10.0 * seen})
            V = np.diag([seen**2, 100.0 * seen**2])
            W = plant.B @ plant.B.T * acts**2
            gained = A @ found.L @ (C @ found.P @ C.T + V) @ found.L.T @ A.T
            left = A @ found.P @ A.T - gained + W - found.P
            scale = np.sqrt(np.diag(found.P))
            assert np.abs(left / np.outer(scale, scale)).max() < 1e-6
            assert np.abs(found.poles).max() < 1.0


# what cannot be


def coupled_carts() -> LinearModel:
    """Two carts without a link; the force and the sensor are on the first."""
    A = np.zeros((4, 4))
    A[0, 2] = A[1, 3] = 1.0
    return LinearModel(
        A, [[0.0], [0.0], [1.0], [0.0]], [[1.0, 0.0, 0.0, 0.0]], [[0.0]],
        ("left.q", "right.q", "left.qd", "right.qd"), ("force",), ("position",),
    )  # fmt: skip


@pytest.mark.parametrize("sampled", [False, True])
def test_a_mode_out_of_reach_is_named(sampled: bool) -> None:
    plant = discretize(coupled_carts(), 0.01) if sampled else coupled_carts()
    with pytest.raises(il.InputError, match=r"0 Hz.*'right\.q.*not moved by 'force'"):
        lqy(plant, {"position": 1.0}, {}, {"force": 1.0})
    with pytest.raises(il.InputError, match=r"0 Hz.*'right\.q.*not seen in 'position'"):
        kalman(discretize(coupled_carts(), 0.01), {"force": 1.0}, {"position": 0.1})


def test_two_integrals_of_one_force_are_too_many(hinged: LinearModel) -> None:
    with pytest.raises(il.InputError, match="integral of"):
        lqy(hinged, {"angle": 1.0}, {"angle": 1.0, "strain": 1.0}, {"command": 1.0})


def test_a_stiff_beam_is_within_reach(hinged: LinearModel) -> None:
    """Poles up to 10⁴ 1/s beside an integrator: nothing is mistaken for out of reach."""
    for gravity in (9.81, 0.0):
        plant = beam(8, gravity)
        assert not il.control.unmoved(plant) and not il.control.unseen(plant)
    # without the strain the bending is still seen in the hub, without both nothing is
    assert not il.control.unseen(beam(8).select(["angle"]))
    hidden = il.control.unseen(beam(8).select(["strain"]))
    assert hidden[0].frequency < 1e-3 and hidden[0].states[0] == "w8.q"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m: lqy(m, {"tilt": 1.0}, {}, {"command": 1.0}), "no output 'tilt'"),
        (lambda m: lqy(m, {"angle": -1.0}, {}, {"command": 1.0}), "weight of output 'angle'"),
        (lambda m: lqy(m, {"angle": 1.0}, {}, {}), "'command' costs nothing"),
        (lambda m: lqy(m, {"strain": 1.0}, {}, {"command": 1.0}) and None, ""),
        (lambda m: kalman(m, {}, {"angle": 1.0, "strain": 1.0}), "sampled model"),
        (lambda m: kalman(discretize(m, 1e-3), {}, {"angle": 1.0}), "'strain' has no noise"),
        (lambda m: discretize(discretize(m, 1e-3), 1e-3), "sampled already"),
        (lambda m: discretize(m, 1e-3, -1.0), "delay of -1.0 s"),
        (lambda m: m.observe({"y": {"bend": 1.0}}), "no state 'bend'"),
        (lambda m: LinearModel(m.A, m.B, m.C, m.D, m.states[1:], m.inputs, m.outputs), "A of a"),
    ],
)
def test_mistakes_are_told(hinged: LinearModel, call: object, words: str) -> None:
    if not words:
        call(hinged)  # type: ignore[operator]
        return
    with pytest.raises(il.InputError, match=words):
        call(hinged)  # type: ignore[operator]
