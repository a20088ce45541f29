"""Energy balances and efforts over trajectories."""

from __future__ import annotations

import mechanisms as mech
import numpy as np
import pytest

import inloop as il
from inloop.analysis import energy_audit, inverse_dynamics_run


def angle(t):
    return -0.9 + 0.6 * il.sin(3.0 * t)


@pytest.fixture(scope="module")
def driven() -> il.Plant:
    return mech.four_bar(drive=True, damping=mech.DAMPING).compile(backend="c")


def test_driven_four_bar_balances(driven: il.Plant) -> None:
    run = driven.simulate(t_end=2.0, step=1e-3, crank=angle)
    found = energy_audit(driven, run)
    assert set(found.work) == {"crank.effort", "laws"}
    assert np.abs(found.work["crank.effort"]).max() > 1.0
    assert np.ptp(found.kinetic) > 0.1
    assert found.largest_error < 1e-6 and found.relative_error < 1e-6
    # the spring by hand: its length tells the energy, its rate the loss
    d = driven.position("crank.tip", run.q[::200]) - [mech.D, 0.0, mech.H]
    stored = 0.5 * mech.STIFFNESS * (np.linalg.norm(d, axis=1) - mech.FREE_LENGTH) ** 2
    loss = found.work["laws"][::200] + stored - stored[0]
    assert loss[-1] < -0.01 and np.all(np.diff(loss) <= 1e-9)
    assert "crank.effort" in str(found)


def test_power_of_laws_by_hand(driven: il.Plant) -> None:
    run = driven.simulate(t_end=1.0, step=1e-3, crank=angle)
    found = energy_audit(driven, run)
    d = driven.position("crank.tip", run.q) - [mech.D, 0.0, mech.H]
    v = np.stack([driven.velocity("crank.tip", a, b) for a, b in zip(run.q, run.qd, strict=True)])
    l = np.linalg.norm(d, axis=1)
    ld = np.sum(d * v, axis=1) / l
    pull = mech.STIFFNESS * (l - mech.FREE_LENGTH) + mech.DAMPING * ld
    np.testing.assert_allclose(found.power["laws"], -pull * ld, atol=1e-9)


def test_tree_with_efforts_inputs_and_laws() -> None:
    m = mech.pendulum(0.2)
    push = m.input("push")
    m.joint_force("rod", lambda q: 0.5 * push * q)
    plant = m.compile(backend="c")
    options = {"tau": {"rod": 1.3}, "inputs": {"push": -0.8}}
    run = plant.simulate(t_end=2.0, step=1e-3, qd={"rod": 2.0}, **options)
    found = energy_audit(plant, run, **options)
    q = run["rod.q"]
    assert found.largest_error < 1e-9
    np.testing.assert_allclose(found.work["rod.effort"], 1.3 * (q - q[0]), atol=1e-9)
    np.testing.assert_allclose(found.work["inputs"], -0.2 * (q**2 - q[0] ** 2), atol=1e-9)
    assert found.work["laws"][-1] < -0.1
    # an audit that forgets something does not balance
    assert energy_audit(plant, run).largest_error > 0.1


def test_an_audit_knows_what_the_result_knows() -> None:
    m = mech.pendulum(0.2)
    push, k = m.input("push"), m.parameter("k", 3.0)
    m.joint_force("rod", lambda q: push - k * q)
    plant = m.compile(backend="c")
    run = plant.simulate(t_end=1.0, step=1e-3, inputs={"push": lambda t: il.sin(3.0 * t)})
    found = energy_audit(plant, run)
    assert np.ptp(found.work["inputs"]) > 0.01 and found.largest_error < 1e-8
    # a value that is given has the last word
    assert energy_audit(plant, run, inputs={"push": 0.0}).largest_error > 0.01
    plant.parameters["k"] = 4.0
    with pytest.raises(il.InputError, match=r"the run had k = 3, the plant has 4 now.*update"):
        energy_audit(plant, run)
    plant.parameters.update(run.parameters)
    assert energy_audit(plant, run).largest_error == found.largest_error
    with pytest.raises(il.InputError, match="coordinates differ"):
        energy_audit(mech.four_bar().compile(backend="c"), run)


