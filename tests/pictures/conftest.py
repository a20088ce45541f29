"""A pendulum with a bob that can be found in a picture, and a browser."""

from __future__ import annotations

import pytest

import inloop as il

LENGTH, RADIUS, RED = 0.8, 0.06, "#d01010"


@pytest.fixture(scope="session")
def swing() -> il.Result:
    """A pendulum of which only the bob is seen, in red; it moves from rest at 0.9 rad."""
    m = il.Model("swing")
    m.body(
        "bob",
        on=m.ground,
        joint=il.revolute("y", initial=(0.9, 0.0)),
        mass=0.7,
        com=(0.0, 0.0, -LENGTH),
        visuals=[il.visual(il.sphere(RADIUS), at=(0.0, 0.0, -LENGTH), color=RED)],
    )
    return m.compile().simulate(t_end=1.0, step=1e-3)
