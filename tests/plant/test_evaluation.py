"""One state or many, from one thread or several; and what is refused."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from comparing import random_states
from random_trees import random_tree

import inloop as il

ROWS = (1, 3, 255, 256, 257, 1000, 5001)
N = 5


def model() -> il.Model:
    result = random_tree(811, size=N).model()
    k = result.parameter("k", 7.0)
    result.joint_force("b1", lambda q, qd, t: -k * q - 0.3 * qd + il.cos(2 * t))
    return result


@pytest.fixture(scope="module")
def plant() -> il.Plant:
    return model().compile(external_forces=["b4"], backend="c")


@pytest.fixture(scope="module")
def python_plant() -> il.Plant:
    return model().compile(external_forces=["b4"], backend="python")


def functions(plant: il.Plant, q, qd, x, u, t) -> dict[str, np.ndarray]:
    return {
        "tau": plant.inverse_dynamics(q, qd, x, u=u, t=t),
        "qdd": plant.direct_dynamics(q, qd, x, u=u, t=t),
        "M": plant.mass_matrix(q),
        "c": plant.bias(q, qd, u=u, t=t),
        "E": plant.energy(q, qd),
        "J": plant.jacobian("b4", q),
        "acc": plant.acceleration("b4", q, qd, x),
    }


@pytest.mark.thinned(3)
@pytest.mark.parametrize("count", ROWS)
def test_many_rows_equal_single_states(plant: il.Plant, count: int) -> None:
    q, qd, x = random_states(count, N, count)
    u = np.random.default_rng(count).uniform(-2, 2, (count, 6))
    found = functions(plant, q, qd, x, u, 0.4)
    # all of a few, a sample of many; first and last always
    chosen = np.unique(np.linspace(0, count - 1, min(count, 60)).round().astype(int))
    for k in chosen:
        single = functions(plant, q[k], qd[k], x[k], u[k], 0.4)
        for name, expected in single.items():
            assert found[name].shape == (count, *expected.shape)
            size = np.abs(found[name]).max()
            np.testing.assert_allclose(
                found[name][k], expected, rtol=0, atol=1e-12 * size, err_msg=f"{name}, row {k}"
            )


def test_all_rows_of_a_large_batch(plant: il.Plant, python_plant: il.Plant) -> None:
    """Chunks of several threads meet without a gap."""
    q, qd, x = random_states(4, N, 5001)
    found = plant.inverse_dynamics(q, qd, x)
    expected = python_plant.inverse_dynamics(q, qd, x)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("backend", ["c", "python"])
def test_no_rows(plant: il.Plant, python_plant: il.Plant, backend: str) -> None:
    chosen = plant if backend == "c" else python_plant
    empty = np.zeros((0, N))
    assert chosen.inverse_dynamics(empty, empty, empty).shape == (0, N)
    assert chosen.mass_matrix(empty).shape == (0, N, N)


def test_one_row_serves_all(plant: il.Plant) -> None:
    q, qd, x = random_states(5, N, 4)
    found = plant.inverse_dynamics(q[0], qd, x[1], u=np.arange(6.0), t=0.2)
    for k in range(4):
        expected = plant.inverse_dynamics(q[0], qd[k], x[1], u=np.arange(6.0), t=0.2)
        np.testing.assert_allclose(found[k], expected, rtol=1e-13, atol=1e-13)


def test_time_of_each_row(plant: il.Plant) -> None:
    q, qd, _ = random_states(6, N, 3)
    times = np.array([0.1, 0.9, 1.7])
    found = plant.evaluate("bias", q=q, qd=qd, t=times[:, None])["c"]
    for k, t in enumerate(times):
        np.testing.assert_allclose(found[k], plant.bias(q[k], qd[k], t=t), rtol=1e-13, atol=1e-13)
    # the law is the only thing with time in it: +cos(2 t) on the effort of j_b1
    still = plant.evaluate("bias", q=q, qd=qd, t=np.zeros((3, 1)))["c"]
    k = plant.coordinates.index("j_b1")
    np.testing.assert_allclose(still[:, k] - found[:, k], np.cos(2 * times) - 1.0, atol=1e-12)


def test_lists_and_strided_arrays(plant: il.Plant) -> None:
    q, qd, x = random_states(7, N, 6)
    expected = plant.inverse_dynamics(q[::2], qd[::2], x[::2])
    wide = np.hstack([q, qd, x])
    found = plant.inverse_dynamics(wide[::2, :N], wide[::2, N : 2 * N], np.asfortranarray(x)[::2])
    np.testing.assert_array_equal(found, expected)
    rows = [list(row) for row in q[::2]]
    np.testing.assert_array_equal(plant.inverse_dynamics(rows, qd[::2], x[::2]), expected)


def test_arguments_are_not_changed_and_results_are_fresh(plant: il.Plant) -> None:
    q, qd, x = (rows[0] for rows in random_states(8, N, 1))
    copies = q.copy(), qd.copy(), x.copy()
    first = plant.inverse_dynamics(q, qd, x)
    kept = first.copy()
    second = plant.inverse_dynamics(q + 0.1, qd, x)
    np.testing.assert_array_equal(first, kept)
    assert np.abs(second - first).max() > 1e-6
    for array, copy in zip((q, qd, x), copies, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_several_threads() -> None:
    """A fresh plant, so that the threads also meet in the building of lanes and sensors."""
    plant = random_tree(812, size=N).model().compile(backend="c")
    reference = random_tree(812, size=N).model().compile(backend="python")
    states = [random_states(900 + k, N, 300 + k) for k in range(8)]

    def work(state) -> np.ndarray:
        return np.array([plant.inverse_dynamics(*state) for _ in range(5)])

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, states))
    for state, found in zip(states, results, strict=True):
        expected = reference.inverse_dynamics(*state)
        size = np.abs(expected).max()
        for again in found:
            np.testing.assert_allclose(again, expected, rtol=0, atol=1e-12 * size)


WRONG = [
    (
        lambda p, q: p.bias(q[:3], q),
        r"q has shape \(3,\), model 'tree_811' needs 5 entries \(missing: j_b3, j_b4\)",
    ),
    (
        lambda p, q: p.bias(q, np.zeros((4, 6))),
        r"qd has shape \(4, 6\), model 'tree_811' needs 5 entries",
    ),
    (lambda p, q: p.bias(np.zeros((2, 2, 5)), q), r"q has shape \(2, 2, 5\).*\(N, n\)"),
    (
        lambda p, q: p.bias(np.zeros((3, 5)), np.zeros((4, 5))),
        "qd has 4 rows, another argument has 3",
    ),
    (
        lambda p, q: p.bias(q, q, u=[1.0, 2.0]),
        r"u has shape \(2,\).* needs 6 entries \(missing: b4.force.z",
    ),
    (lambda p, q: p.bias(0.3, q), r"q has shape \(\), model 'tree_811' needs 5 entries"),
    (lambda p, q: p.vector(elbow=1.0), "model 'tree_811' has no coordinate 'elbow'.*j_b0"),
]


@pytest.mark.parametrize(("call", "text"), WRONG, ids=range(len(WRONG)))
def test_wrong_shapes(plant: il.Plant, call, text: str) -> None:
    with pytest.raises(il.InputError, match=text):
        call(plant, np.arange(5.0))


def test_vector_by_names(plant: il.Plant) -> None:
    expected = np.zeros(N)
    expected[plant.coordinates.index("j_b3")] = 0.7
    np.testing.assert_array_equal(plant.vector(j_b3=0.7), expected)


@pytest.mark.parametrize(
    ("arrays", "text"),
    [({"q": np.ones(N)}, "qd"), ({"q": np.ones(N), "qd": np.ones(N), "speed": 1.0}, "speed")],
)
def test_evaluate_wants_all_and_only_its_inputs(plant: il.Plant, arrays: dict, text: str) -> None:
    with pytest.raises(il.InputError, match=text):
        plant.evaluate("bias", **arrays)


def test_unknown_function(plant: il.Plant) -> None:
    with pytest.raises(il.InputError, match="biass"):
        plant.evaluate("biass", q=np.ones(N), qd=np.ones(N))


def test_unknown_sensor(plant: il.Plant) -> None:
    with pytest.raises(il.ModelError, match=r"model 'tree_811' has no point 'b9\.tip'"):
        plant.jacobian("b9.tip", np.ones(N))


def test_unknown_back_end_and_body() -> None:
    with pytest.raises(il.InputError, match="backend 'fortran' is unknown"):
        model().compile(backend="fortran")
    with pytest.raises(il.InputError, match="external_forces: no body 'b77' in model 'tree_811'"):
        model().compile(external_forces=["b77"], backend="python")


def test_back_ends_agree_on_friction_and_reactions() -> None:
    """C and Python: rates of bristles, of a filtered reaction, outputs, forces in joints."""
    m = il.Model("rubbing", gravity=(0.3, -0.7, -9.6))
    m.body("arm", on=m.ground, joint=il.revolute((0.3, -0.5, 0.7)), mass=1.1, com=(0.1, 0.02, 0.03),
           inertia=(0.1, 0.12, 0.2))  # fmt: skip
    m.body("bead", on="arm", joint=il.prismatic((0.8, 0.1, -0.3)), mass=0.4, com=(0.01, 0.02, 0.0))
    m.lugre("bead", stiffness=3e3, damping=5.0, coulomb=0.3, static=0.5, exponent=1.5,
            normal="reaction", reaction_start=3.0, name="slide")  # fmt: skip
    m.lugre("arm", stiffness=90.0, damping=0.2, coulomb=0.3, elastic=0.0, name="bearing")
    random = np.random.default_rng(5)
    q, qd, tau = random.normal(size=(3, 7, 2))
    z = random.normal(size=(7, 3)) * [1e-4, 3.0, 3e-3]
    order = [state.name for state in m.build().states]
    z[:, order.index("slide.N")] = 4.0
    found = []
    for backend in ("c", "python"):
        plant = m.compile(backend=backend)
        values = plant.evaluate("direct_dynamics", q=q, qd=qd, tau=tau, z=z)
        values |= plant.law_outputs(q, qd, z) | plant.joint_reactions(q, qd, tau=tau, z=z)
        found.append(values)
    for name, value in found[0].items():
        assert np.all(np.isfinite(value)), name
        scale = 1e-12 * max(1.0, float(np.abs(value).max()))
        np.testing.assert_allclose(value, found[1][name], rtol=0, atol=scale, err_msg=name)
