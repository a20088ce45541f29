"""Closed mechanisms of the gallery in motion: literature, closed forms, energy, statics, modes."""

from __future__ import annotations

import numpy as np
import pytest
from exhibit_plants import plant_of

import inloop as il
from inloop import gallery
from inloop.gallery import stewart
from inloop.gallery.andrews import AFTER_30_MS, ANGLES
from inloop.gallery.suspension import model as suspension

# the drop links of the car lean at rest; it is brought together from joints at zero
CLOSED = (
    "four_bar", "slider_crank", "andrews", "bricard", "stewart", "suspension", "rolling_disc",
    "bicycle",
)  # fmt: skip


def test_all_are_in_the_catalog() -> None:
    assert set(CLOSED) <= set(gallery.names())


@pytest.mark.parametrize("name", CLOSED)
def test_models_start_closed(name: str) -> None:
    """The initial values of the joints need no correction."""
    model = gallery.get(name).build()
    plant = model.compile(backend="python")
    start = [body.joint.initial[0] for body in plant.mechanism.bodies]
    assert plant.formulation.positions.first.q == pytest.approx(start, abs=1e-12)
    assert plant.formulation.positions.first.residual < 1e-13


# four-bar


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("loops", "tip"),
    [(1, (0.478385057760971, 0.878150178791209)), (2, (0.328458111540815, 0.944518538178601))],
)
def test_a02_of_the_iftomm_library(loops: int, tip: tuple[float, float]) -> None:
    plant = gallery.get("four_bar").build(loops=loops).compile()
    run = plant.simulate(t_end=10.0, step=1e-3)
    assert plant.position("bar_0.B", run.q[-1])[:2] == pytest.approx(tip, abs=1e-6)
    assert run.energy_drift() < 1e-7
    assert run.constraint_violation < 1e-12
    # it passed the singular position, bars flat, several times
    assert np.ptp(run["bar_0.q"]) > 2.0 * np.pi
    # the bars stay parallel
    assert np.abs(run["bar_0.q"] - run["bar_1.q"]).max() < 1e-6


def test_four_bar_is_a_pendulum_of_one_length() -> None:
    """All bars turn alike, so one angle tells all; its acceleration in closed form."""
    for loops in (1, 2, 4):
        plant = gallery.get("four_bar").build(loops=loops).compile(backend="python")
        q, qd = np.zeros(plant.n), np.zeros(plant.n)
        angle = 0.7
        for k, name in enumerate(plant.coordinates):
            q[k] = angle if name.startswith("bar") else -angle
        qd[plant.coordinates.index("bar_0")] = -1.3
        a = plant.formulation.motion(q, qd, np.zeros(plant.n))["a"]
        # N+1 bars turn about their ends, N couplers move with the tips
        inertia, moment = (loops + 1) / 3.0 + loops, (loops + 1) / 2.0 + loops
        assert a[0] == pytest.approx(9.81 * moment / inertia * np.sin(angle), rel=1e-12)


# slider-crank


@pytest.mark.parametrize("spatial", [False, True])
def test_slider_crank_keeps_its_energy(spatial: bool) -> None:
    exhibit = gallery.get("slider_crank")
    plant = exhibit.build(spatial=spatial).compile()
    run = plant.simulate(t_end=10.0, step=exhibit.step)
    assert run.energy_drift() < 1e-8
    assert run.constraint_violation < 1e-12
    assert np.ptp(run["slider.q"]) > 0.1


def test_spatial_slider_crank_by_hand() -> None:
    """(x, 0, 0) is 0.3 m from B = (0, 0.1 - 0.08 sin q, 0.12 + 0.08 cos q)."""
    plant = gallery.get("slider_crank").build(spatial=True).compile()
    run = plant.simulate(t_end=1.0, step=1e-3)
    q, w = run["crank.q"], run["crank.qd"]
    y, z = 0.1 - 0.08 * np.sin(q), 0.12 + 0.08 * np.cos(q)
    x = np.sqrt(0.09 - y**2 - z**2)
    assert run["slider.q"] == pytest.approx(x, abs=1e-12)
    rate = -(y * -0.08 * np.cos(q) + z * -0.08 * np.sin(q)) / x * w
    assert run["slider.qd"] == pytest.approx(rate, abs=1e-11)


def test_slider_crank_driven_at_constant_speed() -> None:
    """The torque on the crank is the rate of the energy over the speed."""
    model = gallery.get("slider_crank").build()
    model._draft.independent.clear()
    model.drive("crank", lambda t: -1.2 + 6.0 * t)
    plant = model.compile()
    run = plant.simulate(t_end=1.0, step=1e-3)
    power = 6.0 * run["crank.effort"]
    energy = run.energy.sum(axis=1)
    middle = (energy[2:] - energy[:-2]) / 2e-3
    assert power[1:-1] == pytest.approx(middle, abs=2e-4 * np.abs(power).max())
    assert np.abs(power).max() > 1.0


