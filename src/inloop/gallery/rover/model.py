"""The model of the rover: three bogies, six brackets that steer, six wheels on the ground."""

from __future__ import annotations

from typing import Any

import numpy as np

import inloop as il
from inloop.gallery.rover import data

# servo motors: firm enough to lead, soft enough for steps of 1 ms of wheels that hang in the air
STEERING, STEERING_DAMPING = 20.0, 0.5  # [N·m/rad, N·m·s/rad]
DRIVING = 0.3  # torque of a wheel that is too slow by 1 rad/s [N·m·s/rad]
FRICTION = 0.8
PLANE, HILLS = 0, 1
STANDING = (0.0, 0.0, data.REST_HEIGHT - 1e-9)  # trunk, on the plane [m]
CELL, CELLS = 0.12, 100  # of the hills: 20,000 triangles


def hills(x: float, y: float) -> float:
    """Dunes with stones [m]."""
    dunes = 0.16 * np.sin(0.9 * x + 0.4) * np.cos(0.7 * y) + 0.05 * np.sin(2.3 * x - 1.7 * y)
    stones = 0.03 * np.sin(9.1 * x + 2.0 * np.sin(3.3 * y)) * np.sin(8.3 * y + np.cos(4.1 * x))
    return float(dunes + stones)


def ground(terrain: int) -> Any:
    """What the wheels touch."""
    return il.plane() if terrain == PLANE else _hills()


def _hills() -> Any:
    edge = CELL * CELLS
    return il.terrain(hills, size=(edge, edge), cell=CELL)


def _above_hills(x: float, y: float) -> tuple[float, float, float]:
    """Where the trunk is when the first of its wheels is about to touch [m]."""
    under = [
        hills(x + bogie.at[0] + at[0], y + bogie.at[1] + at[1])
        for bogie in data.BOGIES
        for at in bogie.wheels.values()
    ]
    return x, y, data.REST_HEIGHT + max(under) + 0.02


def rover(terrain: int = HILLS) -> il.Model:
    """The rover on a plane or on hills.

    Inputs "drive" [rad/s] and "steer" [rad] lead wheels and brackets; "torque" [N·m] turns each
    wheel beside that.

    Args:
        terrain: 0 for a plane, 1 for hills of 20,000 triangles.
    """
    g: Any = None

    def gravity(m: il.Model) -> tuple[Any, float, Any]:
        nonlocal g
        g = m.parameter("g", data.GRAVITY, unit="m/s^2", range=(0.1, 25.0), doc="gravity")
        slope = m.parameter("slope", 0.0, unit="rad", range=(-0.6, 0.6), doc="uphill along x")
        return -g * il.sin(slope), 0.0, -g * il.cos(slope)

    m = il.Model("rover", gravity=gravity, doc="Rover with six wheels.")
    mu = m.parameter("mu", FRICTION, unit="1", range=(0.0, 2.0), doc="friction of the wheels")
    e = m.parameter("e", 0.0, unit="1", range=(0.0, 1.0), doc="restitution of the wheels")
    gain = m.parameter(
        "gain", DRIVING, unit="N*m*s/rad", range=(0.0, 0.5), doc="of the motors of the wheels"
    )
    drive = m.input("drive", "rad/s", "wheels, forwards")
    steer = m.input("steer", "rad", "front wheels to the left, rear wheels to the right")
    torque = m.input("torque", "N*m", "on each wheel, beside its motor")
    start = _above_hills(-4.0, 0.0) if terrain == HILLS else STANDING
    trunk = m.body(
        "trunk",
        on=m.ground,
        joint=il.free(position=start),
        mass=data.TRUNK_MASS,
        inertia=data.TRUNK_INERTIA,
    )
    law, below = il.hard(e, mu), ground(terrain)
    for bogie in data.BOGIES:
        beam = m.body(
            bogie.name,
            on=trunk.point(bogie.name, bogie.at),
            joint=il.revolute(bogie.axis),
            mass=bogie.mass,
            inertia=bogie.inertia,
        )
        for name, at in bogie.wheels.items():
            turn = {"front": 1.0, "rear": -1.0}.get(name.partition("_")[0], 0.0)
            wheel = _wheel(m, beam.point(name, at), name, turn * steer, (gain, drive, torque))
            m.contact(
                m.ground, below, wheel, il.sphere(data.RADIUS), law=law, name=f"{name}_ground"
            )
    return m


def _wheel(m: il.Model, at: Any, name: str, steer: Any, motor: tuple[Any, Any, Any]) -> Any:
    """A bracket that steers and its wheel, with their motors."""
    gain, drive, torque = motor
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
    m.joint_force(
        bracket, lambda q, qd: -STEERING * (q - steer) - STEERING_DAMPING * qd, name=f"servo_{name}"
    )
    m.joint_force(wheel, lambda q, qd: gain * (drive - qd) + torque, name=f"motor_{name}")
    return wheel
