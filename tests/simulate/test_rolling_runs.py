"""Constraints on velocities in all kinds of runs: methods, steppers, many runs, modes, starts."""

from __future__ import annotations

import math

import numpy as np
import pytest

import inloop as il
from inloop import gallery
from inloop.plant.formulation import partition_code

MASS, INERTIA, AHEAD = 1.7, 0.23, 0.4  # of a sleigh [kg, kg·m², m]
TURNING, SPEED = 1.3, 0.2  # at the start [rad/s, m/s]
START = {"sleigh_rz": TURNING, "sleigh_tx": SPEED}


def sleigh() -> il.Model:
    m = il.Model("sleigh", gravity=(0.0, 0.0, 0.0))
    plane = [il.prismatic("x"), il.prismatic("y"), il.revolute("z")]
    about, com = (0.13, 0.12, INERTIA), (AHEAD, 0.0, 0.0)
    m.body("sleigh", on=m.ground, joint=plane, mass=MASS, com=com, inertia=about)
    m.knife_edge("sleigh", "y", name="edge")
    return m


@pytest.fixture(scope="module")
def plant() -> il.Plant:
    return sleigh().compile()


def place(t: float) -> np.ndarray:
    """x, y, heading after a time, by quadratures of the closed form (Chaplygin 1911)."""
    D = AHEAD**2 + INERTIA / MASS
    E = SPEED**2 + D * TURNING**2
    rate = AHEAD * math.sqrt(E) / D
    begin = math.atanh(SPEED / math.sqrt(E))
    nodes, weights = np.polynomial.legendre.leggauss(60)

    def heading(s: np.ndarray) -> np.ndarray:
        # ∫ √(E/D) / cosh = √(E/D)/rate · 2 atan(tanh(·/2))
        wide = math.sqrt(E / D) / rate * 2.0
        return np.asarray(
            wide * (np.arctan(np.tanh((rate * s + begin) / 2)) - math.atan(math.tanh(begin / 2)))
        )

    s = 0.5 * t * (nodes + 1.0)
    along = math.sqrt(E) * np.tanh(rate * s + begin)
    path = [0.5 * t * weights @ (along * f(heading(s))) for f in (np.cos, np.sin)]
    return np.array([*path, float(heading(np.array(t)))])


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("method", "order"), [("rk4", 4), ("dopri", 5), ("rodas", 4), ("implicit", 2), ("euler", 1)]
)
def test_positions_converge_with_the_order_of_the_method(
    plant: il.Plant, method: str, order: int
) -> None:
    """All three: those that velocities lead to are integrated as well as the others."""
    errors = []
    for step in (0.04, 0.02):
        run = plant.simulate(t_end=1.0, step=step, method=method, qd=START)
        errors.append(np.abs(run.q[-1] - place(1.0)))
    assert np.all(np.log2(errors[0] / errors[1]) > order - 0.45)
    assert errors[1].max() < 1e-2


def test_steps_chosen_by_their_error(plant: il.Plant) -> None:
    for method in ("dopri", "rodas"):
        run = plant.simulate(t_end=2.0, step=0.1, method=method, tolerance=1e-9, qd=START)
        assert run.q[-1] == pytest.approx(place(2.0), abs=1e-7)


def test_a_stepper_does_what_a_run_does(plant: il.Plant) -> None:
    stepper = plant.stepper(step=1e-3, qd=START)
    for _ in range(2000):
        stepper.step()
    found = [stepper[f"sleigh_{k}.q"] for k in ("tx", "ty", "rz")]
    assert found == pytest.approx(place(2.0), abs=1e-10)
    run = plant.simulate(t_end=2.0, step=1e-3, qd=START)
    assert stepper["lam.edge.lateral"] == pytest.approx(run["lam.edge.lateral"][-1], abs=1e-9)


def test_all_positions_may_be_given(plant: il.Plant) -> None:
    at = {"sleigh_tx": 1.1, "sleigh_ty": -2.3, "sleigh_rz": 0.6}
    run = plant.simulate(t_end=0.1, step=1e-2, q=at, qd={"sleigh_rz": 1.0})
    assert list(run.q[0]) == [1.1, -2.3, 0.6]
    assert run.notes == ()


def test_velocities_that_contradict_are_refused_by_name(plant: il.Plant) -> None:
    wrong = {"sleigh_ty": 1.0, "sleigh_tx": 0.0}
    with pytest.raises(il.InputError, match="'sleigh_ty' has 0, not 1"):
        plant.simulate(t_end=0.1, step=1e-2, qd=wrong)
    with pytest.raises(il.InputError, match=r"row 'edge\.lateral' is not satisfied by qd"):
        plant.direct_dynamics([0.0, 0.0, 0.3], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0])


