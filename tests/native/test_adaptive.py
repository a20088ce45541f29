"""Error control: tolerance, SciPy as a second opinion, rejected steps, and how runs end."""

from __future__ import annotations

import numpy as np
import pytest
from hand_written import Snapshot, run
from scipy.integrate import solve_ivp

from inloop.errors import InputError
from inloop.native import AdaptiveSteps, FixedSteps, Method, Status

ADAPTIVE = [Method.DOPRI, Method.RODAS]
each_method = pytest.mark.parametrize("method", ADAPTIVE)


def solve(problems, method: Method, tolerance: float, t_end: float = 5.0, **more):
    """`coupled` from t = 0, and the largest error of all samples."""
    system = problems.coupled(jacobian="coupled_jacobian")
    schedule = AdaptiveSteps(method, t_end, tolerance, tolerance, **more)
    result = run(system, problems.coupled_at(0.0), schedule)
    exact = np.array([problems.coupled_at(t) for t in result.t])
    return result, np.abs(result.x - exact).max()


@each_method
def test_error_is_proportional_to_the_tolerance(problems, method: Method) -> None:
    tolerances = 10.0 ** -np.arange(4, 11)
    errors = [solve(problems, method, tolerance)[1] for tolerance in tolerances]
    slope = np.polyfit(np.log10(tolerances), np.log10(errors), 1)[0]
    assert slope == pytest.approx(1.0, abs=0.2)
    assert (np.array(errors) < 30 * tolerances).all()


@each_method
def test_samples_between_steps_are_as_good(problems, method: Method) -> None:
    result, error = solve(problems, method, 1e-7, sample=0.0103)
    assert error < 30e-7
    assert np.diff(result.t[:-1]) == pytest.approx(0.0103, rel=1e-6)
    assert result.t[0] == 0.0 and result.t[-1] == 5.0
    assert len(result.t) == int(5.0 / 0.0103) + 2
    assert result.steps < len(result.t)
    # samples do not influence the steps
    alone, _ = solve(problems, method, 1e-7)
    assert alone.steps == result.steps and (alone.x[-1] == result.x[-1]).all()


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-8, 1e-10])
@pytest.mark.parametrize("name", ["coupled", "pendulum"])
def test_as_many_evaluations_as_scipy(problems, name: str, tolerance: float) -> None:
    if name == "coupled":
        system, x0 = problems.coupled(), problems.coupled_at(0.0)
    else:
        system = problems.system("pendulum", 1, context=np.array([7.3]))
        x0 = np.array([1.2, 0.3])
    result = run(system, x0, AdaptiveSteps(Method.DOPRI, 10.0, tolerance, tolerance))
    other = solve_ivp(
        problems.rates(system), (0.0, 10.0), x0, method="RK45", rtol=tolerance, atol=tolerance
    )
    assert other.nfev / 2 < result.evaluations < 2 * other.nfev
    finer = run(system, x0, AdaptiveSteps(Method.DOPRI, 10.0, 1e-13, 1e-13)).x[-1]
    assert np.abs(result.x[-1] - finer).max() < 3 * np.abs(other.y[:, -1] - finer).max()
    assert result.evaluations == 6 * (result.steps + result.rejected) + 2


def test_tolerances_may_differ_by_component(problems) -> None:
    """With a wide tolerance for all but z, z decides the steps, and the reverse."""
    system, x0 = problems.coupled(), problems.coupled_at(0.0)
    wide, narrow = np.full(5, 1e3), np.full(5, 1e3)
    narrow[4] = 1e-10
    rough = run(system, x0, AdaptiveSteps(Method.DOPRI, 5.0, 0.0, wide, max_step=0.5))
    fine = run(system, x0, AdaptiveSteps(Method.DOPRI, 5.0, 0.0, narrow, max_step=0.5))
    assert rough.steps < 20 < fine.steps


