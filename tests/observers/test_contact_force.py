"""Forces on the arm from its encoders: within 5 % of the wall's own, 20 ms after the impact.

Noise: encoders of 17 bits at the motors, torques that are off by 0.05 N·m at each sample of 1 kHz;
the gears are rigid and the model is known.
"""

from __future__ import annotations

import numpy as np
import pytest
from touching_arm import (
    COUNT,
    FLANGE,
    JOINTS,
    START,
    TORQUE,
    Touch,
    arm_with_touch,
    run_into_wall,
)

import inloop as il


@pytest.fixture(scope="module")
def arm() -> il.Plant:
    return arm_with_touch()


def observed(
    arm: il.Plant, count: np.ndarray = COUNT, **unknown: il.observers.Unknown
) -> il.observers.Observer:
    return il.observer(
        arm,
        measured={f"{j}.q": step / 12**0.5 for j, step in zip(JOINTS, count, strict=True)},
        disturbances={f"{j}.tau": TORQUE for j in JOINTS},
        unknown=unknown,
        doubt={f"{j}.{kind}": 1e-4 for j in JOINTS for kind in ("q", "qd")},
        q=dict(zip(JOINTS, START, strict=True)),
    )


def touched(estimate: il.observers.Estimate) -> np.ndarray:
    return np.array([estimate[f"touch_{axis}.unknown"] for axis in "xyz"])


def test_the_force_at_the_flange_as_an_unknown_input(arm: il.Plant) -> None:
    unknown = {f"touch_{axis}": il.observers.Unknown(1e4, smooth=True) for axis in "xyz"}
    found = run_into_wall(observed(arm, **unknown), touched, seconds=0.16, seed=1)
    assert 0.09 < found.impact < 0.13
    at_20ms = found.true[np.searchsorted(found.t, found.impact + 0.02)]
    assert np.linalg.norm(at_20ms) > 80.0
    assert found.errors(0.02, 0.04).max() < 0.05
    # before it touches there is next to nothing
    free = found.felt[(found.t > 0.04) & (found.t < found.impact)]
    assert np.linalg.norm(free, axis=1).max() < 5.0


@pytest.mark.long
def test_the_force_over_several_runs(arm: il.Plant) -> None:
    unknown = {f"touch_{axis}": il.observers.Unknown(1e4, smooth=True) for axis in "xyz"}
    observer = observed(arm, **unknown)
    for seed in range(10):
        observer.reset()
        found = run_into_wall(observer, touched, seconds=0.3, seed=seed)
        assert found.errors(0.02, 0.18).max() < 0.05


def test_the_force_from_unknown_efforts_and_the_jacobian(arm: il.Plant) -> None:
    """An arm that holds still and is pushed: efforts of all joints, then the force they fit."""
    observer = observed(arm, **{f"{j}.tau": il.observers.Unknown(20.0, doubt=5.0) for j in JOINTS})
    truth = np.array([30.0, -12.0, 21.0])
    J = arm.jacobian(FLANGE, START)[:3]
    hold = arm.inverse_dynamics(START, np.zeros(6), np.zeros(6)) - J.T @ truth
    y, u = START.copy(), np.zeros(len(observer.inputs))
    u[:6] = hold
    for _ in range(300):
        observer.update(y, u)
    found = il.observers.contact_force(arm, observer.estimate, FLANGE)
    assert found.force == pytest.approx(truth, abs=0.5)
    assert np.all(np.linalg.eigvalsh(found.covariance) > 0.0)
    assert found.fits and found.freedom == 3
    # a moment about joint 6 is no force at the flange
    u[5] += 4.0
    for _ in range(300):
        observer.update(y, u)
    assert not il.observers.contact_force(arm, observer.estimate, FLANGE).fits


@pytest.mark.parametrize(
    ("count", "most"), [(COUNT, 0.05), (np.full(6, 2.0 * np.pi / 2**20), 0.06)]
)
def test_the_force_of_the_wall_from_unknown_efforts(
    arm: il.Plant, count: np.ndarray, most: float
) -> None:
    """Encoders of 17 bits at the motors, of 20 bits at the joints."""
    force = il.observers.Unknown.rising(100.0, 0.05)
    unknown = il.observers.unknown_efforts(arm, FLANGE, force, START)
    deviations = []

    def at_flange(estimate: il.observers.Estimate) -> np.ndarray:
        found = il.observers.contact_force(arm, estimate, FLANGE)
        deviations.append(float(np.sqrt(np.trace(found.covariance))))
        return found.force

    observer = observed(arm, count, **unknown)
    found = run_into_wall(observer, at_flange, seconds=0.16, seed=1, count=count)
    errors, size = found.errors(0.02, 0.04), np.linalg.norm(found.true[-1])
    assert errors.max() < most
    # it says so itself, and has known it before it touched
    assert errors.max() * size < 3.0 * deviations[-1]
    assert deviations[-1] == pytest.approx(deviations[80], rel=0.1)