def test_many_runs_are_the_single_ones(plant: il.Plant) -> None:
    """Any position may differ from run to run, also those that velocities lead to."""
    values = {"sleigh_ty": np.array([0.3, -1.0]), "sleigh_rz": np.array([0.2, 0.9])}
    many = plant.simulate_many(t_end=1.0, step=1e-3, q=values, qd=START)
    for k in range(2):
        at = {name: float(column[k]) for name, column in values.items()}
        run = plant.simulate(t_end=1.0, step=1e-3, q=at, qd=START)
        for name in ("tx", "ty", "rz"):
            found = many[f"sleigh_{name}.q"][k]
            assert found[0] == run[f"sleigh_{name}.q"][0]
            assert found[-1] == pytest.approx(run[f"sleigh_{name}.q"][-1], abs=1e-9)


def test_many_runs_of_a_wheel_that_must_touch() -> None:
    """The height follows from the lean of each run; x and y stay where they are."""
    m = il.Model("disc")
    place_of = [il.prismatic("x"), il.prismatic("y"), il.prismatic("z", guess=0.3)]
    turns = [il.revolute("z"), il.revolute("x"), il.revolute("y")]
    m.body("disc", on=m.ground, joint=[*place_of, *turns], mass=2.0, inertia=(0.05, 0.09, 0.05))
    m.rolls("disc", radius=0.3, axis="y")
    plant = m.compile()
    leans = np.array([0.1, 0.5])
    many = plant.simulate_many(
        t_end=0.2, step=1e-3, q={"disc_rx": leans, "disc_tx": 0.7}, qd={"disc_ry": 4.0}
    )
    assert many["disc_tz.q"][:, 0] == pytest.approx(0.3 * np.cos(leans), abs=1e-14)
    assert list(many["disc_tx.q"][:, 0]) == [0.7, 0.7]
    one = plant.simulate(
        t_end=0.2, step=1e-3, q={"disc_rx": 0.5, "disc_tx": 0.7}, qd={"disc_ry": 4.0}
    )
    assert many["disc_ty.q"][1, -1] == pytest.approx(one["disc_ty.q"][-1], abs=1e-10)


def bowling(radius: float, friction: float) -> il.Model:
    """A ball in a plane that slides first; the lane is below it by its radius."""
    mass = 6.0
    about = 0.4 * mass * radius**2
    m = il.Model("bowling")
    joint = [il.prismatic("x", initial=(0.0, 3.0)), il.revolute("y", initial=(0.0, 0.0))]
    m.body("ball", on=m.ground, joint=joint, mass=mass, inertia=(about, about, about))
    m.ground.frame("lane", (0.0, 0.0, -radius))
    pull = m.input("pull", unit="N")
    m.joint_force("ball_tx", lambda: pull, name="pulled")
    slides, rolls = m.mode("slides"), m.mode("rolls")
    limit = friction * mass * 9.81
    with m.during(slides):
        # it slides ahead: the lane pulls it back and turns it
        m.joint_force("ball_tx", lambda: -limit)
        m.joint_force("ball_ry", lambda: limit * radius)
    with m.during(rolls):
        m.rolls("ball", radius=radius, on="ground.lane", name="lane")
    m.event("grip", lambda qd: qd["ball_tx"] - radius * qd["ball_ry"], mode=slides, to=rolls)
    m.event("slip", lambda force: limit + force["lane.x"], mode=rolls, to=slides)
    return m


def test_a_wheel_rolls_in_one_mode_and_slides_in_another() -> None:
    """It slides until 2 v0 / (7 μ g), rolls with 5/7 of its speed, and slips when pulled hard."""
    radius, friction = 0.11, 0.2
    plant = bowling(radius, friction).compile()
    gripped = 2.0 * 3.0 / (7.0 * friction * 9.81)
    run = plant.simulate(t_end=1.0, step=1e-3)
    (grip,) = run.events
    assert (grip.name, grip.next_mode) == ("grip", "rolls")
    assert grip.t == pytest.approx(gripped, abs=1e-9)
    assert grip.energy_lost == pytest.approx(0.0, abs=1e-9)
    assert run["ball_tx.qd"][-1] == pytest.approx(15.0 / 7.0, abs=1e-9)
    rolls = run.t > gripped
    assert run["lam.lane.x"][rolls] == pytest.approx(0.0, abs=1e-9)
    # rolling needs 2/7 of the pull: it slips when that is more than μ m g, from then on
    pull = {"pull": lambda t: 100.0 * il.max0(t - 0.5)}
    pulled = plant.simulate(t_end=1.2, step=1e-3, inputs=pull)
    names = [event.name for event in pulled.events]
    assert names == ["grip", "slip"]
    limit = friction * 6.0 * 9.81
    assert pulled.events[1].t == pytest.approx(0.5 + 3.5 * limit / 100.0, abs=1e-9)
    slid = pulled.t > pulled.events[1].t + 1e-3
    faster = pulled["ball_tx.qd"][slid] - radius * pulled["ball_ry.qd"][slid]
    assert np.all(faster > 0.0)


