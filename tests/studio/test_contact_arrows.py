"""Arrows at contacts: where the shapes touch, whichever of them was written first."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il
from inloop.studio.drawing.sketch import make_sketch


@pytest.mark.parametrize("ball_first", [True, False])
def test_the_frame_of_a_contact_is_that_of_its_signals(ball_first: bool) -> None:
    """A ball of radius 0.1 m, 4 m to the right, lies on the floor: it touches at (4, 0, 0)."""
    m = il.Model("ball")
    body = m.body("ball", on=m.ground, joint=il.prismatic("x", initial=(4.0, 0.0)), mass=1.0)
    center = body.frame("center", (0.0, 0.0, 0.0999), rotation=il.rpy(0.3, -0.2, 0.9))
    sides = [(center, il.sphere(0.1)), (m.ground, il.plane())]
    (a, shape_a), (b, shape_b) = sides if ball_first else sides[::-1]
    m.contact(a, shape_a, b, shape_b, law=il.power_law(1e4), name="floor")
    plant = m.compile()
    found, collector, _ = make_sketch(plant.mechanism)
    (contact,) = found.contacts
    told = plant.law_outputs([4.0], [0.0])
    p_FC, f_F = np.array([told[name] for name in contact.signals]).reshape(2, 3)
    # as the page places it: F on its body, the body in the world
    p_BF = np.array(collector.points[contact.origin], dtype=float)
    R_BF = np.array(collector.turns[0], dtype=float)
    p_WB = np.zeros(3) if contact.body < 0 else plant.pose("ball", [4.0])[0]
    assert p_WB + p_BF + R_BF @ p_FC == pytest.approx([4.0, 0.0, 0.0], abs=1e-4)
    up = 1.0 if not ball_first else -1.0
    # 1 N by 0.1 mm of 10 kN/m, on the second one of the two
    assert R_BF @ f_F == pytest.approx([0.0, 0.0, up], abs=1e-9)
