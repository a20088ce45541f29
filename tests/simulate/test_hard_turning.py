"""Contacts whose surfaces turn while they carry: ropes, rings, turntables, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hard_models import G
from scipy.integrate import solve_ivp

import inloop as il

LENGTH, OMEGA = 1.5, 2.0  # of a rope [m]; of a turntable [rad/s]


def in_a_ring(
    gravity: float, law: object, q: tuple[float, float], qd: tuple[float, float]
) -> il.Model:
    """A point mass on the inside of a sphere, in the plane x, z: also one that hangs on a rope."""
    m = il.Model("ring", gravity=(0.0, 0.0, -gravity))
    x = m.body("x", on=m.ground, joint=il.prismatic("x", initial=(q[0], qd[0])))
    mass = m.body("z", on=x, joint=il.prismatic("z", initial=(q[1], qd[1])), mass=0.4)
    m.contact(m.ground, il.sphere(LENGTH, hollow=True), mass, il.point(), law=law, name="rope")
    return m


def test_a_mass_on_a_rope_swings_as_a_pendulum() -> None:
    start, t_end = 1.2, 5.0
    q = LENGTH * np.sin(start), -LENGTH * np.cos(start)
    plant = in_a_ring(G, il.hard(), q, (0.0, 0.0)).compile()

    def rates(t: float, y: np.ndarray) -> list[float]:
        return [y[1], -G / LENGTH * np.sin(y[0])]

    angle, rate = solve_ivp(rates, (0.0, t_end), [start, 0.0], rtol=1e-11, atol=1e-12).y[:, -1]
    along = np.array([np.cos(angle), np.sin(angle)])
    place = LENGTH * np.array([along[1], -along[0]])
    errors = []
    for step in (4e-3, 1e-3):
        result = plant.simulate(t_end=t_end, step=step)
        energy = result.energy.sum(axis=1)
        assert np.diff(energy).max() < 1e-12 * np.abs(energy).max()
        # of order ω³ h² L in a second
        assert result["rope.gap"].min() > -((G / LENGTH) ** 1.5) * step**2 * LENGTH * t_end
        errors.append(np.abs([result.q[-1] - place, result.qd[-1] - LENGTH * rate * along]).max())
        assert result.notes == ()
    # of second order
    assert errors[1] < 1e-3 and errors[1] < errors[0] / 12.0
    rough = plant.simulate(t_end=10.0, step=2e-2)
    assert "contact 'rope' is rigid and sank by" in rough.notes[0]


@pytest.mark.parametrize("mu", [0.0, 0.2])
def test_what_circles_fast_does_not_hit_its_ring_in_every_step(mu: float) -> None:
    speed, t_end = 12.0, 0.5
    law = il.hard(restitution=0.5, friction=mu)
    result = (
        in_a_ring(0.0, law, (LENGTH, 0.0), (0.0, speed)).compile().simulate(t_end=t_end, step=5e-4)
    )
    # v' = -μ v² / L
    slowed = 1.0 + mu * speed * t_end / LENGTH
    assert np.hypot(*result.qd[-1]) == pytest.approx(speed / slowed, rel=2e-4)
    angle = np.log(slowed) / mu if mu else speed * t_end / LENGTH
    assert result.q[-1] == pytest.approx(
        LENGTH * np.array([np.cos(angle), np.sin(angle)]), abs=2e-3
    )
    assert np.count_nonzero(result["rope.hit"]) <= 1
    assert np.diff(result.energy.sum(axis=1)).max() < 1e-10


def test_what_sticks_to_a_turntable_does_not_creep() -> None:
    m = il.Model("turntable")
    table = m.body("table", on=m.ground, joint=il.revolute("z"), mass=1.0, inertia=(1.0,) * 3)
    m.drive("table", lambda t: OMEGA * t)
    x = m.body("x", on=m.ground, joint=il.prismatic("x", initial=(0.4, 0.0)))
    y = m.body("y", on=x, joint=il.prismatic("y", initial=(0.0, 0.4 * OMEGA)))
    puck = m.body("z", on=y, joint=il.prismatic("z"), mass=0.5)
    m.contact(table, il.plane(), puck, il.point(), law=il.hard(friction=0.3), name="top")
    result = m.compile().simulate(t_end=3.0, step=1e-3)
    radius = np.hypot(result["x.q"], result["y.q"])
    # of order ω³ h² r; at rest at the rows of half-way alone it would slip by ω² r h / 2 = 8e-4 m/s
    assert np.abs(radius - 0.4).max() < OMEGA**3 * 1e-6 * 0.4 * 3.0
    assert np.hypot(result["top.slip_1"], result["top.slip_2"])[2:].max() < 1e-5


def test_four_rigid_feet_stand_on_what_turns() -> None:
    m = il.Model("feet")
    turn = il.revolute("z", initial=(0.0, OMEGA))
    table = m.body("table", on=m.ground, joint=turn, mass=1.0, inertia=(3.0,) * 3)
    start = il.free(position=(0.5, 0.0, 0.05), velocity=(0.0, 0.5 * OMEGA, 0.0), rate=(0, 0, OMEGA))
    box = m.body("box", on=m.ground, joint=start, mass=0.3, inertia=(5e-4,) * 3)
    for k, (x, y) in enumerate(((-0.04, -0.03), (0.04, -0.03), (-0.04, 0.03), (0.04, 0.03))):
        foot = box.point(f"foot_{k}", (x, y, -0.05))
        law = il.hard(friction=0.6)
        m.contact(table, il.plane(), foot, il.point(), law=law, name=f"on_{k}")
    result = m.compile().simulate(t_end=2.0, step=1e-3)
    # all of them can be met at once
    assert result.doubts == () and result.notes == ()
    radius = np.hypot(result["box_tx.q"], result["box_ty.q"])
    assert np.abs(radius - 0.5).max() < 1e-5
    energy = result.energy.sum(axis=1)
    assert np.diff(energy).max() < 1e-14 * energy[0]
    assert energy[-1] == pytest.approx(energy[0], rel=1e-5)
