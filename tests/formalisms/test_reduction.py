"""Rates by reduction at run time: against straight-line code, Eq. 3 as one system, and energy."""

from __future__ import annotations

import ctypes
from itertools import combinations

import numpy as np
import pytest
from test_sparse_motion import ladder, press

import inloop as il
from inloop import gallery
from inloop.formalisms.loops.partition import Partition, choose
from inloop.gallery.four_bar import four_bar
from inloop.native import (
    COUNT,
    POINTER,
    BuildOptions,
    FixedSteps,
    MachineSnapshot,
    Method,
    Status,
    load_runtime,
    run_machine,
)
from inloop.native.mirror import mirror
from inloop.native.running.instance import Numbers
from inloop.plant import Formulation
from inloop.plant.engine import NativeEngine
from inloop.plant.unit import plant_unit
from inloop.simulate.drives import read_drives
from inloop.simulate.inputs import Inputs
from inloop.simulate.results.samples import Samples
from inloop.simulate.systems import Conditions, System, make_system

GALLERY = ("four_bar", "slider_crank", "stewart", "car", "flexible_four_bar", "suspension")
Array = np.ndarray


def loops_of(plant: il.Plant) -> Formulation:
    return plant.formulation


def generated(plant: il.Plant, tau: Array | None = None, u: Array | None = None) -> System:
    """Straight-line code for the first choice."""
    efforts = np.zeros(plant.n) if tau is None else tau
    inputs = Inputs(plant.first_inputs if u is None else u)
    return make_system(plant, Conditions(efforts, inputs, read_drives(plant, {})))


def reduction(plant: il.Plant, tau: Array | None = None, u: Array | None = None) -> System:
    """The same choice, solved at run time."""
    system = generated(plant, tau, u)
    take(system, loops_of(plant).partition)
    return system


def take(system: System, parts: Partition) -> None:
    """Use a choice without its code."""
    roles = np.array([*parts.dependent, *parts.independent, *parts.rows], dtype=np.float64)
    system.instance.select_roles(0, roles)
    system.follow_choice()
    assert system.formulation.partition == parts


def choose_at(system: System, q: Array) -> bool:
    found = system.instance.choose(0, 0.0, q)
    system.follow_choice()
    return found


def closed_state(plant: il.Plant, seed: int, spread: float = 0.05) -> tuple[Array, Array]:
    """Near the start, with velocities of the independent coordinates."""
    random, loops = np.random.default_rng(seed), loops_of(plant)
    q, qd = loops.positions.first.q.copy(), np.zeros(plant.n)
    free = list(loops.partition.independent)
    q[free] += spread * random.normal(size=len(free)) * plant.coordinate_sizes[free]
    qd[free] = random.normal(size=len(free)) * plant.coordinate_sizes[free]
    return loops.close(q), qd


def near(found: Array, expected: Array, tolerance: float = 1e-10) -> bool:
    size = max(float(np.abs(expected).max(initial=0.0)), 1e-12)
    return found.shape == expected.shape and np.abs(found - expected).max(initial=0.0) <= (
        tolerance * size
    )


def multipliers(system: System, motion: Samples) -> Array:
    rows = [motion.signals[f"lam.{row}"] for row in system.formulation.row_names]
    return np.array(rows).reshape(len(rows), 1).T


def efforts(plant: il.Plant, motion: Samples) -> Array:
    joints = loops_of(plant).driven
    return np.array([motion.signals[f"{j}.effort"] for j in joints]).reshape(len(joints), 1).T


def saddle(plant: il.Plant, motion: Samples, tau: Array, t: float = 0.0) -> tuple[Array, Array]:
    """qdd and J^T lam from Eq. 3 as one system, redundant rows included.

    The mass matrix, the bias and the rows come from functions that know of no choice.
    """
    q, qd = motion.q[0], motion.qd[0]
    rows = plant.evaluate("constraints", q=q, qd=qd, t=t)
    M, c = plant.evaluate("mass_matrix", q=q)["M"], plant.evaluate("bias", q=q, qd=qd, t=t)["c"]
    J, m = rows["J"], len(rows["h"])
    A = np.block([[M, -J.T], [J, np.zeros((m, m))]])
    found = np.linalg.lstsq(A, np.concatenate([tau - c, -rows["gamma"]]), rcond=1e-12)[0]
    return found[: plant.n], J.T @ found[plant.n :]