def test_where_it_grips_velocities_jump() -> None:
    """A ball that is set down while it slides: impulse balance about the contact, 5/7 of v0."""
    m = il.Model("set_down")
    mass, radius = 6.0, 0.11
    about = 0.4 * mass * radius**2
    joint = [il.prismatic("x", initial=(0.0, 3.0)), il.revolute("y")]
    m.body("ball", on=m.ground, joint=joint, mass=mass, inertia=(about, about, about))
    m.ground.frame("lane", (0.0, 0.0, -radius))
    loose, rolls = m.mode("loose"), m.mode("rolls")
    with m.during(rolls):
        m.rolls("ball", radius=radius, on="ground.lane", name="lane")
    m.event("touch", lambda t: 0.25 - t, mode=loose, to=rolls)
    run = m.compile().simulate(t_end=0.5, step=1e-3)
    (touch,) = run.events
    assert run["ball_tx.qd"][-1] == pytest.approx(15.0 / 7.0, abs=1e-9)
    assert touch.impulses["lane.x"] == pytest.approx(-mass * 3.0 * 2.0 / 7.0, abs=1e-9)
    assert touch.energy_lost == pytest.approx(0.5 * mass * 9.0 * 2.0 / 7.0, abs=1e-9)


def test_a_wheel_in_a_loop_and_a_driven_one() -> None:
    """A cart with two wheels on one axle and a drive on one: the other follows the curve.

    With wheels at ±b of an axle that turns about a fixed pivot at distance R of its middle, their
    speeds are in proportion R - b : R + b.
    """
    m = il.Model("capstan", gravity=(0.0, 0.0, -9.81))
    R, b, r = 1.2, 0.3, 0.25
    beam = m.body(
        "beam", on=m.ground.point("pivot", (0.0, 0.0, r)), joint=il.revolute("z"), mass=4.0,
        com=(0.6, 0.0, 0.0), inertia=(0.2, 0.9, 0.9),
    )  # fmt: skip
    for name, x in (("inner", R - b), ("outer", R + b)):
        hub, about = beam.point(name, (x, 0.0, 0.0)), (0.05, 0.03, 0.03)
        m.body(name, on=hub, joint=il.revolute("x"), mass=1.0, inertia=about)
        m.rolls(name, radius=r, axis="x", name=f"{name}_rim")
    m.drive("inner", lambda t: 0.5 * t**2)
    run = m.compile().simulate(t_end=2.0, step=1e-3)
    turned = -r * run["inner.q"] / (R - b)
    assert run["beam.q"] == pytest.approx(turned, abs=1e-10)
    assert run["outer.q"] == pytest.approx(-run["beam.q"] * (R + b) / r, abs=1e-10)
    # the drive accelerates all: torque times rate is the rate of the kinetic energy
    power = run["inner.effort"] * run["inner.qd"]
    slope = np.gradient(run["energy.kinetic"], run.t, edge_order=2)
    assert power[1:-1] == pytest.approx(slope[1:-1], abs=1e-6)
    assert power[-1] > 0.1


def test_what_slips_is_told(plant: il.Plant) -> None:
    """Of rows on velocities J qd + nu counts, positions never."""
    q, qd = np.array([5.0, -3.0, 0.3]), np.array([1.0, 0.0, 0.0])
    assert plant.formulation.positions.gap(q, 1e-9) is None
    assert plant.formulation.rows.violation(q, qd) == pytest.approx(math.sin(0.3), abs=1e-15)
    slip = plant.formulation.rows.slip(q, qd, 1e-6)
    assert slip is not None
    assert (slip.row, slip.speed) == ("edge.lateral", pytest.approx(math.sin(0.3), abs=1e-15))
    ahead = np.array([math.cos(0.3), math.sin(0.3), 2.0])
    assert plant.formulation.rows.slip(q, ahead, 1e-6) is None


def test_a_belt_that_moves_does_work() -> None:
    """Power of the constraint is force times the speed that it prescribes."""
    m = il.Model("belt", gravity=(0.0, 0.0, 0.0))
    m.body("load", on=m.ground, joint=il.prismatic("x"), mass=3.0)
    m.body("more", on="load", joint=il.prismatic("x", initial=(0.0, 0.4)), mass=1.0)
    m.velocity_constraint("belt", lambda qd, t: qd["load"] - 0.3 * il.sin(2.0 * t))
    run = m.compile().simulate(t_end=2.0, step=1e-3)
    assert run.work is not None
    gained = run["energy.total"] - run["energy.total"][0]
    assert run.work == pytest.approx(gained, abs=1e-7)
    assert np.ptp(gained) > 0.05


def test_sparse_factors_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done with large mechanisms, and with choices that are made while it runs."""
    known = gallery.get("bicycle").build().compile().simulate(t_end=1.0, step=1e-3)
    monkeypatch.setattr(partition_code, "UNROLLED_UP_TO", 0)
    plant = gallery.get("bicycle").build().compile()
    assert not plant.formulation.code.unrolled
    run = plant.simulate(t_end=1.0, step=1e-3)
    assert run.q == pytest.approx(known.q, abs=1e-11)
    name = "lam.front_tire.lateral"
    assert run[name] == pytest.approx(known[name], abs=1e-8)
    assert np.ptp(run[name]) > 10.0
