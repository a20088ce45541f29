"""Plants that several tests observe; each is compiled once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from bars import four_bar

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
    """A four-bar whose crank goes round; its coordinate serves all the way."""
    return four_bar("crank").compile()


@pytest.fixture(scope="session")
def rocked() -> il.Plant:
    """The same, described by its arm, which turns back twice in each turn of the crank."""
    return four_bar("arm").compile()