@pytest.mark.thinned(5)
@pytest.mark.parametrize("name", GALLERY)
def test_the_same_motion_as_straight_line_code(name: str) -> None:
    plant = gallery.get(name).make().compile()
    tau = np.random.default_rng(3).normal(size=plant.n)
    system, straight, z = reduction(plant, tau), generated(plant, tau), plant.first_states
    for seed in range(3):
        q, qd = closed_state(plant, seed, 0.05 if name != "flexible_four_bar" else 1e-4)
        x = system.start(0.0, q, qd, z)
        np.testing.assert_array_equal(straight.start(0.0, q, qd, z), x)
        np.testing.assert_allclose(system.guard, straight.guard, rtol=1e-9)
        found, expected = (s.motion(np.zeros(1), x[None]) for s in (system, straight))
        assert np.abs(expected.qdd).max() > 0.01
        for kind in ("q", "qd", "qdd"):
            assert near(getattr(found, kind), getattr(expected, kind)), kind
        assert near(multipliers(system, found), multipliers(straight, expected))
        assert near(efforts(plant, found), efforts(plant, expected))


def partitions(plant: il.Plant, q: Array) -> list[Partition]:
    """One for each set of independent coordinates that loops allow at a position."""
    loops, found = loops_of(plant), []
    J, count = loops.rows.scaled(q)[1], len(loops.partition.independent)
    for wish in combinations(range(plant.n), count):
        others = [k for k in range(plant.n) if k not in wish]
        if np.linalg.matrix_rank(J[:, others], tol=1e-3) == len(others):
            found.append(choose(J, wish=wish))
    return found


@pytest.mark.parametrize("bars", [1, 2])
def test_every_choice_of_a_four_bar_gives_one_motion(bars: int) -> None:
    """Planar loops in space: some rows are redundant, and all choices drop the same number."""
    plant = four_bar(bars).compile()
    tau = np.random.default_rng(4).normal(size=plant.n)
    system = reduction(plant, tau)
    q, qd = closed_state(plant, 5)
    first = system.motion(np.zeros(1), system.start(0.0, q, qd, np.zeros(0))[None])
    qdd, forces = saddle(plant, first, tau)
    J = plant.evaluate("constraints", q=first.q[0], qd=first.qd[0])["J"]
    choices = partitions(plant, q)
    assert len(choices) == plant.n and len({c.independent for c in choices}) == plant.n
    for parts in choices:
        take(system, parts)
        x = system.start(0.0, first.q[0], first.qd[0], np.zeros(0))
        found = system.motion(np.zeros(1), x[None])
        assert near(found.qd, first.qd)
        assert near(found.qdd[0], qdd)
        assert near(J[list(parts.rows)].T @ multipliers(system, found)[0], forces)
        xd = system.rates(0.0, x)
        assert xd is not None
        assert near(xd[1:2], qdd[list(parts.independent)], 1e-8)
        assert near(xd[2:], first.qd[0][list(parts.dependent)], 1e-8)


def test_laws_with_states_times_inputs_and_a_drive() -> None:
    """Friction pressed by a reaction, a constraint that moves, sines of dependent velocities."""
    plant = press().compile()
    tau, u = np.random.default_rng(8).normal(size=plant.n), np.full(len(plant.inputs), 3.0)
    system, straight = reduction(plant, tau, u), generated(plant, tau, u)
    z, t = np.array([12.0]), 0.2
    q, qd = closed_state(plant, 2)
    x = system.start(t, q, qd, z, guarded=False)
    straight.start(t, q, qd, z, guarded=False)
    found, expected = (s.motion(np.array([t]), x[None]) for s in (system, straight))
    for kind in ("q", "qd", "qdd"):
        assert near(getattr(found, kind), getattr(expected, kind)), kind
    assert near(multipliers(system, found), multipliers(straight, expected))
    assert abs(efforts(plant, found)[0, 0]) > 0.1
    assert near(efforts(plant, found), efforts(plant, expected))
    xd, exact = system.rates(t, x), straight.rates(t, x)
    assert xd is not None and exact is not None
    assert near(xd, exact)
    assert abs(exact[2]) > 1.0  # the state of the friction, which the reaction moves


