"""The implicit method where explicit ones fail: literature values and stability."""

from __future__ import annotations

import numpy as np
import pytest
from hand_written import Run, Snapshot, run

from inloop.native import AdaptiveSteps, FixedSteps, Method, Status


def stability(problems, method: Method, z: complex) -> complex:
    """R(z): what one step of length 1 makes of 1 in x' = z x."""
    system = problems.system("spiral", m=2, context=np.array([z.real, z.imag]), autonomous=True)
    result = run(system, np.array([1.0, 0.0]), FixedSteps(method, 1.0, 1))
    return complex(*result.x[-1])


def test_stability_functions(problems) -> None:
    for z in (-0.7 + 0.4j, 0.3 - 1.9j):
        taylor = 1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24
        assert stability(problems, Method.RK4, z) == pytest.approx(taylor, abs=1e-14)
        fifth = taylor + z**5 / 120 + z**6 / 600
        assert stability(problems, Method.DOPRI, z) == pytest.approx(fifth, abs=1e-13)


def test_rodas_is_l_stable(problems) -> None:
    """|R| ≤ 1 on the imaginary axis, so in the left half plane; R → 0 at infinity."""
    axis = [1j * 10.0**k for k in np.linspace(-2, 4, 61)]
    inside = [-(10.0**k) * np.exp(1j * a) for k in (-1, 0, 1, 3) for a in (-1.3, 0.2, 1.5)]
    for z in axis + inside:
        assert abs(stability(problems, Method.RODAS, z)) < 1 + 1e-7, z
    for z in (-1e5, 1e5j, -1e7 + 1e6j):
        assert abs(stability(problems, Method.RODAS, z)) < 20 / abs(z)


def test_implicit_is_l_stable_with_the_whole_jacobian(problems) -> None:
    """R(z) = (1 + (1 - 2γ) z + (½ - 2γ + γ²) z²) / (1 - γ z)², whose last coefficient is 0."""
    gamma = 1 - np.sqrt(0.5)
    axis = [1j * 10.0**k for k in np.linspace(-2, 4, 61)]
    inside = [-(10.0**k) * np.exp(1j * a) for k in (-1, 0, 1, 3) for a in (-1.3, 0.2, 1.5)]
    for z in axis + inside:
        found = stability(problems, Method.IMPLICIT, z)
        expected = (1 + (1 - 2 * gamma) * z) / (1 - gamma * z) ** 2
        assert found == pytest.approx(expected, abs=1e-5)
        assert abs(found) < 1 + 1e-7, z
    for z in (-1e5, 1e5j, -1e7 + 1e6j):
        assert abs(stability(problems, Method.IMPLICIT, z)) < 20 / abs(z)


def van_der_pol(problems, method: Method, tolerance: float, **more) -> Run:
    system = problems.system("van_der_pol", 1, context=np.array([1e-6]), autonomous=True, **more)
    schedule = AdaptiveSteps(method, 2.0, tolerance, tolerance, max_steps=50_000)
    return run(system, np.array([2.0, 0.0]), schedule)


@pytest.mark.parametrize("more", [{}, {"jacobian": "van_der_pol_jacobian"}], ids=["fd", "exact"])
def test_van_der_pol(problems, more: dict) -> None:
    """Reference of the Test Set for IVP Solvers (Mazzia & Magherini, release 2.4), vdpol."""
    reference = np.array([1.706167732170483, -0.8928097010247975])
    result = van_der_pol(problems, Method.RODAS, 1e-7, **more)
    assert result.status == Status.OK and result.steps < 3000
    assert result.x[-1] == pytest.approx(reference, rel=2e-5)
    finer = van_der_pol(problems, Method.RODAS, 1e-9, **more)
    assert finer.x[-1] == pytest.approx(reference, rel=5e-7)
    explicit = van_der_pol(problems, Method.DOPRI, 1e-7)
    assert explicit.status == Status.TOO_MANY_STEPS
    assert explicit.steps + explicit.rejected == 50_000 and 0 < explicit.t[-1] < 0.5


def test_robertson(problems) -> None:
    """Reference of the Test Set for IVP Solvers, problem rober, at t = 1e11."""
    system = problems.system("robertson", m=3, autonomous=True)
    atol = np.array([1e-14, 1e-20, 1e-14])
    schedule = AdaptiveSteps(Method.RODAS, 1e11, 1e-7, atol)
    result = run(system, np.array([1.0, 0.0, 0.0]), schedule)
    reference = [0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050]
    assert result.status == Status.OK and result.steps < 2000
    assert result.x[-1] == pytest.approx(reference, rel=1e-4)
    assert result.x.sum(axis=1) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("stiffness", [1e2, 1e4, 1e6, 1e8])
def test_prothero_robinson(problems, stiffness: float) -> None:
    """Steps of 0.1 s follow the smooth solution, however stiff; RK4 explodes."""
    system = problems.system("prothero_robinson", m=1, context=np.array([stiffness]))
    start = np.array([np.sin(0.4)])
    result = run(system, start, FixedSteps(Method.RODAS, 0.1, 100))
    assert result.status == Status.OK
    assert np.abs(result.x[:, 0] - np.sin(result.t + 0.4)).max() < 2e-4
    explicit = run(system, start, FixedSteps(Method.RK4, 0.1, 100))
    assert explicit.status == Status.DIVERGED or np.abs(explicit.x).max() > 1e20


@pytest.mark.parametrize("stiffness", [1e2, 1e4, 1e6, 1e8])
def test_implicit_follows_a_smooth_solution(problems, stiffness: float) -> None:
    system = problems.system("prothero_robinson", m=1, context=np.array([stiffness]))
    result = run(system, np.array([np.sin(0.4)]), FixedSteps(Method.IMPLICIT, 0.1, 100))
    assert result.status == Status.OK
    assert np.abs(result.x[:, 0] - np.sin(result.t + 0.4)).max() < 3e-3


def test_a_wrong_start_decays_at_once(problems) -> None:
    system = problems.system("prothero_robinson", m=1, context=np.array([1e6]))
    result = run(system, np.array([5.0]), FixedSteps(Method.RODAS, 0.1, 5))
    assert np.abs(result.x[1:, 0] - np.sin(result.t[1:] + 0.4)).max() < 1e-3


def test_stiff_damper_with_large_steps(problems) -> None:
    """q'' = -k q - d qd with d = 1e6: q creeps with exp(-k t / d) while qd is gone at once."""
    k, d = 3e6, 1e6
    system = problems.system("creep", 1, context=np.array([k, d]), autonomous=True)
    result = run(system, np.array([0.7, 2.0]), FixedSteps(Method.RODAS, 0.01, 200))
    slow = -2 * k / (d + np.sqrt(d * d - 4 * k))
    fast = -d - slow
    expected = (2.0 - fast * 0.7) / (slow - fast) * np.exp(slow * result.t[1:])
    assert result.q[1:, 0] == pytest.approx(expected, rel=1e-6)
    assert run(system, np.array([0.7, 2.0]), FixedSteps(Method.RK4, 0.01, 200)).steps < 200


def test_the_jacobian_of_a_rejected_step_is_kept(problems) -> None:
    system = problems.coupled(jacobian="coupled_jacobian")
    schedule = AdaptiveSteps(Method.RODAS, 3.0, 1e-8, 1e-8, first_step=1.0)
    result = run(system, Snapshot(problems.coupled_at(0.0)), schedule)
    assert result.rejected > 0
    assert result.jacobians == result.steps
    assert result.evaluations == 6 * result.steps + 5 * result.rejected
