"""Independent coordinates that nobody has compiled: runs need no compiler to change to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from linkage_pair import linkage_pair
from test_sparse_motion import press, turning_slider_crank

import inloop as il
from inloop import gallery
from inloop.errors import BuildError
from inloop.native import Method, Status, build_library
from inloop.native.running.instance import Instance
from inloop.plant import Formulation
from inloop.simulate.drives import read_drives
from inloop.simulate.inputs import Inputs
from inloop.simulate.systems import Conditions, System, make_system

CASES: dict[str, dict[str, Any]] = {
    "bricard": {"t_end": 1.5, "step": 1.0 / 2048},
    "slider": {"t_end": 0.3125, "step": 2.0**-13, "qd": {"crank": 30.0}},
    "pair": {"t_end": 0.625, "step": 2.0**-13},
}
METHODS = ("rk4", "rodas", "implicit")


def make(name: str) -> il.Plant:
    if name == "bricard":
        return gallery.get("bricard").build().compile()
    return (turning_slider_crank() if name == "slider" else linkage_pair()).compile()


@pytest.fixture(
    scope="module",
    params=["slider", *(pytest.param(k, marks=pytest.mark.long) for k in CASES if k != "slider")],
)
def case(request: pytest.FixtureRequest) -> tuple[str, il.Plant]:
    """A plant that has run for a moment with every method."""
    plant = make(request.param)
    for method in METHODS:
        plant.simulate(t_end=2e-3, step=1e-3, method=method)
    return request.param, plant


@pytest.fixture
def no_compiler(case: tuple[str, il.Plant], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """From here on nothing can be built, not even from the cache."""
    monkeypatch.setenv("INLOOP_CC", "/nowhere/cc")
    with pytest.raises(BuildError):
        build_library({"nothing.c": "int nothing;\n"})
    yield
    with pytest.raises(BuildError):
        build_library({"nothing.c": "int nothing;\n"})


@pytest.fixture(scope="module")
def compiled(case: tuple[str, il.Plant]) -> il.Result:
    """The same run on a plant that has code for all the choices that it meets."""
    name, _ = case
    plant = make(name)
    found = plant.simulate(method="rk4", **CASES[name])
    assert len(found.partitions) > 1
    plant.formulation.compile_partitions(found.partitions)
    assert set(plant.formulation.known) >= set(found.partitions)
    return plant.simulate(method="rk4", **CASES[name])


@pytest.mark.usefixtures("no_compiler")
def test_runs_change_their_coordinates(case: tuple[str, il.Plant], compiled: il.Result) -> None:
    name, plant = case
    result = plant.simulate(method="rk4", **CASES[name])
    assert result.partitions == compiled.partitions
    assert len(plant.formulation.known) == 1
    np.testing.assert_allclose(result.q, compiled.q, rtol=0, atol=1e-9)
    assert result.energy_drift() < 1e-7
    assert result.constraint_violation < 1e-12
    for signal in (s for s in result.signals if ".force." in s):
        size = np.abs(compiled[signal]).max()
        np.testing.assert_allclose(result[signal], compiled[signal], atol=1e-6 * max(size, 1.0))


@pytest.mark.usefixtures("no_compiler")
@pytest.mark.parametrize("method", [pytest.param("rodas", marks=pytest.mark.long), "implicit"])
def test_implicit_methods_take_differences(
    case: tuple[str, il.Plant], compiled: il.Result, method: str
) -> None:
    name, plant = case
    result = plant.simulate(method=method, **CASES[name])
    assert len(result.partitions) > 1
    # a method of order 2 with the same step is worth so much
    bound = 2e-3 if method == "implicit" else 1e-5
    np.testing.assert_allclose(result.q[-1], compiled.q[-1], rtol=0, atol=bound)


@pytest.mark.usefixtures("no_compiler")
def test_steppers_change_their_coordinates(case: tuple[str, il.Plant], compiled: il.Result) -> None:
    name, plant = case
    options = dict(CASES[name])
    t_end, step = options.pop("t_end"), options["step"]
    stepper = plant.stepper(method="rk4", **options)
    start = stepper.snapshot()
    count, rows, middle = round(t_end / step), [], None
    for k in range(count):
        stepper.step()
        if k == 3 * count // 4:
            middle = stepper.snapshot()
        if k % 64 == 0:
            rows.append((k + 1, stepper.look().q[0]))
    end = stepper.look()
    expected = np.array([compiled.q[k] for k, _ in rows])
    # near singular positions a run shortens its steps, a stepper keeps them
    np.testing.assert_allclose([q for _, q in rows], expected, rtol=0, atol=1e-8)
    # snapshots bring the choice back, to the bit
    for snapshot, steps in ((middle, count - 3 * count // 4 - 1), (start, count)):
        assert snapshot is not None
        stepper.restore(snapshot)
        for _ in range(steps):
            stepper.step()
        np.testing.assert_array_equal(stepper.look().q, end.q)
        np.testing.assert_array_equal(stepper.look().qd, end.qd)


@pytest.mark.usefixtures("no_compiler")
def test_functions_of_other_choices_need_no_compiler(case: tuple[str, il.Plant]) -> None:
    """Against the first choice, which is compiled: the motion does not depend on the choice."""
    name, plant = case
    last = plant.simulate(method="rk4", **CASES[name])
    first = plant.formulation
    assert first is not None
    tau = np.random.default_rng(2).normal(size=plant.n)
    q, qd = last.q[len(last.t) // 3], last.qd[len(last.t) // 3]
    expected = first.motion(q, qd, tau)
    for partition in last.partitions[1:]:
        other = first.with_partition(partition)
        assert not other.is_compiled
        found = other.motion(q, qd, tau)
        for kind in ("q", "v", "a"):
            size = np.abs(expected[kind]).max()
            np.testing.assert_allclose(found[kind], expected[kind], atol=1e-8 * size)
        # of rows that depend on each other any may carry the forces; what they do is the same
        J = plant.evaluate("constraints", q=q, qd=qd)["J"]
        forces = J.T @ first.on_all_rows(expected["lam"])
        size = np.abs(forces).max()
        np.testing.assert_allclose(
            J.T @ other.on_all_rows(found["lam"]), forces, atol=1e-7 * max(size, 1.0)
        )
        assert other.cut_forces(found["q"], found["lam"]).keys()
        assert np.all(np.isfinite(other.guard(q)))


def system_of(plant: il.Plant, loops: Formulation | None = None) -> System:
    at = Conditions(np.zeros(plant.n), Inputs(plant.first_inputs), read_drives(plant, {}))
    return make_system(plant, at, Method.RK4, loops, 1e-3)


def test_guards_are_those_of_compiled_code() -> None:
    """The pivots of a choice, by generated code, by NumPy and by the instance."""
    plant = make("pair")
    met = plant.simulate(method="rk4", **CASES["pair"])
    q = met.q[800]
    by_numpy = [plant.formulation.with_partition(p).guard(q) for p in met.partitions[1:]]
    in_c = []
    for partition in met.partitions[1:]:
        system = system_of(plant, plant.formulation.with_partition(partition))
        system.start(0.0, q, met.qd[800], np.zeros(0))
        in_c.append(system.guard)
    plant.formulation.compile_partitions(met.partitions)
    generated = [plant.formulation.with_partition(p).guard(q) for p in met.partitions[1:]]
    np.testing.assert_allclose(by_numpy, generated, rtol=1e-9)
    np.testing.assert_allclose(in_c, generated, rtol=1e-9)


# snapshots


@pytest.mark.parametrize("seed", range(4))
def test_snapshots_that_make_no_sense_are_refused(seed: int) -> None:
    """Roles that are none change nothing; with whatever is taken, steps end with a status."""
    plant, random = press().compile(), np.random.default_rng(seed)
    system = system_of(plant)
    instance: Instance = system.instance
    q, qd = plant.formulation.positions.first.q, np.zeros(plant.n)
    instance.begin(0, system.start(0.0, q, qd, plant.first_states))
    good = instance.snapshot()
    parts = plant.formulation.partition
    count = 2 * len(parts.rows) + len(parts.independent)
    np.testing.assert_array_equal(
        good[-count:], [*parts.dependent, *parts.independent, *parts.rows]
    )
    driven = parts.driven[0]
    for _ in range(200):
        bad, k = good.copy(), len(good) - 1 - int(random.integers(count))
        bad[k] = random.choice([np.nan, np.inf, -1.0, 0.5, 1e300, -0.5, 97.0, driven])
        if bad[k] == driven and k >= len(good) - len(parts.rows):
            continue  # the number of a row
        assert not instance.restore(bad)
        np.testing.assert_array_equal(instance.snapshot(), good)
        twice = good.copy()
        twice[-count] = twice[-count + 1]
        assert not instance.restore(twice)
    free = [*parts.dependent, *parts.independent]
    for _ in range(50):
        # any order of the coordinates and rows is a choice, though most of them are useless
        other = good.copy()
        rows = random.permutation(len(plant.formulation.rows.names))[: len(parts.rows)]
        other[-count:] = [*random.permutation(free), *rows]
        other[len(other) - count - len(parts.rows) - 2] = 1.0  # the free choice
        assert instance.restore(other)
        assert instance.advance() in (
            Status.OK,
            Status.LOOP_OPEN,
            Status.DIVERGED,
            Status.OUT_OF_BOUNDS,
        )
    assert instance.restore(good)
    np.testing.assert_array_equal(instance.snapshot(), good)
    assert instance.advance() == Status.OK


def test_roles_that_make_no_sense_are_refused() -> None:
    plant = press().compile()
    system = system_of(plant)
    with pytest.raises(il.InputError, match="cannot choose its coordinates"):
        system.instance.select_roles(0, np.zeros(20))


def test_a_rehearsal_builds_code_for_what_it_meets() -> None:
    """The Bricard mechanism turns over and over: no choice stays good for all of a turn."""
    m = gallery.get("bricard").build()
    plain, rehearsed = m.compile(), m.compile(rehearse=2.0)
    assert len(plain.formulation.known) == 1 < len(rehearsed.formulation.known)
    with pytest.raises(il.InputError, match="makes no sense"):
        m.compile(rehearse=-1.0)
