"""Runs of mechanisms with loops, drives and laws with states, against independent answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from four_bar_model import BASE, L1, L2, L3, four_bar
from linkage_pair import linkage_pair
from scipy.integrate import solve_ivp

import inloop as il
from inloop import gallery


@pytest.fixture(scope="module")
def plant() -> il.Plant:
    return four_bar().compile()


def gap(q: np.ndarray) -> np.ndarray:
    """Distance between the ends of the loop, by hand."""
    a, b, c = q.T
    x = L1 * np.cos(a) + L2 * np.cos(a + b) - BASE[0] - L3 * np.cos(c)
    y = L1 * np.sin(a) + L2 * np.sin(a + b) - BASE[1] - L3 * np.sin(c)
    return np.hypot(x, y)


def test_loops_stay_closed_and_energy_is_kept(plant: il.Plant) -> None:
    result = plant.simulate(t_end=5.0, step=5e-4, q={"crank": 1.0})
    assert np.ptp(result["crank.q"]) > 0.5
    assert gap(result.q).max() < 1e-14
    assert result.constraint_violation < 1e-14
    assert result.energy_drift() < 1e-8


def test_accelerations_solve_the_equations_with_multipliers(plant: il.Plant) -> None:
    """Against scipy on the index-reduced system M qdd + c = Jᵀ lam, J qdd = -Jd qd."""
    first = plant.simulate(t_end=0.5, step=5e-4, q={"crank": 1.0})

    def jacobian(q: np.ndarray) -> np.ndarray:
        a, b, c = q
        return np.array(
            [
                [-L1 * np.sin(a) - L2 * np.sin(a + b), -L2 * np.sin(a + b), L3 * np.sin(c)],
                [L1 * np.cos(a) + L2 * np.cos(a + b), L2 * np.cos(a + b), -L3 * np.cos(c)],
            ]
        )

    def rates(_t: float, x: np.ndarray) -> np.ndarray:
        q, qd = x[:3], x[3:]
        J = jacobian(q)
        a, b, c = q
        w = qd[0] + qd[1]
        Jd_qd = np.array(
            [
                -L1 * np.cos(a) * qd[0] ** 2
                - L2 * np.cos(a + b) * w**2
                + L3 * np.cos(c) * qd[2] ** 2,
                -L1 * np.sin(a) * qd[0] ** 2
                - L2 * np.sin(a + b) * w**2
                + L3 * np.sin(c) * qd[2] ** 2,
            ]
        )
        K = np.block([[plant.mass_matrix(q), -J.T], [J, np.zeros((2, 2))]])
        return np.concatenate([qd, np.linalg.solve(K, [*-plant.bias(q, qd), *-Jd_qd])[:3]])

    x0 = np.concatenate([first.q[0], first.qd[0]])
    reference = solve_ivp(rates, (0.0, 0.5), x0, rtol=1e-11, atol=1e-13).y[:3, -1]
    np.testing.assert_allclose(first.q[-1], reference, atol=2e-9)


@pytest.mark.parametrize("method", ["dopri", "rodas"])
def test_own_steps_reach_the_same_state(plant: il.Plant, method: str) -> None:
    fixed = plant.simulate(t_end=1.0, step=1e-4, q={"crank": 1.0})
    free = plant.simulate(t_end=1.0, step=0.05, method=method, tolerance=1e-10, q={"crank": 1.0})
    assert len(free.t) == 21
    np.testing.assert_allclose(free.q[-1], fixed.q[-1], atol=1e-7)
    assert free.constraint_violation < 1e-14


def test_a_driven_crank_tells_its_effort() -> None:
    plant = four_bar(driven=True).compile()
    result = plant.simulate(t_end=1.0, step=1e-4, crank=lambda t: 0.7 + 3.0 * t + il.sin(5.0 * t))
    t = result.t
    np.testing.assert_allclose(result["crank.q"], 0.7 + 3.0 * t + np.sin(5.0 * t), atol=1e-13)
    np.testing.assert_allclose(result["crank.qd"], 3.0 + 5.0 * np.cos(5.0 * t), atol=1e-12)
    # the drive is the only source of power
    power = result["crank.effort"] * result["crank.qd"]
    work = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(t))])
    energy = result["energy.total"]
    assert np.ptp(energy) > 0.5
    np.testing.assert_allclose(energy - energy[0], work, atol=1e-6 * np.ptp(energy))


def test_velocities_of_any_coordinate_may_be_given(plant: il.Plant) -> None:
    result = plant.simulate(t_end=0.01, step=1e-3, q={"crank": 1.0}, qd={"rocker": 0.8})
    assert result["rocker.qd"][0] == pytest.approx(0.8, abs=1e-12)
    with pytest.raises(il.InputError, match="contradict the loops"):
        plant.simulate(t_end=0.01, q={"crank": 1.0}, qd={"rocker": 0.8, "crank": 9.0})


def test_a_motion_beyond_reach_names_the_time_and_keeps_results() -> None:
    model = four_bar(crank_joint=il.revolute("z", guess=1.0))
    model.drive("rocker")
    plant = model.compile()
    # crank and coupler are in one line where the tip of the rocker is 0.8 m away: by cosines
    base = np.hypot(*BASE)
    angle = np.arccos((L3**2 + base**2 - (L1 + L2) ** 2) / (2 * L3 * base))
    farthest = np.pi + np.arctan2(BASE[1], BASE[0]) - angle
    first = float(plant.formulation.positions.first.q[2])
    with pytest.raises(il.SimulationError, match="loop 'ring' is at a singular position") as caught:
        plant.simulate(t_end=20.0, step=1e-3, rocker=lambda t: first - 0.4 * t)
    kept = caught.value.result
    assert kept.status == "LOOP_OPEN"
    assert 0.0 < kept.q[-1, 2] - farthest < 0.01
    assert gap(kept.q).max() < 1e-10


@pytest.mark.parametrize("method", ["rk4", "dopri"])
def test_an_integrator_that_runs_away_does_not_blame_the_loops(method: str) -> None:
    """Springs so stiff that a step is longer than explicit methods can bear, in good positions."""

    def stiff(m: il.Model) -> None:
        m.joint_force("crank", lambda q: -3e4 * (q - 1.0))

    plant = four_bar(stiff).compile()
    fine = plant.simulate(t_end=0.2, step=1e-4, q={"crank": 1.02})
    assert fine.status == "OK"
    told = r"diverged after t = .* smaller than 0\.02"
    with pytest.raises(il.SimulationError, match=told) as caught:
        plant.simulate(t_end=2.0, step=2e-2, method=method, q={"crank": 1.02})
    assert caught.value.result.status == "DIVERGED"


def test_a_drive_that_is_too_fast_for_its_steps_does_not_blame_the_loops() -> None:
    """The crank turns all the way round, ever faster: 1 rad in a step of 1 ms after 0.18 s."""
    plant = four_bar(driven=True).compile()
    with pytest.raises(il.SimulationError, match=r"diverged after t = 0\.1"):
        plant.simulate(t_end=0.3, step=1e-3, method="rk4", crank=lambda t: 0.7 + 1e4 * t * t * t)
    slower = plant.simulate(t_end=0.25, step=1e-4, crank=lambda t: 0.7 + 1e4 * t * t * t)
    assert slower.status == "OK" and gap(slower.q).max() < 1e-10


def test_an_effort_that_is_too_large_for_the_steps_does_not_blame_the_loops(
    plant: il.Plant,
) -> None:
    """The crank would make 100 turns in the first step."""
    with pytest.raises(il.SimulationError, match=r"diverged after t = 0 s.*smaller than 0\.001"):
        plant.simulate(t_end=0.1, tau={"crank": 1e8})


@pytest.mark.parametrize(
    ("motion", "told"),
    [
        (lambda t: 0.7 + il.sqrt(t), "starts with velocity inf"),
        (lambda t: 0.7 + t**1.5, "starts with acceleration inf"),
        (lambda t: 1.0 / t, "starts with position inf"),
    ],
)
def test_a_drive_that_starts_with_infinity_is_named(motion: Any, told: str) -> None:
    plant = four_bar(driven=True).compile()
    with pytest.raises(il.InputError, match=f"the drive of 'crank' {told}"):
        plant.simulate(t_end=0.1, crank=motion)


def test_drives_that_hold_a_loop_open_are_named() -> None:
    model = four_bar(crank_joint=il.revolute("z", guess=1.0))
    model.drive("rocker", lambda t: 0.1 + t)
    with pytest.raises(
        il.ModelError, match=r"'ring' cannot close.*'rocker' driven to 0\.1 at t = 0"
    ):
        model.compile()


def test_a_drive_that_jumps_is_named() -> None:
    plant = four_bar(driven=True).compile()
    told = r"the drive of 'crank' jumps by 0\.9 after t = 0\.1"
    with pytest.raises(il.SimulationError, match=told):
        plant.simulate(t_end=0.3, crank=lambda t: il.where(t > 0.1, 1.9, 1.0))


def test_a_loop_that_cannot_close_is_named() -> None:
    model = il.Model("too_short")
    a = model.body("a", on=model.ground, joint=il.revolute("z"), mass=1.3, com=(0.1, 0, 0))
    b = model.body(
        "b", on=model.ground.point("far", (2.0, 0, 0)), joint=il.revolute("z"), mass=1.1,
        com=(0.1, 0, 0),
    )  # fmt: skip
    model.close(a.point("tip", (0.3, 0, 0)), b.point("end", (0.4, 0, 0)), name="gate")
    with pytest.raises(il.ModelError, match=r"loop 'gate' cannot close, 1\.3 m"):
        model.compile()


def test_dropped_rows_are_told(plant: il.Plant) -> None:
    assert plant.formulation.notes == ("loop 'ring' adds nothing in direction z; row dropped",)


def test_states_of_laws_against_closed_form() -> None:
    model = il.Model("lag", gravity=(0, 0, 0))
    mass = model.body("mass", on=model.ground, joint=il.prismatic("x"), mass=2.0)
    model.joint_force(mass, lambda f: (f, {"f": (3.0 - f) / 0.1}), states={"f": 0.5})
    result = model.compile().simulate(t_end=1.0, step=1e-3)
    t = result.t
    np.testing.assert_allclose(result["mass_effort.f"], 3.0 - 2.5 * np.exp(-10 * t), atol=1e-10)
    speed = (3.0 * t - 0.25 * (1.0 - np.exp(-10 * t))) / 2.0
    np.testing.assert_allclose(result["mass.qd"], speed, atol=1e-11)


def test_bushing_against_forces_at_its_frames() -> None:
    stiffness, damping = (1e3, 1.2e3, 1.3e3, 10.0, 11.0, 12.0), (1.0, 2.0, 3.0, 0.1, 0.2, 0.3)
    model = il.Model("bush", gravity=(0, 0, 0))
    body = model.chain(
        "body", on=model.ground, joints=il.free(angles=True), mass=2.0, com=(0.1, 0.2, 0.3),
        inertia=(0.1, 0.12, 0.13),
    )  # fmt: skip
    anchor = model.ground.frame("anchor", position=(0.1, 0, 0), rotation=il.rpy(0.2, -0.1, 0.3))
    seat = body.frame("seat", position=(0, 0.1, 0.2))
    free = model.compile(backend="python")
    model.bushing(anchor, seat, stiffness, damping)
    held = model.compile(backend="python")
    rng = np.random.default_rng(3)
    q, qd = 0.3 * rng.normal(size=(2, 6))
    p_WA, R_WA = free.pose("ground.anchor", q)
    p_WB, R_WB = free.pose("body.seat", q)
    motion = free.motion("body.seat", q, qd)
    R = R_WA.T @ R_WB
    r = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    deflection = np.concatenate([R_WA.T @ (p_WB - p_WA), r])
    rate = np.concatenate([R_WA.T @ motion["v"], R_WA.T @ motion["om"]])
    wrench = -np.array(stiffness) * deflection - np.array(damping) * rate
    world = np.concatenate([R_WA @ wrench[:3], R_WA @ wrench[3:]])
    expected = free.jacobian("body.seat", q).T @ world
    found = free.bias(q, qd) - held.bias(q, qd)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-10)


def test_a_drive_without_loops() -> None:
    """A cart on a shaken base keeps its place in the world."""
    model = il.Model("shaken")
    base = model.body("base", on=model.ground, joint=il.prismatic("x"), mass=0.4)
    model.body("cart", on=base, joint=il.prismatic("x"), mass=1.9)
    model.drive(base)
    result = model.compile().simulate(t_end=0.7, step=1e-3, base=lambda t: 1.3 * t**2)
    np.testing.assert_allclose(result["cart.q"], -1.3 * result.t**2, atol=1e-12)
    # only the base has to be accelerated
    np.testing.assert_allclose(result["base.effort"], 0.4 * 2.6, rtol=1e-12)


def test_independent_coordinates_change_when_they_become_bad() -> None:
    """A crank that turns all the way round has no other coordinate that serves everywhere."""
    model = il.Model("engine", gravity=(0, 0, 0))
    crank = model.body(
        "crank", on=model.ground, joint=il.revolute("z", initial=(0.3, 6.0)), mass=0.4,
        com=(0.05, 0, 0), inertia=(1e-4, 2e-4, 2.5e-4),
    )  # fmt: skip
    rod = model.body(
        "rod", on=crank.point("pin", (0.1, 0, 0)), joint=il.revolute("z", guess=-0.4),
        mass=0.6, com=(0.15, 0, 0), inertia=(1e-4, 4e-4, 4.5e-4),
    )  # fmt: skip
    slider = model.body("slider", on=model.ground, joint=il.prismatic("x", guess=0.39), mass=1.0)
    model.close(rod.point("end", (0.3, 0, 0)), slider, name="piston")
    model.independent(slider)
    plant = model.compile()
    assert plant.formulation.independent == ("slider",)
    result = plant.simulate(t_end=3.0, step=2e-4, qd={"crank": 6.0})
    assert np.ptp(result["crank.q"]) > 6.0
    assert result.constraint_violation < 1e-12
    assert result.energy_drift() < 1e-8
    assert any("independent coordinates are now" in note for note in result.notes)
    # every run begins alike
    again = plant.simulate(t_end=3.0, step=2e-4, qd={"crank": 6.0})
    np.testing.assert_array_equal(again.q, result.q)


@pytest.mark.parametrize("method", ["euler", "rk4", "dopri", "rodas"])
def test_a_continued_run_is_the_same_to_the_last_bit(plant: il.Plant, method: str) -> None:
    whole = plant.simulate(t_end=0.4, step=1e-3, method=method, q={"crank": 1.0})
    first = plant.simulate(t_end=0.15, step=1e-3, method=method, q={"crank": 1.0})
    rest = plant.simulate(t_end=0.4, step=1e-3, method=method, start=first)
    np.testing.assert_array_equal(rest.q[-1], whole.q[-1])
    np.testing.assert_array_equal(rest.qd[-1], whole.qd[-1])
    assert rest.t[0] == first.t[-1]
    with pytest.raises(il.InputError, match="starts where that one ended"):
        plant.simulate(t_end=0.4, start=first, q={"crank": 1.0})


@pytest.mark.thinned(4)
@pytest.mark.parametrize("method", ["euler", "rk4", "dopri", "rodas"])
def test_the_end_of_a_run_depends_neither_on_samples_nor_on_runs_before(method: str) -> None:
    """Over a singular position, and with coordinates that change on the way."""
    for plant, t_end, told in (
        (gallery.get("four_bar").build().compile(), 2.0, "the run passes a singular position"),
        (linkage_pair().compile(), 0.5, "independent coordinates are now"),
    ):
        spacings = (None, None, 0.01, 0.037, t_end)
        runs = [plant.simulate(t_end=t_end, method=method, sample=spacing) for spacing in spacings]
        assert any(told in note for note in runs[0].notes)
        _all_end_alike(runs)


def _all_end_alike(runs: list[il.Result]) -> None:
    for other in runs[1:]:
        np.testing.assert_array_equal(other.q[-1], runs[0].q[-1])
        np.testing.assert_array_equal(other.qd[-1], runs[0].qd[-1])


def test_a_run_leaves_the_plant_as_it_was() -> None:
    plant = four_bar(lambda m: m.independent("rocker")).compile()
    before = plant.formulation.partition
    result = plant.simulate(t_end=1.0, q={"crank": 1.0})
    assert any("independent coordinates are now" in note for note in result.notes)
    assert plant.formulation.partition == before


def test_parameters_that_were_changed_and_restored_leave_no_trace() -> None:
    m = il.Model("bars", gravity=(0.0, -9.81, 0.0))
    length = m.parameter("length", 0.6, range=(0.4, 1.0))
    rod = {"mass": 0.7, "com": (0.1, 0.01, 0), "inertia": (1e-3, 2e-3, 2.9e-3)}
    a = m.body("a", on=m.ground, joint=il.revolute("z", initial=(1.0, 0.0)), **rod)
    b = m.body("b", on=a.point("pin", (0.2, 0, 0)), joint=il.revolute("z", guess=-1.4), **rod)
    base = m.ground.point("base", (0.5, 0.05, 0))
    c = m.body("c", on=base, joint=il.revolute("z", guess=1.2), **rod)
    m.close(b.point("end", (length, 0, 0)), c.point("end", (0.4, 0, 0)))
    plant = m.compile()
    starts = [{"a": angle} for angle in np.linspace(0.7, 1.3, 9)]
    first = [plant.simulate(t_end=0.01, q=start).q for start in starts]
    plant.parameters["length"] = 0.7
    plant.parameters["length"] = 0.6
    for start, q in zip(starts, first, strict=True):
        np.testing.assert_array_equal(plant.simulate(t_end=0.01, q=start).q, q)


def test_scipy_on_the_same_rates_agrees(plant: il.Plant) -> None:
    own = plant.simulate(t_end=0.2, step=1e-3, method="dopri", tolerance=1e-10, q={"crank": 1.0})
    other = plant.simulate(t_end=0.2, step=1e-3, method="scipy", tolerance=1e-10, q={"crank": 1.0})
    np.testing.assert_allclose(other.t, own.t, atol=1e-15)
    np.testing.assert_allclose(other.q, own.q, atol=1e-8)


def test_cut_forces_of_a_run_hold_the_rocker(plant: il.Plant) -> None:
    """Moments about the rocker's base: what the ring exerts there turns the rocker."""
    result = plant.simulate(t_end=0.3, step=1e-3, q={"crank": 1.0})
    angle, qdd = result["rocker.q"], result["rocker.qdd"]
    fx, fy = result["ring.force.x"], result["ring.force.y"]
    moment = L3 * (np.cos(angle) * fy - np.sin(angle) * fx)
    weight = -0.8 * 9.81 * (0.2 * np.cos(angle) - 0.01 * np.sin(angle))
    inertia = 2.4e-3 + 0.8 * (0.2**2 + 0.01**2)
    assert np.ptp(moment) > 0.5
    np.testing.assert_allclose(moment + weight, inertia * qdd, atol=1e-12)
    one = plant.cut_forces(result.q[7], result.qd[7])
    np.testing.assert_allclose(one["ring.force"][:2], [fx[7], fy[7]], rtol=1e-11)


