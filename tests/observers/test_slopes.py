"""The filters against what is known otherwise: matrix exponentials, a Kalman filter by hand."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import scipy

import inloop as il
from inloop.gallery.heavy_top import heavy_top
from inloop.gallery.puma560.model import puma560

PERIOD = 5e-3
JOINTS = tuple(f"joint_{k}" for k in range(1, 7))


def by_hand(
    y: np.ndarray, u: np.ndarray, noise: float, doubt: tuple[float, float]
) -> tuple[np.ndarray, np.ndarray]:
    """The Kalman filter of the oscillator with steps of Runge and Kutta, in 60 digits."""
    with mpmath.workdps(60):
        C = PERIOD * mpmath.matrix([[0, 1], [mpmath.mpf(-37.0) / 1.3, mpmath.mpf(-0.9) / 1.3]])
        mean = mpmath.eye(2) + C / 2 + C * C / 6 + C * C * C / 24
        F, G = mpmath.eye(2) + C * mean, PERIOD * mean[:, 1] / mpmath.mpf(1.3)
        x, P = mpmath.zeros(2, 1), mpmath.diag([mpmath.mpf(each) ** 2 for each in doubt])
        states, covariances = [], []
        for k in range(len(y)):
            if k:
                x = F * x + G * float(u[k])
                P = F * P * F.T + mpmath.mpf(0.7) ** 2 * (G * G.T)
            gain = P[:, 0] / (P[0, 0] + mpmath.mpf(noise) ** 2)
            x = x + gain * (float(y[k]) - x[0])
            P = P - gain * P[0, :]
            states.append([float(each) for each in x])
            covariances.append(np.array(P.tolist(), dtype=float))
    return np.array(states), np.array(covariances)


def worst(
    oscillator: il.Plant, noise: float, doubt: tuple[float, float], method: str, samples: int
) -> float:
    """How far a filter is off that by hand, in deviations; its covariance likewise."""
    draw = np.random.default_rng(3)
    t = PERIOD * np.arange(samples)
    y, u = 0.01 * np.sin(5.3 * t) + noise * draw.normal(size=samples), draw.normal(size=samples)
    observer = il.observer(
        oscillator, measured={"rail.q": noise}, disturbances={"rail.tau": 0.7},
        doubt=dict(zip(("rail.q", "rail.qd"), doubt, strict=True)), method=method, period=PERIOD,
        horizon=7,
    )  # fmt: skip
    off = 0.0
    for k, (x, P) in enumerate(zip(*by_hand(y, u, noise, doubt), strict=True)):
        estimate = observer.step({"rail.q": y[k], "rail.tau": u[k]})
        unit = np.sqrt(np.diag(P))
        off = max(off, np.abs((estimate.values - x) / unit).max())
        off = max(off, np.abs((estimate.covariance - P) / np.outer(unit, unit)).max())
    return off


@pytest.mark.parametrize(("method", "most"), [("ekf", 1e-11), ("ukf", 1e-9), ("mhe", 1e-11)])
def test_of_a_linear_plant_every_method_is_the_kalman_filter(
    oscillator: il.Plant, method: str, most: float
) -> None:
    assert worst(oscillator, 1e-3, (0.02, 0.3), method, 40) < most


@pytest.mark.parametrize(
    ("noise", "doubt", "most"), [(1e-7, 0.1, 1e-8), (1e-9, 1e3, 5e-3), (1e-3, 1e-12, 1e-11)]
)
def test_a_doubt_of_many_times_the_noise_leaves_no_errors_of_rounding(
    oscillator: il.Plant, noise: float, doubt: float, most: float
) -> None:
    """P loses up to 24 digits at the first sample."""
    assert worst(oscillator, noise, (doubt, doubt), "ekf", 8) < most


@pytest.mark.parametrize("method", ["ekf", "ukf"])
def test_masses_of_a_moon_and_of_a_dust_grain(method: str) -> None:
    """The oscillator times 1e22 and times 1e-14: forces differ, motions and filters do not."""
    m, scales = il.Model("scales", gravity=(0.0, 0.0, 0.0)), {"moon": 1e22, "grain": 1e-14}
    for name, size in scales.items():
        m.body(name, on=m.ground, joint=il.prismatic("x"), mass=1.3 * size)
        m.joint_force(name, lambda q, qd, size=size: size * (-37.0 * q - 0.9 * qd))
    draw = np.random.default_rng(6)
    y, u = 0.01 * draw.normal(size=12), draw.normal(size=12)
    observer = il.observer(
        m.compile(), measured=dict.fromkeys(("moon.q", "grain.q"), 1e-3), method=method,
        disturbances={f"{name}.tau": 0.7 * size for name, size in scales.items()}, period=PERIOD,
        doubt={"moon.q": 0.02, "moon.qd": 0.3, "grain.q": 0.02, "grain.qd": 0.3},
    )  # fmt: skip
    for k in range(len(y)):
        pushed = {f"{name}.tau": u[k] * size for name, size in scales.items()}
        estimate = observer.step({"moon.q": y[k], "grain.q": y[k], **pushed})
    states, covariances = by_hand(y, u, 1e-3, (0.02, 0.3))
    for name in scales:
        places = [observer.states.index(f"{name}.{kind}") for kind in ("q", "qd")]
        assert estimate.values[places] == pytest.approx(states[-1], rel=1e-8)
        assert estimate.covariance[np.ix_(places, places)] == pytest.approx(
            covariances[-1], rel=1e-8
        )


def exponential(plant: il.Plant, names: tuple[str, ...], h: float, **at: object) -> np.ndarray:
    """exp(h A) of the linearization, in the order of an observer's states."""
    linear = plant.linearize(**at)
    order = [linear.states.index(name) for name in names]
    return scipy.linalg.expm(h * linear.A)[np.ix_(order, order)]


