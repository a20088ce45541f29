"""Poisson's restitution beside Newton's, where they differ in closed form."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il

ANGLE, MASS, LENGTH = np.radians(60.0), 1.3, 0.9
INERTIA = MASS * LENGTH**2 / 12.0
E, BEFORE = 0.6, np.array([-1.1, 0.35])  # restitution; velocities of the tip, normal and tangent


def rod(mu: float, impacts: str, method: str = "moreau") -> np.ndarray:
    """Velocities of the tip of a rod after it hits the ground, without gravity [m/s]."""
    m = il.Model("rod", gravity=(0.0, 0.0, 0.0))
    arm = 0.5 * LENGTH * np.array([np.cos(ANGLE), np.sin(ANGLE)])
    x = m.body("x", on=m.ground, joint=il.prismatic("x", initial=(0.0, BEFORE[1])))
    z = m.body("z", on=x, joint=il.prismatic("z", initial=(arm[1] + 5e-6, BEFORE[0])))
    turn = il.revolute((0.0, -1.0, 0.0), initial=(ANGLE, 0.0))
    body = m.body("rod", on=z, joint=turn, mass=MASS, inertia=(INERTIA,) * 3)
    tip = body.point("tip", (-0.5 * LENGTH, 0.0, 0.0))
    law = il.hard(E, mu, impacts=impacts)
    m.contact(m.ground, il.plane(), tip, il.point(), law=law, name="touch")
    run = m.compile().simulate(t_end=1e-5, step=1e-5, method=method)
    after = run.qd[-1]
    assert run["touch.hit"].sum() == 1
    turned = run.q[-1, 2]
    down = -0.5 * LENGTH * np.array([np.cos(turned), np.sin(turned)])
    return np.array([after[1] + after[2] * down[0], after[0] - after[2] * down[1]])


def couplings() -> tuple[float, float, float]:
    """W of normal and tangent: nn, nt, tt [1/kg]."""
    x, z = -0.5 * LENGTH * np.array([np.cos(ANGLE), np.sin(ANGLE)])
    return 1.0 / MASS + x**2 / INERTIA, -x * z / INERTIA, 1.0 / MASS + z**2 / INERTIA


def test_a_rod_that_is_held_by_friction_rebounds_by_its_impulse() -> None:
    _, nt, tt = couplings()
    # the tip sticks in compression and expansion: e times the normal impulse of the compression
    poisson = -E * (BEFORE[0] - nt / tt * BEFORE[1])
    assert abs(poisson + E * BEFORE[0]) > 0.05
    for method in ("moreau", "event_driven"):
        assert rod(0.8, "poisson", method) == pytest.approx([poisson, 0.0], abs=3e-5)
        assert rod(0.8, "newton", method) == pytest.approx([-E * BEFORE[0], 0.0], abs=3e-5)


def test_a_rod_that_slips_all_the_way_rebounds_alike() -> None:
    nn, nt, tt = couplings()
    mu = 0.1
    # friction drives the tip against its slip, -1 along it: one line from impulse to velocity
    normal = -(1.0 + E) * BEFORE[0] / (nn + mu * nt)
    slip = BEFORE[1] + (nt + mu * tt) * normal
    assert slip < 0.0
    for impacts in ("poisson", "newton"):
        assert rod(mu, impacts) == pytest.approx([-E * BEFORE[0], slip], abs=3e-5)


def test_coupled_contacts_pass_an_impact_on() -> None:
    masses, speed, radius = (1.0, 2.0, 1.5), 1.7, 0.1
    m = il.Model("row", gravity=(0.0, 0.0, 0.0))
    places = (-0.201, 0.0, 0.2 - 1e-9)
    row = [
        m.body(f"ball_{k}", on=m.ground, mass=mass,
               joint=il.prismatic("x", initial=(place, speed if k == 0 else 0.0)))
        for k, (mass, place) in enumerate(zip(masses, places, strict=True))
    ]  # fmt: skip
    for k, e in enumerate((0.0, 0.7)):
        law = il.hard(e, impacts="poisson")
        m.contact(
            row[k], il.sphere(radius), row[k + 1], il.sphere(radius), law=law, name=f"hit_{k}"
        )
    run = m.compile().simulate(t_end=2e-3, step=1e-3)
    # compression: all move as one; then the last contact expands against the first, which is dull
    common = masses[0] * speed / sum(masses)
    last = 1.7 * common
    others = (masses[0] * speed - masses[2] * last) / (masses[0] + masses[1])
    assert run.qd[-1] == pytest.approx([others, others, last], rel=1e-8)


def test_another_law_is_refused() -> None:
    with pytest.raises(il.InputError, match="cannot be 'hertz'"):
        il.hard(0.5, impacts="hertz")
