"""Random trees, 60 of 200 unless `-m long`: every quantity agrees with Pinocchio."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from comparing import by_aba, by_ltdl, errors, evaluate, everything, random_states
from random_trees import Limb, Tree, random_tree

from inloop.formalisms import Derivation
from inloop.symbolic import interpret

TREES, ALL_TREES = 45, 200
STATES = 2
TOLERANCE = 1e-9


def tree_of(seed: int) -> Tree:
    # the first few as large as promised, the others mostly small
    return random_tree(seed, size=40 if seed < 4 else None)


MORE = [pytest.param(seed, marks=pytest.mark.long) for seed in range(TREES, ALL_TREES)]


@pytest.mark.thinned(12)
@pytest.mark.parametrize("seed", [*range(TREES), *MORE])
def test_random_tree(seed: int) -> None:
    tree = tree_of(seed)
    mechanism = tree.model().build()
    peer = tree.pinocchio()
    names = mechanism.coordinates
    q, qd, x = random_states(seed, len(names), STATES)
    ours = evaluate(Derivation(mechanism), tree.probe_path, q, qd, x)
    theirs = [peer.answers(names, *state) for state in zip(q, qd, x, strict=True)]
    for k, expected in enumerate(theirs):
        found = errors({name: array[k] for name, array in ours.items()}, expected)
        wrong = {name: error for name, error in found.items() if not error <= TOLERANCE}
        assert not wrong, f"{tree.name}, state {k}: {wrong}"
    # the potential is fixed up to a constant: compare its change from one state to the next
    changes = np.diff(ours["E"][:, 1]), np.diff([e["E"][1] for e in theirs])
    scale = max(abs(e["E"][1]) for e in theirs)
    assert np.abs(changes[0] - changes[1]).max() <= TOLERANCE * scale


def test_the_trees_have_everything() -> None:
    """What the generator promises does occur among them."""
    trees = [tree_of(seed) for seed in range(TREES)]
    limbs = [limb for tree in trees for limb in tree.limbs]
    count = len(limbs)

    def share(condition: Callable[[Limb], bool]) -> float:
        return sum(map(condition, limbs)) / count

    def parallel(limb: Limb, tree: Tree) -> bool:
        above = tree.limbs[limb.parent].direction if limb.parent >= 0 else np.zeros(3)
        return abs(above @ limb.R_PJ @ limb.direction) > 1 - 1e-12

    assert max(len(tree.limbs) for tree in trees) == 40
    assert min(len(tree.limbs) for tree in trees) == 1
    assert 0.1 < share(lambda limb: limb.kind == "prismatic") < 0.5
    assert 0.2 < share(lambda limb: isinstance(limb.axis, str)) < 0.8
    assert share(lambda limb: limb.axis in ("-x", "-y", "-z")) > 0.1
    assert share(lambda limb: limb.mass == 0.0) > 0.05
    assert share(lambda limb: limb.mass == 0.0 and limb.armature == 0.0) > 0.01
    assert share(lambda limb: limb.armature > 0.0) > 0.1
    assert share(lambda limb: limb.mass > 0.0 and not limb.com.any()) > 0.1
    assert share(lambda limb: not limb.p_PJ.any()) > 0.02
    assert sum(parallel(limb, tree) for tree in trees for limb in tree.limbs) > 0.2 * count
    assert sum(len({limb.parent for limb in t.limbs}) < len(t.limbs) for t in trees) > TREES / 3


COMPILED = (0, 17, 41, 66, 91, 104, 117)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", COMPILED)
def test_back_ends_agree(seed: int) -> None:
    """Interpreter, C and Python on the same trees; only the plant runs the passes."""
    tree = random_tree(seed, size=3 + seed % 7)
    model = tree.model()
    path = tree.probe_path
    derivation = Derivation(model.build())
    q, qd, x = random_states(seed, derivation.n, 5)
    expected = interpret(
        everything(derivation, path), q=q, qd=qd, qdd=x, tau=x, u=[], t=[0.0], par=[]
    )
    for backend in ("c", "python"):
        plant = model.compile(backend=backend)
        J = plant.jacobian(path, q)
        p, R = plant.pose(path, q)
        found = {
            "M": plant.mass_matrix(q),
            "c": plant.bias(q, qd),
            "tau": plant.inverse_dynamics(q, qd, x),
            "qdd": plant.direct_dynamics(q, qd, x),
            "E": plant.energy(q, qd),
            "Jv": J[:, :3],
            "Jw": J[:, 3:],
            "p": p,
            "R": R,
            **plant.motion(path, q, qd, x),
        }
        for name, values in found.items():
            size = np.abs(expected[name]).max()
            message = f"{backend}: {name}"
            np.testing.assert_allclose(
                values, expected[name], rtol=0, atol=1e-12 * size, err_msg=message
            )


def test_both_ways_to_accelerations_are_different_programs() -> None:
    """Else their agreement above would say nothing."""
    derivation = Derivation(random_tree(4, size=6, style="general").model().build())
    pairs = zip(by_ltdl(derivation), by_aba(derivation), strict=True)
    # bodies that hang alone on the ground are the same in both
    assert sum(a is not b for a, b in pairs) >= 4
    chosen = derivation.program("direct_dynamics")
    assert chosen.formalism in ("crb + rne, sparse LᵀDL", "articulated bodies")
