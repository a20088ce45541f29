"""Contacts that are too stiff for the steps of a loop: told in the report."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import inloop as il

RADIUS, FALL, G = 0.05, 1.0, 9.81


def ball(law: object, mass: float) -> il.Plant:
    """A ball that falls on a plane."""
    m = il.Model("falling_ball")
    joint = il.prismatic("z", initial=(FALL + RADIUS, 0.0))
    body = m.body("ball", on=m.ground, joint=joint, mass=mass)
    m.contact(m.ground, il.plane(), body, il.sphere(RADIUS), law=law, name="floor")
    return m.compile()


def height_after(t: float, stiffness: float, dissipation: float, mass: float) -> float:
    """Of the lowest point, by another integrator."""

    def rates(_: float, x: np.ndarray) -> list[float]:
        depth, speed = max(0.0, -x[0]), x[1]
        force = max(0.0, stiffness * depth**1.5 * (1.0 - dissipation * speed))
        return [speed, force / mass - G]

    found = solve_ivp(rates, (0.0, t), [FALL, 0.0], "LSODA", rtol=1e-10, atol=1e-12, max_step=1e-4)
    return float(found.y[0, -1])


@pytest.mark.parametrize("mass", [0.5, 0.05])
@pytest.mark.parametrize("law", [il.hunt_crossley(1e8, 1.5), il.power_law(1e7)], ids=repr)
def test_a_rebound_that_steps_do_not_resolve_is_told(name: str, law: object, mass: float) -> None:
    """An elastic ball is back at its first height after two falling times; these are not."""
    plant = ball(law, mass)
    top = 2.0 * np.sqrt(2.0 * FALL / G)
    report = il.run(plant, name=name, rate=1000, mode="free", seconds=top)
    assert report.outputs is not None
    assert abs(report.outputs["ball.q"] - RADIUS - FALL) > 0.05, "a case that goes wrong"
    assert report.brief_contacts >= 1
    assert any("contact 'floor' came and went" in note for note in report.notes)


def test_a_rebound_that_steps_resolve_is_not_blamed(name: str) -> None:
    plant = ball(il.hunt_crossley(1e6, 1.5, 0.3), 0.5)
    options = {"rate": 1000, "mode": "free", "seconds": 0.7, "substeps": 8}
    report = il.run(plant, name=name, **options)
    assert report.outputs is not None
    expected = height_after(0.7, 1e6, 0.3, 0.5)
    assert expected > 0.2
    assert report.outputs["ball.q"] - RADIUS == pytest.approx(expected, rel=0.01)
    assert report.brief_contacts == 0 and not any("floor" in note for note in report.notes)
