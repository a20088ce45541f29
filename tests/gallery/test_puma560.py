"""The PUMA 560 against the Robotics Toolbox and an independent computation from its table."""

from __future__ import annotations

import numpy as np
import pytest
from exhibit_plants import plant_of

import inloop as il
from inloop import gallery
from inloop.gallery.puma560.model import DH_TABLE, SLIP

REST = np.zeros(6)
GRAVITY = {
    "q_n": (0.0, 31.6398803784, 6.0351380230, 0.0, 0.0282528, 0.0),
    "q_z": (0.0, 37.48366665, 0.24892875, 0.0, 0.0, 0.0),
    "q_r": (0.0, -0.77523525, 0.24892875, 0.0, 0.0, 0.0),
}
# fmt: off
UPPER = {
    (1, 1): 3.6593754122, (1, 2): -0.4043612460, (1, 3): 0.1006136478, (1, 4): -0.0025169558,
    (2, 2): 4.4137419336, (2, 3): 0.3508906650, (2, 5): 0.0023595131,
    (3, 3): 0.9378415752, (3, 5): 0.0014801664, (4, 4): 0.1925317061, (4, 6): 2.82843e-5,
    (5, 5): 0.1713484517, (6, 6): 0.1941045057,
}
# fmt: on


@pytest.fixture(scope="module")
def plant() -> il.Plant:
    return plant_of("puma560")


@pytest.fixture
def poses() -> dict[str, tuple[float, ...]]:
    return dict(gallery.get("puma560").poses)


@pytest.mark.parametrize("pose", GRAVITY)
def test_gravity_torques(plant: il.Plant, poses: dict, pose: str) -> None:
    found = plant.inverse_dynamics(poses[pose], REST, REST)
    assert found == pytest.approx(GRAVITY[pose], abs=1e-9)


def test_mass_matrix_in_the_nominal_pose(plant: il.Plant, poses: dict) -> None:
    expected = np.zeros((6, 6))
    for (i, j), value in UPPER.items():
        expected[i - 1, j - 1] = expected[j - 1, i - 1] = value
    assert plant.mass_matrix(poses["q_n"]) == pytest.approx(expected, abs=1e-9)


def denavit_hartenberg(q: np.ndarray) -> list[np.ndarray]:
    """Poses of the frames 0 .. 6 by the textbook: Rz(q) Tz(d) Tx(a) Rx(α), 4x4 each."""
    X = [np.eye(4)]
    for row, angle in zip(DH_TABLE, q, strict=True):
        c, s, ca, sa = np.cos(angle), np.sin(angle), np.cos(row.alpha), np.sin(row.alpha)
        step = [
            [c, -s * ca, s * sa, row.a * c],
            [s, c * ca, -c * sa, row.a * s],
            [0.0, sa, ca, row.d],
            [0.0, 0.0, 0.0, 1.0],
        ]
        X.append(X[-1] @ step)
    return X


def textbook_mass_matrix(q: np.ndarray) -> np.ndarray:
    """M = Σ m JvᵀJv + JwᵀIJw + G²Jm straight from the table."""
    X = denavit_hartenberg(q)
    M = np.diag([row.rotor * row.gear**2 for row in DH_TABLE])
    for k, row in enumerate(DH_TABLE):
        R, p = X[k + 1][:3, :3], (X[k + 1] @ [*row.com, 1.0])[:3]
        Jv, Jw = np.zeros((3, 6)), np.zeros((3, 6))
        for j in range(k + 1):
            axis = X[j][:3, 2]
            Jv[:, j], Jw[:, j] = np.cross(axis, p - X[j][:3, 3]), axis
        M += row.mass * Jv.T @ Jv + Jw.T @ R @ np.diag(row.inertia) @ R.T @ Jw
    return M


@pytest.mark.parametrize("seed", range(5))
def test_mass_matrix_anywhere(plant: il.Plant, seed: int) -> None:
    q = np.random.default_rng(seed).uniform(-3.0, 3.0, 6)
    assert plant.mass_matrix(q) == pytest.approx(textbook_mass_matrix(q), abs=1e-12)


def test_the_end_of_a_link_is_its_dh_frame(plant: il.Plant) -> None:
    q = np.random.default_rng(9).uniform(-3.0, 3.0, 6)
    for number, X in enumerate(denavit_hartenberg(q)[1:], start=1):
        if number in (3, 6):
            p, R = plant.pose(f"link_{number}.end", q)
            assert p == pytest.approx(X[:3, 3], abs=1e-14)
            assert pytest.approx(X[:3, :3], abs=1e-14) == R


def test_friction_is_off_unless_asked_for(plant: il.Plant) -> None:
    q, qd = np.random.default_rng(1).normal(size=(2, 6))
    rough = gallery.get("puma560").build(friction=True).compile()
    for sign in (1.0, -1.0):
        speed = sign * (0.3 + np.abs(qd))
        lost = rough.bias(q, speed) - plant.bias(q, speed)
        expected = [
            row.gear**2 * row.viscous * v + abs(row.gear) * row.coulomb[0 if v > 0 else 1]
            for row, v in zip(DH_TABLE, speed, strict=True)
        ]
        # far from standstill the smoothed sign is the sign
        assert np.all(np.abs(speed) > 20 * SLIP)
        assert lost == pytest.approx(expected, rel=1e-12)


def test_friction_takes_energy_away() -> None:
    rough = gallery.get("puma560").build(friction=True).compile()
    total = rough.simulate(t_end=0.5, step=5e-4)["energy.total"]
    assert total[-1] < total[0] - 1.0
    assert np.all(np.diff(total) < 1e-9)


def test_a_payload_hangs_at_the_flange(plant: il.Plant) -> None:
    q = np.random.default_rng(4).uniform(-1.0, 1.0, 6)
    J = plant.jacobian("link_6.flange", q)[:3]
    empty, M = plant.bias(q, REST), plant.mass_matrix(q)
    plant.parameters["payload"] = 1.7
    try:
        assert plant.bias(q, REST) - empty == pytest.approx(J.T @ [0, 0, 1.7 * 9.81], abs=1e-11)
        assert plant.mass_matrix(q) - M == pytest.approx(1.7 * J.T @ J, abs=1e-12)
    finally:
        plant.parameters.reset()


def test_operation_counts_stay_below_the_published_ones(plant: il.Plant) -> None:
    # published for base parameters and diagonal inertia, 214 mul and 170 add
    count = plant.operations["inverse_dynamics"]
    assert count["mul"] <= 214 and count["add"] <= 170
