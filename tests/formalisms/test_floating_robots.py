"""Robots of example-robot-data with a free base agree with Pinocchio's free flyer.

Both have the angular velocity in axes of the root link. The linear velocity is along axes of the
world here and of the link there: v_pin = T qd with T = diag(Rᵀ, 1, 1), tau = Tᵀ tau_pin.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import inloop as il

ROBOTS = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
# a humanoid, a quadruped
FILES = {
    "talos": ROBOTS / "talos_data" / "robots" / "talos_reduced.urdf",
    "anymal": ROBOTS / "anymal_b_simple_description" / "robots" / "anymal.urdf",
}
LINEAR, TURN = slice(0, 3), slice(3, 6)
TOLERANCE = 1e-9


def across(v: np.ndarray) -> np.ndarray:
    """The matrix of v ×."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


@dataclass
class Pair:
    """A robot on both sides, at one state.

    Attributes:
        order: our coordinates in Pinocchio's order.
        q, qd, qdd, tau: ours, in our order.
    """

    plant: il.Plant
    peer: pin.Model
    order: list[int]
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray

    def __post_init__(self) -> None:
        self.data = self.peer.createData()
        root = self.plant.mechanism.attitudes[0].names
        w, x, y, z = (self.q[self.plant.positions.index(name)] for name in root)
        self.R = pin.Quaternion(w, x, y, z).toRotationMatrix()
        self.T = np.eye(self.peer.nv)
        self.T[LINEAR, LINEAR] = self.R.T
        angles = self.q[self.order][6:]
        self.at = np.concatenate([self.q[self.order][LINEAR], [x, y, z, w], angles])
        self.v = self.T @ self.qd[self.order]
        self.u, self.om = self.v[LINEAR], self.v[TURN]
        self.a = self.T @ self.qdd[self.order] + self.drift
        self.effort = self.T @ self.tau[self.order]  # T is orthogonal

    @property
    def drift(self) -> np.ndarray:
        """(dT/dt) qd: what turning does to the linear velocity."""
        found = np.zeros(self.peer.nv)
        found[LINEAR] = -np.cross(self.om, self.u)
        return found

    def mixed(self, linear: np.ndarray, turn: np.ndarray) -> np.ndarray:
        """A matrix whose linear rows depend on linear and turning columns only."""
        found = np.zeros((self.peer.nv, self.peer.nv))
        found[LINEAR, LINEAR], found[LINEAR, TURN] = linear, turn
        return found

    def ours(self, found: np.ndarray) -> np.ndarray:
        """A vector or a matrix of ours in Pinocchio's order."""
        return found[self.order] if found.ndim == 1 else found[np.ix_(self.order, self.order)]


@cache
def plant_of(robot: str, base: str = "free") -> il.Plant:
    return il.load(FILES[robot], base=base, mimic=False).compile()


@pytest.fixture(
    params=[pytest.param(name, marks=[pytest.mark.long] * (name == "talos")) for name in FILES]
)
def pair(request: pytest.FixtureRequest) -> Pair:
    plant = plant_of(request.param)
    peer = pin.buildModelFromUrdf(str(FILES[request.param]), pin.JointModelFreeFlyer())
    root = plant.mechanism.attitudes[0].name
    names = [f"{root}_{each}" for each in ("tx", "ty", "tz", "wx", "wy", "wz")]
    order = [plant.coordinates.index(name) for name in (*names, *list(peer.names)[2:])]
    rng = np.random.default_rng(23)
    q = plant.configuration.normalized(rng.normal(size=plant.nq))
    return Pair(plant, peer, order, q, *rng.normal(size=(3, plant.n)))


def close(ours: np.ndarray, theirs: np.ndarray) -> None:
    assert np.abs(theirs).max() > 1e-3
    np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=TOLERANCE * np.abs(theirs).max())


def test_mass_matrix(pair: Pair) -> None:
    M = np.triu(pin.crba(pair.peer, pair.data, pair.at))
    M += np.triu(M, 1).T
    close(pair.ours(pair.plant.mass_matrix(pair.q)), pair.T.T @ M @ pair.T)


def test_inverse_dynamics(pair: Pair) -> None:
    found = pair.plant.inverse_dynamics(pair.q, pair.qd, pair.qdd)
    expected = pin.rnea(pair.peer, pair.data, pair.at, pair.v, pair.a)
    close(pair.ours(found), pair.T.T @ expected)


def test_direct_dynamics(pair: Pair) -> None:
    found = pair.plant.direct_dynamics(pair.q, pair.qd, pair.tau)
    expected = pin.aba(pair.peer, pair.data, pair.at, pair.v, pair.effort)
    close(pair.ours(found), pair.T.T @ (expected - pair.drift))


def test_derivatives_of_inverse_dynamics(pair: Pair) -> None:
    found = pair.plant.inverse_dynamics_derivatives(pair.q, pair.qd, pair.qdd)
    pin.computeRNEADerivatives(pair.peer, pair.data, pair.at, pair.v, pair.a)
    f_q, f_v, f_a = (np.array(m) for m in (pair.data.dtau_dq, pair.data.dtau_dv, pair.data.M))
    f_a = np.triu(f_a) + np.triu(f_a, 1).T
    u, om, none, T = across(pair.u), across(pair.om), np.zeros((3, 3)), pair.T
    # while the link turns, components in its axes of what is kept in the world change
    kept = across(pair.R.T @ pair.qdd[pair.order][LINEAR])
    inside = f_q @ T + f_v @ pair.mixed(none, u) + f_a @ pair.mixed(none, kept - om @ u)
    force = across(np.array(pair.data.tau)[LINEAR])
    close(pair.ours(found["dtau_dq"]), T.T @ (inside - pair.mixed(none, force)))
    inside = f_v @ T + f_a @ pair.mixed(-om @ pair.R.T, u)
    close(pair.ours(found["dtau_dqd"]), T.T @ inside)


def test_derivatives_of_direct_dynamics(pair: Pair) -> None:
    found = pair.plant.direct_dynamics_derivatives(pair.q, pair.qd, pair.tau)
    pin.computeABADerivatives(pair.peer, pair.data, pair.at, pair.v, pair.effort)
    g_q, g_v, g_tau = (np.array(m) for m in (pair.data.ddq_dq, pair.data.ddq_dv, pair.data.Minv))
    g_tau = np.triu(g_tau) + np.triu(g_tau, 1).T
    u, om, none, T = across(pair.u), across(pair.om), np.zeros((3, 3)), pair.T
    close(pair.ours(found["dqdd_dtau"]), T.T @ g_tau @ T)
    force = across(pair.effort[LINEAR])
    inside = g_q @ T + g_v @ pair.mixed(none, u) + g_tau @ pair.mixed(none, force)
    turned = across(np.array(pair.data.ddq)[LINEAR] + np.cross(pair.om, pair.u))
    close(pair.ours(found["dqdd_dq"]), T.T @ (inside + pair.mixed(none, om @ u - turned)))
    close(pair.ours(found["dqdd_dqd"]), T.T @ (g_v @ T + pair.mixed(om @ pair.R.T, -u)))


@pytest.mark.thinned(6)
@pytest.mark.parametrize("robot", ["anymal", "talos"])
@pytest.mark.parametrize("function", ["inverse_dynamics", "mass_matrix", "direct_dynamics"])
def test_a_quaternion_takes_no_more_operations_than_angles(robot: str, function: str) -> None:
    free, angles = plant_of(robot), plant_of(robot, "angles")
    assert free.operations[function]["total"] <= angles.operations[function]["total"]
