"""The car against its source: ROBOTRAN's run and modes; statics; what its parameters do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from exhibit_plants import plant_of
from scipy.linalg import expm

import inloop as il
from inloop import gallery
from inloop.gallery.car import model as car
from inloop.gallery.car.experiments import caster, circle, modes, steady, step_steer

NAMES = [corner.name for corner in car.CORNERS]
# as in the source: forces follow slip at once, no aligning moment
SOURCE = {"relaxation": 0.0, "aligning": False, "speed": 10.0, "hands": True}


@pytest.fixture(scope="module")
def source_car() -> il.Plant:
    return gallery.get("car").build(**SOURCE).compile()


@contextmanager
def parameters(plant: il.Plant, **values: float) -> Iterator[il.Plant]:
    """Other parameters for a while."""
    before = {name: plant.parameters[name] for name in values}
    plant.parameters.update(values)
    try:
        yield plant
    finally:
        plant.parameters.update(before)


def turn(plant: il.Plant, t_end: float = 7.0) -> il.Result:
    """The source's experiment: the rack jumps to 10 mm at 0.9 s and back at 6.15 s."""
    rack = lambda t: il.where((t >= 0.9) & (t < 6.15), 0.01, 0.0)  # noqa: E731
    signals = {"rack.q": rack, "rack.qd": 0.0, "rack.qdd": 0.0}
    return plant.simulate(t_end=t_end, step=1e-3, method="rk4", inputs=signals)


# github.com/huensf/vsd, "plots + res robotran": t [s]; Fy and Fz of the wheels in the order of
# CORNERS [N]; force that holds the rack [N]; roll [rad]
HISTORY = (
    (1.0, -1850.333, 5348.231, -1550.789, 3508.350, -190.374, 4358.312, -211.359, 2953.221,
     None, 0.02127),
    (1.2, -1705.060, 5780.969, -1106.961, 3071.536, -1197.596, 4493.051, -1061.249, 2780.007,
     1146.0, 0.05227),
    (1.5, -1699.459, 5707.738, -1085.954, 3146.375, -1206.876, 4407.889, -1079.624, 2904.974,
     1102.0, 0.05414),
    (2.0, -1628.991, 5656.731, -1070.670, 3190.505, -1169.397, 4390.032, -1057.988, 2921.445,
     1072.6, 0.05122),
    (3.0, -1606.826, 5641.018, -1056.900, 3205.614, -1151.749, 4379.650, -1045.114, 2931.398,
     1057.3, 0.05064),
    (4.0, -1580.122, 5622.133, -1043.620, 3223.410, -1132.596, 4368.942, -1031.630, 2942.597,
     1040.8, 0.04986),
    (5.0, -1554.501, 5604.109, -1030.800, 3240.759, -1114.217, 4358.732, -1018.546, 2953.466,
     1024.9, 0.04912),
    (6.0, -1529.959, 5586.743, -1018.306, 3257.484, -1096.580, 4348.895, -1005.848, 2963.945,
     1009.6, 0.04840),
    (7.0, -11.966, 4422.647, -9.245, 4378.578, -12.671, 3692.412, -12.824, 3660.784,
     None, 0.00073),
)  # fmt: skip


def test_robotran_drives_the_same_turn(source_car: il.Plant) -> None:
    """Forces within 0.1 N while it turns and 20 N in the jumps, rack 0.2 N, roll 2e-5 rad."""
    run = turn(source_car)
    assert run.constraint_violation < 1e-12
    signals = [f"tyre_{name}.{what}" for name in NAMES for what in ("lateral", "load")]
    for t, *forces, rack, roll in HISTORY:
        row = round(1000 * t)
        steady = 2.0 <= t <= 6.1
        found = [run[name][row] for name in signals]
        assert found == pytest.approx(forces, abs=0.1 if steady else 20.0), t
        assert -run["chassis_rx.q"][row] == pytest.approx(roll, abs=2e-5), t
        if rack is not None and steady:
            assert run["rack.effort"][row] == pytest.approx(rack, abs=0.2), t
    peak = int(np.argmin(run["chassis_rx.q"]))
    assert run.t[peak] == pytest.approx(1.339, abs=2e-3)
    assert -run["chassis_rx.q"][peak] == pytest.approx(0.05595, abs=2e-5)


