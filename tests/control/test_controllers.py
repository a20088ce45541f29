"""Controllers step by step: separation principle, limits, closed loops in closed form."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import inloop as il
from inloop.control import (
    LinearModel,
    LqgController,
    Pi,
    discretize,
    kalman,
    lqy,
    step_figures,
)

PERIOD = 1e-3
NOISE = {"angle": 1e-4, "strain": 1e-3}
WEIGHTS = ({"angle": 1000.0, "strain": 50.0}, {"angle": 100.0}, {"command": 1.0})


def lqg(plant: LinearModel, **options: object) -> LqgController:
    gains, observer = lqy(plant, *WEIGHTS), kalman(plant, {"command": 0.05}, NOISE)
    return LqgController(plant, gains, observer, **options)  # type: ignore[arg-type]


def closed_loop(
    plant: LinearModel, controller: LqgController, reference: float, seconds: float
) -> tuple[np.ndarray, np.ndarray]:
    """Outputs and commands of the linear plant."""
    x, outputs, commands = np.zeros(len(plant.states)), [], []
    for _ in range(round(seconds / PERIOD)):
        y = plant.C @ x
        u = controller.step(y, [reference, 0.0])
        outputs.append(y)
        commands.append(u[0])
        x = plant.A @ x + plant.B @ u
    return np.array(outputs), np.array(commands)


@pytest.mark.parametrize("delay", [0.0, 1.4e-3])
def test_separation(hinged: LinearModel, delay: float) -> None:
    """The loop has the poles of the feedback and the poles of the filter, no others."""
    plant = discretize(hinged, PERIOD, delay)
    controller = lqg(plant)
    expected = np.concatenate([controller.gains.poles, controller.observer.poles])
    found = list(controller.poles)
    for pole in expected:
        nearest = min(found, key=lambda other: abs(other - pole))
        assert abs(nearest - pole) < 1e-5
        found.remove(nearest)
    assert not found
    assert np.abs(expected).max() < 1.0


def test_steps_are_those_of_the_matrices(hinged: LinearModel) -> None:
    """With a wrong first estimate the response is the sum of decaying modes and comes to rest."""
    plant = discretize(hinged, PERIOD)
    controller = lqg(plant)
    controller.x[0] = 0.02
    y, u = closed_loop(plant, controller, 0.07, 25.0)
    assert y[-1, 0] == pytest.approx(0.07, abs=1e-5)
    # at rest upright, the command carries what gravity pulls: 8.697 N m times the angle, and the
    # tip bends a little further out
    assert u[-1] == pytest.approx(-8.697 * 0.07, rel=0.02)
    assert abs(controller.w[0]) < 1e-3


def test_the_operating_point_is_added(hinged: LinearModel) -> None:
    plant = discretize(hinged, PERIOD)
    near, far = lqg(plant), lqg(plant, output_at=[1.5, 0.1], command_at=[0.3])
    rng = np.random.default_rng(5)
    for y in rng.normal(0.0, 0.01, (50, 2)):
        shifted = far.step(y + np.array([1.5, 0.1]), [1.57, 0.1])
        assert shifted[0] == pytest.approx(near.step(y, [0.07, 0.0])[0] + 0.3, abs=1e-9)


def test_limits_do_not_wind_up(hinged: LinearModel) -> None:
    """A step that needs more than the motor has: it gets there, and not much further."""
    plant = discretize(hinged, PERIOD)
    free, _ = closed_loop(plant, lqg(plant), 0.3, 6.0)
    held = lqg(plant, limits=(-4.0, 4.0))
    y, u = closed_loop(plant, held, 0.3, 6.0)
    assert np.abs(u).max() == 4.0 and np.count_nonzero(np.abs(u) == 4.0) > 50
    assert y[-1, 0] == pytest.approx(0.3, abs=5e-3)
    # the same controller whose integral goes on, and whose filter does not know the limit
    blind = lqg(plant)
    x, wound = np.zeros(len(plant.states)), []
    for _ in range(6000):
        y_now = plant.C @ x
        wound.append(y_now[0])
        x = plant.A @ x + plant.B @ np.clip(blind.step(y_now, [0.3, 0.0]), -4.0, 4.0)
        if abs(y_now[0]) > 10.0:
            break
    assert max(wound) > max(y[:, 0]) + 0.01
    assert max(y[:, 0]) < 1.5 * max(free[:, 0])


def test_pi_on_a_first_order_plant() -> None:
    """Sampled loop z² - (1 + a - b kp) z + a - b kp + b ki T: the recursion gives its roots."""
    a, b, kp, ki, period = 0.9, 0.2, 1.1, 14.0, 0.02
    pi = Pi(kp, ki, period)
    x, seen = 0.0, []
    for _ in range(400):
        seen.append(x)
        x = a * x + b * pi.step(x, 1.0)
    assert seen[-1] == pytest.approx(1.0, abs=1e-9)
    e = np.array(seen) - 1.0
    s, p = 1.0 + a - b * kp, a - b * kp + b * ki * period
    assert abs(np.roots([1.0, -s, p])).max() < 1.0
    np.testing.assert_allclose(e[2:], s * e[1:-1] - p * e[:-2], atol=1e-12)


def test_pi_at_its_limit() -> None:
    pi = Pi(2.0, 5.0, 0.01, limits=(-1.0, 1.0), feedforward=lambda r: 0.1 * r)
    assert pi.step(0.0, 3.0) == 1.0 and pi.saturated
    for _ in range(1000):
        pi.step(0.0, 3.0)
    assert pi.integral == 0.0
    # the error turns: the command leaves the limit at once
    assert pi.step(3.1, 3.0) == pytest.approx(0.3 - 0.2)
    assert pi.integral == pytest.approx(-5.0 * 0.01 * 0.1)


@pytest.mark.parametrize("damping", [0.2, 0.5, 0.707])
def test_figures_of_a_second_order_step(damping: float) -> None:
    w, start, goal = 5.0, 1.5, 1.4
    t = np.linspace(0.0, 12.0, 120_001)
    wd = w * math.sqrt(1.0 - damping**2)
    decay = np.exp(-damping * w * t)
    y = 1.0 - decay * (np.cos(wd * t) + damping * w / wd * np.sin(wd * t))
    found = step_figures(t + 0.4, start + (goal - start) * y, start=start, goal=goal, at=0.4)
    assert found.overshoot == pytest.approx(
        math.exp(-math.pi * damping / math.sqrt(1.0 - damping**2)), abs=1e-5
    )
    # the last time the true response leaves the band, from its extremes and a root between
    outside = t[np.abs(y - 1.0) > 0.02][-1]
    assert found.settling == pytest.approx(outside, abs=2e-4)
    assert abs(found.error) < 1e-3 and found.ripple < 1e-3
    assert 0.0 < found.rise < outside


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda p: lqg(p, limits=(1.0, 1.0)), "leave nothing"),
        (lambda p: lqg(p, output_at=[1.0]), "output_at"),
        (lambda p: LqgController(p, lqg(p).gains, kalman(discretize_less(p), {}, NOISE)), "states"),
        (lambda p: lqg(p).step([0.1], [0.0, 0.0]), "measurement of shape"),
        (lambda p: lqg(p).step([0.1, 0.0], [math.nan, 0.0]), "Give finite numbers for: angle"),
        (lambda p: Pi(-1.0, 0.0, 1e-3), "gains"),
        (lambda p: step_figures([0.0], [0.0], start=0.0, goal=1.0), "no step"),
        (lambda p: step_figures([0.0, 1.0], [0.0], start=0.0, goal=1.0), "are no response"),
        (lambda p: step_figures([1.0, 0.0], [0.0, 1.0], start=0.0, goal=1.0), "are no response"),
        (lambda p: figures_of(np.full(20, math.nan)), "NaN.*has no figures"),
        (lambda p: figures_of(np.ones(20), goal=math.nan), "NaN.*has no figures"),
        (lambda p: figures_of(np.ones(20), band=-0.02), "a band of -0.02"),
        (lambda p: Pi("1", 0.0, 1e-3), "gains 1 and"),
        (lambda p: Pi(1.0, 0.0, 1e-3, limits=5.0), "limits 5.0"),
        (lambda p: lqg(p, limits=5.0), "limits 5.0"),
        (lambda p: lqy(p, {"angle": "large"}, {}, {"command": 1.0}), "cannot be large"),
        (lambda p: lqy(p, ["angle"], {}, {"command": 1.0}), "Write {name: number}"),
        (lambda p: discretize(replace(p, period=None), "1 ms"), "a period of 1 ms"),
    ],
)
def test_mistakes_are_told(hinged: LinearModel, call: object, words: str) -> None:
    with pytest.raises(il.InputError, match=words):
        call(discretize(hinged, PERIOD))  # type: ignore[operator]


def figures_of(y: np.ndarray, **changed: float) -> object:
    return step_figures(np.arange(len(y)), y, **{"start": 0.0, "goal": 1.0, **changed})


def test_pi_refuses_nan_and_keeps_its_integral() -> None:
    pi = Pi(2.0, 5.0, 0.01)
    pi.step(0.5, 1.0)
    kept = pi.integral
    with pytest.raises(il.InputError, match="a measurement of nan"):
        pi.step(math.nan, 1.0)
    assert pi.integral == kept > 0.0


def discretize_less(plant: LinearModel) -> LinearModel:
    """A model with one state less."""
    return LinearModel(
        0.5 * plant.A[1:, 1:], plant.B[1:], plant.C[:, 1:], plant.D, plant.states[1:],
        plant.inputs, plant.outputs, plant.period,
    )  # fmt: skip
