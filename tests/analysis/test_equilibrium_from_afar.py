"""Positions of rest from starts that are far off: contacts that do not touch yet, flat regions."""

from __future__ import annotations

import mechanisms as mech
import numpy as np
import pytest

import inloop as il
from inloop.analysis import equilibrium
from inloop.gallery.car import model as car

G = 9.81
# what the bodies of the car weigh [kg]
MASSES = {"chassis.com": 1480.0, "weight": 100.0, "rack": 3.0}
MASSES |= {f"wheel_{corner.name}": 15.0 for corner in car.CORNERS}
MASSES |= {f"knuckle_{corner.name}": 1.0 for corner in car.CORNERS}


@pytest.fixture(scope="module")
def car_on_tyres() -> il.Plant:
    # tyres with deflections hold where they stand: there would be many places of rest
    plant = car.car(bars_as_laws=True, relaxation=0.0).compile()
    plant.parameters["throw"] = 0.0
    return plant


@pytest.fixture(scope="module")
def settled(car_on_tyres: il.Plant) -> dict[str, float]:
    """Where a run of the car ends after its dampers have done their work."""
    # 3 s; a stepper does not judge its steps, which takes longer than they do
    stepper = car_on_tyres.stepper(step=2e-3, method="implicit")
    for _ in range(1500):
        stepper.step()
    end = stepper.look().q[0]
    return dict(zip(car_on_tyres.coordinates, end, strict=True))


def balance(plant: il.Plant, q: np.ndarray) -> np.ndarray:
    """Force and moments about x and y of tyres and weight, by hand [N, N·m]."""
    loads = car.tyre_forces(plant, q)
    at = np.array([plant.position(f"wheel_{corner.name}", q) for corner in car.CORNERS])
    weights = np.array(list(MASSES.values())) * G
    places = np.array([plant.position(path, q) for path in MASSES])
    # tyres push at the wheels' centers
    return np.array([
        loads.sum() - weights.sum(),
        loads @ at[:, 1] - weights @ places[:, 1],
        loads @ at[:, 0] - weights @ places[:, 0],
    ])  # fmt: skip


STARTS = [
    {"chassis_tz": 0.43, "chassis_rx": 0.12, "chassis_ry": -0.08},
    {"chassis_tz": 0.3, "lower_front_left": -0.3, "lower_rear_right": 0.25},
]
MORE_STARTS = [
    *({"chassis_tz": 0.18 + off} for off in (-0.3, 0.05, 0.3)),
    {"chassis_tz": 0.05, "chassis_rx": -0.1, "lower_rear_left": 0.2},
]


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    "start", [*STARTS, *(pytest.param(s, marks=pytest.mark.long) for s in MORE_STARTS)], ids=str
)
def test_a_car_from_heights_that_are_off(
    car_on_tyres: il.Plant, settled: dict[str, float], start: dict[str, float]
) -> None:
    found = equilibrium(car_on_tyres, q=start)
    loads = car.tyre_forces(car_on_tyres, found.q)
    assert loads.min() > 2000.0
    assert balance(car_on_tyres, found.q) == pytest.approx(0.0, abs=1e-6)
    # the rest to which a run settles; where the car stands and how it heads is left free
    for name in ("tz", "ry", "rx"):
        assert found[f"chassis_{name}"] == pytest.approx(settled[f"chassis_{name}"], abs=1e-6)
    assert found.tried and found.tried[-1].endswith("steps")


@pytest.mark.long
def test_it_is_a_rest_of_the_simulated_motion(car_on_tyres: il.Plant) -> None:
    found = equilibrium(car_on_tyres, q={"chassis_tz": 0.45})
    assert any("relaxation: at rest" in line for line in found.tried)
    run = car_on_tyres.simulate(t_end=0.3, step=1e-3, q=found.q)
    assert np.ptp(run["chassis_tz.q"]) < 1e-9 and np.ptp(run["lower_front_left.q"]) < 1e-9


@pytest.mark.parametrize("unit", [1.0, 1e-9, 1e6])
def test_a_ball_above_the_floor_in_any_unit(unit: float) -> None:
    """It comes to rest where the floor carries it: radius - m g/k."""
    mass, stiffness, radius = 0.7, 300.0 / unit, 0.1 * unit
    m = il.Model("ball", gravity=(0.0, 0.0, -G))
    ball = m.body(
        "ball", on=m.ground, joint=il.prismatic("z", initial=(2.0 * unit, 0.0)), mass=mass
    )
    m.force(ball, lambda p: (0.0, 0.0, stiffness * il.max0(radius - p[2])))
    found = equilibrium(m.compile())
    assert found["ball"] == pytest.approx(radius - mass * G / stiffness, rel=1e-12)
    assert found.stability == "stable"
    assert found.eigenvalues.imag.max() == pytest.approx(np.sqrt(stiffness / mass), rel=1e-9)


def test_a_closed_mechanism_above_its_stop() -> None:
    """Two masses on one rope, the heavier one above a spring, which carries the difference."""
    heavy, light, stiffness, floor = 3.1, 1.9, 840.0, -0.6
    m = il.Model("rope", gravity=(0.0, 0.0, -G))
    m.body("heavy", on=m.ground, joint=il.prismatic("z", initial=(0.4, 0.0)), mass=heavy)
    side = m.ground.point("side", (0.7, 0.0, 0.3))
    m.body("light", on=side, joint=il.prismatic("z", initial=(-0.4, 0.0)), mass=light)
    m.constraint("rope", lambda q: q["heavy"] + q["light"])
    m.joint_force("heavy", lambda q: stiffness * il.max0(floor - q), name="floor")
    found = equilibrium(m.compile())
    assert found["heavy"] == pytest.approx(floor - (heavy - light) * G / stiffness, rel=1e-10)
    assert found["light"] == pytest.approx(-found["heavy"], rel=1e-10)


def test_what_was_tried_is_told() -> None:
    m = il.Model("stone")
    m.body("stone", on=m.ground, joint=il.prismatic("z"), mass=0.7)
    with pytest.raises(il.SimulationError, match=r"6\.867 N is left on 'stone'") as error:
        equilibrium(m.compile())
    text = str(error.value)
    assert "Newton's method: 6.867 N on 'stone' left" in text and "relaxation: 6.867 N" in text


def test_a_pendulum_from_everywhere() -> None:
    """m g l sin q balances the effort."""
    plant = mech.pendulum().compile()
    for start in np.linspace(-3.0, 3.0, 13):
        found = equilibrium(plant, q={"rod": start}, tau={"rod": 1.0})
        assert abs(np.sin(found["rod"])) == pytest.approx(1.0 / (1.7 * mech.G * 0.43), rel=1e-10)


def test_loops_stay_on_their_branch_on_the_way_to_rest() -> None:
    """A crank that turns all the way round, from everywhere; its spring is wound in the coupler."""
    m = mech.four_bar(spring=False)
    m.torsion_spring("coupler", stiffness=9.0, rest=1.0)
    plant = m.compile()
    home = plant.formulation.home()
    branch = mech.branch_of(plant, home)
    for start in np.arange(-3.0, 7.0, 2.0):
        found = equilibrium(plant, q={"crank": start})
        assert mech.branch_of(plant, found.q) == branch
        # the rocker never turns over
        assert abs(found["rocker"] - home[2]) < np.pi
