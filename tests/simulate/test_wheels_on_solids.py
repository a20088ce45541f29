"""Tori on boxes and hulls: wheels that lie, roll and climb."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il

G, MASS, RADIUS, TUBE = 9.81, 3.0, 0.25, 0.05
OUTER = RADIUS + TUBE


def wheel_on(
    shape: il.geometry.Shape,
    start: tuple[float, float, float],
    gravity: tuple[float, float, float],
    friction: float,
    axis: str = "y",
) -> il.Model:
    """A wheel on what the ground carries at its origin."""
    m = il.Model("wheel", gravity=gravity)
    inertia = (0.12, 0.2, 0.12) if axis == "y" else (0.12, 0.12, 0.2)
    joint, torus = il.free(position=start), il.torus(RADIUS, TUBE, axis)
    wheel = m.body("wheel", on=m.ground, joint=joint, mass=MASS, inertia=inertia)
    m.contact(m.ground, shape, wheel, torus, law=il.hard(friction=friction), name="floor")
    return m


def test_it_lies_still_up_to_the_slope_at_which_it_tips_over() -> None:
    # it stands on its circle, not on its tread: tan alpha = radius / tube; friction must hold it
    block = il.box((2.0, 2.0, 2.0))
    for part, stands in ((0.98, True), (1.02, False)):
        slope = np.arctan(part * RADIUS / TUBE)
        gravity = (G * np.sin(slope), 0.0, -G * np.cos(slope))
        m = wheel_on(block, (0.0, 0.0, 1.0 + TUBE), gravity, 10.0, "z")
        result = m.compile().simulate(t_end=0.3, step=1e-3)
        assert (np.abs(result.qd[-1]).max() < 1e-9) == stands
        if stands:
            assert result["floor.force"][-1] == pytest.approx(MASS * G * np.cos(slope), rel=1e-9)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("kind", ["box", "hull"])
def test_it_rolls_down_a_solid_as_by_hand(kind: str) -> None:
    size, slope = (4.0, 1.0, 0.2), 0.2
    corners = 0.5 * np.array(size) * np.array(np.meshgrid(*([-1, 1],) * 3)).reshape(3, -1).T
    shape = il.box(size) if kind == "box" else il.convex_hull(corners)
    gravity = (G * np.sin(slope), 0.0, -G * np.cos(slope))
    m = wheel_on(shape, (-1.0, 0.0, 0.1 + OUTER), gravity, 0.5)
    result = m.compile().simulate(t_end=1.0, step=1e-3)
    rate = G * np.sin(slope) / (1.0 + 0.2 / (MASS * OUTER**2))
    assert result.q[-1, 0] == pytest.approx(-1.0 + 0.5 * rate, abs=1e-9)
    assert result.qd[-1, 0] == pytest.approx(rate, abs=1e-9)
    assert result.qd[-1, 4] == pytest.approx(rate / OUTER, abs=1e-8)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("part", [0.99, 1.01])
def test_it_climbs_a_box_if_its_axle_is_pulled_hard_enough(part: float) -> None:
    """A wheel at a kerb: the axle must be pulled with m g √(R² - (R - h)²) / (R - h)."""
    height = 0.08
    arm = np.sqrt(OUTER**2 - (OUTER - height) ** 2)
    pull = part * MASS * G * arm / (OUTER - height)
    m = wheel_on(il.plane(), (-arm, 0.0, OUTER), (pull / MASS, 0.0, -G), 5.0)
    kerb = m.ground.point("kerb", (0.5, 0.0, 0.5 * height))
    box = il.box((1.0, 1.0, height))
    torus = il.torus(RADIUS, TUBE, "y")
    m.contact(kerb, box, "wheel", torus, law=il.hard(friction=5.0), name="edge")
    result = m.compile().simulate(t_end=1.2, step=1e-3)
    assert (result.q[-1, 2] > OUTER + 0.9 * height) == (part > 1.0)
    if part < 1.0:
        assert np.abs(result.qd[-1]).max() < 1e-9
        held = result["edge.force_x"][-1] + result["floor.force_x"][-1]
        assert held == pytest.approx(-pull, rel=1e-9)


def test_wheels_are_members_of_piles() -> None:
    """Two wheels that lie on each other, not quite one over the other."""
    m = il.Model("tyres")
    members: list[tuple[object, object]] = [(m.ground, il.plane())]
    for k, x in enumerate((0.0, 0.1)):
        joint = il.free(position=(x, 0.0, (2 * k + 1) * TUBE))
        body = m.body(f"tyre_{k}", on=m.ground, joint=joint, mass=MASS, inertia=(0.1, 0.1, 0.2))
        members.append((body, il.torus(RADIUS, TUBE)))
    m.pile(members, law=il.hard(friction=0.5, stiffness=1e7))
    result = m.compile().simulate(t_end=0.2, step=1e-3)
    assert result["pile.force"][-1] == pytest.approx(3.0 * MASS * G, rel=1e-5)
    assert np.abs(result.qd[-1]).max() < 1e-6