def least_deviation(arm: il.Plant, sigma: float, changes: np.ndarray) -> float:
    """Of the force at the flange, by a Riccati equation written down for the arm at START.

    Free masses, efforts whose rates wander, six encoders: what nobody who knows no more than this
    can be better than.
    """
    h, eye, zero = 1e-3, np.eye(6), np.zeros((6, 6))
    compliance = np.linalg.inv(arm.mass_matrix(START))
    J = arm.jacobian(FLANGE, START)[:3]
    pushed = np.vstack([h * h / 2.0 * compliance, h * compliance])  # states by efforts in a sample
    F = np.block([[np.block([[eye, h * eye], [zero, eye]]), pushed, h * pushed],
                  [np.zeros((6, 12)), eye, h * eye], [np.zeros((6, 18)), eye]])  # fmt: skip
    Q, H = np.zeros((24, 24)), np.eye(24)[:6]
    Q[:12, :12] = TORQUE**2 * pushed @ pushed.T
    Q[18:, 18:] = np.diag(h * changes**2)
    P = np.diag([1e-8] * 12 + [0.0] * 12)
    for _ in range(100):
        P = F @ P @ F.T + Q
        P = P - P @ H.T @ np.linalg.solve(H @ P @ H.T + sigma**2 * eye, H @ P)
    return float(np.sqrt(np.trace(np.linalg.inv(J @ np.linalg.solve(P[12:18, 12:18], J.T)))))


def test_the_deviation_of_the_force_is_the_least_possible(arm: il.Plant) -> None:
    sigma, force = 6e-6, il.observers.Unknown.rising(100.0, 0.05)
    unknown = il.observers.unknown_efforts(arm, FLANGE, force, START)
    observer = observed(arm, np.full(6, sigma * 12**0.5), **unknown)
    u = np.zeros(len(observer.inputs))
    u[:6] = arm.inverse_dynamics(START, np.zeros(6), np.zeros(6))
    for _ in range(100):
        observer.update(START, u)
    found = il.observers.contact_force(arm, observer.estimate, FLANGE)
    changes = np.array([unknown[f"{j}.tau"].change for j in JOINTS])
    expected = least_deviation(arm, sigma, changes)
    assert 7.0 < expected < 7.5  # [N]
    assert np.sqrt(np.trace(found.covariance)) == pytest.approx(expected, rel=0.02)


def test_efforts_are_as_unknown_as_levers_make_them(arm: il.Plant) -> None:
    force = il.observers.Unknown.rising(80.0, 0.04, doubt=2.0)
    # in 0.04 s its rate wanders by 80 N / 0.04 s
    assert force.change * 0.04**0.5 == pytest.approx(80.0 / 0.04)
    q = dict(zip(JOINTS, START, strict=True))
    found = il.observers.unknown_efforts(arm, FLANGE, force, q)
    lever = np.linalg.norm(arm.jacobian(FLANGE, START)[:3, 1])
    assert found["joint_2.tau"].change == pytest.approx(lever * force.change)
    assert found["joint_2.tau"].doubt == pytest.approx(lever * 2.0)
    assert 0.0 < found["joint_6.tau"].change < 0.05 * lever * force.change
    with pytest.raises(il.InputError, match="the size of an unknown is -1"):
        il.observers.Unknown.rising(-1.0, 0.04)


def test_efforts_that_are_not_estimated_are_named(arm: il.Plant) -> None:
    observer = observed(arm, **{"joint_1.tau": il.observers.Unknown(20.0)})
    with pytest.raises(il.InputError, match="does not estimate efforts of joint_2, joint_3"):
        il.observers.contact_force(arm, observer.estimate, FLANGE)


def test_the_force_a_few_samples_ago(arm: il.Plant) -> None:
    """Coarser encoders (6e-6 rad): what they cannot tell of now they tell of 6 ms ago."""
    lag, count = 6, np.full(6, 6e-6 * 12**0.5)
    force = il.observers.Unknown.rising(100.0, 0.05, lag=lag * 1e-3)
    unknown = il.observers.unknown_efforts(arm, FLANGE, force, START)

    def then(estimate: il.observers.Estimate) -> np.ndarray:
        return il.observers.contact_force(arm, estimate, FLANGE, ago=lag).force

    found = run_into_wall(observed(arm, count, **unknown), then, 0.166, seed=3, count=count)
    after = Touch(found.t[:-lag], found.true[:-lag], found.felt[lag:], found.impact)
    assert after.errors(0.014, 0.04).max() < 0.05
    with pytest.raises(il.InputError, match=r"efforts of joint_1, .*, 7 samples ago"):
        il.observers.contact_force(arm, observed(arm, count, **unknown).estimate, FLANGE, ago=7)