def test_an_audit_of_events_is_refused() -> None:
    m = il.Model("bouncing")
    ball = m.body("ball", on=m.ground, joint=il.prismatic("z", initial=(1.0, 0.0)), mass=0.2)
    flight, rest = m.mode("flight"), m.mode("rest")
    with m.during(rest):
        m.lock(ball, name="floor")
    m.event("impact", lambda q: q["ball"], mode=flight, impact=rest, settles_in=rest)
    plant = m.compile(backend="c")
    run = plant.simulate(t_end=0.5, step=1e-2)
    assert run.events and run.energy_drift() < 1e-6
    with pytest.raises(il.InputError, match=r"modes or events.*Use result.work"):
        energy_audit(plant, run)


@pytest.mark.parametrize("as_input", [False, True])
def test_an_audit_knows_what_a_controller_did(as_input: bool) -> None:
    m = mech.pendulum(0.2)
    push = m.input("push")
    m.joint_force("rod", lambda q: push - 3.0 * q)
    if as_input:
        m.joint_input("rod")
    plant = m.compile(backend="c")
    run = plant.simulate(
        t_end=1.0, step=1e-3, period=0.1, method="rk4", qd={"rod": 1.0},
        controller=lambda t, outputs: {"push": t, "rod.tau": -outputs["rod.qd"]},
    )  # fmt: skip
    found = energy_audit(plant, run)
    turned = np.diff(run["rod.q"])
    by_push, by_effort = (run[name][:-1] @ turned for name in ("push", "rod.tau"))
    if as_input:
        by_push, by_effort = by_push + by_effort, 0.0
    assert found.work["inputs"][-1] == pytest.approx(by_push, rel=1e-3)
    assert found.work.get("rod.effort", np.zeros(1))[-1] == pytest.approx(by_effort, rel=1e-3)
    assert found.relative_error < 2e-3  # efforts jump at samples


def test_inverse_run_of_a_four_bar(driven: il.Plant) -> None:
    run = driven.simulate(t_end=1.0, step=2e-3, crank=angle)
    free = mech.four_bar(damping=mech.DAMPING).compile()
    for plant, role in ((driven, "driven"), (free, "independent")):
        found = inverse_dynamics_run(plant, run.t, {"crank": -0.9 + 0.6 * np.sin(3.0 * run.t)})
        assert found.roles == {"crank": role, "coupler": "passive", "rocker": "passive"}
        inner = slice(10, -10)
        np.testing.assert_allclose(found.q, run.q, atol=1e-11)
        np.testing.assert_allclose(found.qdd[inner, 2], run["rocker.qdd"][inner], atol=1e-5)
        np.testing.assert_allclose(
            found["crank.effort"][inner], run["crank.effort"][inner], atol=1e-5
        )
        np.testing.assert_array_equal(found["coupler.effort"], 0.0)


def test_motor_at_another_joint_does_the_same_work(driven: il.Plant) -> None:
    t = np.linspace(0.0, 1.0, 50)
    s, c = np.sin(3.0 * t), np.cos(3.0 * t)
    motion = ({"crank": -0.9 + 0.6 * s}, {"crank": 1.8 * c}, {"crank": -5.4 * s})
    at_crank = inverse_dynamics_run(driven, t, *motion)
    at_rocker = inverse_dynamics_run(driven, t, *motion, actuated=["rocker"])
    np.testing.assert_allclose(at_rocker["rocker.power"], at_crank["crank.power"], atol=1e-10)
    # multipliers and efforts satisfy the equations of the open tree
    for found in (at_crank, at_rocker):
        J = driven.evaluate("constraints", q=found.q, qd=found.qd)["J"]
        J = J[:, list(driven.formulation.partition.rows)]
        lam = np.stack([found[f"lam.{name}"] for name in driven.formulation.row_names], axis=1)
        tau = driven.inverse_dynamics(found.q, found.qd, found.qdd)
        np.testing.assert_allclose(tau, found.tau + np.einsum("nij,ni->nj", J, lam), atol=1e-10)
        h = driven.evaluate("constraints", q=found.q, qd=found.qd)
        left = np.einsum("nij,nj->ni", h["J"], found.qdd) + h["gamma"]
        np.testing.assert_allclose(left, 0.0, atol=1e-10)


