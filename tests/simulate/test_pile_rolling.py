"""Rolling and drilling resistance of piles, beside motions that are known by hand."""

from __future__ import annotations

import numpy as np
import pytest
from test_rolling_resistance import INERTIA, MASS, RADIUS, C, G, K, S, start

import inloop as il


def spheres(
    law: il.model.Hard,
    places: tuple[tuple[float, float, float], ...] = ((0.0, 0.0, RADIUS),),
    gravity: tuple[float, float, float] = (0.0, 0.0, -G),
) -> il.Plant:
    """Solid spheres on a plane."""
    m = il.Model("spheres", gravity=gravity)
    members: list[tuple[object, object]] = [(m.ground, il.plane())]
    for k, place in enumerate(places):
        joint = il.free(position=place)
        body = m.body(f"ball_{k}", on=m.ground, joint=joint, mass=MASS, inertia=(INERTIA,) * 3)
        members.append((body, il.sphere(RADIUS)))
    m.pile(members, law=law)
    return m.compile()


@pytest.fixture(scope="module")
def resisting() -> il.Plant:
    """One sphere."""
    return spheres(il.hard(friction=0.5, rolling=C, spinning=S))


def test_a_sphere_slows_down_and_stops(resisting: il.Plant) -> None:
    v, towards = 0.8, np.array([0.6, 0.8])
    slower = G * C / (RADIUS * (1.0 + K))
    run = resisting.simulate(t_end=4.0, step=1e-3, **start(tuple(v * towards)))
    assert run.q[1000, :2] == pytest.approx((v - 0.5 * slower) * towards, abs=1e-8)
    assert run.qd[1000, :2] == pytest.approx((v - slower) * towards, abs=1e-8)
    assert run.q[-1, :2] == pytest.approx(v**2 / (2.0 * slower) * towards, abs=1e-6)
    assert np.abs(run.qd[-1]).max() < 1e-9
    assert not run.notes and run["pile.residual"].max() < 1e-6


def test_drilling_slows_down_by_hand(resisting: il.Plant) -> None:
    spin, slower = 5.0, MASS * G * S / INERTIA
    run = resisting.simulate(t_end=2.0, step=1e-3, **start((0.0, 0.0), spin))
    assert run.qd[1000, 5] == pytest.approx(spin - slower, abs=1e-8)
    assert np.abs(run.qd[-1]).max() < 1e-9  # after 1.7 s


@pytest.mark.thinned(2)
@pytest.mark.parametrize("steeper", [-0.01, 0.02])
def test_on_an_incline_it_stands_up_to_the_ratio_of_length_and_radius(steeper: float) -> None:
    alpha = np.arctan(C / RADIUS + steeper)
    gravity = (G * np.sin(alpha), 0.0, -G * np.cos(alpha))
    run = spheres(il.hard(friction=0.5, rolling=C), gravity=gravity).simulate(t_end=1.0, step=1e-3)
    rolls = max(0.0, G * (np.sin(alpha) - np.cos(alpha) * C / RADIUS) / (1.0 + K))
    assert (rolls > 0.0) == (steeper > 0.0)
    assert run.qd[-1, 0] == pytest.approx(rolls, abs=2e-9)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("steeper", [-0.005, 0.005])
def test_a_sphere_stays_on_a_sphere_up_to_the_same_slope(steeper: float) -> None:
    """Beside the top of one that is fixed: the slope there is what the moment has to hold."""
    large, slope = 0.7, np.arctan(C / RADIUS + steeper)
    m = il.Model("on_top")
    apart = (large + RADIUS) * np.array([np.sin(slope), 0.0, np.cos(slope)])
    joint = il.free(position=tuple(apart))
    body = m.body("ball", on=m.ground, joint=joint, mass=MASS, inertia=(INERTIA,) * 3)
    members = [(m.ground, il.sphere(large)), (body, il.sphere(RADIUS))]
    m.pile(members, law=il.hard(friction=0.5, rolling=C))
    run = m.compile().simulate(t_end=0.3, step=1e-3)
    moved = float(np.linalg.norm(run.q[-1, :3] - apart))
    assert (moved < 1e-9) if steeper < 0.0 else moved > 5e-4
    assert run["pile.residual"].max() < 1e-6


@pytest.mark.long
def test_energy_never_grows_in_a_heap() -> None:
    rng = np.random.default_rng(3)
    places = tuple((*(0.25 * rng.random(2)), 0.2 + 0.3 * k) for k in range(6))
    plant = spheres(il.hard(0.2, 0.5, rolling=0.01, spinning=0.005), places)
    run = plant.simulate(t_end=2.0, step=1e-3)
    energy = run.energy.sum(axis=1)
    assert np.diff(energy).max() < 1e-12 * np.abs(energy).max()
    assert run["pile.carrying"][-1] >= 6 and energy[-1] < 0.3 * energy[0]
