"""The model of the rover: three bogies, six steering brackets, six wheels on the ground."""

from __future__ import annotations

from typing import Any

import inloop as il
from inloop.gallery.rover import data
from inloop.gallery.rover.grounds import HILLS, MOUND, ground, mound, start
from inloop.gallery.rover.steering import lead, wheel_place

# servo motors; wheels in the air follow within two steps of 1 ms
STEERING, STEERING_DAMPING = 20.0, 0.5  # [N·m/rad, N·m·s/rad]
DRIVING = 2.0  # torque per speed error of a wheel [N·m·s/rad]
FRICTION = 0.8
# of contacts [N/m]: 0.4 µm deep, so that the loads of single wheels are unique; practically rigid
STIFFNESS, RIGID = 1e8, 1e12


def rover(terrain: int = HILLS) -> il.Model:
    """The rover on one of its grounds.

    Inputs "speed" [m/s] and "turn" [1/m] drive all wheels and brackets, see `steering`; "torque"
    [N·m] acts on each wheel in addition.

    Args:
        terrain: 0 for a plane, 1 for hills, 2 for a ramp, 3 for a step, 4 for a mound.
    """

    def gravity(m: il.Model) -> tuple[Any, float, Any]:
        g = m.parameter("g", data.GRAVITY, unit="m/s^2", range=(0.1, 25.0), doc="gravity")
        slope = m.parameter("slope", 0.0, unit="rad", range=(-0.6, 0.6), doc="uphill along x")
        return -g * il.sin(slope), 0.0, -g * il.cos(slope)

    m = il.Model("rover", gravity=gravity, doc="Rover with six wheels.")
    mu = m.parameter("mu", FRICTION, unit="1", range=(0.0, 2.0), doc="friction of the wheels")
    e = m.parameter("e", 0.0, unit="1", range=(0.0, 1.0), doc="restitution of the wheels")
    k = m.parameter("stiffness", STIFFNESS, unit="N/m", range=(1e5, RIGID), doc="of all contacts")
    gain = m.parameter(
        "gain", DRIVING, unit="N*m*s/rad", range=(0.0, 5.0), doc="of the motors of the wheels"
    )
    holds = m.parameter(
        "servo", STEERING, unit="N*m/rad", range=(0.0, 200.0), doc="stiffness of the steering"
    )
    speed = m.input("speed", "m/s", "forwards")
    turn = m.input("turn", "1/m", "curvature of the path, to the left")
    torque = m.input("torque", "N*m", "on each wheel, in addition to its motor")
    trunk = m.body(
        "trunk",
        on=m.ground,
        joint=il.free(position=start(terrain)),
        mass=data.TRUNK_MASS,
        inertia=data.TRUNK_INERTIA,
    )
    law = il.hard(e, mu, stiffness=k)
    below = ground(terrain)
    if terrain == MOUND:
        ball, center = mound()
        at_mound = m.ground.frame("mound", center)
    for bogie in data.BOGIES:
        beam = m.body(
            bogie.name,
            on=trunk.point(bogie.name, bogie.at),
            joint=il.revolute(bogie.axis),
            mass=bogie.mass,
            inertia=bogie.inertia,
        )
        for name, at in bogie.wheels.items():
            led = lead(wheel_place(bogie, name), speed, turn)
            wheel = _wheel(m, beam.point(name, at), name, led, (holds, gain, torque))
            tread = il.sphere(data.RADIUS)
            m.contact(m.ground, below, wheel, tread, law=law, name=f"{name}_ground")
            if terrain == MOUND:
                m.contact(at_mound, ball, wheel, tread, law=law, name=f"{name}_mound")
    return m


def _wheel(
    m: il.Model, at: Any, name: str, led: tuple[Any, Any], motors: tuple[Any, Any, Any]
) -> Any:
    """A steering bracket and its wheel, with their motors."""
    (angle, rolls), (holds, gain, torque) = led, motors
    bracket = m.body(
        f"steer_{name}",
        on=at,
        joint=il.revolute("z"),
        mass=data.STEER_MASS,
        inertia=data.STEER_INERTIA,
    )
    wheel = m.body(
        f"wheel_{name}",
        on=bracket.point("axle", data.WHEEL_BELOW),
        joint=il.revolute("y"),
        mass=data.WHEEL_MASS,
        inertia=data.WHEEL_INERTIA,
    )
    damping = STEERING_DAMPING / STEERING * holds
    m.joint_force(bracket, lambda q, qd: -holds * (q - angle) - damping * qd, name=f"servo_{name}")
    m.joint_force(wheel, lambda q, qd: gain * (rolls - qd) + torque, name=f"motor_{name}")
    return wheel