def test_inverse_run_of_a_tree() -> None:
    m, l, I = 1.7, 0.43, 0.041
    plant = mech.pendulum().compile()
    t = np.linspace(0.0, 1.0, 201)
    q = 0.7 * np.sin(2.0 * t)
    found = inverse_dynamics_run(plant, t, q[:, None])
    exact = (I + m * l**2) * -2.8 * np.sin(2.0 * t) + m * mech.G * l * np.sin(q)
    np.testing.assert_allclose(found["rod.effort"], exact, atol=1e-6)
    with pytest.raises(il.InputError, match="too few to differentiate"):
        inverse_dynamics_run(plant, t[:4], q[:4, None])
    with pytest.raises(il.InputError, match="q of rod is missing"):
        inverse_dynamics_run(plant, t, {})
    with pytest.raises(il.InputError, match="cannot follow the trajectory"):
        inverse_dynamics_run(plant, t, q[:, None], actuated=[])
    with pytest.raises(il.InputError, match="t must be increasing"):
        inverse_dynamics_run(plant, t[::-1], q[:, None])


def test_a_trajectory_that_contradicts_itself_is_told(driven: il.Plant) -> None:
    t = np.linspace(0.0, 1.0, 50)
    s, c = np.sin(3.0 * t), np.cos(3.0 * t)
    noise = np.random.default_rng(3).normal(0.0, 0.1, len(t))
    q, qd, qdd = {"crank": -0.9 + 0.6 * s}, {"crank": 1.8 * c}, {"crank": -5.4 * s}
    degrees = {"crank": np.degrees(qd["crank"])}
    with pytest.warns(UserWarning, match="q and qd of 'crank' contradict each other"):
        found = inverse_dynamics_run(driven, t, q, degrees)
    assert "Check their units" in found.notes[0]
    with pytest.warns(UserWarning, match="qd and qdd of 'crank' contradict"):
        inverse_dynamics_run(driven, t, q, qd, {"crank": 5.4 * s})
    measured = {"crank": qd["crank"] + noise}, {"crank": qdd["crank"] + 3.0 * noise}
    assert not inverse_dynamics_run(driven, t, q, *measured).notes


def closed_on(branch: float, crank: float) -> list[float]:
    """Angles of the four-bar by plane geometry; q turns x towards -z."""
    tip, end = mech.pins(crank, branch)
    rods = (end - tip, end - np.array([mech.D, mech.H]))
    coupler, rocker = (-np.arctan2(rod[1], rod[0]) for rod in rods)
    return [crank, coupler - crank, rocker]


def test_loops_that_change_their_branch_are_told(driven: il.Plant) -> None:
    t, still = np.linspace(0.0, 0.1, 6), np.zeros((6, 3))
    q = np.array([closed_on(1.0 if k < 3 else -1.0, -0.9) for k in range(6)])
    with pytest.warns(
        UserWarning, match=r"between t = 0.04 s and 0.06 s the loops .* other branch"
    ):
        found = inverse_dynamics_run(driven, t, q, still, still)
    np.testing.assert_allclose(found.q, q, atol=1e-12)
    assert not inverse_dynamics_run(driven, t[:3], q[:3], still[:3], still[:3]).notes


@pytest.mark.parametrize(("first", "last"), [(-0.9, 11.0), (2.2, -9.0), (2.2, 30.0)])
def test_an_inverse_run_stays_on_its_branch_however_far_apart_its_times(
    driven: il.Plant, first: float, last: float
) -> None:
    """Also where it starts far from the position of the model."""
    crank = np.linspace(first, last, 6)
    found = inverse_dynamics_run(driven, np.linspace(0.0, 1.0, 6), {"crank": crank})
    assert found.notes == ()
    branch = mech.branch_of(driven, driven.formulation.home())
    rocker = [closed_on(branch, angle)[2] for angle in crank]
    np.testing.assert_allclose(found.q[:, 2], rocker, atol=1e-12)
