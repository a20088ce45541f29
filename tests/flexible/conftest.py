"""Makes `rods` and `lagrangian` importable for these tests; a plant that several of them share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from rods import EA, ROD

import inloop as il


@pytest.fixture(scope="session")
def pendulum() -> il.Plant:
    """The rod on a hub, without friction and damping; its stiffness is a parameter."""
    m = il.Model("pendulum", gravity=(0.0, 0.0, -9.81))
    more = m.parameter("stiffer", 1.0, range=(0.1, 1e6))
    hub = m.body("hub", on=m.ground, joint=il.revolute("-y", armature=0.0021))
    data = {**ROD, "EI": ROD["EI"] * more}
    m.flexible_link("rod", on=hub, EA=EA * more, bends_about="-y", **data)
    return m.compile()