def test_steps_stay_within_their_limits(problems) -> None:
    result, _ = solve(problems, Method.DOPRI, 1e-5, max_step=0.02, first_step=0.001)
    steps = np.diff(result.t)
    assert steps[0] == pytest.approx(0.001) and steps.max() <= 0.02 * 1.0101
    assert result.t[-1] == 5.0
    short, _ = solve(problems, Method.DOPRI, 1e-9, min_step=0.1)
    assert short.status == Status.STEP_TOO_SMALL and short.t[-1] < 5.0


def test_every_stride_th_step(problems) -> None:
    every, _ = solve(problems, Method.DOPRI, 1e-8)
    some, _ = solve(problems, Method.DOPRI, 1e-8, stride=7)
    chosen = sorted({*range(0, every.steps + 1, 7), every.steps})
    assert (some.t == every.t[chosen]).all() and (some.x == every.x[chosen]).all()


def test_more_samples_than_one_block(problems) -> None:
    result, error = solve(problems, Method.DOPRI, 1e-6, max_step=5.0 / 7000)
    assert result.steps >= 6900 and len(result.t) == result.steps + 1 and error < 1e-6
    assert (np.diff(result.t) > 0).all()


def test_many_samples_in_one_step(problems) -> None:
    schedule = AdaptiveSteps(Method.DOPRI, 5.0, 1e-3, 1e-3, sample=1e-5)
    result = run(problems.coupled(), problems.coupled_at(0.0), schedule)
    assert len(result.t) == 500_001 and result.steps < 500
    np.testing.assert_allclose(np.diff(result.t), 1e-5, rtol=1e-4)


def test_nothing_to_do(problems) -> None:
    result, _ = solve(problems, Method.DOPRI, 1e-6, t_end=0.0)
    assert (result.status, result.steps, len(result.t)) == (Status.OK, 0, 1)


@each_method
def test_explosion_ends_with_steps_too_small(problems, method: Method) -> None:
    """z' = z² is infinite at t = 1/z0."""
    system = problems.system("explosion", m=1, autonomous=True)
    result = run(system, np.array([1.6]), AdaptiveSteps(method, 2.0, 1e-9, 1e-9))
    assert result.status in (Status.STEP_TOO_SMALL, Status.DIVERGED)
    assert result.t[-1] == pytest.approx(1 / 1.6, rel=1e-6) and np.isfinite(result.x).all()
    assert result.x[-1] > 1e6


@each_method
def test_nan_is_approached_and_told(problems, method: Method) -> None:
    never = np.inf
    system = problems.coupled(np.array([0.905, never, 0.0]))
    result = run(system, problems.coupled_at(0.0), AdaptiveSteps(method, 2.0, 1e-7, 1e-7))
    assert result.status == Status.DIVERGED and result.rejected > 5
    assert 0.904 < result.t[-1] < 0.905 and np.isfinite(result.x).all()
    assert result.x[-1] == pytest.approx(problems.coupled_at(result.t[-1]), abs=1e-5)
    # a start that is bad itself
    system = problems.coupled(np.array([-1.0, never, 0.0]))
    result = run(system, problems.coupled_at(0.0), AdaptiveSteps(method, 2.0))
    assert (result.status, result.steps, len(result.t)) == (Status.DIVERGED, 0, 1)


@each_method
def test_a_status_of_the_model_ends_the_run(problems, method: Method) -> None:
    system = problems.coupled(np.array([np.inf, 0.905, 77.0]))
    result = run(system, problems.coupled_at(0.0), AdaptiveSteps(method, 2.0, 1e-7, 1e-7))
    assert result.status == 77 and result.rejected <= 1 and 0.3 < result.t[-1] < 0.905


def warm_context(limit: float = np.inf) -> np.ndarray:
    return np.array([1.4, 0.0, limit, 0.0, 0.0])


@each_method
def test_a_loop_that_opens_is_approached_and_told(problems, method: Method) -> None:
    context = warm_context(limit=0.9)
    x0 = np.array([0.3, 2.5])
    result = run(problems.warm(context), x0, AdaptiveSteps(method, 9.0, 1e-7, 1e-7))
    assert result.status == Status.LOOP_OPEN and result.rejected > 5
    assert 0.89 < result.q[-1, 0] <= 0.9