@pytest.mark.parametrize(
    "name",
    [
        "four_bar",
        "slider_crank",
        *(pytest.param(n, marks=pytest.mark.long) for n in ("stewart", "car")),
    ],
)
def test_whole_runs(name: str) -> None:
    plant = gallery.get(name).make().compile()
    system, straight = reduction(plant), generated(plant)
    q, qd = closed_state(plant, 1)
    z = plant.first_states
    schedule = FixedSteps(Method.RK4, step=1e-3, steps=100)
    x = system.start(0.0, q, qd, z)
    straight.start(0.0, q, qd, z)
    start = MachineSnapshot(0, x)
    found, expected = (run_machine(s.table, start, schedule) for s in (system, straight))
    assert found.status == expected.status == Status.OK
    assert found.steps == 100
    assert np.abs(expected.x[-1] - x).max() > 1e-3
    np.testing.assert_allclose(found.x, expected.x, rtol=0, atol=1e-9 * np.abs(expected.x).max())


def test_a_singular_position_keeps_the_choice() -> None:
    """A parallelogram that lies flat: the rows lose rank, and there is nothing to choose."""
    m = il.Model("flat", gravity=(0, -9.81, 0))
    left = m.body("left", on=m.ground, joint=il.revolute("z", guess=1.1), mass=0.3,
                  com=(0.1, 0, 0), inertia=(1e-3,) * 3)  # fmt: skip
    bar = m.body("bar", on=left.point("tip", (0.2, 0, 0)), joint=il.revolute("z", guess=-1.1),
                 mass=0.4, com=(0.25, 0, 0), inertia=(2e-3,) * 3)  # fmt: skip
    base = m.ground.point("base", (0.5, 0, 0))
    right = m.body("right", on=base, joint=il.revolute("z", guess=1.1), mass=0.3,
                   com=(0.1, 0, 0), inertia=(1e-3,) * 3)  # fmt: skip
    m.close(bar.point("end", (0.5, 0, 0)), right.point("tip", (0.2, 0, 0)), name="pin")
    plant = m.compile()
    system = reduction(plant)
    assert len(loops_of(plant).partition.dropped) == 1
    q, before = loops_of(plant).positions.first.q, loops_of(plant).partition
    assert not choose_at(system, np.zeros(plant.n))
    assert not choose_at(system, np.full(plant.n, np.nan))
    assert system.formulation.partition == before
    x = system.start(0.0, q, np.zeros(plant.n), np.zeros(0))
    expected = generated(plant).motion(np.zeros(1), x[None])
    assert near(system.motion(np.zeros(1), x[None]).qdd, expected.qdd)
    assert choose_at(system, q)
    assert len(system.formulation.partition.rows) == 2


def test_settles_where_the_loops_are_closed() -> None:
    plant = four_bar(1).compile()
    system = reduction(plant)
    q, qd = closed_state(plant, 7)
    x = system.start(0.0, q, qd, np.zeros(0))
    x[2:] += 1e-3  # estimates that are a little off
    part = mirror("il_part").from_address(
        mirror("il_instance").from_address(system.instance.address).parts
    )
    active = mirror("il_active")
    free = active.from_address(part.choices + part.choice * ctypes.sizeof(active))
    settle = load_runtime().function("il_reduction_settle", POINTER, ctypes.c_double, POINTER)
    assert settle(ctypes.addressof(free.context), 0.0, x.ctypes.data) == 0
    settled = (ctypes.c_double * plant.n).from_address(free.context.at_q)
    assert plant.evaluate("constraints", q=list(settled), qd=qd)["h"] == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(list(settled), q, atol=1e-9)


@pytest.mark.long
def test_large_mechanisms() -> None:
    """21 dependent and 28 independent coordinates, at a choice that is made in C."""
    plant = ladder(7).compile()
    assert not loops_of(plant).code.unrolled
    tau = np.random.default_rng(9).normal(size=plant.n)
    system = reduction(plant, tau)
    q, qd = closed_state(plant, 9, 0.01)
    first = system.motion(np.zeros(1), system.start(0.0, q, qd, np.zeros(0))[None])
    qdd, _ = saddle(plant, first, tau)
    assert near(first.qdd[0], qdd, 1e-8)
    before = system.formulation.partition
    assert choose_at(system, first.q[0] + 0.2)
    assert set(system.formulation.partition.independent) != set(before.independent)
    x = system.start(0.0, first.q[0], first.qd[0], np.zeros(0))
    other = system.motion(np.zeros(1), x[None])
    assert near(other.qd, first.qd)
    assert near(other.qdd[0], qdd, 1e-8)


def test_terms_compile_without_a_word() -> None:
    unit = press().compile().equations.engine("closing_terms").unit
    strict = NativeEngine(unit, BuildOptions(strict=True, extra_flags=("-Wconversion",)))
    names = strict.library.exported_symbols()
    assert all(name.startswith("press_closing_terms") for name in names), names


# choosing


