"""Friction at contacts: rolling, sliding, sticking, against closed forms and SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import inloop as il

G = 9.81


def ball(radius: float = 0.05, mass: float = 0.3, share: float = 0.4) -> tuple[il.Model, il.Shape]:
    """A round body in the x-z plane with inertia share * m r²."""
    m = il.Model("ball")
    inertia = share * mass * radius**2
    m.chain("ball", on=m.ground, joints=il.planar("xz"), mass=mass, inertia=(inertia,) * 3)
    return m, il.circle(radius, "y")


def test_a_sphere_put_down_sliding_begins_to_roll() -> None:
    m, circle = ball(share=0.4)
    law = il.hunt_crossley(1e8, 1.5, 0.5)
    m.contact(m.ground, il.plane(), "ball", circle, law=law, friction=il.coulomb_contact(0.2))
    plant = m.compile()
    depth = (0.3 * G / 1e8) ** (1 / 1.5)
    start = {"ball_tz": 0.05 - depth}
    result = plant.simulate(t_end=1.0, step=2e-5, q=start, qd={"ball_tx": 1.0})
    v, _, w = result.qd[-1]
    # the contact point is half the depth below the surface of the sphere
    h = 0.05 - depth / 2
    assert v == pytest.approx(1 / (1 + 0.4 * (0.05 / h) ** 2), rel=1e-7)
    assert v == pytest.approx(5 / 7, rel=1e-4)
    assert v == pytest.approx(w * h, rel=1e-7)
    # slides at μ g until 2 v0 / (7 μ g)
    sliding = result.t < 0.9 * 2 / (7 * 0.2 * G)
    assert result.qd[sliding, 0] == pytest.approx(1 - 0.2 * G * result.t[sliding], abs=2e-5)


def test_a_cylinder_rolls_down_an_incline() -> None:
    slope, radius, k = 0.3, 0.05, 1e8
    m, circle = ball(radius, share=0.5)
    incline = m.ground.frame("incline", rotation=il.rpy(0, slope, 0))
    law = il.hunt_crossley(k, 1.5, 0.5)
    m.contact(incline, il.plane(), "ball", circle, law=law, friction=il.coulomb_contact(0.3))
    plant = m.compile()
    depth = (0.3 * G * math.cos(slope) / k) ** (1 / 1.5)
    h = radius - depth
    start = {"ball_tx": h * math.sin(slope), "ball_tz": h * math.cos(slope)}
    result = plant.simulate(t_end=0.5, step=2e-5, q=start)
    # once it rolls, the speed down the incline grows steadily
    down = result.qd[:, 0] * math.cos(slope) - result.qd[:, 1] * math.sin(slope)
    half = len(result.t) // 2
    found = (down[-1] - down[half]) / (result.t[-1] - result.t[half])
    exact = G * math.sin(slope) / (1 + 0.5 * (radius / (radius - depth / 2)) ** 2)
    assert found == pytest.approx(exact, rel=1e-6)
    assert found == pytest.approx(2 / 3 * G * math.sin(slope), rel=1e-4)


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("share", "sticks"), [(0.6, True), (0.99, True), (1.02, False)])
def test_a_block_on_an_incline_sticks_or_slides(share: float, sticks: bool) -> None:
    """LuGre: with tan(slope) a share of μ."""
    mu, k = 0.4, 1e5
    slope = math.atan(share * mu)
    m = il.Model("block", gravity=(G * math.sin(slope), 0, -G * math.cos(slope)))
    slide = m.body("slide", on=m.ground, joint=il.prismatic("x"))
    m.body("block", on=slide, joint=il.prismatic("z"), mass=0.9)
    friction = il.lugre_contact(mu, stiffness=2e4, damping=60.0)
    law = il.hunt_crossley(k, 1.0, 3.0)
    m.contact(m.ground, il.plane(), "block", il.point(), law=law, friction=friction, name="c")
    plant = m.compile()
    sunk = {"block": -0.9 * G * math.cos(slope) / k}
    t_end = 10.0 if sticks else 1.0
    result = plant.simulate(t_end=t_end, step=1e-4, q=sunk, sample=0.1)
    if sticks:
        # at rest on bent bristles, and no creep from one second to the end
        assert abs(result.q[-1, 0] - result.q[10, 0]) < 1e-9
        if share < 0.7:
            assert result.q[-1, 0] == pytest.approx(share * mu / 2e4, rel=0.05)
        assert abs(result.qd[-1, 0]) < 1e-9
    else:
        found = (result.qd[-1, 0] - result.qd[5, 0]) / (result.t[-1] - result.t[5])
        exact = G * (math.sin(slope) - mu * math.cos(slope))
        assert found == pytest.approx(exact, rel=1e-3)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("share", [0.5, 1.3])
def test_bristles_have_no_preferred_direction(share: float) -> None:
    """A block that is pulled along a diagonal moves as one that is pulled along an axis."""
    paths = []
    for angle in (0.0, 0.9):
        pull = share * 0.4 * G
        m = il.Model("block", gravity=(pull * math.cos(angle), pull * math.sin(angle), -G))
        joints = [il.prismatic(axis) for axis in "xyz"]
        m.chain("block", on=m.ground, joints=joints, mass=0.9)
        friction = il.lugre_contact(0.4, stiffness=2e3, damping=20.0, static=0.5, stribeck=0.02)
        law = il.hunt_crossley(1e5, 1.0, 3.0)
        m.contact(m.ground, il.plane(), "block", il.point(), law=law, friction=friction, name="c")
        start = {"block_tz": -0.9 * G / 1e5}
        result = m.compile().simulate(t_end=0.5, step=1e-4, q=start, sample=0.01)
        along = math.cos(angle) * result.q[:, 0] + math.sin(angle) * result.q[:, 1]
        across = math.cos(angle) * result.q[:, 1] - math.sin(angle) * result.q[:, 0]
        assert across == pytest.approx(0.0, abs=1e-12)
        paths.append(along)
    assert paths[0][-1] > (1e-2 if share > 1.0 else 5e-5)
    assert paths[1] == pytest.approx(paths[0], rel=1e-9, abs=1e-12)


def test_a_spinning_disc_that_bounces_against_hand_written_equations() -> None:
    mass, r, inertia, k, c, mu, v0 = 0.3, 0.05, 4e-4, 2e5, 0.4, 0.25, 1e-2
    m = il.Model("disc")
    m.chain("disc", on=m.ground, joints=il.planar("xz"), mass=mass, inertia=(2e-4, inertia, 2e-4))
    m.contact(
        m.ground,
        il.plane(),
        "disc",
        il.circle(r, "y"),
        law=il.hunt_crossley(k, 1.5, c),
        friction=il.coulomb_contact(mu, v0),
        name="floor",
    )
    plant = m.compile()

    def rates(t: float, x: np.ndarray) -> list[float]:
        _, z, _, vx, vz, w = x
        gap = z - r
        push = k * max(-gap, 0.0) ** 1.5 * max(1 - c * vz, 0.0)
        arm = r + gap / 2
        # a turn about +y moves the lowest point towards -x
        slip = vx - arm * w
        drag = -mu * push * slip / math.hypot(slip, v0)
        return [vx, vz, w, drag / mass, push / mass - G, -arm * drag / inertia]

    x0 = [0.0, 0.12, 0.0, 0.5, 0.0, -30.0]
    reference = solve_ivp(rates, (0, 0.6), x0, rtol=1e-11, atol=1e-13, max_step=1e-3)
    result = plant.simulate(t_end=0.6, step=5e-6, q=x0[:3], qd=x0[3:], method="rk4", sample=0.6)
    found = np.concatenate([result.q[-1], result.qd[-1]])
    assert found == pytest.approx(reference.y[:, -1], rel=1e-6, abs=1e-7)
    # it did touch, and friction did turn it round
    assert abs(found[5] + 30.0) > 5.0


@pytest.mark.long
def test_a_coin_rolls_in_a_circle() -> None:
    """Steady rolling of a thin disc: lean a, yaw rate W, and the spin w3 about its own axis with

    w3 W cos a (C + m r²) = A W² sin a cos a - m g r sin a.
    """
    r, mass, a, W, k = 0.1, 0.5, -0.35, 3.0, 1e7
    A, C = mass * r**2 / 4, mass * r**2 / 2
    w3 = (A * W**2 * math.cos(a) - mass * G * r) * math.tan(a) / (W * (C + mass * r**2))
    assert w3 > 2.0
    m = il.Model("coin")
    joints = [*(il.prismatic(axis) for axis in "xyz"), *(il.revolute(axis) for axis in "zxy")]
    m.chain("coin", on=m.ground, joints=joints, mass=mass, inertia=(A, C, A))
    m.contact(
        m.ground,
        il.plane(),
        "coin",
        il.rim(r, "y"),
        law=il.hunt_crossley(k, 1.5, 0.5),
        friction=il.coulomb_contact(0.6, 2e-4),
        name="floor",
    )
    plant = m.compile()
    depth = (mass * G / k) ** (1 / 1.5)
    result = plant.simulate(
        t_end=1.0,
        # friction is stiff: its slope over the mass at C times the step is about 0.6
        step=4e-6,
        sample=0.01,
        q={"coin_tz": r * math.cos(a) - depth, "coin_rx": a},
        qd={"coin_tx": r * w3, "coin_rz": W, "coin_ry": w3 - W * math.sin(a)},
    )
    assert result["coin_rx.q"] == pytest.approx(a, abs=1e-3)
    assert result["coin_rz.q"] == pytest.approx(W * result.t, abs=3e-3)
    # its center runs on a circle of radius r w3 / W
    x, y = result["coin_tx.q"], result["coin_ty.q"]
    assert np.hypot(x, y - r * w3 / W) == pytest.approx(r * w3 / W, rel=3e-3)
    # friction supplies the centripetal force
    assert result["floor.friction"][-1] == pytest.approx(mass * r * w3 * W, rel=0.02)
