"""Trees with ball and free joints against Pinocchio: dynamics and their derivatives."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from tumbling_trees import GRAVITY, make_tree, random_position

import inloop as il
from inloop.formalisms import Derivation
from inloop.formalisms.recursions import aba, crb_common
from inloop.symbolic import Program, evaluate


def value(program: Program, **given: np.ndarray) -> list[np.ndarray]:
    known = {
        symbol: number
        for block in program.inputs
        for symbol, number in zip(block.symbols, given[block.name], strict=True)
    }
    return [np.reshape(evaluate(list(o.exprs), known), o.shape) for o in program.outputs]


def compare(seed: int) -> None:
    pair = make_tree(seed)
    mechanism = pair.model.build()
    d, data = Derivation(mechanism), pair.peer.createData()
    rng = np.random.default_rng(1000 + seed)
    q = random_position(mechanism, rng)
    n = len(mechanism.coordinates)
    qd, qdd, tau = rng.normal(size=(3, n))
    to_q = [mechanism.positions.index(name) for name in pair.q_of]
    to_v = [mechanism.coordinates.index(name) for name in pair.v_of]
    at, v, a, effort = q[to_q], qd[to_v], qdd[to_v], tau[to_v]

    def close(ours: np.ndarray, theirs: np.ndarray) -> None:
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9 * np.abs(theirs).max())

    both = np.ix_(to_v, to_v)
    (found,) = value(d.program("inverse_dynamics"), q=q, qd=qd, qdd=qdd)
    close(found[to_v], pin.rnea(pair.peer, data, at, v, a))
    (M,) = value(d.program("mass_matrix"), q=q)
    upper = np.triu(pin.crba(pair.peer, data, at))
    close(M[both], upper + np.triu(upper, 1).T)
    (found,) = value(d.program("direct_dynamics"), q=q, qd=qd, tau=tau)
    expected = pin.aba(pair.peer, data, at, v, effort)
    close(found[to_v], expected)
    known = dict(zip((*d.symbols.q, *d.symbols.qd, *d.symbols.tau), (*q, *qd, *tau), strict=True))
    close(np.array(evaluate(aba.direct_dynamics(d.base, d.symbols.tau), known))[to_v], expected)
    other = crb_common.mass_matrix(d.base).rows(d.graph.zero)
    found = np.array([evaluate(row, known) for row in other])
    close(found, M)
    by_q, by_qd = value(d.program("inverse_dynamics_derivatives"), q=q, qd=qd, qdd=qdd)
    pin.computeRNEADerivatives(pair.peer, data, at, v, a)
    close(by_q[both], data.dtau_dq)
    close(by_qd[both], data.dtau_dv)
    by_q, by_qd, _ = value(d.program("direct_dynamics_derivatives"), q=q, qd=qd, tau=tau)
    pin.computeABADerivatives(pair.peer, data, at, v, effort)
    close(by_q[both], data.ddq_dq)
    close(by_qd[both], data.ddq_dv)
    kinetic, potential = value(d.program("energy"), q=q, qd=qd)[0]
    assert kinetic == pytest.approx(pin.computeKineticEnergy(pair.peer, data, at, v), rel=1e-12)
    assert potential == pytest.approx(
        pin.computePotentialEnergy(pair.peer, data, at), abs=1e-10 * np.linalg.norm(GRAVITY)
    )


@pytest.mark.thinned(6)
@pytest.mark.parametrize("seed", range(12))
def test_random_trees(seed: int) -> None:
    compare(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12, 100))
def test_more_random_trees(seed: int) -> None:
    compare(seed)


@pytest.fixture(scope="module")
def compiled() -> il.Plant:
    return make_tree(5).model.compile()


def test_the_length_of_a_quaternion_and_turns_change_nothing(compiled: il.Plant) -> None:
    rng = np.random.default_rng(3)
    q = random_position(compiled.mechanism, rng)
    qd, tau = rng.normal(size=(2, compiled.n))
    other = q.copy()
    other[compiled.n :] *= -0.37
    other[list(compiled.mechanism.attitudes[0].bodies)] += 2.0
    found = [compiled.direct_dynamics(each, qd, tau) for each in (q, other)]
    np.testing.assert_allclose(*found, rtol=1e-11)


def test_many_states_at_once(compiled: il.Plant) -> None:
    rng = np.random.default_rng(4)
    Q = np.array([random_position(compiled.mechanism, rng) for _ in range(37)])
    QD, TAU = rng.normal(size=(2, 37, compiled.n))
    every = compiled.direct_dynamics(Q, QD, TAU)
    alone = [compiled.direct_dynamics(*state) for state in zip(Q, QD, TAU, strict=True)]
    np.testing.assert_allclose(every, alone, rtol=1e-11)


def test_python_gives_the_same(compiled: il.Plant) -> None:
    rng = np.random.default_rng(5)
    python = make_tree(5).model.compile(backend="python")
    q = random_position(compiled.mechanism, rng)
    qd, tau = rng.normal(size=(2, compiled.n))
    found = [plant.direct_dynamics(q, qd, tau) for plant in (compiled, python)]
    np.testing.assert_allclose(*found, rtol=1e-11)
