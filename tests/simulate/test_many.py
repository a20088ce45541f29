"""Many runs at once: the numbers of single runs, failures that stay alone, careless arguments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from four_bar_model import BASE, L1, L2, L3, four_bar
from linkage_pair import linkage_pair

import inloop as il
from inloop import gallery
from inloop.gallery.four_bar import four_bar as parallelograms
from inloop.gallery.puma560.model import puma560

RUNS = 12
SPREAD = np.linspace(-1.3, 1.7, RUNS)


@pytest.fixture(scope="module")
def pendulum() -> il.Plant:
    m = il.Model("double_pendulum")
    upper = m.body(
        "upper", on=m.ground, joint=il.revolute("y", initial=(0.3, 0.1)), mass=1.2,
        com=(0.01, 0, -0.4), inertia=(0.02, 0.03, 0.01),
    )  # fmt: skip
    elbow = upper.point("elbow", (0.02, 0, -0.8))
    lower = m.body(
        "lower", on=elbow, joint=il.revolute("y", initial=(0.2, -0.3)), mass=0.7,
        com=(0.02, 0, -0.3), inertia=(0.012, 0.013, 0.004),
    )  # fmt: skip
    m.joint_input(lower)
    return m.compile(live=["lower.mass"])


@pytest.fixture(scope="module")
def linkage(shipped_flags: None) -> il.Plant:
    """Closed positions are found again to the last bit; with other rounding not all of them."""
    return four_bar().compile(live=["coupler.end.x", "crank.mass"])


def assert_same(many: il.ManyResult, run: int, one: il.Result) -> None:
    """To the last bit."""
    assert np.array_equal(many.t, one.t)
    assert np.array_equal(many.q[run], one.q)
    assert np.array_equal(many.qd[run], one.qd)


# the numbers of single runs


@pytest.mark.thinned(2)
@pytest.mark.parametrize("method", ["euler", "rk4", "dopri", "rodas", "implicit"])
def test_runs_of_a_tree_are_those_of_simulate(pendulum: il.Plant, method: str) -> None:
    options: dict[str, Any] = {"t_end": 0.5, "step": 1e-3, "method": method, "sample": 0.03}
    torque = np.linspace(-2.0, 3.0, RUNS)
    many = pendulum.simulate_many(
        q={"upper": SPREAD}, qd={"lower": 0.4}, tau={"upper": torque}, **options
    )
    assert many.q.shape == (RUNS, 18, 2) and many.status == ("OK",) * RUNS
    for run in (0, 5, RUNS - 1):
        q, tau = {"upper": SPREAD[run]}, {"upper": torque[run]}
        one = pendulum.simulate(q=q, qd={"lower": 0.4}, tau=tau, **options)
        assert_same(many, run, one)
        np.testing.assert_allclose(many.energy[run], one.energy, rtol=1e-13)


def test_steps_chosen_by_a_tolerance_are_those_of_simulate(pendulum: il.Plant) -> None:
    options: dict[str, Any] = {"t_end": 0.5, "tolerance": 1e-8, "sample": 0.07}
    many = pendulum.simulate_many(q={"upper": SPREAD}, **options)
    for run in (0, RUNS - 1):
        assert_same(many, run, pendulum.simulate(q={"upper": SPREAD[run]}, **options))


def test_parameters_and_inputs_differ_by_run(pendulum: il.Plant) -> None:
    masses, pushes = np.linspace(0.4, 2.0, RUNS), np.linspace(-1.0, 1.5, RUNS)
    (name,) = pendulum.inputs
    many = pendulum.simulate_many(
        t_end=0.4, method="rk4", parameters={"lower.mass": masses}, inputs={name: pushes}
    )
    for run in (0, 7):
        pendulum.parameters["lower.mass"] = masses[run]
        one = pendulum.simulate(t_end=0.4, method="rk4", inputs={name: pushes[run]}, sample=0.4)
        pendulum.parameters.reset()
        assert_same(many, run, one)
        np.testing.assert_allclose(many.energy[run].sum(1)[0], one.energy[0].sum(), rtol=1e-2)
    # those of the plant are not touched, and energies are those of each run
    assert pendulum.parameters["lower.mass"] == 0.7
    assert len(np.unique(many.energy[:, 0, 1])) == RUNS


def test_a_parameter_for_all_runs(pendulum: il.Plant) -> None:
    many = pendulum.simulate_many(t_end=0.3, method="rk4", runs=3, parameters={"lower.mass": 1.9})
    pendulum.parameters["lower.mass"] = 1.9
    one = pendulum.simulate(t_end=0.3, method="rk4", sample=0.3)
    pendulum.parameters.reset()
    assert_same(many, 2, one)


def test_inputs_may_follow_time(pendulum: il.Plant) -> None:
    (name,) = pendulum.inputs
    follow = {name: lambda t: 2.0 * il.sin(9.0 * t)}
    many = pendulum.simulate_many(t_end=0.4, method="rk4", q={"upper": SPREAD}, inputs=follow)
    one = pendulum.simulate(
        t_end=0.4, method="rk4", q={"upper": SPREAD[4]}, inputs=follow, sample=0.4
    )
    assert_same(many, 4, one)


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("method", "tolerance"), [("rk4", None), ("implicit", None),
                                                   ("dopri", 1e-8)])  # fmt: skip
def test_runs_of_a_four_bar_are_those_of_simulate(
    linkage: il.Plant, method: str, tolerance: float | None
) -> None:
    """Over less than a turn, where no other independent coordinates are due."""
    options: dict[str, Any] = {"t_end": 0.1, "method": method, "tolerance": tolerance}
    cranks = np.linspace(0.6, 1.4, RUNS)
    many = linkage.simulate_many(q={"crank": cranks}, qd={"crank": 1.5}, sample=0.01, **options)
    assert many.status == ("OK",) * RUNS
    for run in (0, 5, RUNS - 1):
        assert many.q[run, 0, 0] == cranks[run] and many.qd[run, 0, 0] == 1.5
        one = linkage.simulate(q=many.q[run, 0], qd=many.qd[run, 0], sample=0.01, **options)
        assert_same(many, run, one)


def test_velocities_and_efforts_leave_the_start_of_a_four_bar_as_it_is(linkage: il.Plant) -> None:
    options: dict[str, Any] = {"t_end": 0.05, "method": "rk4", "sample": 0.01}
    speeds, efforts = np.linspace(-2.0, 3.0, RUNS), np.linspace(0.5, 1.5, RUNS)
    many = linkage.simulate_many(qd={"crank": speeds}, tau={"rocker": efforts}, **options)
    for run in (0, RUNS - 1):
        qd, tau = {"crank": speeds[run]}, {"rocker": efforts[run]}
        assert_same(many, run, linkage.simulate(qd=qd, tau=tau, **options))


def test_a_driven_crank_begins_where_its_input_says() -> None:
    plant = four_bar(driven=True).compile()
    places = np.linspace(0.7, 1.3, 5)
    many = plant.simulate_many(t_end=0.05, method="rk4", inputs={"crank.q": places}, sample=0.01)
    assert not many.failed
    np.testing.assert_allclose(many["crank.q"], np.tile(places[:, None], 6), rtol=1e-15)
    assert max(ring_gap(q) for run in many.q for q in run) < 1e-12


@pytest.mark.long
def test_puma_with_friction_by_the_implicit_method() -> None:
    m = puma560()
    for name in ("joint_1", "joint_2", "joint_3"):
        m.lugre(name, stiffness=4e4, damping=60.0, coulomb=2.0, static=2.6, stribeck=0.01)
    plant = m.compile()
    q = np.random.default_rng(3).uniform(-1.0, 1.0, (4, plant.n))
    options: dict[str, Any] = {"t_end": 0.1, "step": 1e-3, "method": "implicit", "sample": 0.02}
    many = plant.simulate_many(q=q, **options)
    for run in range(4):
        assert_same(many, run, plant.simulate(q=q[run], **options))


def test_modes_and_events_of_a_ball() -> None:
    """Heights of fall differ; each ball bounces, with restitution 0.9, and may settle."""
    ball = gallery.get("bouncing_ball").build().compile()
    heights = np.linspace(0.05, 1.5, 7)
    options: dict[str, Any] = {"t_end": 3.0, "step": 1e-3, "method": "rk4", "sample": 0.1}
    many = ball.simulate_many(q={"ball": heights}, **options)
    assert many.status == ("OK",) * 7
    for run in (0, 3, 6):
        assert_same(many, run, ball.simulate(q={"ball": heights[run]}, **options))
    # from so low the bounces are over: sqrt(2 h / g) (1 + e) / (1 - e) < 3 s
    assert many["ball.qd"][0, -1] == 0.0 and many["ball.qd"][6, -1] != 0.0
    with pytest.raises(il.InputError, match="has modes"):
        _ = many.energy


# closed starts


def ring_gap(q: np.ndarray, coupler: float = L2) -> float:
    """Distance between the two ends of the four-bar [m], written out."""
    crank, arm, rocker = q[0], q[0] + q[1], q[2]
    x = L1 * math.cos(crank) + coupler * math.cos(arm) - BASE[0] - L3 * math.cos(rocker)
    y = L1 * math.sin(crank) + coupler * math.sin(arm) - BASE[1] - L3 * math.sin(rocker)
    return math.hypot(x, y)


def test_starts_far_away_stay_on_the_branch_of_the_plant(linkage: il.Plant) -> None:
    """The coupler never aligns with the rocker: sin of the angle between them keeps its sign."""
    cranks = np.linspace(-3.0, 5.0, 41)
    many = linkage.simulate_many(t_end=1e-3, method="rk4", q={"crank": cranks})
    assert not many.failed
    assert max(ring_gap(q) for q in many.q[:, 0]) < 1e-12
    between = np.sin(many.q[:, 0, 2] - many.q[:, 0, 0] - many.q[:, 0, 1])
    assert np.all(between > 0.1) or np.all(between < -0.1)
    assert np.array_equal(many.q[:, 0, 0], cranks)


def test_dimensions_differ_and_those_that_cannot_close_fail_alone(linkage: il.Plant) -> None:
    """|crank tip - base| = 0.4 .. 0.55 m at this crank angle: a coupler of 1.2 m is too long."""
    lengths = np.array([0.55, 0.6, 1.2, 0.65])
    many = linkage.simulate_many(t_end=0.2, method="rk4", parameters={"coupler.end.x": lengths})
    assert many.status == ("OK", "OK", "LOOP_OPEN", "OK") and many.failed == (2,)
    assert "cannot be closed at the start" in many.reasons[2] and "ring" in many.reasons[2]
    assert np.all(np.isnan(many.q[2])) and math.isnan(many.reached[2])
    for run in (0, 1, 3):
        for q in many.q[run]:
            assert ring_gap(q, lengths[run]) < 1e-12
    assert "1 failed" in repr(many) and "run 2: LOOP_OPEN" in repr(many)


def test_whole_positions_must_close_the_loops(linkage: il.Plant) -> None:
    good = linkage.formulation.home()
    q = np.array([good, good + np.array([0.0, 1e-3, 0.0]), good])
    many = linkage.simulate_many(t_end=0.01, method="rk4", q=q)
    assert many.status == ("OK", "LOOP_OPEN", "OK")
    qd = np.zeros((3, 3))
    qd[2, 1] = 0.1
    many = linkage.simulate_many(t_end=0.01, method="rk4", q=np.tile(good, (3, 1)), qd=qd)
    assert many.status == ("OK", "OK", "LOOP_OPEN")


def test_runs_that_change_their_coordinates_keep_their_energy() -> None:
    """Two loops that turn on; energy is kept as the order of the method says."""
    plant = linkage_pair().compile()
    options: dict[str, Any] = {"q": {"crank_0": np.linspace(0.8, 1.2, 5)}, "sample": 0.02}
    many = plant.simulate_many(t_end=0.6, step=5e-4, method="rk4", **options)
    assert not many.failed
    total = many.energy.sum(axis=2)
    moved = np.ptp(many.energy[:, :, 0], axis=1)
    assert np.all(moved > 1.0)
    assert np.all(np.abs(total - total[:, :1]) < 1e-5 * moved[:, None])


# failures, order, defaults


def test_a_run_that_leaves_its_bounds_fails_alone(pendulum: il.Plant) -> None:
    speeds = np.array([1.0, 19.0, 2.0])
    pendulum.bounds["upper"] = (1e3, 18.0)
    many = pendulum.simulate_many(t_end=0.2, method="rk4", qd={"upper": speeds}, sample=0.1)
    del pendulum.bounds["upper"]
    assert many.failed == (1,) and many.status[1] == "OUT_OF_BOUNDS"
    assert "speed of coordinate 'upper'" in many.reasons[1]
    one = pendulum.simulate(t_end=0.2, method="rk4", qd={"upper": 2.0}, sample=0.1)
    assert_same(many, 2, one)


def test_the_order_of_runs_does_not_matter(linkage: il.Plant) -> None:
    """Runs leave nothing behind in the instance that the next one uses."""
    cranks = np.random.default_rng(5).uniform(-2.0, 4.0, 60)
    options: dict[str, Any] = {"t_end": 0.5, "method": "rk4", "sample": 0.1}
    many = linkage.simulate_many(q={"crank": cranks}, **options)
    order = np.random.default_rng(6).permutation(60)
    other = linkage.simulate_many(q={"crank": cranks[order]}, **options)
    assert np.array_equal(many.q[order], other.q) and np.array_equal(many.qd[order], other.qd)


def test_the_default_method_is_that_of_simulate() -> None:
    """A spring that steps of 1 ms cannot follow: ω h = 30."""
    m = il.Model("stiff")
    body = m.body("slider", on=m.ground, joint=il.prismatic("x", initial=(0.1, 0.0)), mass=0.1)
    m.joint_force(body, lambda q, qd: -9e7 * q - 6e3 * qd)
    plant = m.compile()
    one = plant.simulate(t_end=0.1)
    many = plant.simulate_many(t_end=0.1, q={"slider": np.array([0.1, 0.2])})
    assert many.method == one.method != "rk4"
    assert np.array_equal(many.q[0, -1], one.q[-1])


def test_signals_and_ends(pendulum: il.Plant) -> None:
    many = pendulum.simulate_many(t_end=0.1, method="rk4", q={"upper": SPREAD})
    assert len(many) == RUNS and many["upper.q"].shape == (RUNS, 2)
    assert np.array_equal(many["upper.q"][:, 0], SPREAD)
    assert np.array_equal(many.final["lower.qd"], many.qd[:, -1, 1])
    with pytest.raises(il.InputError, match=r"no signal 'uper.q'.*upper.q"):
        many["uper.q"]


# careless arguments


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "the number of runs"),
        ({"runs": 0}, "0 runs make no sense"),
        ({"runs": 2.5}, "runs is '2.5'"),
        ({"runs": 4, "q": {"upper": [1.0, 2.0]}}, "'upper' in q has 2 numbers, runs is 4"),
        ({"q": {"upper": [1.0, 2.0], "lower": [1.0]}}, "has 1 numbers, 'upper' in q has 2"),
        ({"q": {"uper": [1.0]}}, "q: there is no 'uper'. Did you mean upper"),
        ({"q": {"upper": [1.0, math.nan]}}, "NaN or infinity for run 1"),
        ({"q": {"upper": np.zeros((2, 2))}}, r"shape \(2, 2\)"),
        ({"q": np.zeros((5, 3))}, r"q has shape \(5, 3\). Give shape \(runs, 2\)"),
        ({"q": "upper"}, "cannot be read as real numbers"),
        ({"q": {"upper": []}}, r"shape \(0,\)"),
        ({"parameters": {"lower.mas": [1.0]}}, "Did you mean lower.mass"),
        ({"parameters": {"lower.mass": [0.5, math.inf]}}, "infinity for run 1"),
        ({"inputs": [1.0, 2.0]}, "inputs are given by name"),
        ({"runs": 3, "method": "scipy"}, "one plant at a time"),
        ({"runs": 3, "method": "rk5"}, "method 'rk5' is unknown"),
        ({"runs": 3, "t_end": math.nan}, "makes no sense"),
        ({"runs": 3, "tolerance": -1.0}, "tolerance of -1.0 makes no sense"),
        ({"runs": 3, "sample": 0.0}, "every 0.0 s makes no sense"),
    ],
)
def test_careless_arguments_are_explained(
    pendulum: il.Plant, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(il.InputError, match=message) as caught:
        pendulum.simulate_many(**{"t_end": 0.1, **options})
    assert caught.value.mistakes[0].fix


def test_a_parameter_out_of_range_tells_its_run() -> None:
    m = il.Model("ranged")
    mass = m.parameter("mass", 1.0, unit="kg", range=(0.5, 2.0))
    m.body("slider", on=m.ground, joint=il.prismatic("x"), mass=mass)
    with pytest.raises(il.InputError, match=r"run 1: parameter 'mass': 3 is outside"):
        m.compile().simulate_many(t_end=0.1, parameters={"mass": [1.0, 3.0, 2.0]})


def test_dependent_coordinates_are_refused_by_name(linkage: il.Plant) -> None:
    with pytest.raises(il.InputError, match=r"'rocker' follows from the loops.*crank"):
        linkage.simulate_many(t_end=0.1, q={"rocker": [1.2, 1.3]})


def test_runs_whose_steps_are_too_long_are_noted() -> None:
    """At ω h = 2 steps of rk4 take all energy of an oscillator, whose end looks like any other."""
    m = il.Model("oscillator", gravity=(0, 0, 0))
    m.body("mass", on=m.ground, joint=il.prismatic("x", initial=0.3), mass=1.0)
    k = m.parameter("k", 100.0)
    m.joint_force("mass", lambda q: -k * q)
    plant = m.compile()
    stiffness = np.array([100.0, 4e6, 150.0])
    exact = 0.3 * np.cos(np.sqrt(stiffness) * 0.1)
    for runs in ([0, 1, 2], [1, 0, 2]):
        many = plant.simulate_many(t_end=0.1, step=1e-3, parameters={"k": stiffness[runs]})
        apart = np.abs(many["mass.q"][:, -1] - exact[runs])
        assert (apart > 0.1).tolist() == [run == 1 for run in runs]
        (note,) = many.notes
        assert note.startswith(f"run {runs.index(1)}: with half the step it differs")
    many = plant.simulate_many(t_end=0.1, step=1e-5, parameters={"k": stiffness})
    np.testing.assert_allclose(many["mass.q"][:, -1], exact, atol=1e-6)
    assert many.notes == ()


@pytest.mark.thinned(2)
@pytest.mark.parametrize("formulation", ["reduced", "redundant"])
def test_velocities_that_are_declared_twice_are_kept_in_each_run(formulation: str) -> None:
    """As `simulate` does: the bars of a parallelogram are declared with equal velocities."""
    plant = parallelograms(1).compile(formulation=formulation)
    options: dict[str, Any] = {"t_end": 0.05, "step": 1e-3, "sample": 0.01}
    masses = np.array([0.5, 2.0])
    many = plant.simulate_many(parameters={"mass": masses}, **options)
    for run, mass in enumerate(masses):
        plant.parameters["mass"] = mass
        assert_same(many, run, plant.simulate(method=many.method, **options))
    np.testing.assert_allclose(many.qd[:, 0], [[-1.0, -1.0, 1.0]] * 2)
    leant = plant.simulate_many(q={"bar_0": [0.3, 0.4]}, **options)
    np.testing.assert_allclose(leant.qd[:, 0], [[-1.0, -1.0, 1.0]] * 2)
    # the coupler folded back onto its bar, so that the other one stands still
    folded = np.array([[0.3, math.pi / 2.0, -math.pi / 2.0]] * 2)
    with pytest.raises(il.InputError, match=r"run 0: 'bar_.' cannot start with velocity -1"):
        plant.simulate_many(q=folded, **options)


def pulled() -> il.Model:
    """A slide that is driven at a live pace, and one that a rack takes along."""
    m = il.Model("pulled", gravity=(0.0, 0.0, 0.0))
    pace = m.parameter("pace", 1.0, unit="m/s")
    where = m.parameter("where", 0.1, unit="m")
    m.body("first", on=m.ground, joint=il.prismatic("x"), mass=1.0)
    m.body("wheel", on=m.ground, joint=il.revolute("y", guess=0.0), mass=1.0, inertia=(1, 1, 1))
    m.drive("first", lambda t: where + pace * t)
    m.rack("wheel", "first", radius=0.5)
    return m


@pytest.mark.thinned(2)
@pytest.mark.parametrize("formulation", ["reduced", "redundant"])
def test_drives_start_as_the_parameters_of_each_run_say(formulation: str) -> None:
    plant = pulled().compile(formulation=formulation)
    paces, places = np.array([0.5, -3.0, 2.0]), np.array([0.1, 0.4, -0.2])
    many = plant.simulate_many(
        t_end=0.1, step=1e-2, sample=0.1, parameters={"pace": paces, "where": places}
    )
    assert many.status == ("OK",) * 3
    np.testing.assert_allclose(many["wheel.q"][:, 0], 2.0 * places, atol=1e-12)
    np.testing.assert_allclose(many["wheel.qd"][:, 0], 2.0 * paces, atol=1e-12)
    np.testing.assert_allclose(many["wheel.q"][:, -1], 2.0 * (places + 0.1 * paces), atol=1e-12)


@pytest.mark.parametrize("factor", [None, 10.0])
def test_efforts_and_inputs_of_the_same_name(factor: float | None) -> None:
    """They share a column of the table: efforts of each run would replace the input, or be it."""
    m = il.Model("pushed", gravity=(0.0, 0.0, 0.0))
    body = m.body("block", on=m.ground, joint=il.prismatic("x"), mass=2.0)
    if factor is None:
        m.joint_input(body)
    else:
        push = m.input("block.tau", "N")
        m.joint_force(body, lambda q: factor * push)
    plant = m.compile()
    options = {"t_end": 0.1, "method": "rk4"}
    both = {"tau": {"block": 1.0}, "inputs": {"block.tau": 3.0}}
    expected = plant.simulate(**options, **both)["block.q"][-1]
    assert plant.simulate_many(runs=2, **options, **both).final["block.q"][1] == expected
    columns = {"tau": {"block": np.array([1.0, 1.0])}}
    with pytest.raises(il.InputError, match=r"the model has an input 'block.tau'.*another name"):
        plant.simulate_many(**options, **{**both, **columns})
    if factor is None:
        alone = plant.simulate(**options, tau={"block": 1.0})["block.q"][-1]
        assert plant.simulate_many(**options, **columns).final["block.q"][1] == alone
    else:
        with pytest.raises(il.InputError, match=r"the model has an input 'block.tau'"):
            plant.simulate_many(**options, **columns)