def test_the_tension_of_a_rod_carries_a_weight() -> None:
    """A lamp on a massless rod: its weight and the centripetal force pull along the rod."""
    m = il.Model("lamp", gravity=(0, 0, -9.81))
    lamp = m.chain("lamp", on=m.ground, joints=il.free(), mass=1.7, inertia=(0.01, 0.02, 0.03))
    m.close(m.ground.point("hook", (0.1, 0.2, 3.0)), lamp, kind="rod", length=1.3, name="wire")
    plant = m.compile()
    q = plant.vector(**dict(zip(plant.coordinates, (0.1 + 0.5, 0.2, 1.8), strict=False)))
    result = plant.simulate(t_end=0.5, step=1e-3, q=q)
    d = np.array([0.1, 0.2, 3.0]) - result.q[:, :3]
    along = d / 1.3
    speed = np.sum(result.qd[:, :3] ** 2, axis=1)
    tension = 1.7 * (9.81 * along[:, 2] + speed / 1.3)
    assert speed.max() > 0.5
    np.testing.assert_allclose(result["wire.tension"], tension, rtol=1e-9)
    for k, axis in enumerate("xyz"):
        force = result[f"wire.force.{axis}"]
        np.testing.assert_allclose(force, tension * along[:, k], atol=1e-7)