def chosen_in_c(J: Array, roles: list[int], rank: int) -> Partition | None:
    rows, n = J.shape
    driven = [k for k in range(n) if roles[k] == 4]
    order, used = np.zeros(n, dtype=np.int32), np.zeros(rows, dtype=np.int32)
    order[n - len(driven) :] = driven
    choice = _Choice(0, 0, len(driven), order.ctypes.data, used.ctypes.data)
    work, table = np.zeros(rows * n + rows + n), np.array(roles, dtype=np.int32)
    types = (ctypes.c_int32, ctypes.c_int32, POINTER, POINTER, ctypes.c_int32, POINTER, POINTER)
    call = load_runtime().function("il_choose", *types)
    J = np.ascontiguousarray(J)
    data = (J.ctypes.data, table.ctypes.data, rank, work.ctypes.data, ctypes.addressof(choice))
    if not call(rows, n, *data):
        return None
    m = choice.m
    numbers = [int(k) for k in order]
    return Partition(
        tuple(numbers[m : n - len(driven)]), tuple(driven), tuple(numbers[:m]),
        tuple(int(k) for k in used[:m]), tuple(int(k) for k in used[m:]),
    )  # fmt: skip


class _Choice(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int32) for name in ("m", "nu", "nd")),
        ("order", ctypes.c_void_p),
        ("rows", ctypes.c_void_p),
    )


@pytest.mark.parametrize("seed", range(12))
def test_choices_have_good_pivots_and_the_right_rank(seed: int) -> None:
    """Sparse Jacobians with redundant rows; also the same as the choice that is made in Python."""
    random = np.random.default_rng(seed)
    rank, extra, n = 5, seed % 3, 9
    J = random.normal(size=(rank, n)) * (random.uniform(size=(rank, n)) < 0.6)
    J[range(rank), range(rank)] = random.uniform(0.5, 1.0, size=rank)
    J = np.vstack([J, random.normal(size=(extra, rank)) @ J])[random.permutation(rank + extra)]
    roles = [0] * n
    roles[7], roles[8], roles[6] = 4, 2, 1
    parts = chosen_in_c(J, roles, rank)
    assert parts is not None
    assert sorted((*parts.independent, *parts.driven, *parts.dependent)) == list(range(n))
    assert sorted((*parts.rows, *parts.dropped)) == list(range(rank + extra))
    assert parts.driven == (7,) and 8 in parts.independent
    block = J[np.ix_(parts.rows, parts.dependent)]
    assert np.linalg.matrix_rank(block) == rank == np.linalg.matrix_rank(J)
    # no row exchange is needed: factors of bounded size
    assert np.linalg.cond(block) < 1e4
    python = choose(J, driven=(7,), small=(8,), prefer=(6,))
    assert set(parts.independent) == set(python.independent)
    assert (parts.rows, parts.dependent) == (python.rows, python.dependent)


def test_a_lost_rank_is_told() -> None:
    J = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0]])
    assert chosen_in_c(J, [0, 0, 0], 2) is None
    assert chosen_in_c(J, [0, 0, 0], 1) is not None
    assert chosen_in_c(J, [4, 4, 0], 1) is None
    J[0, 0] = np.nan
    assert chosen_in_c(J, [0, 0, 0], 1) is None


def test_memory_is_kept_to() -> None:
    """Nothing is written behind the measured bytes of an instance, whatever the choice."""
    plant = four_bar(2).compile()
    table, runtime = plant_unit({plant.name: plant}).address, load_runtime()
    measure = runtime.function("il_instance_size", POINTER, COUNT, returns=ctypes.c_size_t)
    size = measure(table, Method.RK4)
    memory = np.full(size + 4096, 0xA5, dtype=np.uint8)
    begin = -memory.ctypes.data % 64
    types = (POINTER, POINTER, COUNT, ctypes.c_double)
    make = runtime.function("il_initialize", *types, returns=POINTER)
    system = reduction(plant)
    system.instance.address = make(memory.ctypes.data + begin, table, Method.RK4, 1e-3)
    q, qd = closed_state(plant, 5)
    assert choose_at(system, q)
    for parts in partitions(plant, q):
        take(system, parts)
        x = system.start(0.0, q, qd, np.zeros(0))
        assert np.isfinite(system.rates(0.0, x)).all()
        system.instance.begin(0, x)
        assert system.instance.advance() == Status.OK
        assert len(system.instance.numbers(Numbers.STATE)) == len(x)
    assert (memory[begin + size :] == 0xA5).all()
    assert (memory[:begin] == 0xA5).all()
