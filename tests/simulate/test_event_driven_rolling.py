"""Rolling and drilling resistance from event to event: discs of a contact stick and slip apart."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from test_rolling_resistance import INERTIA, MASS, RADIUS, C, G, K, S, moment_of, sphere, start

import inloop as il

METHOD = "event_driven"
MU = 0.5
AHEAD = np.array([0.6, 0.8])


@pytest.fixture(scope="module")
def resisting() -> il.Plant:
    """A sphere on a level plane that resists rolling and drilling."""
    return sphere(il.hard(friction=MU, rolling=C, spinning=S))


def test_a_sphere_slides_rolls_and_stops(resisting: il.Plant) -> None:
    """It does not turn at first: friction brings it to rolling against the resistance."""
    v = 0.9
    result = resisting.simulate(
        t_end=5.0, step=0.1, method=METHOD, qd=[*(v * AHEAD), 0.0, 0.0, 0.0, 0.0]
    )
    assert not result.doubts
    # r dω/dt = g (mu - c / r) / K until r ω = v - mu g t
    spins = G * (MU - C / RADIUS) / K
    rolls = v / (spins + MU * G)
    slow, slower = v - MU * G * rolls, G * C / (RADIUS * (1.0 + K))
    stops = rolls + slow / slower
    assert 0.05 < rolls < 0.1 and 2.9 < stops < 3.0
    way = v * rolls - 0.5 * MU * G * rolls**2 + slow**2 / (2.0 * slower)
    assert result.q[-1, :2] == pytest.approx(way * AHEAD, abs=1e-11)
    late = slow - slower * (1.0 - rolls)
    assert result.qd[10, :2] == pytest.approx(late * AHEAD, abs=1e-11)
    assert moment_of(result)[10] == pytest.approx(C * MASS * G, rel=1e-9)
    assert np.abs(result.qd[-1]).max() < 1e-12
    # nothing is held that needs no holding
    assert moment_of(result)[-1] < 1e-8 and result["floor.friction"][-1] < 1e-8


def test_drilling_stops_while_it_rolls_on(resisting: il.Plant) -> None:
    spin, v, slower = 5.0, 0.8, G * C / (RADIUS * (1.0 + K))
    run = {**start((v, 0.0), spin), "method": METHOD}
    result = resisting.simulate(t_end=2.5, step=0.1, **run)
    drills = MASS * G * S / INERTIA
    assert result["floor.spinning_rate"][10] == pytest.approx(spin - drills, abs=1e-11)
    # after 1.7 s it does not turn about the normal any more
    assert np.abs(result["floor.spinning_rate"][18:]).max() < 1e-12
    assert result.qd[-1, 0] == pytest.approx(v - 2.5 * slower, abs=1e-11)


@pytest.mark.parametrize("steeper", [-1e-4, 1e-4])
def test_on_an_incline_it_stands_up_to_the_ratio_of_length_and_radius(steeper: float) -> None:
    alpha = np.arctan(C / RADIUS + steeper)
    plant = sphere(il.hard(friction=MU, rolling=C), (G * np.sin(alpha), 0.0, -G * np.cos(alpha)))
    result = plant.simulate(t_end=1.0, step=0.1, method=METHOD)
    rolls = max(0.0, G * (np.sin(alpha) - np.cos(alpha) * C / RADIUS) / (1.0 + K))
    assert (rolls > 0.0) == (steeper > 0.0)
    assert result.qd[-1, 0] == pytest.approx(rolls, abs=1e-12)
    assert result.q[-1, 0] == pytest.approx(0.5 * rolls, abs=1e-12)


def test_a_path_across_an_incline_bends_and_ends() -> None:
    """The resistance turns with the velocity: Newton's law of what rolls, integrated by DOP853."""
    alpha, v = 0.02, np.array([0.1, 0.5])
    down = np.array([G * np.sin(alpha), 0.0])
    plant = sphere(il.hard(friction=MU, rolling=C), (*down, -G * np.cos(alpha)))
    result = plant.simulate(t_end=6.0, step=0.05, method=METHOD, **start(tuple(v)))

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        held = G * np.cos(alpha) * C / RADIUS * y[2:] / np.linalg.norm(y[2:])
        return np.concatenate([y[2:], (down - held) / (1.0 + K)])

    exact = solve_ivp(rates, (0, 2.0), [0, 0, *v], "DOP853", rtol=1e-12, atol=1e-13)
    assert np.linalg.norm(exact.y[2:, -1]) > 0.05
    assert result.q[40, :2] == pytest.approx(exact.y[:2, -1], abs=1e-10)
    assert result.qd[40, :2] == pytest.approx(exact.y[2:, -1], abs=1e-10)
    # the incline is not steep enough to roll on; nothing resists turning about the normal
    assert np.abs(result.qd[-1]).max() < 1e-11
    assert moment_of(result)[-1] == pytest.approx(MASS * down[0] * RADIUS, rel=1e-8)


def test_lengths_may_be_tiny() -> None:
    """A row that moves little is no less determined: 1 µm beside 13 cm."""
    c, v = 1e-6, 1e-3
    slower = G * c / (RADIUS * (1.0 + K))
    plant = sphere(il.hard(friction=MU, rolling=c))
    result = plant.simulate(t_end=25.0, step=1.0, method=METHOD, **start((v, 0.0)))
    assert result.q[10, 0] == pytest.approx(v * 10.0 - 50.0 * slower, abs=1e-11)
    assert result.q[-1, 0] == pytest.approx(v**2 / (2.0 * slower), abs=1e-11)


def test_blows_know_of_it(resisting: il.Plant) -> None:
    """It falls while it turns: friction and moment of the impact are as large as they may be."""
    q, spin, height = np.zeros(10), 60.0, 0.2
    q[[2, 6]] = RADIUS + height, 1.0
    qd = [0.0, 0.0, 0.0, 0.0, spin, 0.0]
    result = resisting.simulate(t_end=0.3, step=0.1, method=METHOD, q=q, qd=qd)
    fall = np.sqrt(2.0 * height / G)
    jump, rest = np.sqrt(2.0 * G * height), 0.3 - fall
    # e = 0: from then on it slides
    x = MU * jump + MU * G * rest
    turns = spin - (MU * RADIUS + C) * MASS * (jump + G * rest) / INERTIA
    assert x < RADIUS * turns
    assert result.qd[-1, [0, 4]] == pytest.approx([x, turns], abs=1e-10)


def test_energy_never_grows(resisting: il.Plant) -> None:
    rng = np.random.default_rng(7)
    for _ in range(6):
        qd = rng.normal(size=6) * [0.5, 0.5, 0.0, 5.0, 5.0, 5.0]
        result = resisting.simulate(t_end=0.6, step=0.02, method=METHOD, qd=qd)
        assert np.diff(result.energy.sum(axis=1)).max() < 1e-12
        assert not result.doubts
