"""Plants that several tests observe; each is compiled once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import inloop as il


@pytest.fixture(scope="session")
def oscillator() -> il.Plant:
    """A mass on a spring and a damper: linear."""
    m = il.Model("oscillator", gravity=(0.0, 0.0, 0.0))
    mass = m.body("mass", on=m.ground, joint=il.prismatic("x", name="rail"), mass=1.3)
    m.joint_force("rail", lambda q, qd: -37.0 * q - 0.9 * qd, name="spring")
    m.sensor("accelerometer", il.sensors.acceleration(mass))
    return m.compile()


@pytest.fixture(scope="session")
def rocker() -> il.Plant:
    """A four-bar whose crank goes round: coordinates have to change on the way."""
    m = il.Model("rocker", gravity=(0.0, -9.81, 0.0))
    crank = m.body("crank", on=m.ground, joint=il.revolute("z", initial=(0.9, 6.0)), mass=0.7,
                   com=(0.1, 0.0, 0.0), inertia=(0.004, 0.01, 0.013))  # fmt: skip
    rod = m.body("rod", on=crank.point("pin", (0.21, 0.0, 0.0)), joint=il.revolute("z", guess=-0.5),
                 mass=0.5, com=(0.3, 0.02, 0.0), inertia=(0.003, 0.02, 0.021))  # fmt: skip
    arm = m.body("arm", on=m.ground.point("pivot", (0.55, 0.0, 0.0)),
                 joint=il.revolute("z", guess=1.7), mass=0.9, com=(0.2, 0.0, 0.0),
                 inertia=(0.008, 0.01, 0.017))  # fmt: skip
    m.close(rod.point("end", (0.6, 0.0, 0.0)), arm.point("end", (0.4, 0.0, 0.0)), name="loop")
    return m.compile()