@each_method
def test_rejected_steps_leave_the_context_as_it_was(problems, method: Method) -> None:
    context = warm_context()
    schedule = AdaptiveSteps(method, 6.0, 1e-6, 1e-6, first_step=2.0)
    result = run(problems.warm(context), np.array([0.3, 2.5]), schedule)
    assert result.status == Status.OK and result.rejected > 2
    _, _, _, saves, restores = context
    assert (saves, restores) == (result.steps, result.rejected)
    # and one more pair for the guess of the first step
    context = warm_context()
    schedule = AdaptiveSteps(method, 6.0, 1e-6, 1e-6)
    result = run(problems.warm(context), np.array([0.3, 2.5]), schedule)
    assert (context[3], context[4]) == (result.steps + 1, result.rejected + 1)


@each_method
@pytest.mark.parametrize("more", [{}, {"sample": 0.07}, {"stride": 3}])
def test_continued_runs_are_bit_identical(problems, method: Method, more: dict) -> None:
    """Broken off by max_steps and taken up again, warm start and step size included."""
    whole, parts = warm_context(), warm_context()
    full = AdaptiveSteps(method, 6.0, 1e-7, 1e-7, **more)
    first = AdaptiveSteps(method, 6.0, 1e-7, 1e-7, max_steps=23, **more)
    x0 = np.array([0.3, 2.5])
    reference = run(problems.warm(whole), x0, full)
    one = run(problems.warm(parts), x0, first)
    assert one.status == Status.TOO_MANY_STEPS and one.steps + one.rejected == 23
    two = run(problems.warm(parts), one.end, full)
    assert two.t[-1] == reference.t[-1] == 6.0
    assert two.x[-1].tobytes() == reference.x[-1].tobytes()
    assert one.steps + two.steps == reference.steps
    assert whole[0] == parts[0]
    t, rows = np.unique(np.concatenate([one.t, two.t]), return_index=True)
    common = np.isin(t, reference.t)
    x = np.concatenate([one.x, two.x])[rows]
    assert (t[common] == reference.t).all() and (x[common] == reference.x).all()


def test_a_snapshot_of_fixed_steps_serves_too(problems) -> None:
    system = problems.coupled()
    begin = run(system, problems.coupled_at(0.0), FixedSteps(Method.RK4, 0.01, 100))
    result = run(system, begin.end, AdaptiveSteps(Method.DOPRI, 2.0, 1e-9, 1e-9))
    assert result.t[0] == pytest.approx(1.0) and result.t[-1] == 2.0
    assert result.x[-1] == pytest.approx(problems.coupled_at(2.0), abs=1e-7)
    back = run(system, result.end, FixedSteps(Method.RK4, -0.01, 200))
    assert back.t[-1] == pytest.approx(0.0, abs=1e-12)
    assert back.x[-1] == pytest.approx(problems.coupled_at(0.0), abs=1e-6)


@pytest.mark.parametrize(
    "arguments",
    [
        {"method": Method.RK4},
        {"t_end": np.inf},
        {"rtol": -1.0},
        {"rtol": 0.0, "atol": 0.0},
        {"rtol": np.nan},
        {"max_step": 0.0},
        {"min_step": 2.0, "max_step": 1.0},
        {"first_step": 0.0},
        {"sample": -0.1},
        {"stride": 0},
    ],
)
def test_senseless_schedules_are_refused(arguments: dict) -> None:
    with pytest.raises(InputError):
        AdaptiveSteps(**{"method": Method.DOPRI, "t_end": 1.0, **arguments})


def test_senseless_combinations_are_refused(problems) -> None:
    system, x0 = problems.coupled(), problems.coupled_at(0.0)
    with pytest.raises(InputError, match="after its end"):
        run(system, Snapshot(x0, t=3.0), AdaptiveSteps(Method.DOPRI, 2.0))
    with pytest.raises(InputError, match=r"shape \(5,\)"):
        run(system, x0, AdaptiveSteps(Method.DOPRI, 2.0, atol=np.full(4, 1e-6)))
