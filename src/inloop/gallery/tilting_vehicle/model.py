"""The model of the tilting vehicle: a rear module on two wheels, with a tilting cabin.

Inputs: "motor" drives the rear wheels, "tilt_motor" turns the cabin relative to the rear module,
and the fork follows "steering.q" through its servo. "estimate.tilt" and "estimate.bias" have no
effect: a controller writes the estimates of its filter there for display.

Tilt is positive to the left, as needed in a curve to the left. The sensors are those of the
source's demonstrator. They are ideal here; their errors are parameters that a controller applies to
them (`controllers/sensing.py`).
"""

from __future__ import annotations

import math
from typing import Any

import inloop as il
from inloop.gallery import gravity_along
from inloop.gallery.kart.tyre import LinearTyre
from inloop.gallery.tilting_vehicle import data
from inloop.gallery.tilting_vehicle.controllers.course import LENGTH, WIDTH
from inloop.gallery.tilting_vehicle.data import CLEVER, FRONT_SHARE, SIZE, Vehicle

WHEELS = ("left", "right", "front")
CORNERING, FRICTION, LEAN = 12.0, 0.95, 0.9  # of the tyres, per load [1/rad], [1], [1/rad]
SERVO = 12.0  # bandwidth of the steering [Hz]
SPEED = 2.8  # initial speed of the full-size vehicle [m/s]
TIP = 0.02  # initial tilt [rad]
HEADING = math.atan2(2.0 * WIDTH, LENGTH)  # initial heading, that of the figure eight [rad]


def tilting_vehicle(size: float = SIZE, speed: float = -1.0, tilt: float = TIP) -> il.Model:
    """A three-wheeler with actuated tilt.

    Args:
        size: of the vehicle, relative to CLEVER.
        speed: initial speed [m/s]; if negative: 2.8 m/s, scaled with the vehicle.
        tilt: initial tilt of the cabin [rad].
    """
    car = CLEVER.of_size(size)
    rolls = SPEED * size**0.5 if speed < 0.0 else speed
    m = il.Model(
        "tilting_vehicle",
        gravity=gravity_along("-z"),
        doc="Three-wheeler with actuated tilt; sizes after CLEVER.",
    )
    rear = _add_module(m, car, rolls)
    cabin = _add_cabin(m, car, rear, tilt)
    fork = m.body(
        "fork",
        on=cabin.point("head", (car.wheelbase, 0.0, car.radius)),
        joint=il.revolute("z", name="steering"),
        mass=0.05 * car.wheel_mass,
    )
    m.drive(fork, derivatives="filtered", cutoff=SERVO)
    half = 0.5 * car.track
    hubs = {
        "left": rear.point("hub_left", (0.0, half, car.radius)),
        "right": rear.point("hub_right", (0.0, -half, car.radius)),
        "front": fork,
    }
    grip = m.parameter("grip", 1.0, unit="1", range=(0.1, 2.0), doc="of the road")
    stiffness = m.parameter(
        "tyre_stiffness", car.tyre_stiffness, unit="N/m", doc="of each tyre",
        range=(0.1 * car.tyre_stiffness, 4.0 * car.tyre_stiffness),
    )  # fmt: skip
    for name, hub in hubs.items():
        _add_wheel(m, car, name, hub, rolls, (grip, stiffness))
    _add_motors(m, car)
    _add_skids(m, car, rear, cabin)
    _add_sensors(m, car, cabin)
    return m


def straight(speed: float, size: float = SIZE) -> dict[str, Any]:
    """Arguments of a run that starts upright, straight along x, at a speed [m/s]."""
    spin = speed / CLEVER.of_size(size).radius
    return {
        "q": {"tilt": 0.0, "rear_rz": 0.0},
        "qd": {"rear_tx": speed, "rear_ty": 0.0, **{f"spin_{name}": spin for name in WHEELS}},
    }


