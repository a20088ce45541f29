"""The car with engine, brakes and steering wheel: it starts, stops, stands and can be steered."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from exhibit_plants import driven_car

import inloop as il
from inloop import gallery
from inloop.gallery.car import engine
from inloop.gallery.car import model as car

NAMES = [corner.name for corner in car.CORNERS]
FAST = 75.0 / 3.6
G, MASS = 9.81, 1647.0 + 1.5  # of the source's car and the steering wheel


def driven_plant(pac2002: bool) -> il.Plant:
    """With tyres of 1987 or of PAC2002, with parameters as declared."""
    plant = driven_car(pac2002)
    plant.parameters.reset()
    return plant


def driven(plant: il.Plant, seconds: float, speed: float = 0.0, **inputs: Any) -> il.Result:
    spins = {
        f"spin_{name}": speed / (0.3 - car.LOAD[name.partition("_")[0]] / 200e3) for name in NAMES
    }
    return plant.simulate(
        t_end=seconds, step=1e-3, method="rk4", sample=5e-3,
        qd={"chassis_tx": speed, **spins}, inputs=inputs,
    )  # fmt: skip


def total(run: il.Result, what: str) -> np.ndarray:
    return sum(np.asarray(run[f"tyre_{name}.{what}"]) for name in NAMES)


# braking


# deceleration [g] with the load transfer of the car, by hand: wheels locked, at the best slip
@pytest.mark.parametrize(
    ("pac2002", "slip", "known"),
    [
        pytest.param(False, None, 0.71126, marks=pytest.mark.long),
        pytest.param(True, 0.14, 1.16168, marks=pytest.mark.long),
        pytest.param(False, 0.085, 1.03624, marks=pytest.mark.long),
        pytest.param(True, None, 0.84882, marks=pytest.mark.long),
    ],
)
def test_braking_from_75_km_per_h(pac2002: bool, slip: float | None, known: float) -> None:
    """Distances from 75 km/h to rest within 1 % of V²/2a.

    The brake is pressed at 130 km/h, as V²/2a takes the load for transferred from the first meter.
    """
    plant = driven_plant(pac2002=pac2002)
    plant.parameters.update(drag_area=0.0, abs=float(slip is not None), abs_slip=slip or 0.1)
    plant.parameters["abs_low"] = 0.0  # each wheel at its best
    run = driven(plant, 7.5, 130.0 / 3.6, brake=1.0, clutch=1.0)
    v, x = run["chassis_tx.qd"], run["chassis_tx.q"]
    first, last = int(np.argmax(v < FAST)), int(np.argmax(v < 3.0))
    begin = np.interp(-FAST, -v[: first + 1], x[: first + 1])
    assert x.max() - begin == pytest.approx(FAST**2 / (2.0 * known * G), rel=0.01)
    # it stands afterwards, straight ahead
    assert abs(v[-1]) < 0.05 and abs(run["chassis_ty.q"][-1]) < 0.02
    locked = np.abs(run["spin_front_left.qd"][first:last]).max() < 1.0
    assert locked == (slip is None)


# on a slope


@pytest.mark.long
def test_standing_on_a_slope() -> None:
    """20 %: no creep, and the tyres carry the weight along the slope."""
    plant = driven_plant(pac2002=True)
    plant.parameters["uphill"] = 0.2
    run = plant.simulate(t_end=25.0, step=1e-3, method="rk4", sample=0.1, inputs={"parking": 1.0})
    late = run.t >= 15.0
    assert np.ptp(run["chassis_tx.q"][late]) < 1e-6
    assert np.ptp(run["chassis_ty.q"][late]) < 1e-6
    along = MASS * G * 0.2 / math.hypot(1.0, 0.2)
    assert total(run, "force_x")[-1] == pytest.approx(along, abs=0.01)
    assert total(run, "load")[-1] == pytest.approx(along / 0.2, abs=0.01)


@pytest.mark.long
def test_it_starts_on_a_slope_and_stops_again() -> None:
    plant = driven_plant(pac2002=True)
    plant.parameters["uphill"] = 0.2
    run = driven(
        plant, 14.0,
        parking=lambda t: il.where(t < 2.0, 1.0, 0.0),
        throttle=lambda t: il.where((t > 1.0) & (t < 6.5), 0.35, 0.0),
        brake=lambda t: il.where(t > 6.5, 0.5, 0.0),
    )  # fmt: skip
    x, v = run["chassis_tx.q"], run["chassis_tx.qd"]
    # it does not roll back as the parking brake opens, drives up, and stands
    start = int(np.argmax(run.t >= 2.0))
    assert x[start:].min() > x[start] - 1e-3
    assert v.max() > 5.0 and x[-1] - x[start] > 12.0
    assert np.abs(v[run.t > 12.5]).max() < 1e-3
    assert run["engine.rpm"][-1] == pytest.approx(800.0, abs=5.0)


# engine and gears


def test_the_map_of_the_engine() -> None:
    """Peak power, drag with a closed throttle, the limiter, and idling without load."""
    speeds = np.linspace(500.0, 6500.0, 601)
    power = [engine.engine_torque(n * engine.RPM, 1.0) * n * engine.RPM for n in speeds]
    assert max(power) == pytest.approx(185.0e3, rel=0.01)
    assert speeds[int(np.argmax(power))] == pytest.approx(5500.0, abs=600.0)
    assert engine.engine_torque(4500.0 * engine.RPM, 0.0) == pytest.approx(-36.0)
    assert engine.engine_torque(6700.0 * engine.RPM, 1.0) < -50.0
    assert engine.engine_torque(engine.IDLE, 0.0) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.long
def test_pulling_away_through_the_gears() -> None:
    """Energy of the engine against that of the car; gears shift up one by one."""
    plant = driven_plant(pac2002=False)
    plant.parameters["drag_area"] = 0.0
    run = driven(plant, 12.0, throttle=lambda t: il.where(t > 0.5, 0.35, 0.0))
    assert not run.notes  # nothing in it is too fast for steps of 1 ms
    v, gear = run["chassis_tx.qd"], run["engine.gear"]
    assert v[-1] > 20.0
    assert gear[-1] >= 3.0 and np.diff(gear).min() > -1e-2
    assert np.mean(np.abs(gear - np.round(gear)) < 0.05) > 0.6
    # power of the clutch becomes motion; the rest is slip of tyres and the start
    spin = 0.5 * (run["spin_rear_left.qd"] + run["spin_rear_right.qd"])
    work = np.trapezoid(run["engine.clutch"] * run["engine.ratio"] * spin, run.t)
    motion = 0.5 * MASS * v[-1] ** 2 + 0.5 * 4 * 0.8 * (v[-1] / 0.278) ** 2
    assert motion < work < 1.12 * motion


def test_air_drag() -> None:
    """Coasting with an open clutch on tyres of 1987, which roll freely."""
    plant = driven_plant(pac2002=False)
    run = driven(plant, 2.0, FAST, clutch=1.0)
    v = run["chassis_tx.qd"]
    # m_eff dv/dt = -1/2 rho cdA v², with the inertia of the wheels
    mass = MASS + 4 * 0.8 / 0.2795**2
    rate = 0.5 * car.AIR_DENSITY * car.DRAG_AREA / mass
    assert pytest.approx(171.9, abs=0.1) == 0.5 * car.AIR_DENSITY * car.DRAG_AREA * FAST**2
    known = FAST / (1.0 + FAST * rate * run.t[-1])
    assert FAST - v[-1] == pytest.approx(FAST - known, rel=0.01)


# steering


def test_the_hand_feels_the_column() -> None:
    """Turned left, the car goes left; assistance takes most of the torque."""
    plant = driven_plant(pac2002=False)
    torques = {}
    for assist in (0.0, 1.0):
        plant.parameters["assist"] = assist
        run = driven(plant, 3.0, 15.0, **{"steering.q": lambda t: 0.4 * il.minimum(t, 1.0)})
        assert run["chassis_rz.qd"][-1] > 0.1
        assert run["rack.q"][-1] == pytest.approx(-0.4 * 0.008, rel=0.25)
        torques[assist] = run["column.hand"][-1]
        # what the drive of the wheel holds is what the column gives
        assert run["steering.effort"][-1] == pytest.approx(-run["column.hand"][-1], abs=0.1)
    # it turns a hand that holds left back to the right
    assert torques[0.0] < 2.0 * torques[1.0] < 0.0


# what drives, on two discs that turn freely

DISC = 40.0  # inertia, of the order of half a car at its wheels [kg m²]


def discs() -> il.Model:
    m = il.Model("discs", gravity=(0.0, 0.0, 0.0))
    for side, y in (("left", 0.7), ("right", -0.7)):
        seat = m.ground.point(side, (0.0, y, 0.0))
        m.body(side, on=seat, joint=il.revolute("y"), mass=1.0, inertia=(DISC, DISC, DISC))
    return m


def test_an_electric_motor_has_constant_torque_then_constant_power() -> None:
    m = discs()
    engine.add_motor(m, ("left", "right"))
    run = m.compile().simulate(
        t_end=6.0, step=1e-3, method="rk4", inputs={"throttle": 1.0}, sample=1e-2
    )
    w = run["left.qd"]
    slow = run.t < 1.0
    known = 0.5 * engine.MOTOR_TORQUE * engine.MOTOR_RATIO / DISC * run.t
    assert w[slow] == pytest.approx(known[slow], rel=1e-6, abs=1e-6)
    # d(J w²)/dt = P once the motor turns faster than P / T
    energy = DISC * w**2
    assert w[-1] * engine.MOTOR_RATIO > 1.2 * engine.MOTOR_POWER / engine.MOTOR_TORQUE
    assert (energy[-1] - energy[-101]) / 1.0 == pytest.approx(engine.MOTOR_POWER, rel=1e-4)


@pytest.mark.parametrize("gear", [-1.0, 0.0, 1.0, 3.0])
def test_gears_by_hand(gear: float) -> None:
    """The engine pulls both wheels alike, through the ratio of the gear; not at all in neutral."""
    m = discs()
    engine.add_engine(m, ("left", "right"), automatic=False)
    plant = m.compile()
    run = plant.simulate(
        t_end=2.0, step=1e-3, method="rk4", inputs={"throttle": 0.5, "gear": gear}, sample=1e-2
    )
    ratio = {-1.0: engine.REVERSE, 0.0: 0.0, 1.0: 18.868, 3.0: 6.378}[gear]
    assert run["engine.ratio"][-1] == ratio
    assert run["left.qd"] == pytest.approx(run["right.qd"], abs=1e-9)
    # angular momentum of both discs is what the clutch gave through the gears
    given = np.trapezoid(run["engine.clutch"] * ratio, run.t)
    assert 2.0 * DISC * run["left.qd"][-1] == pytest.approx(given, rel=2e-2, abs=1e-9)
    assert np.sign(run["left.qd"][-1]) == np.sign(ratio)
    # the pedal takes the engine off
    free = plant.simulate(
        t_end=1.0, step=1e-3, method="rk4", sample=1e-2,
        inputs={"throttle": 0.5, "gear": gear, "clutch": 1.0},
    )  # fmt: skip
    assert np.abs(free["left.qd"]).max() == 0.0 and free["engine.rpm"][-1] > 5000.0


def test_pedals_have_their_inputs() -> None:
    by_hand = gallery.get("car").build(pedals=True, automatic=False).build()
    assert {"throttle", "clutch", "gear", "brake", "parking"} <= {i.name for i in by_hand.inputs}
    electric = gallery.get("car").build(pedals=True, electric=True).build()
    assert "clutch" not in {i.name for i in electric.inputs}
