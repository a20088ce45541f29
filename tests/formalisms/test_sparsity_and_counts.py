"""Zeros where the tree has them, and as few operations as promised."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from comparing import random_states
from random_trees import random_tree

import inloop as il
from inloop.formalisms import Derivation
from inloop.plant.passes import run_passes
from inloop.symbolic import Program, interpret

OPERATIONS = ("mul", "add", "div", "sincos", "function")


@pytest.mark.thinned(3)
@pytest.mark.parametrize("seed", range(500, 506))
def test_mass_matrix_is_zero_outside_ancestor_pairs(seed: int) -> None:
    tree = random_tree(seed, size=14)
    derivation = Derivation(tree.model().build())
    program = derivation.program("mass_matrix")
    entries = program.outputs[0].exprs
    M = interpret(program, q=random_states(seed, 14, 1)[0])["M"][0]
    zeros = 0
    for i in range(14):
        for j in range(i):
            if j not in tree.ancestors(i):
                assert entries[14 * i + j] is derivation.graph.zero
                assert entries[14 * j + i] is derivation.graph.zero
                assert M[i, j] == 0.0 == M[j, i]
                zeros += 1
    assert zeros == 91 - sum(len(tree.ancestors(k)) for k in range(14))


def test_some_of_those_trees_have_branches() -> None:
    trees = [random_tree(seed, size=14) for seed in range(500, 506)]
    assert any(sum(len(t.ancestors(k)) for k in range(14)) < 91 for t in trees)


def step_operations(
    model: il.Model, names: tuple[str, ...], **options: object
) -> dict[str, dict[str, int]]:
    """What the functions do in each step, after all passes."""
    derivation = Derivation(model.build(), **options)
    programs = [derivation.program(name) for name in names]
    _, done, _ = run_passes(programs, derivation.parameters)
    return {program.name: program.operations() for program in done}


def pendulum(links: int) -> il.Model:
    """Point-like masses on rods in the plane of x and z."""
    model = il.Model("pendulum", gravity=(0.0, 0.0, -9.81))
    on = model.ground.origin
    for k in range(links):
        body = model.body(
            f"rod{k}",
            on=on,
            joint=il.revolute("y"),
            mass=1.3 - 0.2 * k,
            com=(0.0, 0.0, -0.31 - 0.05 * k),
            inertia=(0.02, 0.03 + 0.01 * k, 0.04),
        )
        on = body.point("end", (0.0, 0.0, -0.7))
    return model


def test_simple_pendulum_by_hand() -> None:
    # tau = J qdd + k sin q; qdd = (tau - k sin q) / J with 1/J known: 2 products, 1 sum, 1 sine
    names = ("inverse_dynamics", "direct_dynamics", "bias", "mass_matrix")
    found = step_operations(pendulum(1), names)
    assert found["inverse_dynamics"]["total"] <= 4
    assert found["direct_dynamics"]["total"] <= 4
    assert found["bias"]["total"] <= 2
    assert found["mass_matrix"]["total"] == 0


def test_double_pendulum_by_hand() -> None:
    # with s = q1 + q2, C and S of q2, and four constants a, b, d, e:
    # M22 = a, M21 = a + b C, M11 = d + 2 b C: 1 cosine, 1 product, 2 sums (b C counted once), and
    # one sum more to double it
    found = step_operations(pendulum(2), ("mass_matrix", "bias", "inverse_dynamics"))
    M = found["mass_matrix"]
    assert M["sincos"] == 1
    assert M["total"] <= 5
    # c2 = b S qd1² + e sin(s); c1 = -b S qd2 (2 qd1 + qd2) + e sin(s) + f sin(q1): three angles.
    # by hand: b S 1; qd1² and its product 2; 2 qd1 + qd2 2; two products, e sin(s) 1, f sin(q1) 1,
    # s 1, three sums, 3 sines: 16. The recursion knows less and may take half as much again
    assert found["bias"]["sincos"] <= 3
    assert found["bias"]["total"] <= 24


def test_walkman_counts(walkman: Path) -> None:
    options = {"live": "all", "external_forces": "all"}
    model = il.load(walkman)
    names = ("inverse_dynamics", "mass_matrix_and_bias")
    found = step_operations(model, names, **options)
    assert len(model.build().coordinates) == 55
    assert found["inverse_dynamics"]["total"] <= 5_700
    assert found["mass_matrix_and_bias"]["total"] <= 12_500


def test_walkman_is_fully_live(walkman: Path) -> None:
    """Every number and every input takes part: else a low count means little."""
    mechanism = il.load(walkman).build()
    derivation = Derivation(mechanism, live="all", external_forces="all")
    program = derivation.program("inverse_dynamics")
    used = set(derivation.graph.symbols_of(program.exprs))
    heavy = [body for body in mechanism.bodies if body.mass != 0.0]
    assert len(heavy) >= 35
    wrenches = 6 * (len(heavy) + len(mechanism.external_forces))
    assert len(derivation.loads.input_names) == wrenches
    # what its driven joints follow comes after and takes no part here
    assert len(derivation.input_names) == wrenches + 3 * len(mechanism.drives)
    parameters = {p.name for p in derivation.symbols.parameters}
    for body in heavy:
        assert f"{body.name}.mass" in parameters
    # of the inertias near the ground a few numbers cannot be felt, the rest is used; points that
    # carry sensors only are not
    inertial = [
        s for s in derivation.symbols.symbols if re.search(r"\.(mass$|com\.|inertia\.)", s.name)
    ]
    assert len(inertial) >= 7 * len(heavy)
    assert len([s for s in inertial if s in used]) >= 0.95 * len(inertial)
    inputs = [s for s in derivation.loads.inputs if s in used]
    assert len(inputs) >= 0.95 * len(derivation.loads.inputs)


def test_operation_counts_are_counted_from_the_program() -> None:
    derivation = Derivation(random_tree(510, size=6).model().build())
    program: Program = derivation.program("inverse_dynamics")
    counts = program.operations()
    assert counts["total"] == sum(counts[kind] for kind in OPERATIONS) > 100
    # independent count: every node with arguments once, sine and cosine of one angle once
    nodes, stack = set(), list(program.exprs)
    while stack:
        node = stack.pop()
        if node not in nodes:
            nodes.add(node)
            stack += node.args
    angles = {node.args[0] for node in nodes if node.op in ("sin", "cos")}
    others = [node for node in nodes if node.args and node.op not in ("sin", "cos")]
    assert counts["total"] == len(others) + len(angles)
    assert np.isclose(counts["sincos"], len(angles))