# Andrews' squeezer


@pytest.fixture(scope="module")
def squeezed() -> il.Result:
    return plant_of("andrews").simulate(t_end=0.03, step=1e-6)


def test_andrews_after_30_ms(squeezed: il.Result) -> None:
    run = squeezed
    for angle, value in zip(ANGLES, AFTER_30_MS, strict=True):
        assert run[f"{angle}.q"][-1] == pytest.approx(value, rel=1e-7), angle
    assert run.constraint_violation < 1e-12


def test_andrews_balances_its_energy(squeezed: il.Result) -> None:
    """Kinetic energy is what the motor gave and the spring gave back."""
    plant, run = plant_of("andrews"), squeezed
    length = np.linalg.norm(
        plant.position("body_3.D", run.q) - plant.position("ground.C", run.q), axis=1
    )
    stored = 0.5 * 4530.0 * (length - 0.07785) ** 2
    given = 0.033 * (run["beta.q"] - run["beta.q"][0])
    balance = run.energy.sum(axis=1) + stored - given
    assert np.ptp(balance) < 1e-8 * run.energy[:, 0].max()


# Bricard


def test_bricard_keeps_its_energy() -> None:
    """It falls, swings through and comes to rest where its hinges 1, 3, 5 have made half a turn.

    Every joint turns back there, so no one of them can stay independent.
    """
    exhibit = gallery.get("bricard")
    plant = plant_of(exhibit.name)
    run = plant.simulate(t_end=10.0, step=exhibit.step)
    half, small = np.pi, np.pi / 6.0
    assert np.ptp(run.q, axis=0) == pytest.approx([half, small, half, small, half], abs=1e-6)
    assert run.notes
    assert run.energy_drift() < 1e-8
    assert run.constraint_violation < 1e-12


def test_bricard_moves_in_three_pairs() -> None:
    """Hinges 1, 3, 5 move alike, and so do 2, 4; all rows hold, the dropped one too.

    The two kinds obey c1 + c2 + c1 c2 = 0 with the cosines of their angles, π/2 - q.
    """
    plant = plant_of("bricard")
    run = plant.simulate(t_end=0.5, step=1e-3)
    q = run.q.T
    assert q[2] == pytest.approx(q[0], abs=1e-12)
    assert q[4] == pytest.approx(q[0], abs=1e-12)
    assert q[3] == pytest.approx(q[1], abs=1e-12)
    c1, c2 = np.sin(q[0]), np.sin(q[1])
    assert np.abs(c1 + c2 + c1 * c2).max() < 1e-12
    assert np.abs(run.q[-1]).min() > 0.1
    assert run.constraint_violation < 1e-12
    assert run.energy_drift() < 1e-10


# Stewart


def total_energy(plant: il.Plant, run: il.Result) -> np.ndarray:
    return run.energy.sum(axis=1) + stewart.elastic_energy(plant, run.q)


@pytest.mark.long
def test_stewart_with_pistons_keeps_its_energy() -> None:
    plant = gallery.get("stewart").build(pistons=True).compile()
    run = plant.simulate(t_end=10.0, step=5e-4)
    total = total_energy(plant, run)
    assert np.ptp(total) < 1e-8 * run.energy[:, 0].max()
    assert run.constraint_violation < 1e-12
    assert np.ptp(run["plate_tz.q"]) > 0.01 and np.ptp(run["plate_rx.q"]) > 0.05


def test_stewart_keeps_its_energy() -> None:
    exhibit = gallery.get("stewart")
    plant = plant_of(exhibit.name)
    run = plant.simulate(t_end=3.0, step=exhibit.step)
    assert np.ptp(total_energy(plant, run)) < 1e-8 * run.energy[:, 0].max()
    assert run.constraint_violation < 1e-12


def test_stewart_in_two_ways() -> None:
    """Pistons without mass change nothing: 12 conditions by hand against six cut balls."""
    by_hand = gallery.get("stewart").build().compile(backend="python")
    by_cuts = gallery.get("stewart").build(pistons=True).compile(backend="python")
    by_cuts.parameters["piston_mass"] = 0.0
    random = np.random.default_rng(4)
    found = []
    x, v = 0.05 * random.normal(size=6), random.normal(size=6)
    for plant in (by_hand, by_cuts):
        plate = [plant.coordinates.index(name) for name in stewart.PLATE]
        q, qd = plant.formulation.positions.first.q.copy(), np.zeros(plant.n)
        q[plate] += x
        qd[plate] = v
        found.append(plant.formulation.motion(q, qd, np.zeros(plant.n))["a"][plate])
    assert found[0] == pytest.approx(found[1], rel=1e-9)


