"""Rates by reduction at run time: against straight-line code, Eq. 3 as one system, and energy."""

from __future__ import annotations

import ctypes
from itertools import combinations

import numpy as np
import pytest
from test_sparse_motion import ladder, press, turning_slider_crank

import inloop as il
from inloop import gallery
from inloop.formalisms.partition import Partition, choose
from inloop.gallery.four_bar import four_bar
from inloop.native import POINTER, BuildOptions, FixedSteps, Method, Status, load_runtime, run
from inloop.plant import engine
from inloop.plant.engine import NativeEngine
from inloop.plant.loops import Loops
from inloop.simulate.reduction import Motion, ReductionSystem
from inloop.simulate.systems import ClosedSystem

GALLERY = ("four_bar", "slider_crank", "stewart", "car", "flexible_four_bar", "suspension")
Array = np.ndarray


def loops_of(plant: il.Plant) -> Loops:
    assert plant.loops is not None
    return plant.loops


def reduction(plant: il.Plant) -> ReductionSystem:
    return ReductionSystem(plant, loops_of(plant), plant.drive_function({}))


def generated(plant: il.Plant, system: ReductionSystem) -> ClosedSystem:
    """Straight-line code that reads the same efforts and inputs."""
    drives = plant.drive_function({})
    return ClosedSystem(plant, loops_of(plant), system.tau, system.u, drives)


def closed_state(plant: il.Plant, seed: int, spread: float = 0.05) -> tuple[Array, Array]:
    """Near the start, with velocities of the independent coordinates."""
    random, loops = np.random.default_rng(seed), loops_of(plant)
    q, qd = loops.position.q.copy(), np.zeros(plant.n)
    free = list(loops.partition.independent)
    q[free] += spread * random.normal(size=len(free)) * plant.coordinate_sizes[free]
    qd[free] = random.normal(size=len(free)) * plant.coordinate_sizes[free]
    return loops.close(q), qd


def near(found: Array, expected: Array, tolerance: float = 1e-10) -> bool:
    size = max(float(np.abs(expected).max(initial=0.0)), 1e-12)
    return found.shape == expected.shape and np.abs(found - expected).max(initial=0.0) <= (
        tolerance * size
    )


def multipliers(plant: il.Plant, signals: dict[str, Array]) -> Array:
    rows = loops_of(plant).row_names
    return np.array([signals[f"lam.{row}"] for row in rows]).reshape(len(rows), 1).T


def saddle(plant: il.Plant, motion: Motion, tau: Array, t: float = 0.0) -> tuple[Array, Array]:
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


@pytest.mark.parametrize("name", GALLERY)
def test_the_same_motion_as_straight_line_code(name: str) -> None:
    plant = gallery.get(name).make().compile()
    system = reduction(plant)
    system.tau[:] = np.random.default_rng(3).normal(size=plant.n)
    straight, z = generated(plant, system), plant.first_states
    for seed in range(3):
        q, qd = closed_state(plant, seed, 0.05 if name != "flexible_four_bar" else 1e-4)
        x = system.start(q, qd, z)
        np.testing.assert_array_equal(straight.start(0.0, q, qd, z), x)
        np.testing.assert_allclose(system.guard[: len(straight.guard)], straight.guard, rtol=1e-9)
        found, expected = (s.expand(np.zeros(1), x[None]) for s in (system, straight))
        assert np.abs(expected.qdd).max() > 0.01
        for kind in ("q", "qd", "qdd"):
            assert near(getattr(found, kind), getattr(expected, kind)), kind
        assert near(found.lam, multipliers(plant, expected.signals))
        joints = loops_of(plant).driven
        efforts = [expected.signals[f"{joint}.effort"] for joint in joints]
        assert near(found.effort, np.array(efforts).reshape(len(joints), 1).T)


def partitions(plant: il.Plant, q: Array) -> list[Partition]:
    """One for each set of independent coordinates that loops allow at a position."""
    loops, found = loops_of(plant), []
    J, count = loops.closure()(q)[1], len(loops.partition.independent)
    for wish in combinations(range(plant.n), count):
        others = [k for k in range(plant.n) if k not in wish]
        if np.linalg.matrix_rank(J[:, others], tol=1e-3) == len(others):
            found.append(choose(J, wish=wish))
    return found


