"""Identities that hold for every mechanism, whatever the formalism."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from comparing import errors, evaluate, random_states
from random_trees import Tree, random_tree, turned_tree

from inloop.formalisms import Derivation
from inloop.formalisms.recursions import aba, crb, rne
from inloop.symbolic import Input, Output, Program, interpret

SEEDS, MORE = (3, 21), (38, 55, 72, 90)


@pytest.fixture(
    params=[*SEEDS, *(pytest.param(seed, marks=pytest.mark.long) for seed in MORE)],
    ids=lambda seed: f"tree {seed}",
)
def tree(request: pytest.FixtureRequest) -> Tree:
    return random_tree(request.param, size=9)


def run(derivation: Derivation, name: str, **inputs: np.ndarray) -> np.ndarray:
    found = interpret(derivation.program(name), **inputs)
    assert len(found) == 1
    return next(iter(found.values()))


def test_columns_of_mass_matrix_by_inverse_dynamics(tree: Tree) -> None:
    derivation = Derivation(tree.model().build())
    n = derivation.n
    q, qd = (rows[0] for rows in random_states(1, n, 1)[:2])
    rows = np.vstack([np.eye(n), np.zeros(n)])
    # M e_j = tau(q, qd, e_j) - tau(q, qd, 0)
    tau = run(derivation, "inverse_dynamics", q=q, qd=qd, qdd=rows)
    columns = (tau[:n] - tau[n]).T
    M = run(derivation, "mass_matrix", q=q)
    assert np.abs(columns - M).max() <= 1e-12 * np.abs(tau).max()
    assert np.abs(tau[n] - run(derivation, "bias", q=q, qd=qd)).max() <= 1e-12 * np.abs(tau).max()


def test_mass_matrix_is_symmetric_and_positive_definite(tree: Tree) -> None:
    derivation = Derivation(tree.model().build())
    q = random_states(2, derivation.n, 5)[0]
    for M in run(derivation, "mass_matrix", q=q):
        assert np.array_equal(M, M.T)
        root = np.sqrt(np.diag(M))
        assert np.linalg.eigvalsh(M / np.outer(root, root)).min() > 0.0


def test_efforts_are_linear_in_accelerations(tree: Tree) -> None:
    derivation = Derivation(tree.model().build())
    q, qd, x = random_states(3, derivation.n, 2)
    a, b = 1.7, -0.6
    rows = np.array([x[0], x[1], a * x[0] + b * x[1], 0.0 * x[0]])
    first, second, mixed, none = run(derivation, "inverse_dynamics", q=q[0], qd=qd[0], qdd=rows)
    expected = a * (first - none) + b * (second - none) + none
    np.testing.assert_allclose(mixed, expected, rtol=0, atol=1e-12 * np.abs(rows).max() * 1e2)


def test_direct_dynamics_inverts_inverse_dynamics(tree: Tree) -> None:
    derivation = Derivation(tree.model().build())
    q, qd, qdd = random_states(4, derivation.n, 3)
    tau = run(derivation, "inverse_dynamics", q=q, qd=qd, qdd=qdd)
    again = run(derivation, "direct_dynamics", q=q, qd=qd, tau=tau)
    np.testing.assert_allclose(again, qdd, rtol=0, atol=1e-10 * np.abs(qdd).max())


def test_power_of_efforts_is_the_rate_of_energy(tree: Tree) -> None:
    derivation = Derivation(tree.model().build())
    q, qd, tau = (rows[0] for rows in random_states(5, derivation.n, 1))
    qdd = run(derivation, "direct_dynamics", q=q, qd=qd, tau=tau)

    def total(dt: float) -> float:
        return run(derivation, "energy", q=q + dt * qd, qd=qd + dt * qdd).sum()

    h = 1e-3
    # central differences with the error of order h⁴
    rate = (8 * (total(h / 2) - total(-h / 2)) - (total(h) - total(-h))) / (6 * h)
    assert abs(qd @ tau) > 1.0
    assert abs(rate - qd @ tau) <= 1e-5 * (np.abs(qd) @ np.abs(tau))


def test_regrouping_changes_nothing(tree: Tree) -> None:
    derivation = Derivation(tree.model().build())
    symbols = derivation.symbols
    assert any(
        bare.inertia != link.inertia
        for bare, link in zip(derivation.base.links, derivation.skeleton.links, strict=True)
    )
    outputs = []
    for name, skeleton in (("given", derivation.skeleton), ("base", derivation.base)):
        tau = rne.inverse_dynamics(skeleton, symbols.qdd)
        M = crb.mass_matrix(skeleton).rows(derivation.graph.zero)
        outputs.append(Output.vector(f"tau_{name}", tau))
        outputs.append(Output.matrix(f"M_{name}", M))
        outputs.append(Output.vector(f"qdd_{name}", aba.direct_dynamics(skeleton, symbols.tau)))
    inputs = tuple(Input(k, tuple(getattr(symbols, k))) for k in ("q", "qd", "qdd", "tau"))
    q, qd, x = random_states(6, derivation.n, 3)
    found = interpret(Program("both", inputs, tuple(outputs)), q=q, qd=qd, qdd=x, tau=x)
    for name in ("tau", "M", "qdd"):
        given, base = found[f"{name}_given"], found[f"{name}_base"]
        np.testing.assert_allclose(base, given, rtol=0, atol=1e-11 * np.abs(given).max())


def test_equivalent_description_gives_the_same_results(tree: Tree) -> None:
    """Every body frame turned at will and slid along its axis: the same mechanism."""
    n = len(tree.limbs)
    q, qd, x = random_states(7, n, 2)
    other = turned_tree(tree, seed=8)
    assert not np.allclose(other.limbs[0].R_PJ, tree.limbs[0].R_PJ)
    first = evaluate(Derivation(tree.model().build()), tree.probe_path, q, qd, x)
    second = evaluate(Derivation(other.model().build()), other.probe_path, q, qd, x)
    for k in range(len(q)):
        one = {name: array[k] for name, array in first.items()}
        two = {name: array[k] for name, array in second.items()}
        found = errors(two, one)
        assert max(found.values()) <= 1e-9, found
    np.testing.assert_allclose(second["E"], first["E"], rtol=1e-10)


def test_reversed_axes_reverse_coordinates(tree: Tree) -> None:
    """A joint about -a with -q, -qd, -qdd needs -tau."""
    n = len(tree.limbs)
    sign = np.random.default_rng(9).choice([-1.0, 1.0], n)
    sign[0] = -1.0
    limbs = [
        limb if s > 0 else replace(limb, axis=tuple(-limb.direction))
        for limb, s in zip(tree.limbs, sign, strict=True)
    ]
    other = replace(tree, limbs=tuple(limbs))
    q, qd, x = random_states(10, n, 2)
    first = evaluate(Derivation(tree.model().build()), tree.probe_path, q, qd, x)
    flipped = (sign * q, sign * qd, sign * x)
    again = evaluate(Derivation(other.model().build()), tree.probe_path, *flipped)
    for name in ("tau", "c", "qdd", "qdd_aba", "qdd_ltdl"):
        size = np.abs(first[name]).max()
        np.testing.assert_allclose(again[name], sign * first[name], rtol=0, atol=1e-10 * size)
    for name in ("p", "R", "v", "om", "acc", "omd", "E"):
        size = np.abs(first[name]).max()
        np.testing.assert_allclose(again[name], first[name], rtol=0, atol=1e-11 * size)