@pytest.mark.long
def test_robotran_drives_it_without_the_front_bar(source_car: il.Plant) -> None:
    """Load of the front left wheel where it has these lateral forces, in the same source."""
    with parameters(source_car, front_bar=0.0):
        run = turn(source_car, 6.1)
    part = slice(2500, 6100)
    Fy, Fz = (run[f"tyre_front_left.{what}"][part] for what in ("lateral", "load"))
    for lateral, load in ((-1825.583215, 5268.401995), (-1803.009978, 5259.526961)):
        assert np.interp(lateral, Fy, Fz) == pytest.approx(load, abs=0.02)


def test_at_rest_as_in_the_source(source_car: il.Plant) -> None:
    rest = source_car.equilibrium()
    assert rest["chassis_tz"] == pytest.approx(0.200002, abs=1e-6)
    assert rest["chassis_ry"] == pytest.approx(4.7378e-6, abs=1e-8)
    assert rest["lower_front_left"] == pytest.approx(-0.0550290, abs=1e-6)
    assert rest["lower_rear_left"] == pytest.approx(-0.0460399, abs=1e-6)
    loads = car.tyre_forces(source_car, rest.q)
    assert loads == pytest.approx([4399.682, 4399.682, 3678.853, 3678.853], abs=5e-3)
    # resultsR/modal_Mr.res: reduced masses of heave, roll, pitch and yaw
    M, names = rest.motion.M, source_car.formulation.independent
    z, ry, rx, rz = (names.index(f"chassis_{end}") for end in ("tz", "ry", "rx", "rz"))
    assert M[z, z] == pytest.approx(1647.0, rel=1e-9)
    found = (M[z, ry], M[rx, rx], M[ry, ry], M[rz, rz])
    assert found == pytest.approx((2103.00, 607.879, 5606.29, 5662.69), rel=3e-6)


def test_modes_at_10_m_per_s(source_car: il.Plant) -> None:
    """Body modes, wheel hop and the creep of sideslip and yaw (resultsR/modal_*.res)."""
    found = modes.modes(source_car, 10.0)
    assert found.error < 1e-5
    assert len(found.frequencies) == 7
    assert found.frequencies[:3] == pytest.approx([0.913, 1.005, 1.182], rel=1e-3)
    assert found.damping[:3] == pytest.approx([48, 57, 48], abs=1.0)
    assert found.frequencies[[3, -1]] == pytest.approx([17.55, 19.08], rel=2e-3)
    hops = found.damping[3:]
    assert (hops.min(), hops.max()) == pytest.approx((64, 70), abs=1.0)
    assert found.creep == pytest.approx([-15.13, -34.64], rel=1e-3)


# statics


@pytest.mark.long  # the same as test_references_are_met[car] of test_catalog.py
def test_car_stands_on_its_tyres() -> None:
    exhibit = gallery.get("car")
    plant = plant_of(exhibit.name)
    for comparison in exhibit.compare(plant):
        assert comparison.ok, comparison


