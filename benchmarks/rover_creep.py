"""The rover with locked wheels on a slope: creep speed, compared with MuJoCo's."""

from __future__ import annotations

import math

import mujoco
import numpy as np

import inloop as il
from benchmarks.rover_mujoco import mjcf
from inloop.gallery.rover import data, model

SLOPE = math.radians(20.0)
SETTLED, WATCHED = 2.0, 1.0  # [s]
STEP = 1e-3


def creep() -> float:
    """Speed of the trunk down a slope after it has settled [m/s]."""
    end = SETTLED + WATCHED
    run = locked_rover().compile().simulate(t_end=end, step=STEP, sample=WATCHED)
    places = np.column_stack([run[f"trunk_t{axis}.q"] for axis in "xyz"])
    return float(np.linalg.norm(places[-1] - places[-2])) / WATCHED


def locked_rover() -> il.Model:
    """The gallery's rover, with wheels fixed to their brackets."""
    gravity = (data.GRAVITY * math.sin(SLOPE), 0.0, -data.GRAVITY * math.cos(SLOPE))
    m = il.Model("locked_rover", gravity=gravity)
    start = il.free(position=(0.0, 0.0, data.REST_HEIGHT))
    trunk = m.body(
        "trunk", on=m.ground, joint=start, mass=data.TRUNK_MASS, inertia=data.TRUNK_INERTIA
    )
    ground = il.terrain(lambda x, y: 0.0, size=(12.0, 12.0), cell=0.12)
    law = il.hard(friction=model.FRICTION, stiffness=model.STIFFNESS)
    for bogie in data.BOGIES:
        beam = m.body(
            bogie.name,
            on=trunk.point(bogie.name, bogie.at),
            joint=il.revolute(bogie.axis),
            mass=bogie.mass,
            inertia=bogie.inertia,
        )
        for name, at in bogie.wheels.items():
            bracket = m.body(
                f"steer_{name}",
                on=beam.point(name, at),
                joint=il.revolute("z"),
                mass=data.STEER_MASS,
                inertia=data.STEER_INERTIA,
            )
            m.joint_force(
                bracket,
                lambda q, qd: -model.STEERING * q - model.STEERING_DAMPING * qd,
                name=f"servo_{name}",
            )
            wheel = m.body(
                f"wheel_{name}",
                on=bracket.point("axle", data.WHEEL_BELOW),
                joint=il.fixed(),
                mass=data.WHEEL_MASS,
                inertia=data.WHEEL_INERTIA,
            )
            m.contact(m.ground, ground, wheel, il.sphere(data.RADIUS), law=law, name=f"road_{name}")
    return m


def mujoco_creep() -> float:
    """The same in MuJoCo, on a plane."""
    there = mujoco.MjModel.from_xml_string(mjcf(locked=True))
    there.opt.gravity = (data.GRAVITY * math.sin(SLOPE), 0.0, -data.GRAVITY * math.cos(SLOPE))
    state = mujoco.MjData(there)
    state.qpos[:3] = (0.0, 0.0, data.REST_HEIGHT)
    mujoco.mj_step(there, state, round(SETTLED / STEP))
    before = np.array(state.qpos[:3])
    mujoco.mj_step(there, state, round(WATCHED / STEP))
    return float(np.linalg.norm(state.qpos[:3] - before)) / WATCHED