def test_stewart_at_rest_carries_its_weight() -> None:
    """In the middle all legs are alike: the closed form of the acceleration along z."""
    plant = gallery.get("stewart").build().compile(backend="python")
    plate = [plant.coordinates.index(name) for name in stewart.PLATE]
    q = plant.formulation.positions.first.q.copy()
    q[plate] = [0.0, 0.0, 0.69, 0.0, 0.0, 0.0]
    q = plant.formulation.assemble(q, plate).q
    a = plant.formulation.motion(q, np.zeros(18), np.zeros(18))["a"][plate]
    # a cardan joint turns its tube a little about itself, in each leg by another angle
    assert a[[0, 1, 3, 4, 5]] == pytest.approx(np.zeros(5), abs=1e-4)
    foot, head = np.array(stewart.base_point(1)), np.array(stewart.plate_point(1))
    flat = np.linalg.norm((head - foot)[:2])
    length = np.hypot(flat, 0.69)
    # power of springs and weights over the speed of the plate; a tube turns by flat/length²
    lift = 6.0 * 2500.0 * (0.78 - length) * 0.69 / length
    weight = 8.0 * 9.81 + 6.0 * 0.9 * 9.81 * 0.2 * (flat / length) * flat / length**2
    moment = 0.0125 + 0.9 * 0.2**2
    inertia = 8.0 + 6.0 * moment * (flat / length**2) ** 2
    assert a[2] == pytest.approx((lift - weight) / inertia, rel=1e-4)


# suspension


def test_suspension_settles_under_its_weight() -> None:
    exhibit = gallery.get("suspension")
    plant = plant_of(exhibit.name)
    for comparison in exhibit.compare(plant):
        assert comparison.ok, comparison


def test_suspension_steers() -> None:
    """Rack to the left behind the axle turns the wheel by about the throw over the arm."""
    plant = plant_of("suspension")
    run = plant.simulate(t_end=5.0, step=1e-3)
    assert run.constraint_violation < 1e-12
    forward = np.array([plant.pose("knuckle_left", q)[1][:, 0] for q in run.q[::50]])
    steer = np.arctan2(forward[:, 1], forward[:, 0])
    rack = run["rack.q"][::50]
    settled = slice(20, None)
    slope = np.polyfit(rack[settled], steer[settled], 1)[0]
    arm = -suspension.STEERING_ARM[0]
    assert slope == pytest.approx(-1.0 / arm, rel=0.1)
    assert np.abs(run["rack.effort"]).max() > 1.0


# mistakes


@pytest.mark.parametrize("loops", [0, 101, -3])
def test_numbers_of_loops_out_of_range_are_refused(loops: int) -> None:
    with pytest.raises(il.InputError, match="Give a whole number from 1 to 100"):
        gallery.get("four_bar").build(loops=loops)


def test_bars_too_short_for_the_loop_name_it() -> None:
    m = gallery.get("slider_crank").build()
    crank = m.body("late", on=m.ground, joint=il.revolute("y"), mass=0.2, com=(0.1, 0.0, 0.03))
    m.close(crank.point("tip", (0.1, 0.0, 0.0)), m.ground.point("far", (0.7, 0.0, 0.0)), name="gap")
    with pytest.raises(il.ModelError, match=r"loop 'gap' cannot close, 0\.6 m"):
        m.compile(backend="python")


# wheels


def test_a_steady_disc_goes_round_in_a_circle() -> None:
    plant = gallery.get("rolling_disc").build(steady=True).compile()
    run = plant.simulate(t_end=2.0 * np.pi / 2.0, step=1e-3)  # one turn at 2 rad/s
    assert np.ptp(run["lean.q"]) < 1e-7
    assert run["yaw.q"][-1] == pytest.approx(2.0 * np.pi, abs=1e-6)
    assert [run["x.q"][-1], run["y.q"][-1]] == pytest.approx([0.0, 0.0], abs=1e-6)
    assert np.ptp(run["x.q"]) > 0.3


@pytest.mark.parametrize(("speed", "falls"), [(3.0, True), (5.0, False)])
def test_the_bicycle_rights_itself_where_it_is_stable(speed: float, falls: bool) -> None:
    plant = gallery.get("bicycle").build(speed=speed, push=0.05).compile()
    run = plant.simulate(t_end=3.0, step=1e-3)
    late = np.abs(run["lean.q"][run.t > 2.0]).max()
    assert (late > 0.1) if falls else (late < 0.01)
    # what the belt does on it is all that its energy changes by
    assert run.energy_drift() < 1e-7
    assert run.constraint_violation < 1e-9
