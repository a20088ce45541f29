"""Cones that stand: where they tip over, and on what they stand."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il

G, MASS, RADIUS, LENGTH = 9.81, 1.3, 0.05, 0.3
LAW = il.hard(0.0, 1.0, stiffness=1e7)
# the center of mass is above the rim: tan alpha = r / (l / 4)
LIMIT = 4.0 * RADIUS / LENGTH


def standing(on: str, slope: float = 0.0, downhill: float = 0.0, law: il.Hard = LAW) -> il.Model:
    """A cone on its base, on ground that falls along x, or at an angle from x [rad]; its center of
    mass is a quarter of its length above it."""
    aside = G * np.sin(slope) * np.array([np.cos(downhill), np.sin(downhill)])
    m = il.Model("cone", gravity=(*aside, -G * np.cos(slope)))
    floor = {
        "plane": il.plane(),
        "box": il.box((1.0, 1.0, 0.2)),
        "terrain": il.heightfield(np.zeros((3, 3)), (2.0, 2.0), -0.5),
    }[on]
    top = 0.1 if on == "box" else 0.0
    joint = il.free(position=(0.0, 0.0, top + 0.5 * LENGTH))
    across, own = MASS * (0.15 * RADIUS**2 + 0.0375 * LENGTH**2), 0.3 * MASS * RADIUS**2
    body = m.body(
        "cone", on=m.ground, joint=joint, mass=MASS, com=(0.0, 0.0, -LENGTH / 4),
        inertia=(across, across, own),
    )  # fmt: skip
    m.contact(m.ground, floor, body, il.cone(RADIUS, LENGTH), law=law, name="floor")
    return m


@pytest.mark.thinned(3)
@pytest.mark.parametrize("on", ["plane", "terrain", "box"])
def test_it_stands_up_to_the_slope_at_which_it_tips_over(on: str) -> None:
    for slope, stands in ((0.98 * LIMIT, True), (1.02 * LIMIT, False)):
        result = standing(on, float(np.arctan(slope))).compile().simulate(t_end=0.5, step=1e-3)
        # turned by: twice the vector part of its quaternion
        turned = 2.0 * np.linalg.norm(result.q[-1, 7:])
        assert (turned < 1e-3) == stands
        if stands:
            normal = MASS * G * np.cos(np.arctan(slope))
            assert result["floor.force"][-1] == pytest.approx(normal, rel=1e-6)
            assert np.abs(result.qd[-1]).max() < 1e-6


def test_it_stands_on_ground_that_falls_between_two_points_of_its_rim() -> None:
    """Of those that touch whatever is farthest down there are eight, 45 degrees apart."""
    for part, stands in ((0.98, True), (1.02, False)):
        m = standing("box", np.arctan(part * LIMIT), np.radians(10.0), il.hard(0.0, 1.0))
        result = m.compile().simulate(t_end=0.3, step=1e-3)
        assert (2.0 * np.linalg.norm(result.q[-1, 7:]) < 1e-4) == stands
        assert (np.abs(result.qd[-1]).max() < 1e-9) == stands


def test_a_cone_of_a_pile_stands_on_a_box() -> None:
    """On a box that stands on the ground."""
    m = il.Model("cones")
    members: list[tuple[object, object]] = [(m.ground, il.plane())]
    for k, shape in enumerate((il.box((0.2, 0.2, 0.1)), il.cone(RADIUS, 0.1))):
        joint = il.free(position=(0.0, 0.0, (k + 0.5) * 0.1))
        body = m.body(f"part_{k}", on=m.ground, joint=joint, mass=MASS, inertia=(0.01,) * 3)
        members.append((body, shape))
    m.pile(members, law=LAW)
    result = m.compile().simulate(t_end=0.2, step=1e-3)
    assert result["pile.force"][-1] == pytest.approx(3.0 * MASS * G, rel=1e-5)
    assert np.abs(result.qd[-1]).max() < 1e-6
