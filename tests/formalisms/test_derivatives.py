"""Derivatives against Pinocchio's analytic ones and against central differences."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from comparing import random_states
from random_trees import Peer, Tree, random_tree

import inloop as il
from inloop.formalisms import Derivation
from inloop.symbolic import interpret

SEEDS = (601, 602, 603, 604, 605)


@pytest.fixture(scope="module", params=SEEDS, ids=lambda seed: f"tree {seed}")
def tree(request: pytest.FixtureRequest) -> Tree:
    return random_tree(request.param, size=4 + request.param % 5, style="mixed")


def their_state(peer: Peer, names, *vectors):
    pick = peer.order(names)
    result = []
    for vector in vectors:
        theirs = np.empty(len(vector))
        theirs[pick] = vector
        result.append(theirs)
    return pick, result


def assert_close(found: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
    size = np.abs(expected).max()
    assert size > 1e-3
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * size)


def test_inverse_dynamics_derivatives(tree: Tree) -> None:
    derivation = Derivation(tree.model().build())
    names = derivation.mechanism.coordinates
    q, qd, qdd = (rows[0] for rows in random_states(51, len(names), 1))
    peer = tree.pinocchio()
    pick, state = their_state(peer, names, q, qd, qdd)
    pin.computeRNEADerivatives(peer.model, peer.data, *state)
    program = derivation.program("inverse_dynamics_derivatives")
    found = interpret(program, q=q, qd=qd, qdd=qdd)
    grid = np.ix_(pick, pick)
    assert_close(found["dtau_dq"], np.array(peer.data.dtau_dq)[grid], 1e-9)
    assert_close(found["dtau_dqd"], np.array(peer.data.dtau_dv)[grid], 1e-9)


def test_direct_dynamics_derivatives(tree: Tree) -> None:
    derivation = Derivation(tree.model().build())
    names = derivation.mechanism.coordinates
    q, qd, tau = (rows[0] for rows in random_states(52, len(names), 1))
    peer = tree.pinocchio()
    pick, state = their_state(peer, names, q, qd, tau)
    pin.computeABADerivatives(peer.model, peer.data, *state)
    program = derivation.program("direct_dynamics_derivatives")
    found = interpret(program, q=q, qd=qd, tau=tau)
    grid = np.ix_(pick, pick)
    Minv = np.triu(np.array(peer.data.Minv))
    Minv = (Minv + np.triu(Minv, 1).T)[grid]
    assert_close(found["dqdd_dq"], np.array(peer.data.ddq_dq)[grid], 1e-9)
    assert_close(found["dqdd_dqd"], np.array(peer.data.ddq_dv)[grid], 1e-9)
    assert_close(found["dqdd_dtau"], Minv, 1e-9)


def plant_with_laws() -> il.Plant:
    """Laws with position, velocity, time and parameters, differentiated with the rest."""
    model = il.Model("lawful", gravity=(0.3, 0.5, -9.7))
    k = model.parameter("k", 23.0)
    d = model.parameter("d", 1.9)
    m = model.parameter("m", 1.3)
    length = model.parameter("length", 0.43)
    angle = model.parameter("angle", 0.37)
    a = model.body(
        "a", on=model.ground, joint=il.revolute((0.1, 0.7, -0.4)), mass=m, com=(0.1, 0.07, -0.2),
        inertia=(0.03, 0.04, 0.035),
    )  # fmt: skip
    tilted = a.frame("tilted", (length, -0.1, 0.2), il.rpy(0.3, angle, -0.2))
    b = model.body(
        "b", on=tilted, joint=il.prismatic("x", armature=0.1), mass=0.8, com=(0.03, 0.09, 0.05),
        inertia=(0.01, 0.012, 0.011),
    )  # fmt: skip
    c = model.body(
        "c", on=b.point("p", (0.2, length * 0.5, 0.1)), joint=il.revolute("z"), mass=0.5,
        com=(0.11, -0.06, 0.08), inertia=(0.004, 0.005, 0.006),
    )  # fmt: skip
    tip = c.point("tip", (0.3, -0.2, 0.15))
    model.line_force(
        tip, model.ground.point("w", (0.6, 0.8, -0.3)), lambda l, ld: k * (l - 0.4) + d * ld
    )
    model.joint_force("b", lambda q, qd, t: -k * q**3 - d * il.tanh(qd) + il.sin(t))
    model.force(tip, lambda p, v: (-0.3 * v[0], 0.2 * p[2] ** 2, -d * v[2]))
    return model.compile(backend="c")


@pytest.fixture(scope="module")
def lawful() -> il.Plant:
    return plant_with_laws()


def central(function, x: np.ndarray, h: float) -> np.ndarray:
    """Columns ∂f/∂x_j, error of order h⁴."""
    columns = []
    for e in np.eye(len(x)):
        f = [function(x + s * h * e) for s in (-2, -1, 1, 2)]
        columns.append((f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h))
    return np.stack(columns, axis=-1)


def test_derivatives_with_laws_against_differences(lawful: il.Plant) -> None:
    q, qd, x = (0.4 * rows[0] for rows in random_states(53, lawful.n, 1))
    t = 0.7
    found = lawful.inverse_dynamics_derivatives(q, qd, x, t=t)
    by_q = central(lambda q: lawful.inverse_dynamics(q, qd, x, t=t), q, 1e-3)
    by_qd = central(lambda qd: lawful.inverse_dynamics(q, qd, x, t=t), qd, 1e-3)
    assert_close(found["dtau_dq"], by_q, 1e-8)
    assert_close(found["dtau_dqd"], by_qd, 1e-8)
    assert_close(found["dtau_dqdd"], lawful.mass_matrix(q), 1e-13)
    found = lawful.direct_dynamics_derivatives(q, qd, x, t=t)
    assert_close(
        found["dqdd_dq"], central(lambda q: lawful.direct_dynamics(q, qd, x, t=t), q, 1e-3), 1e-7
    )
    assert_close(
        found["dqdd_dqd"], central(lambda qd: lawful.direct_dynamics(q, qd, x, t=t), qd, 1e-3), 1e-7
    )
    assert_close(found["dqdd_dtau"], np.linalg.inv(lawful.mass_matrix(q)), 1e-11)


def test_parameter_derivatives_against_differences(lawful: il.Plant) -> None:
    names = ["k", "d", "m", "length", "angle"]
    q, qd, x = (0.4 * rows[0] for rows in random_states(54, lawful.n, 1))
    default = np.array([lawful.parameters[name] for name in names])
    found = lawful.parameter_derivatives(names, q, qd, qdd=x, tau=x)

    def at(values: np.ndarray, function):
        lawful.parameters.update(zip(names, values, strict=True))
        return function()

    tau = central(lambda p: at(p, lambda: lawful.inverse_dynamics(q, qd, x)), default, 1e-3)
    qdd = central(lambda p: at(p, lambda: lawful.direct_dynamics(q, qd, x)), default, 1e-3)
    lawful.parameters.reset()
    assert found["dtau_dp"].shape == (lawful.n, len(names))
    for k in range(len(names)):
        assert_close(found["dtau_dp"][:, k], tau[:, k], 1e-7)
        assert_close(found["dqdd_dp"][:, k], qdd[:, k], 1e-7)


def test_unknown_parameter_in_derivatives(lawful: il.Plant) -> None:
    zeros = np.zeros(lawful.n)
    with pytest.raises(il.InputError, match=r"no live parameter 'lenght'.*Did you mean length"):
        lawful.parameter_derivatives(["lenght"], zeros, zeros, qdd=zeros, tau=zeros)
