"""Order of every method and of its dense output, on nonlinear problems with a closed form."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest
from hand_written import Run, Snapshot, run
from scipy.special import ellipj, ellipk

from inloop.native import FixedSteps, Method, Status, runtime_sources

ORDERS = {Method.EULER: 1, Method.RK4: 4, Method.DOPRI: 5, Method.RODAS: 4, Method.IMPLICIT: 2,
          Method.MOREAU: 2}  # fmt: skip
STEPS = {
    Method.EULER: 400,
    Method.RK4: 24,
    Method.DOPRI: 16,
    Method.RODAS: 24,
    Method.IMPLICIT: 100,
    Method.MOREAU: 100,
}  # of 2 s; fmt: skip
# alpha is a step of the system itself: tests/simulate/test_alpha.py
GENERAL = [m for m in Method if m not in (Method.ALPHA, Method.EVENT_DRIVEN)]
each_method = pytest.mark.parametrize("method", GENERAL)


def measured_orders(errors: list[float]) -> np.ndarray:
    """From errors at steps h, h/2, h/4."""
    return np.log2(np.array(errors[:-1]) / errors[1:])


def integrate(problems, method: Method, steps: int, t_end: float = 2.0, **more) -> Run:
    jacobian = more.pop("jacobian", "coupled_jacobian")
    system = problems.coupled(jacobian=jacobian)
    start = Snapshot(problems.coupled_at(0.3), t=0.3)
    result = run(system, start, FixedSteps(method, t_end / steps, steps, **more))
    assert result.status == Status.OK and result.steps == steps
    assert result.t[-1] == pytest.approx(0.3 + t_end, rel=1e-14)
    return result


@each_method
def test_order_with_all_states_coupled(problems, method: Method) -> None:
    exact, errors = problems.coupled_at(2.3), []
    assert np.abs(exact - problems.coupled_at(0.3)).min() > 0.1  # it has moved
    for refinement in (2, 4, 8):
        result = integrate(problems, method, STEPS[method] * refinement)
        errors.append(np.abs(result.x[-1] - exact).max())
    assert measured_orders(errors) == pytest.approx(ORDERS[method], abs=0.25)
    assert errors[-1] < 1e-3


@each_method
def test_order_of_dense_output(problems, method: Method) -> None:
    """Polynomials of order p leave errors of h^(p+1) inside a step: 5 for DOPRI, 4 for others;
    what the method itself leaves is more for EULER and IMPLICIT; MOREAU has a line."""
    errors = []
    for refinement in (2, 4, 8):
        result = integrate(problems, method, STEPS[method] * refinement, sample=0.0137)
        assert np.diff(result.t[:-1]) == pytest.approx(0.0137, rel=1e-9)
        exact = np.array([problems.coupled_at(t) for t in result.t])
        errors.append(np.abs(result.x - exact).max())
    expected = {Method.EULER: 1, Method.DOPRI: 5, Method.IMPLICIT: 2, Method.MOREAU: 2}
    assert measured_orders(errors) == pytest.approx(expected.get(method, 4), abs=0.3)


@each_method
def test_pendulum_with_large_swings(problems, method: Method) -> None:
    """sin(θ/2) = k sn(K - ω t, k) from rest, with k = sin(θ0/2)."""
    w2, theta0, t_end = 7.3, 2.4, 2.0
    system = problems.system("pendulum", 1, context=np.array([w2]))
    k = np.sin(theta0 / 2)
    phase = ellipk(k**2) - np.sqrt(w2) * t_end
    sn, cn, _, _ = ellipj(phase, k**2)
    exact = np.array([2 * np.arcsin(k * sn), -2 * k * np.sqrt(w2) * cn])
    errors = []
    for refinement in (4, 8, 16):
        steps = STEPS[method] * refinement
        result = run(system, np.array([theta0, 0.0]), FixedSteps(method, t_end / steps, steps))
        errors.append(np.abs(result.x[-1] - exact).max())
    assert (measured_orders(errors) > ORDERS[method] - 0.3).all()
    largest = {Method.EULER: 1e-2, Method.IMPLICIT: 1e-4, Method.MOREAU: 1e-4}
    assert errors[-1] < largest.get(method, 1e-6)


def test_differences_do_for_a_jacobian(problems) -> None:
    """RODAS with differences keeps its order down to errors of 1e-8."""
    exact, errors = problems.coupled_at(2.3), []
    for steps in (24, 48, 96):
        result = integrate(problems, Method.RODAS, steps, jacobian=0)
        errors.append(np.abs(result.x[-1] - exact).max())
        # six stages, five columns and the time per step
        assert (result.evaluations, result.jacobians) == (13 * steps, steps)
    assert measured_orders(errors) == pytest.approx(4, abs=0.3)
    given = integrate(problems, Method.RODAS, 96)
    assert given.evaluations == 6 * 96
    assert result.x[-1] == pytest.approx(given.x[-1], abs=1e-9)


@pytest.mark.parametrize("jacobian", ["half_jacobian", "zero_jacobian"])
def test_implicit_is_of_order_2_with_any_jacobian(problems, jacobian: str) -> None:
    exact, errors = problems.coupled_at(2.3), []
    for steps in (200, 400, 800):
        result = integrate(problems, Method.IMPLICIT, steps, jacobian=jacobian)
        errors.append(np.abs(result.x[-1] - exact).max())
    assert measured_orders(errors) == pytest.approx(2, abs=0.2)
    right = integrate(problems, Method.IMPLICIT, 800)
    assert np.abs(result.x[-1] - right.x[-1]).max() > 1e-9  # it is another matrix


@each_method
def test_evaluations_are_counted_and_shared(problems, method: Method) -> None:
    per_step = {
        Method.EULER: 1, Method.RK4: 4, Method.DOPRI: 6, Method.RODAS: 6, Method.IMPLICIT: 2,
        Method.MOREAU: 2,
    }[method]  # fmt: skip
    result = integrate(problems, method, 50)
    first = 1 if method == Method.DOPRI else 0
    assert result.evaluations == 50 * per_step + first
    # the slope at the end of a step is the one at the start of the next: only the last is extra
    dense = integrate(problems, method, 50, sample=0.01)
    extra = 1 if method in (Method.EULER, Method.RK4, Method.IMPLICIT) else 0
    if method == Method.MOREAU:  # velocities may jump: what is inside a step is a step of its own
        steps = (np.asarray(dense.t) - 0.3) / (2.0 / 50)
        extra = (per_step - 1) * int((np.abs(steps - np.round(steps)) > 1e-9).sum())
    assert dense.evaluations == result.evaluations + extra
    assert (dense.x[-1] == result.x[-1]).all()


def test_symplectic_euler_keeps_energy_bounded(problems) -> None:
    w2, h = 7.3, 1e-2
    system = problems.system("pendulum", 1, context=np.array([w2]))
    result = run(system, np.array([1.2, 0.3]), FixedSteps(Method.EULER, h, 400_000, stride=97))
    energy = 0.5 * result.qd[:, 0] ** 2 + w2 * (1 - np.cos(result.q[:, 0]))
    assert 0.5 * result.qd.max() ** 2 > 0.5 * energy[0]  # it swings
    error = np.abs(energy / energy[0] - 1)
    assert error.max() < np.sqrt(w2) * h
    # no drift: the second half of 1,600 periods is as good as the first
    assert error[len(error) // 2 :].max() < 1.1 * error[: len(error) // 2].max()


@pytest.mark.parametrize(
    ("method", "constant"), [(Method.RK4, 0.014), (Method.DOPRI, 4e-4), (Method.RODAS, 3e-4)]
)
def test_energy_drift_is_that_of_the_method(problems, method: Method, constant: float) -> None:
    """|R(iy)|² - 1 = O(y⁶) for all three, with y = h ω."""
    w2, h, steps = 7.3, 5e-3, 20_000
    system = problems.system("pendulum", 1, context=np.array([w2]))
    result = run(system, np.array([1.2, 0.3]), FixedSteps(method, h, steps, stride=7))
    energy = 0.5 * result.qd[:, 0] ** 2 + w2 * (1 - np.cos(result.q[:, 0]))
    drift = np.abs(energy / energy[0] - 1).max()
    assert drift < constant * steps * (h * np.sqrt(w2)) ** 6
    assert 0.5 * result.qd.max() ** 2 > 0.5 * energy[0]


def tableau(source: str, name: str, stages: int) -> np.ndarray:
    """A table of coefficients as the C text states it, rows filled up with zeros."""
    body = re.search(rf" {name}\[.*?= {{(.*?)}};", source, re.DOTALL)[1]
    rows = re.findall(r"{(.*?)}", body, re.DOTALL) or [body]
    table = np.zeros((len(rows), stages))
    for row, text in zip(table, rows, strict=True):
        for k, number in enumerate(filter(None, map(str.strip, text.split(",")))):
            top, _, bottom = number.partition("/")
            row[k] = Fraction(top.strip()) / Fraction(bottom.strip() or 1)
    return table if len(rows) > 1 else table[0]


def test_order_conditions_of_rodas() -> None:
    """Hairer & Wanner II, IV.7, table 7.1: all trees up to order 4, and L-stability."""
    source = runtime_sources()["il_rosenbrock.c"]
    a, c = tableau(source, "a", 6), tableau(source, "c", 6)
    gamma = 0.25
    # back from the transformed form: c = 1/γ - Γ^-1, a = α Γ^-1, m = b Γ^-1
    Gamma = np.linalg.inv(np.eye(6) / gamma - c)
    alpha, m = a @ Gamma, np.array([*a[5, :5], 1.0])
    b, b_hat = m @ Gamma, np.array([*a[5, :5], 0.0]) @ Gamma
    B = alpha + Gamma
    u = np.ones(6)
    al, be = alpha @ u, B @ u
    assert al == pytest.approx(tableau(source, "reach", 6), abs=1e-13)
    assert Gamma @ u == pytest.approx(tableau(source, "d", 6), abs=1e-13)
    up_to_3 = [(u, 1), (be, 1 / 2), (al**2, 1 / 3), (B @ be, 1 / 6)]
    of_4 = [
        (al**3, 1 / 4),
        (al * (alpha @ be), 1 / 8),
        (B @ al**2, 1 / 12),
        (B @ B @ be, 1 / 24),
    ]
    for tree, value in up_to_3 + of_4:
        assert b @ tree == pytest.approx(value, abs=2e-13)
    for tree, value in up_to_3:
        assert b_hat @ tree == pytest.approx(value, abs=2e-13)
    assert max(abs(b_hat @ tree - value) for tree, value in of_4) > 1e-3  # it is an estimate
    for weights in (b, b_hat):
        assert 1 - weights @ np.linalg.solve(B, u) == pytest.approx(0, abs=1e-11)  # R(∞)


def test_order_conditions_of_dopri() -> None:
    """Hairer, Nørsett & Wanner I, II.2: all 17 trees up to order 5."""
    source = runtime_sources()["il_dopri.c"]
    A, c = tableau(source, "a", 7), tableau(source, "reach", 7)
    b, error = A[6], tableau(source, "error_weight", 7)
    assert A.sum(axis=1) == pytest.approx(c, abs=1e-14)
    Ac, Ac2, AAc = A @ c, A @ c**2, A @ A @ c
    up_to_4 = [
        (c**0, 1), (c, 1 / 2), (c**2, 1 / 3), (Ac, 1 / 6), (c**3, 1 / 4), (c * Ac, 1 / 8),
        (Ac2, 1 / 12), (AAc, 1 / 24),
    ]  # fmt: skip
    of_5 = [
        (c**4, 1 / 5), (c**2 * Ac, 1 / 10), (c * Ac2, 1 / 15), (c * AAc, 1 / 30), (Ac**2, 1 / 20),
        (A @ c**3, 1 / 20), (A @ (c * Ac), 1 / 40), (A @ Ac2, 1 / 60), (A @ AAc, 1 / 120),
    ]  # fmt: skip
    for tree, value in up_to_4 + of_5:
        assert b @ tree == pytest.approx(value, abs=1e-14)
    for tree, _ in up_to_4:
        assert error @ tree == pytest.approx(0, abs=1e-14)
    assert max(abs(error @ tree) for tree, _ in of_5) > 1e-4