@pytest.mark.parametrize("bars", [1, 2])
def test_every_choice_of_a_four_bar_gives_one_motion(bars: int) -> None:
    """Planar loops in space: some rows are redundant, and all choices drop the same number."""
    plant = four_bar(bars).compile()
    system = reduction(plant)
    system.tau[:] = np.random.default_rng(4).normal(size=plant.n)
    q, qd = closed_state(plant, 5)
    first = system.expand(np.zeros(1), system.start(q, qd, np.zeros(0))[None])
    qdd, forces = saddle(plant, first, system.tau)
    J = plant.evaluate("constraints", q=first.q[0], qd=first.qd[0])["J"]
    choices = partitions(plant, q)
    assert len(choices) == plant.n and len({c.independent for c in choices}) == plant.n
    for parts in choices:
        system.take(parts)
        assert system.partition == parts
        x = system.start(first.q[0], first.qd[0], np.zeros(0))
        found = system.expand(np.zeros(1), x[None])
        assert near(found.qd, first.qd)
        assert near(found.qdd[0], qdd)
        assert near(J[list(parts.rows)].T @ found.lam[0], forces)
        xd = system.rates(0.0, x)
        assert near(xd[1:2], qdd[list(parts.independent)], 1e-8)
        assert near(xd[2:], first.qd[0][list(parts.dependent)], 1e-8)


def test_laws_with_states_times_inputs_and_a_drive() -> None:
    """Friction pressed by a reaction, a constraint that moves, sines of dependent velocities."""
    plant = press().compile()
    system = reduction(plant)
    system.tau[:], system.u[:] = np.random.default_rng(8).normal(size=plant.n), 3.0
    straight, z, t = generated(plant, system), np.array([12.0]), 0.2
    q, qd = closed_state(plant, 2)
    x = system.start(q, qd, z, guarded=False)
    straight.start(t, q, qd, z, guarded=False)
    found, expected = (s.expand(np.array([t]), x[None]) for s in (system, straight))
    for kind in ("q", "qd", "qdd"):
        assert near(getattr(found, kind), getattr(expected, kind)), kind
    assert near(found.lam, multipliers(plant, expected.signals))
    assert abs(found.effort[0, 0]) > 0.1
    assert near(found.effort[0], expected.signals["flap.effort"])
    rates = ctypes.CFUNCTYPE(ctypes.c_int, POINTER, ctypes.c_double, POINTER, POINTER)
    xd = np.zeros(len(x))
    address = straight.system.context
    assert rates(straight.system.rates)(address, t, x.ctypes.data, xd.ctypes.data) == 0
    assert near(system.rates(t, x), xd)
    assert abs(xd[2]) > 1.0  # the state of the friction, which the reaction moves


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "stewart", "car"])
def test_whole_runs(name: str) -> None:
    plant = gallery.get(name).make().compile()
    system = reduction(plant)
    straight = generated(plant, system)
    q, qd = closed_state(plant, 1)
    z = plant.first_states
    schedule = FixedSteps(Method.RK4, step=1e-3, steps=100)
    x = system.start(q, qd, z)
    straight.start(0.0, q, qd, z)
    found, expected = (run(s.system, x, schedule) for s in (system, straight))
    assert found.status == expected.status == Status.OK
    assert found.steps == 100
    assert np.abs(expected.x[-1] - x).max() > 1e-3
    np.testing.assert_allclose(found.x, expected.x, rtol=0, atol=1e-9 * np.abs(expected.x).max())