def _add_module(m: il.Model, car: Vehicle, speed: float) -> Any:
    """The rear module, free in space; its wheels are separate bodies."""
    mass = _sized(m, "standing_mass", car.standing_mass, "kg", "does not tilt")
    height = _sized(m, "standing_height", car.standing_height, "m", "of its center")
    own = mass - 2.0 * car.wheel_mass
    up = (mass * height - 2.0 * car.wheel_mass * car.radius) / own
    weight = data.G * (car.tilting_mass + car.standing_mass)
    down = [share * weight / car.tyre_stiffness
            for share in (0.5 * (1.0 - FRONT_SHARE), FRONT_SHARE)]  # fmt: skip
    return m.chain(
        "rear",
        on=m.ground,
        joints=[
            il.prismatic("x", initial=(0.0, speed * math.cos(HEADING))),
            il.prismatic("y", initial=(0.0, speed * math.sin(HEADING))),
            il.prismatic("z", initial=(-down[0], 0.0)),
            il.revolute("z", initial=(HEADING, 0.0)),
            il.revolute("x"),
            il.revolute("y", initial=((down[1] - down[0]) / car.wheelbase, 0.0)),
        ],
        mass=own,
        com=(mass * car.standing_ahead / own, 0.0, up),
        inertia=(car.module_inertia, car.module_inertia, car.module_inertia),
    )


def _add_cabin(m: il.Model, car: Vehicle, rear: Any, tilt: float) -> Any:
    """The cabin, tilting about an axis on the road; its mass includes front wheel and fork."""
    mass = _sized(m, "tilting_mass", car.tilting_mass, "kg", "tilts")
    height = _sized(m, "tilting_height", car.tilting_height, "m", "of its center")
    inertia = _sized(m, "tilting_inertia", car.tilting_inertia, "kg*m^2", "about its center")
    wheel = 1.05 * car.wheel_mass
    own = mass - wheel
    up = (mass * height - wheel * car.radius) / own
    # inertia about the common center, less that of the wheel: the cabin about its own center
    apart = own * (up - height) * (up - height) + wheel * (height - car.radius) ** 2
    along = inertia - apart - 0.5 * car.wheel_inertia
    return m.body(
        "cabin",
        on=rear,
        joint=il.revolute("-x", name="tilt", initial=(tilt, 0.0)),
        mass=own,
        com=((mass * car.tilting_ahead - wheel * car.wheelbase) / own, 0.0, up),
        inertia=(along, car.turning_inertia, car.turning_inertia),
    )


def _sized(m: il.Model, name: str, value: float, unit: str, doc: str) -> Any:
    """A parameter with a range around its value."""
    return m.parameter(name, value, unit=unit, range=(0.7 * value, 1.6 * value), doc=doc)


def _add_wheel(
    m: il.Model, car: Vehicle, name: str, hub: Any, speed: float, road: tuple[Any, Any]
) -> None:
    across = 0.5 * car.wheel_inertia
    wheel = m.body(
        f"wheel_{name}",
        on=hub,
        joint=il.revolute("y", name=f"spin_{name}", initial=(0.0, speed / car.radius)),
        mass=car.wheel_mass,
        inertia=(across, car.wheel_inertia, across),
    )
    load = data.G * (car.tilting_mass + car.standing_mass) / 3.0
    m.tyre(
        wheel,
        LinearTyre(CORNERING, FRICTION, load, LEAN),
        radius=car.radius,
        stiffness=road[1],
        damping=car.tyre_damping,
        relaxation=car.relaxation,
        road=il.tyres.plane_road(grip=road[0]),
        name=f"tyre_{name}",
    )