def test_a_weight_behind_tilts_the_car(source_car: il.Plant) -> None:
    plant = source_car
    before = car.tyre_forces(plant, plant.equilibrium().q)
    with parameters(plant, ahead=-2.5):
        # wheels that are turned by the tie rods lean and push a little
        end = plant.equilibrium({"weight": -2.5}, fixed=["chassis_tx"]).q
    forces = car.tyre_forces(plant, end)
    x = np.array([plant.position(f"wheel_{corner.name}", end)[0] for corner in car.CORNERS])
    bodies = [
        (1480.0, plant.position("chassis.com", end)[0]),
        (100.0, plant.position("weight", end)[0]),
    ]
    bodies += [(3.0, plant.position("rack", end)[0])]
    bodies += [(15.0, value) for value in x]
    bodies += [(1.0, plant.position(f"knuckle_{c.name}", end)[0]) for c in car.CORNERS]
    assert forces.sum() == pytest.approx(1647.0 * 9.81, rel=1e-6)
    # moments about the y axis of the world
    assert forces @ x == pytest.approx(9.81 * sum(m * value for m, value in bodies), rel=1e-5)
    # with the weight at the front axle the front tyres carried more
    assert forces[:2].sum() < before[:2].sum() - 700.0


# linear limit


def test_small_circles_are_those_of_the_single_track_model(source_car: il.Plant) -> None:
    """Yaw rate over the real wheel angle within 1 %, understeer gradient within 3 % with leaning.

    The car has 14 % more than a single track with upright wheels: see `circle`.
    """
    slow, fast = (circle.drive(source_car, speed) for speed in (10.0, 75.0 / 3.6))
    assert slow.yaw_rate > 0.0
    for found in (slow, fast):
        assert found.gain == pytest.approx(circle.single_track(found.speed), rel=0.01)
    roll = fast.roll / (fast.speed * fast.yaw_rate)
    known = circle.full_gradient(fast)
    assert known > 1.1 * circle.GRADIENT
    assert circle.understeer_gradient(slow, fast) == pytest.approx(known, rel=0.03)
    # upright and without aligning moments it is m (b / C_f - a / C_r) / L
    plain = circle.Circle(fast.speed, fast.yaw_rate, fast.angle, roll=0.0, aligning=0.0)
    assert circle.full_gradient(plain) == pytest.approx(circle.GRADIENT, rel=1e-5)
    assert np.degrees(roll) == pytest.approx(0.985, abs=0.02)


class Upright(il.tyres.Formula1987):
    """The tyre of the source, which does not feel that it leans: as in a single track."""

    def forces(self, slip: il.tyres.Slip) -> il.tyres.TyreForces:
        return super().forces(replace(slip, gamma=0.0))