def test_results_as_parquet_and_as_text(plant: il.Plant, tmp_path: Path) -> None:
    from pyarrow import parquet

    result = plant.simulate(t_end=0.1, step=1e-2, q={"crank": 1.0})
    table = parquet.read_table(result.save(tmp_path / "run.parquet"))
    assert tuple(table.column_names)[: len(result.names)] == result.names
    np.testing.assert_array_equal(table["crank.q"].to_numpy(), result["crank.q"])
    text = str(result)
    assert text.startswith("four_bar: OK at t = 0.1 s, 11 samples")
    assert "rocker" in text


def swinging_bars(t_end: float) -> np.ndarray:
    """Angles of three bars with point masses at the end, by multipliers and SciPy."""
    ends = np.array([[0.0, -1.0], [0.2, -1.0], [0.0, 1.5]])  # of the bars; the last one backwards
    middles = np.array([[0.0, -0.5], [0.0, -0.5], [0.0, -0.5]])

    def turned(angle: float, vector: np.ndarray, order: int) -> np.ndarray:
        """R(angle) vector, in x and z about y, or a derivative of it."""
        c, s = np.cos(angle + order * np.pi / 2), np.sin(angle + order * np.pi / 2)
        return np.array([[c, s], [-s, c]]) @ vector

    def rates(_: float, x: np.ndarray) -> np.ndarray:
        angle, speed = x[:3], x[3:]
        of_end, of_middle = (
            np.array([turned(a, v, 1) for a, v in zip(angle, part, strict=True)]).T
            for part in (ends, middles)
        )
        bend_end, bend_middle = (
            np.array([turned(a, v, 2) for a, v in zip(angle, part, strict=True)]).T * speed**2
            for part in (ends, middles)
        )
        M, force = np.zeros((3, 3)), np.zeros(3)
        for bar in range(3):
            moved, bent = np.zeros((2, 3)), bend_middle[:, bar]
            moved[:, bar] = of_middle[:, bar]
            if bar == 1:
                moved[:, 0], bent = of_end[:, 0], bent + bend_end[:, 0]
            M += moved.T @ moved
            force += moved.T @ (np.array([0.0, -9.81]) - bent)
        system = np.block([[M, of_end.T], [of_end, np.zeros((2, 2))]])
        found = np.linalg.solve(system, np.concatenate([force, -bend_end.sum(axis=1)]))
        return np.concatenate([speed, found[:3]])

    first = np.array([1.0, 1.0 + 2.7374448676, 1.8404601096])
    path = solve_ivp(rates, (0.0, t_end), [*first, 0.0, 0.0, 0.0], rtol=1e-10, atol=1e-12)
    a, b, c = path.y[:3, -1]
    return np.array([a, b - a, c])


def test_a_pivot_that_vanishes_asks_for_another_order() -> None:
    """One of two pivots passes 0 on the way, though the coordinates are a good choice."""
    m = il.Model("bars")
    a = m.body("a", on=m.ground, joint=il.revolute("y", initial=(1.0, 0)), mass=1, com=(0, 0, -0.5))
    b = m.body("b", on=a.point("end", (0, 0, -1)), joint=il.revolute("y", guess=0.5), mass=1,
               com=(0, 0, -0.5))  # fmt: skip
    c = m.body("c", on=m.ground.point("pin", (1, 0, 0)), joint=il.revolute("y", guess=1.0), mass=1,
               com=(0, 0, -0.5))  # fmt: skip
    m.close(b.point("end", (0.2, 0, -1)), c.point("end", (0, 0, -1.5)))
    result = m.compile().simulate(t_end=1.0)
    assert result.status == "OK"
    assert result.q[-1] == pytest.approx(swinging_bars(1.0), abs=1e-6)