def test_choices_change_in_a_run_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slider-crank that turns: its slider is a bad choice where crank and rod are in line."""
    plant = turning_slider_crank().compile()

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a compiler is called")

    monkeypatch.setattr(engine, "build_library", refuse)
    monkeypatch.setattr(plant, "fresh_derivation", refuse)
    system = reduction(plant)
    q, qd = loops_of(plant).position.q, plant.vector(crank=30.0)
    # the velocities that the loops allow, from that of the crank
    J = plant.evaluate("constraints", q=q, qd=qd)["J"]
    qd[1:] = np.linalg.lstsq(J[:, 1:], -J[:, 0] * qd[0], rcond=None)[0]
    start = float(plant.energy(q, qd).sum())
    steps, changes, angles = 0, 0, [q[0]]
    while steps < 6000:
        x = system.start(q, qd, np.zeros(0))
        found = run(system.system, x, FixedSteps(Method.RK4, step=1e-4, steps=6000 - steps))
        steps += found.steps
        last = system.expand(found.t[-1:], found.x[-1:])
        q, qd = last.q[0], last.qd[0]
        angles.append(q[0])
        if found.status == Status.LOOP_OPEN:
            changes += 1
            assert changes < 40 and system.choose(q)
    assert changes >= 1
    assert np.ptp(angles) > 6.5
    assert float(plant.energy(q, qd).sum()) == pytest.approx(start, rel=1e-7)


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
    q = loops_of(plant).position.q
    before = system.partition
    assert not system.choose(np.zeros(plant.n))
    assert not system.choose(np.full(plant.n, np.nan))
    assert system.partition == before
    assert system.choose(q)
    assert len(system.partition.rows) == 2


def test_settles_where_the_loops_are_closed() -> None:
    plant = four_bar(1).compile()
    system = reduction(plant)
    q, qd = closed_state(plant, 7)
    x = system.start(q, qd, np.zeros(0))
    x[2:] += 1e-3  # estimates that are a little off
    address = ctypes.addressof(system.context)
    settle = load_runtime().function("il_reduction_settle", POINTER, ctypes.c_double, POINTER)
    assert settle(address, 0.0, x.ctypes.data) == 0
    settled = (ctypes.c_double * plant.n).from_address(system.context.at_q)
    assert plant.evaluate("constraints", q=list(settled), qd=qd)["h"] == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(list(settled), q, atol=1e-9)


def test_large_mechanisms() -> None:
    """21 dependent and 28 independent coordinates, at a choice that is made in C."""
    plant = ladder(7).compile()
    assert not loops_of(plant).unrolled
    system = reduction(plant)
    q, qd = closed_state(plant, 9, 0.01)
    system.tau[:] = np.random.default_rng(9).normal(size=plant.n)
    first = system.expand(np.zeros(1), system.start(q, qd, np.zeros(0))[None])
    qdd, _ = saddle(plant, first, system.tau)
    assert near(first.qdd[0], qdd, 1e-8)
    before = system.partition
    assert system.choose(first.q[0] + 0.2)
    assert set(system.partition.independent) != set(before.independent)
    other = system.expand(np.zeros(1), system.start(first.q[0], first.qd[0], np.zeros(0))[None])
    assert near(other.qd, first.qd)
    assert near(other.qdd[0], qdd, 1e-8)


def test_terms_compile_without_a_word() -> None:
    unit = press().compile()._engine("closing_terms").unit
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
    """Nothing is written behind the measured bytes, whatever the choice."""
    plant = four_bar(2).compile()
    system = reduction(plant)
    mechanism = ctypes.addressof(system._mechanism)
    runtime = load_runtime()
    size = runtime.function("il_reduction_measure", POINTER, returns=ctypes.c_size_t)(mechanism)
    memory = np.full(size + 4096, 0xA5, dtype=np.uint8)
    begin = -memory.ctypes.data % 64
    place = runtime.function("il_reduction_place", POINTER, POINTER, returns=POINTER)
    system.context.reduction = place(mechanism, memory.ctypes.data + begin)
    q, qd = closed_state(plant, 5)
    assert system.choose(q)
    for parts in partitions(plant, q):
        system.take(parts)
        assert np.isfinite(system.rates(0.0, system.start(q, qd, np.zeros(0)))).all()
    assert (memory[begin + size :] == 0xA5).all()
    assert (memory[:begin] == 0xA5).all()
