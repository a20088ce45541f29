"""The sparse solution of large mechanisms: against Pinocchio and against the unrolled one.

Small mechanisms of every kind are forced onto it, so that each term is met.
"""

from __future__ import annotations

import numpy as np
import pytest
from test_closed_gallery import build, check, numbers
from test_closed_linkages import Peer, near, random_linkage, solve, state_of

import inloop as il
from inloop.gallery.four_bar import four_bar
from inloop.native import BuildOptions
from inloop.plant.engine import NativeEngine
from inloop.plant.formulation import partition_code

ALWAYS, NEVER = 10**9, 0  # operations up to which the solution is unrolled
LINKAGES = (0, 1, 3, 6, 7, 9)  # with drives and without, all kinds of cuts


def compiled(model: il.Model, limit: int, monkeypatch: pytest.MonkeyPatch) -> il.Plant:
    """With the solution unrolled or not."""
    monkeypatch.setattr(partition_code, "UNROLLED_UP_TO", limit)
    plant = model.compile()
    assert plant.formulation.code.unrolled == (limit == ALWAYS)
    return plant


def same(found: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert near(found[name], value, 1e-10), name


@pytest.mark.thinned(6)
@pytest.mark.parametrize("seed", LINKAGES)
def test_random_linkages(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    linkage = random_linkage(seed)
    plant = compiled(linkage.model(), NEVER, monkeypatch)
    state = state_of(linkage, plant, seed)
    peer = Peer(linkage)
    M, c = peer.equations(state.q, state.qd)
    rows = peer.rows(state.q, state.qd)
    driven = sorted(linkage.drives)
    J = np.vstack([*(J for _, J, _ in rows), np.eye(len(M))[driven]])
    rise = np.array([linkage.drives[k][1] for k in driven])
    gamma = np.concatenate([*(g for _, _, g in rows), -rise])
    qdd, lam = solve(M, c, J, gamma, state.tau)
    assert near(state.found["a"], qdd)
    assert near(state.found["effort"], lam[len(lam) - len(driven) :])
    # Python code is always unrolled
    other = linkage.model().compile(backend="python")
    same(state.found, state_of(linkage, other, seed).found)


@pytest.mark.parametrize(
    "name", ["andrews", "suspension", pytest.param("car", marks=pytest.mark.long)]
)
def test_gallery(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Force laws, redundant rows and driven joints; compared inside with Pinocchio."""
    check(name, compiled(build(name), NEVER, monkeypatch), 2)


def ladder(cells: int) -> il.Model:
    """Rungs in space between pairs of ropes; no two cells alike."""
    m = il.Model("ladder", gravity=(0.3, -0.2, -9.7))
    seats = [m.ground.point("left", (-0.2, 0.0, 0.0)), m.ground.point("right", (0.2, 0.1, 0.0))]
    for k in range(1, cells + 1):
        ends = []
        for side, seat in zip(("left", "right"), seats, strict=True):
            joint = il.revolute("x", guess=0.1 + 0.03 * k)
            swing = m.body(f"{side}_{k}_x", on=seat, joint=joint, mass=0.05, inertia=(1e-3,) * 3)
            rope = m.body(
                f"{side}_{k}", on=swing, joint=il.revolute("y", guess=0.05), mass=0.2,
                com=(0.0, 0.01, -0.15), inertia=(2e-3, 3e-3, 1e-3),
            )  # fmt: skip
            ends.append(rope.point("end", (0.0, 0.0, -0.3 - 0.01 * k)))
        seat = ends[0]
        for axis in "xy":
            seat = m.body(
                f"rung_{k}_{axis}", on=seat, joint=il.revolute(axis), mass=0.05,
                inertia=(1e-3, 2e-3, 1e-3),
            )  # fmt: skip
        rung = m.body(
            f"rung_{k}", on=seat, joint=il.revolute("z"), mass=0.4 + 0.05 * k,
            com=(0.2, 0.01, 0.0), inertia=(1e-3, 6e-3, 7e-3),
        )  # fmt: skip
        m.close(rung.point("tip", (0.4, 0.05, 0.0)), ends[1], name=f"loop_{k}")
        seats = [rung.point("left", (0.02, 0.0, 0.0)), rung.point("right", (0.38, 0.0, 0.0))]
    return m


def kkt(plant: il.Plant, found: dict[str, np.ndarray], tau: np.ndarray) -> None:
    """Accelerations and what the loops do to the joints, by Pinocchio and Eq. 3."""
    loops = plant.formulation
    peer = Peer(numbers(plant.mechanism))
    q, qd = found["q"], found["v"]
    M, c = peer.equations(q, qd)
    rows = peer.rows(q, qd)
    assert max(np.abs(h).max() for h, _, _ in rows) < 1e-12
    J, gamma = np.vstack([r[1] for r in rows]), np.concatenate([r[2] for r in rows])
    s = 1.0 / np.sqrt(np.diag(M))
    y, lam = solve(M * np.outer(s, s), c * s, J * s, gamma, tau * s)
    assert near(found["a"], y * s)
    used = plant.evaluate("constraints", q=q, qd=qd)["J"][list(loops.partition.rows)]
    assert near(used.T @ found["lam"], J.T @ lam)


@pytest.mark.long
def test_a_spatial_ladder_chooses_the_sparse_solution() -> None:
    """As users get it: 21 dependent and 28 independent coordinates."""
    plant = ladder(7).compile()
    assert not plant.formulation.code.unrolled
    assert len(plant.formulation.partition.dependent) == 21
    random = np.random.default_rng(5)
    qd, tau = random.normal(size=(2, plant.n))
    found = plant.formulation.motion(plant.formulation.positions.first.q, qd, tau)
    kkt(plant, found, tau)
    # many states at once, more than would use vector registers
    many = {"q": found["q"], "qd": found["v"], "tau": np.tile(tau, (300, 1))}
    rows = plant.evaluate("constrained", **many)
    np.testing.assert_array_equal(rows["a"][[0, 299]], np.tile(found["a"], (2, 1)))
    result = plant.simulate(t_end=0.1, step=5e-4, qd={"left_1_x": 2.0})
    assert np.ptp(result["left_1_x.q"]) > 0.05
    assert result.energy_drift() < 1e-7
    assert result.constraint_violation < 1e-12


def test_both_ways_on_a_ladder(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for limit in (ALWAYS, NEVER):
        plant = compiled(ladder(2), limit, monkeypatch)
        qd, tau = np.random.default_rng(6).normal(size=(2, plant.n))
        found.append(plant.formulation.motion(plant.formulation.positions.first.q, qd, tau))
    same(found[1], found[0])


@pytest.mark.long
def test_forty_loops_in_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    plant = compiled(four_bar(40), NEVER, monkeypatch)
    q = plant.formulation.positions.first.q.copy()
    q[0] = 0.4
    qd, tau = np.random.default_rng(7).normal(size=(2, plant.n))
    # 0.4 rad in steps that Newton's method follows
    q = plant.formulation.assemble(q, [0]).q
    found = plant.formulation.motion(q, qd, tau)
    kkt(plant, found, tau)


def press() -> il.Model:
    """A slider-crank whose terms depend on everything that terms can depend on."""
    m = il.Model("press")
    push = m.input("push", unit="N")
    m.body(
        "crank", on=m.ground, joint=il.revolute("y", initial=(-0.7, 3.0)), mass=0.8,
        com=(0.05, 0.0, 0.0), inertia=(1e-3, 2e-3, 2e-3),
    ).point("pin", (0.1, 0.0, 0.0))  # fmt: skip
    rod = m.body(
        "rod", on="crank.pin", joint=il.revolute("y", guess=0.9), mass=0.6,
        com=(0.15, 0.0, 0.0), inertia=(1e-3, 5e-3, 5e-3),
    )  # fmt: skip
    slider = m.body("slider", on=m.ground, joint=il.prismatic("x", guess=0.37), mass=1.1)
    m.body("flap", on=rod, joint=il.revolute("y"), mass=0.3, com=(0.1, 0, 0), inertia=(1e-3,) * 3)
    m.body("gate", on=slider, joint=il.prismatic("z"), mass=0.3)
    m.close(rod.point("end", (0.3, 0.0, 0.0)), slider.origin, name="pin")
    m.constraint("lift", lambda q, t: q["gate"] - 0.1 * q["crank"] ** 2 - 0.05 * t**2)
    m.drive("flap", lambda t: 0.3 + 0.4 * t + 0.5 * t * t)
    m.coulomb("slider", coulomb=0.2, velocity=0.05, normal="reaction", reaction_time=0.01,
              reaction_start=10.0, name="f")  # fmt: skip
    # sines of dependent velocities are known late
    m.joint_force("rod", lambda qd, t: -0.5 * il.sin(qd) + 0.1 * il.cos(t), name="odd")
    m.joint_force("slider", lambda q: push * il.cos(q), name="pushed")
    m.independent("crank")
    return m


def test_laws_with_states_times_and_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    plants = [compiled(press(), limit, monkeypatch) for limit in (ALWAYS, NEVER)]
    qd, tau, qdd = np.random.default_rng(8).normal(size=(3, 5))
    found = []
    for plant in plants:
        q, more = plant.formulation.positions.first.q, {"u": [3.0], "t": 0.2, "z": [12.0]}
        found.append(plant.formulation.motion(q, qd, tau, qdd=qdd, **more))
    assert {"zd", "effort"} <= found[0].keys()
    assert abs(found[0]["effort"][0]) > 0.1
    same(found[1], found[0])
    # and on the way of the steppers
    runs = [plant.simulate(t_end=0.3, step=1e-3, inputs={"push": 2.0}) for plant in plants]
    for name in ("crank.q", "slider.qdd", "flap.effort", "f.N"):
        assert np.ptp(runs[0][name]) > 1e-3
        np.testing.assert_allclose(runs[1][name], runs[0][name], rtol=0, atol=1e-8)


def test_compiles_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    plant = compiled(press(), NEVER, monkeypatch)
    engine = plant.equations.engine("constrained")
    assert isinstance(engine, NativeEngine)
    strict = NativeEngine(engine.unit, BuildOptions(strict=True))
    names = strict.library.exported_symbols()
    assert all(name.startswith("press_newton") for name in names), names


# runs


@pytest.mark.thinned(3)
@pytest.mark.parametrize("wish", ["bar_0", "coupler_1", "bar_2"])
def test_singular_positions_are_passed(wish: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """IFToMM A02, regular branch, integrated independently: tip after 10 s."""
    model = four_bar(2)
    model._draft.independent.clear()
    model.independent(wish)
    plant = compiled(model, NEVER, monkeypatch)
    result = plant.simulate(t_end=10.0, step=1e-3, sample=0.1)
    tip = plant.position("bar_0.B", result.q[-1])[:2]
    np.testing.assert_allclose(tip, (0.328458111540815, 0.944518538178601), atol=2e-6)
    assert result.constraint_violation < 1e-12
    assert any("run passes a singular position" in note for note in result.notes)


def turning_slider_crank() -> il.Model:
    """Its slider is a bad choice wherever the crank is in line with the rod."""
    m = il.Model("sparse_slider", gravity=(0.0, 0.0, -9.81))
    crank = m.body("crank", on=m.ground, joint=il.revolute("y", guess=0.8), mass=0.4,
                   com=(0.05, 0, 0), inertia=(1e-4, 4e-4, 4e-4))  # fmt: skip
    rod = m.body("rod", on=crank.point("pin", (0.1, 0, 0)), joint=il.revolute("y"), mass=0.3,
                 com=(0.15, 0, 0), inertia=(1e-4, 2e-3, 2e-3))  # fmt: skip
    slider = m.body("slider", on=m.ground, joint=il.prismatic("x", guess=0.35), mass=0.5)
    m.close(rod.point("end", (0.3, 0, 0)), slider, name="piston")
    m.independent(slider)
    return m


def test_independent_coordinates_change_and_runs_continue(monkeypatch: pytest.MonkeyPatch) -> None:
    plant = compiled(turning_slider_crank(), NEVER, monkeypatch)
    start = {"crank": 30.0}
    whole = plant.simulate(t_end=0.6, step=5e-5, qd=start)
    assert np.ptp(whole["crank.q"]) > 6.5
    assert any("independent coordinates are now" in note for note in whole.notes)
    assert whole.energy_drift() < 1e-8
    assert whole.constraint_violation < 1e-12
    first = plant.simulate(t_end=0.3, step=5e-5, qd=start)
    rest = plant.simulate(t_end=0.6, step=5e-5, start=first)
    np.testing.assert_array_equal(rest.q[-1], whole.q[-1])
    np.testing.assert_array_equal(rest.qd[-1], whole.qd[-1])
    other = compiled(turning_slider_crank(), ALWAYS, monkeypatch)
    same_run = other.simulate(t_end=0.6, step=5e-5, qd=start)
    np.testing.assert_allclose(same_run.q[-1], whole.q[-1], rtol=0, atol=1e-9)


def test_an_open_loop_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two couplers that the drive pulls beyond their reach."""
    m = il.Model("reach")
    arm = m.body("arm", on=m.ground, joint=il.prismatic("x", initial=(0.3, 0.0)), mass=1.0)
    upper = m.body("upper", on=m.ground, joint=il.revolute("z", guess=0.7), mass=0.5,
                   com=(0.1, 0, 0), inertia=(1e-3,) * 3)  # fmt: skip
    lower = m.body("lower", on=upper.point("knee", (0.2, 0, 0)), mass=0.5, com=(0.1, 0, 0),
                   joint=il.revolute("z", guess=-1.4), inertia=(1e-3,) * 3)  # fmt: skip
    m.close(lower.point("hand", (0.2, 0, 0)), arm, name="grip")
    m.drive("arm", lambda t: 0.3 + 0.2 * t)
    texts = []
    for limit in (ALWAYS, NEVER):
        plant = compiled(m, limit, monkeypatch)
        with pytest.raises(il.SimulationError, match="'grip'") as caught:
            plant.simulate(t_end=1.0, step=1e-3)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
