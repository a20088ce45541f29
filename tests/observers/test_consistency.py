"""Observers are as sure as they say: NEES and NIS within their bands, on plants of all kinds."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from monte_carlo import Runs, Scene, run
from scipy.stats import chi2

import inloop as il
from inloop.gallery.four_bar import four_bar
from inloop.gallery.puma560.model import puma560
from inloop.gallery.tilting_vehicle import data
from inloop.gallery.tilting_vehicle.data import CLEVER, SIZE
from inloop.gallery.tilting_vehicle.model import straight, tilting_vehicle

JOINTS = tuple(f"joint_{k}" for k in range(1, 7))
# 95 % are expected within the band; samples of a run are not independent of each other
LEAST = 0.88


def robot_scene() -> Scene:
    """Six joints on sines, encoders of 1e-4 rad, torques that are off by 5 N·m."""
    plant = puma560().compile()
    middle = np.array([0.3, 0.8, 3.0, 0.2, 0.7, 0.1])
    rate = np.array([1.1, 1.7, 2.3, 2.9, 3.5, 4.1])

    def track(t: float, y: dict[str, float]) -> dict[str, float]:
        q, qd = (np.array([y[f"{j}.{kind}"] for j in JOINTS]) for kind in ("q", "qd"))
        away, slip = q - middle - 0.4 * np.sin(rate * t), qd - 0.4 * rate * np.cos(rate * t)
        tau = plant.inverse_dynamics(q, qd, -400.0 * away - 40.0 * slip)
        return {f"{j}.tau": tau[k] for k, j in enumerate(JOINTS)}

    return Scene(
        plant,
        measured={f"{j}.q": 1e-4 for j in JOINTS},
        disturbances={f"{j}.tau": 5.0 for j in JOINTS},
        start={j: (1e-3, 1e-2) for j in JOINTS},
        q=dict(zip(JOINTS, middle, strict=True)),
        inputs=track,
        period=2e-3,
    )


def four_bar_scene() -> Scene:
    """One encoder on the first bar of a four-bar."""
    return Scene(
        four_bar(1).compile(),
        measured={"bar_0.q": 1e-3},
        disturbances={"bar_0.tau": 3.0},
        start={"bar_0": (0.05, 0.2)},
        qd={"bar_0": -1.0},
        period=5e-3,
    )


@functools.cache
def vehicle_scene() -> Scene:
    """Potentiometer, inertial unit, encoders and position; torques, wind and road disturb."""
    plant, car, start = tilting_vehicle().compile(), CLEVER.of_size(SIZE), straight(1.5)
    first = plant.stepper(step=1e-3, **start).look()
    moving = [name for name in plant.coordinates if name != "steering"]
    at = [plant.coordinates.index(name) for name in moving]
    hold = 2.0 * data.G * car.tilting_mass * car.tilting_height

    def lean(t: float, y: dict[str, float]) -> dict[str, float]:
        goal = 0.1 * np.sin(2.0 * t)
        push = -hold * (y["tilt.q"] - goal) - 0.3 * hold * y["tilt.qd"]
        return {"tilt_motor": push, "steering.q": goal}

    wind = {"tx": 0.5, "ty": 0.5, "tz": 0.5, "rx": 0.05, "ry": 0.05, "rz": 0.05}
    unsure = {
        "tilt": (0.02, 0.05), "rear_tx": (0.05, 0.05), "rear_ty": (0.05, 0.02),
        "rear_tz": (2e-4, 2e-3), "rear_rx": (1e-3, 5e-3), "rear_ry": (1e-3, 5e-3),
        "rear_rz": (0.05, 0.02),
        **{f"spin_{wheel}": (0.01, 0.3) for wheel in ("left", "right", "front")},
    }  # fmt: skip
    return Scene(
        plant,
        measured={
            "potentiometer": data.POTENTIOMETER,
            **{f"imu.gyro.{axis}": data.GYRO for axis in "xyz"},
            **{f"imu.accel.{axis}": data.ACCELEROMETER for axis in "xyz"},
            "encoder_left": 2e-3, "encoder_right": 2e-3, "rear_tx.q": 0.01, "rear_ty.q": 0.01,
        },
        disturbances={
            "tilt_motor": 0.1 * car.torque, "motor": 0.03 * car.torque,
            **{f"rear_{axis}.tau": value for axis, value in wind.items()},
        },
        start=unsure,
        q=dict(zip(moving, first.q[0, at], strict=True)),
        qd=dict(zip(moving, first.qd[0, at], strict=True)),
        inputs=lean,
        period=5e-3,
        options={
            "unobserved": ["spin_front.q"],
            "doubt": dict.fromkeys(plant.mechanism.state_names, 0.0),
        },
    )  # fmt: skip


def judge(runs: Runs, kept: list[int], measured: int) -> None:
    for found in (runs.nees(kept), il.observers.nis(runs.nis, measured)):
        assert found.inside >= LEAST, found
        assert found.mean == pytest.approx(found.freedom, rel=0.12), found


@pytest.mark.parametrize("method", ["ekf", "ukf", "mhe"])
def test_the_robot_is_estimated_as_surely_as_told(method: str) -> None:
    scene = robot_scene()
    runs = run(scene, scene.observer(method=method), runs=8, samples=60)
    judge(runs, list(range(12)), 6)


@pytest.mark.long
@pytest.mark.parametrize("method", ["ekf", "ukf"])
def test_the_robot_over_many_runs(method: str) -> None:
    scene = robot_scene()
    runs = run(scene, scene.observer(method=method), runs=50, samples=500)
    judge(runs, list(range(12)), 6)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("method", ["ekf", "ukf", "mhe"])
def test_a_four_bar_with_one_encoder(method: str) -> None:
    scene = four_bar_scene()
    observer = scene.observer(method=method)
    runs = run(scene, observer, runs=6, samples=60)
    judge(runs, [0, 1], 1)
    # the estimate is a position that the bars can have
    estimate = observer.estimate
    h = scene.plant.formulation.rows.violation(estimate.q[None], estimate.qd[None], np.zeros(1))
    assert np.abs(h).max() < 1e-12


def vehicle_runs(method: str, count: int, samples: int, skipped: int) -> tuple[Runs, list[int]]:
    scene = vehicle_scene()
    observer = scene.observer(method=method)
    names = observer.states
    found = run(scene, observer, runs=count, samples=skipped + samples)
    # the front wheel's angle is seen by nobody, the servo is known, noise is no state
    kept = [
        k
        for k, name in enumerate(names)
        if not name.startswith("steering.") and not name.endswith((".noise", "spin_front.q"))
    ]
    cut = (a[:, skipped:] for a in (found.errors, found.covariances, found.nis))
    return Runs(*cut), kept


@pytest.mark.long
@pytest.mark.parametrize("method", ["ekf", "ukf"])
def test_the_tilting_vehicle(method: str) -> None:
    runs, kept = vehicle_runs(method, 4, 25, skipped=15)
    judge(runs, kept, 11)


@pytest.mark.long
@pytest.mark.parametrize("method", ["ekf", "ukf", "mhe"])
def test_the_tilting_vehicle_over_many_runs(method: str) -> None:
    runs, kept = vehicle_runs(method, 40, 300, skipped=20)
    judge(runs, kept, 11)


def test_an_observer_that_is_told_too_little_noise_is_found_out() -> None:
    scene = four_bar_scene()
    observer = scene.observer()
    truth = Scene(**{**vars(scene), "measured": {"bar_0.q": 3e-3}})
    runs = run(truth, observer, runs=1, samples=220)
    assert runs.nees().mean > 6.0
    assert any("times as large as expected" in note for note in observer.notes)


def test_nees_is_the_square_of_errors_in_units_of_their_covariance() -> None:
    draw = np.random.default_rng(2)
    L = np.array([[2.0, 0.0, 0.0], [0.3, 1e-4, 0.0], [-1.0, 2e-4, 30.0]])
    e = draw.normal(size=(40, 200, 3))
    found = il.observers.nees(e @ L.T, np.broadcast_to(L @ L.T, (40, 200, 3, 3)))
    assert found.values == pytest.approx(np.sum(e**2, axis=2).mean(axis=0))
    assert (found.low, found.high) == pytest.approx(
        (chi2(120).ppf(0.025) / 40, chi2(120).ppf(0.975) / 40)
    )
    assert 0.90 < found.inside < 0.99
    assert il.observers.nees(1.5 * e @ L.T, np.broadcast_to(L @ L.T, (40, 200, 3, 3))).inside < 0.01
    assert "3" in str(found)


def test_the_figure_shows_the_band(tmp_path: object) -> None:
    found = il.observers.nis(np.random.default_rng(1).chisquare(2, size=(20, 50)), 2)
    figure = found.plot(t=np.linspace(0.0, 1.0, 50), file=f"{tmp_path}/nis.png")
    (axes,) = figure.axes
    assert axes.get_xlim()[1] >= 1.0
    assert len(axes.lines) == 2


@pytest.mark.parametrize(
    ("errors", "covariances"),
    [
        (np.zeros((3, 2)), np.zeros((3, 3, 3))),
        (np.zeros((1, 3, 2)), np.zeros((1, 3, 2, 2))),
        (np.zeros((1, 3, 2)), np.ones((1, 3, 2, 2))),  # their difference is known
    ],
)
def test_what_cannot_be_judged_is_refused(errors: np.ndarray, covariances: np.ndarray) -> None:
    with pytest.raises(il.InputError, match=r"do not fit|no variance|are singular"):
        il.observers.nees(errors, covariances)