def moved_over(h: float, F: np.ndarray, expected: np.ndarray) -> None:
    """F is that of a state in motion: it differs from the exponential by the change of A in h."""
    size = np.abs(expected - np.eye(len(F))).max()
    assert size > 10 * h * h
    assert np.abs(F - expected).max() < 20 * h * size


def differences(plant: il.Plant, x: np.ndarray, h: float) -> np.ndarray:
    """Slopes of a step of the stepper by its start, all of q and then all of qd."""

    def end(x: np.ndarray) -> np.ndarray:
        stepper = plant.stepper(step=h, q=x[: plant.n], qd=x[plant.n :])
        stepper.step()
        names = [f"{c}.{kind}" for kind in ("q", "qd") for c in plant.coordinates]
        return np.array([stepper[name] for name in names])

    moves = 1e-6 * np.eye(len(x))
    return np.stack([(end(x + d) - end(x - d)) / 2e-6 for d in moves], axis=1)


def test_slopes_of_the_robot_are_those_of_its_steps() -> None:
    plant, h = puma560().compile(), 1e-3
    q, qd = (0.3, 0.8, 3.0, 0.2, 0.7, 0.1), (1.0, -0.7, 0.4, 1.3, -0.2, 0.9)
    observer = il.observer(
        plant, measured={f"{j}.q": 1e-4 for j in JOINTS}, q=np.array(q), qd=np.array(qd), period=h
    )  # fmt: skip
    F, _, H = observer.linear()
    expected = differences(plant, np.array([*q, *qd]), h)
    # a step of 1 ms: slopes at its begin would be off by 3e-4
    assert np.abs(F - expected).max() < 5e-6 * np.abs(expected - np.eye(12)).max()
    at = {"q": dict(zip(JOINTS, q, strict=True)), "qd": dict(zip(JOINTS, qd, strict=True))}
    moved_over(h, F, exponential(plant, observer.states, h, **at))
    assert np.array_equal(H, np.eye(12)[:6])


@pytest.mark.parametrize("integrator", ["rk4", "implicit"])
def test_slopes_of_a_closed_loop(rocker: il.Plant, integrator: str) -> None:
    h = 1e-4
    observer = il.observer(
        rocker, measured={"arm.q": 1e-4}, period=h, integrator=integrator, qd={"crank": 6.0}
    )
    F, _, H = observer.linear()
    estimate = observer.estimate
    q = dict(zip(rocker.coordinates, estimate.q, strict=True))
    name = observer.states[0].removesuffix(".q")
    expected = exponential(rocker, observer.states, h, q=q, qd={name: estimate.qd[0]})
    moved_over(h, F, expected)
    # the arm turns with the independent coordinate as the loop says
    qd = dict(zip(rocker.coordinates, estimate.qd, strict=True))
    assert H[0] == pytest.approx([qd["arm"] / qd[name], 0.0], rel=1e-6)


def test_slopes_about_a_ball_joint_that_turns() -> None:
    plant, h = heavy_top().compile(), 1e-4
    spin = {name: value for name, value in zip(plant.coordinates, (0.4, 7.0, -3.0), strict=False)}
    observer = il.observer(
        plant, measured={f"{c}.qd": 1e-3 for c in plant.coordinates}, qd=spin, period=h,
        unobserved=[f"{c}.q" for c in plant.coordinates],
    )  # fmt: skip
    F, _, _ = observer.linear()
    expected = exponential(plant, observer.states, h, qd=spin)
    # it turns by 8e-4 rad in a step, and the slopes with it
    assert np.abs(F - expected).max() < 1e-3 * np.abs(expected - np.eye(len(F))).max()


def test_slopes_of_a_step_over_which_they_change() -> None:
    """A spring that hardens: over one step its stiffness changes several times."""
    m = il.Model("hardening", gravity=(0.0, 0.0, 0.0))
    m.body("mass", on=m.ground, joint=il.prismatic("x", name="rail", initial=(0.0, 3.0)), mass=1.3)
    m.joint_force("rail", lambda q, qd: -3e8 * q * q * q - 3.0 * qd)
    plant = m.compile()
    F, _, _ = il.observer(plant, measured={"rail.q": 1e-4}, period=PERIOD).linear()
    expected = differences(plant, np.array([0.0, 3.0]), PERIOD)
    assert abs(expected[1, 1] - 1.0) > 0.5
    assert np.abs(F - expected).max() < 1e-3 * np.abs(expected).max()


def test_drawn_states_and_slopes_agree_where_little_is_unsure(rocker: il.Plant) -> None:
    draw = np.random.default_rng(5)
    both = [
        il.observer(
            rocker, measured={"arm.q": 1e-5}, disturbances={"arm.tau": 0.1}, method=method,
            period=1e-3, doubt={"crank.q": 1e-4, "crank.qd": 1e-3}
        )
        for method in ("ekf", "ukf")
    ]  # fmt: skip
    stepper = rocker.stepper(step=1e-3)
    for _ in range(20):
        y = stepper["arm.q"] + 1e-5 * draw.normal()
        a, b = (observer.step({"arm.q": y}) for observer in both)
        stepper.step()
    apart = np.abs(a.values - b.values) / list(a.deviations.values())
    assert apart.max() < 0.02
    assert a.covariance == pytest.approx(b.covariance, rel=1e-2)