def _add_motors(m: il.Model, car: Vehicle) -> None:
    drive = m.input("motor", "N*m", "on both rear wheels together")
    turn = m.input("tilt_motor", "N*m", "on the cabin, to the left")
    most = m.parameter(
        "tilt_torque", car.torque, unit="N*m", range=(0.0, 2.0 * car.torque), doc="largest"
    )
    dry = m.parameter(
        "tilt_friction", 0.01 * car.torque, unit="N*m", range=(0.0, 0.2 * car.torque),
        doc="of the tilt joint",
    )  # fmt: skip
    m.coupled_force(["spin_left", "spin_right"], lambda: (0.5 * drive, 0.5 * drive), "axle")
    m.joint_force("tilt", lambda: il.maximum(-most, il.minimum(turn, most)), "tilt_drive")
    m.coulomb("tilt", coulomb=dry, velocity=0.05, name="tilt_friction")
    stop = 40.0 * car.torque
    m.joint_stop("tilt", stop, 0.02 * stop, (-car.most, car.most), name="tilt_stop")


def _add_skids(m: il.Model, car: Vehicle, rear: Any, cabin: Any) -> None:
    """Contact points of a fallen vehicle: corners of the cabin, ends of the axle."""
    size, stiffness, damping = 0.12 * car.track, 0.5 * car.tyre_stiffness, car.tyre_damping

    def skid(p: Any, v: Any) -> Any:
        depth = il.max0(size - p[2])
        up = il.where(depth > 0.0, il.max0(stiffness * depth - damping * v[2]), 0.0)
        slides = il.sqrt(v[0] * v[0] + v[1] * v[1] + 1e-3)
        return -0.4 * up * v[0] / slides, -0.4 * up * v[1] / slides, up

    roof = cabin.point("roof", (0.35 * car.wheelbase, 0.0, 0.5 * car.wheelbase))
    m.force(roof, skid, name="roof_skid")
    for side, way in (("left", 1.0), ("right", -1.0)):
        shoulder = (0.5 * car.wheelbase, way * 0.42 * car.track, 0.36 * car.wheelbase)
        nose = (0.9 * car.wheelbase, way * 0.25 * car.track, 0.2 * car.wheelbase)
        hub = (0.0, way * 0.5 * car.track, car.radius)
        for body, name, at in (
            (cabin, "shoulder", shoulder), (cabin, "nose", nose), (rear, "axle", hub),
        ):  # fmt: skip
            m.force(body.point(f"{name}_{side}", at), skid, name=f"{name}_{side}_skid")


def _add_sensors(m: il.Model, car: Vehicle, cabin: Any) -> None:
    """Potentiometer, torque cell, inertial unit, encoders, and parameters of their errors."""
    m.sensor("potentiometer", il.sensors.encoder("tilt"))
    m.sensor("torque_cell", il.sensors.joint_torque("tilt"))
    unit = cabin.frame("imu", (car.tilting_ahead, 0.0, car.tilting_height))
    m.sensor("imu", il.sensors.imu(unit))
    for name in ("left", "right"):
        m.sensor(f"encoder_{name}", il.sensors.encoder(f"spin_{name}"))
    for name, value, most, unit_name, doc in (
        ("potentiometer_noise", data.POTENTIOMETER, 0.05, "rad", "standard deviation"),
        ("potentiometer_offset", 0.0, 0.1, "rad", "constant error"),
        ("gyro_noise", data.GYRO, 0.1, "rad/s", "standard deviation"),
        ("gyro_bias", data.GYRO_BIAS, 0.1, "rad/s", "of the tilt rate"),
        ("accelerometer_noise", data.ACCELEROMETER, 2.0, "m/s^2", "standard deviation"),
        ("torque_noise", car.noise, 20.0 * car.noise, "N*m", "standard deviation"),
    ):
        low = -most if name.endswith(("offset", "bias")) else 0.0
        m.parameter(name, value, unit=unit_name, range=(low, most), doc=doc)
    tilt = m.input("estimate.tilt", "rad", "estimate of a controller's filter")
    bias = m.input("estimate.bias", "rad/s", "of the gyro, estimate of a controller's filter")
    m.output("estimated_tilt", "tilt", lambda q: tilt + 0.0 * q, unit="rad")
    m.output("estimated_bias", "tilt", lambda q: bias + 0.0 * q, unit="rad/s")