@pytest.mark.long
def test_tyres_that_feel_no_lean_make_it_the_plain_single_track(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the single track lacks is camber alone: yaw rates within 0.02 %, the gradient 0.2 %.

    Roll steer is in the real angle of the wheels; load transfer and jacking are of second order.
    """
    tyre = {"formula": Upright(with_aligning_moment=False), "relaxation": 0.0}
    monkeypatch.setattr(car, "_formula", lambda *_: tyre)
    plant = gallery.get("car").build(**SOURCE).compile()
    slow, fast = (circle.drive(plant, speed) for speed in (10.0, 75.0 / 3.6))
    for found in (slow, fast):
        assert found.gain == pytest.approx(circle.single_track(found.speed), rel=2e-4)
    assert circle.understeer_gradient(slow, fast) == pytest.approx(circle.GRADIENT, rel=2e-3)


def test_a_step_of_the_steering_is_that_of_a_single_track(source_car: il.Plant) -> None:
    """Yaw rate in the end within 1 %, on the way there within 5 % of it; roll as other cars have.

    The single track turns its wheel as the car does: they turn back a little as the body rolls.
    """
    found = step_steer.step(source_car, 15.0, 2.5)
    run = found.run
    speed = float(np.hypot(run["chassis_tx.qd"][-1], run["chassis_ty.qd"][-1]))
    assert found.yaw_rate == pytest.approx(0.02 * circle.single_track(speed), rel=0.01)
    assert 0.6 < found.roll < 1.0
    # lateral velocity and yaw rate of a single track; the third state is its angle
    a, b, front, rear = circle.A, circle.B, circle.C_FRONT, circle.C_REAR
    turn, damping = b * rear - a * front, a * a * front + b * b * rear
    V, m, inertia = 15.0, 1647.0, 2977.498
    A = np.array([
        [-(front + rear) / (m * V), turn / (m * V) - V, front / m],
        [turn / (inertia * V), -damping / (inertia * V), a * front / inertia],
        [0.0, 0.0, 0.0],
    ])  # fmt: skip
    ahead = expm(A * (run.t[1] - run.t[0]))
    state, rates = np.zeros(3), []
    for q in run.q:
        state[2] = steady.wheel_angle(source_car, q)
        rates.append(state[1])
        state = ahead @ state
    miss = np.abs(run["chassis_rz.qd"] - rates).max()
    assert miss < 0.05 * run["chassis_rz.qd"][-1]


@pytest.mark.long
def test_it_answers_as_cars_of_commonroad_do(source_car: il.Plant) -> None:
    """With the wheels held at 0.02 rad, as there: within the range of its three cars and around."""
    found = step_steer.step(source_car, 15.0, 2.5, held=True)
    assert 0.10 < found.yaw_rate < 0.14
    assert 0.2 < found.rise < 0.4
    assert 0.6 < found.roll < 1.0
    late = found.run.t > 1.0
    angles = [steady.wheel_angle(source_car, q) for q in found.run.q[late]]
    assert np.ptp(angles) < 0.01 * angles[-1]


# what the hand feels

PEAKS = {  # first negative peaks of the torque with casters of 3, 5.71 and 9 degrees [N·m]
    (0.0, False): (-5.188, -7.675, -10.741),
    (0.5, True): (-11.358, -13.879, -16.981),
}


def test_more_caster_is_felt_at_the_hand(source_car: il.Plant) -> None:
    """Against the `.mbs` file with tyres written as laws by hand, and against the trail."""
    peaks = []
    q, qd = steady.rolling_start(source_car, caster.SPEED)
    for angle in caster.CASTERS:
        with parameters(source_car, caster=angle):
            run = source_car.simulate(
                t_end=2.2, step=1e-3, method="rk4", sample=5e-3, q=q, qd=qd, rack=caster.swerve
            )
        peaks.append(caster.first_peak(run))
    assert peaks == pytest.approx(PEAKS[0.0, False], rel=3e-3)


@pytest.mark.long
def test_the_experiment_with_casters() -> None:
    """With aligning moment and relaxation; the torque grows with the trail beside a constant."""
    found = gallery.get("car").experiment("caster", seconds=2.2)
    peaks = np.array(found.figures["first peak of the torque on the hand [N m]"])
    assert peaks == pytest.approx(PEAKS[0.5, True], rel=3e-3)
    assert found.figures["trail [mm]"] == pytest.approx((24.57, 37.80, 54.03), abs=0.01)
    growth = np.diff(peaks) / np.diff(found.figures["trail [mm]"])
    assert growth[0] == pytest.approx(growth[1], rel=0.02)


# live hard points


def axis_of(plant: il.Plant, wheel: str, q: np.ndarray) -> np.ndarray:
    return plant.pose(f"wheel_{wheel}", q)[1][:, 1]


def test_toe_and_camber_turn_the_wheels(source_car: il.Plant) -> None:
    toe, camber = 0.011, -0.023
    q = source_car.equilibrium().q
    with parameters(source_car, front_toe=toe, rear_camber=camber):
        for side, sign in (("left", 1.0), ("right", -1.0)):
            x, y, z = axis_of(source_car, f"front_{side}", q)
            assert np.arctan2(-x, y) == pytest.approx(-sign * toe, abs=1e-6)
            assert z == pytest.approx(0.0, abs=1e-6)
            # negative camber: the top leans in, so that the left axis points up
            assert axis_of(source_car, f"rear_{side}", q)[2] == pytest.approx(
                -sign * np.sin(camber), abs=1e-6
            )


def handling(plant: il.Plant) -> tuple[float, float]:
    """Understeer gradient [rad s²/m] and roll per lateral acceleration [rad s²/m]."""
    slow, fast = (circle.drive(plant, speed, 3.0) for speed in (10.0, 75.0 / 3.6))
    return circle.understeer_gradient(slow, fast), fast.roll / (fast.speed * fast.yaw_rate)


@pytest.fixture(scope="module")
def before(source_car: il.Plant) -> tuple[float, float]:
    """How the source's car handles."""
    return handling(source_car)


@pytest.mark.parametrize(
    ("changes", "gradient", "roll"),
    [
        # less roll; wheels that lean less with the body: a little less understeer
        ({"front_bar": 8000.0, "rear_bar": 2200.0}, -1, -1),
        # roll centers nearer to the center of mass
        pytest.param({"front_pivots": 0.02, "rear_pivots": 0.02}, None, -1, marks=pytest.mark.long),
        # weight to the rear
        pytest.param({"ahead": -2.5}, -1, None, marks=pytest.mark.long),
    ],
    ids=str,
)
def test_settings_change_the_car_as_they_should(
    source_car: il.Plant,
    before: tuple[float, float],
    changes: dict[str, float],
    gradient: int | None,
    roll: int | None,
) -> None:
    with parameters(source_car, **changes):
        after = handling(source_car)
    for sign, old, new in zip((gradient, roll), before, after, strict=True):
        if sign is not None:
            assert sign * (new - old) > 0.01 * abs(old)


def test_caster_may_change_while_it_drives(source_car: il.Plant) -> None:
    """Independent coordinates do not jump, loops are closed, wheels keep their places."""
    independent = list(source_car.formulation.partition.independent)
    with parameters(source_car, caster=np.radians(5.71)):
        stepper = source_car.stepper(step=1e-3)
        for _ in range(100):
            stepper.step()
        before = stepper.look()
        hubs = [source_car.position(f"wheel_{name}", before.q[0]) for name in NAMES]
        stepper.parameters["caster"] = np.radians(9.0)
        after = stepper.look()
        assert np.array_equal(before.q[0][independent], after.q[0][independent])
        assert np.array_equal(before.qd[0][independent], after.qd[0][independent])
        source_car.parameters["caster"] = np.radians(9.0)
        rows = source_car.evaluate("constraints", q=after.q[0], qd=after.qd[0])
        assert np.abs(rows["h"]).max() < 1e-12
        for name, hub in zip(NAMES, hubs, strict=True):
            moved = source_car.position(f"wheel_{name}", after.q[0])
            assert moved == pytest.approx(hub, abs=1e-4)
        for _ in range(500):
            stepper.step()
        assert abs(stepper.look().q[0][source_car.coordinates.index("chassis_ty")]) < 1e-3


@pytest.mark.long
def test_on_a_road_by_heights(source_car: il.Plant) -> None:
    """A level road 10 mm higher carries a car that is 10 mm higher, with less grip."""
    xs, ys = np.linspace(-5.0, 5.0, 4), np.linspace(-2.0, 2.0, 3)
    road = il.tyres.grid_road(xs, ys, np.full((4, 3), 0.01), grip=np.full((4, 3), 0.7))
    raised = car.car(road=road, **SOURCE).compile(backend="python")
    q = source_car.equilibrium(fixed=["chassis_tx", "chassis_ty", "chassis_rz"]).q
    spins = {f"spin_{name}": 33.0 for name in NAMES}
    qd = source_car.vector(chassis_tx=10.0, chassis_ty=0.8, **spins)
    with parameters(source_car, grip=0.7):
        known = source_car.law_outputs(q, qd)
    found = raised.law_outputs(q + source_car.vector(chassis_tz=0.01), qd)
    assert known.keys() == found.keys()
    for name in NAMES:
        assert known[f"tyre_{name}.load"] > 1000.0
        assert abs(known[f"tyre_{name}.lateral"]) > 500.0
        for end in ("load", "lateral", "longitudinal"):
            value = known[f"tyre_{name}.{end}"]
            assert found[f"tyre_{name}.{end}"] == pytest.approx(value, rel=1e-9, abs=1e-6)
