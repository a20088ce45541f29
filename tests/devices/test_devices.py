"""Sensors and actuators against what their definitions say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from inloop import InputError
from inloop.devices import BackwardDifferences, Encoder, FilteredDifferences, ZeroOrderHold


def test_an_encoder_reads_whole_counts() -> None:
    encoder = Encoder.per_inch(50, offset=0.0021)
    assert encoder.resolution == pytest.approx(0.508e-3)  # 50 lines per inch
    positions = np.linspace(-0.04, 0.04, 1234)
    read = np.array([encoder.read(x) for x in positions])
    counts = (read - 0.0021) / 0.508e-3
    np.testing.assert_allclose(counts, np.round(counts), atol=1e-9)
    assert np.all((positions - read >= -1e-15) & (positions - read < 0.508e-3))
    assert len(np.unique(np.round(counts))) == pytest.approx(0.08 / 0.508e-3, abs=1)
    with pytest.raises(InputError, match="resolution"):
        Encoder(0.0)


def test_one_count_in_the_differences_of_the_source() -> None:
    """50 lines per inch and 7 ms: steps of 73 mm/s and 10.4 m/s²."""
    encoder, estimate = Encoder.per_inch(50), BackwardDifferences(7e-3)
    estimate.update(encoder.read(0.1e-3))
    assert estimate.update(encoder.read(0.4e-3)) == (0.0, 0.0, 0.0)
    position, velocity, acceleration = estimate.update(encoder.read(0.6e-3))
    assert position == pytest.approx(0.508e-3)
    assert velocity == pytest.approx(0.0726, abs=1e-4)
    assert acceleration == pytest.approx(10.37, abs=0.01)


def test_differences_are_exact_for_a_parabola() -> None:
    estimate, T = BackwardDifferences(0.01), 0.01
    for k in range(5):
        q, v, a = estimate.update(0.3 + 0.7 * k * T - 1.3 * (k * T) ** 2)
    t = 4 * T
    assert q == pytest.approx(0.3 + 0.7 * t - 1.3 * t**2)
    # the first difference is the velocity half a period ago
    assert v == pytest.approx(0.7 - 2.6 * (t - 0.5 * T))
    assert a == pytest.approx(-2.6)


def test_the_filter_solves_its_differential_equation() -> None:
    estimate = FilteredDifferences(period=1e-3, cutoff=40.0)
    p = estimate.pole
    estimate.update(0.2)
    now = np.array([0.2, 0.0])
    rng = np.random.default_rng(3)
    for position in rng.uniform(-1.0, 1.0, 20):
        found = estimate.update(position)
        now = solve_ivp(
            lambda t, x, u: [x[1], p**2 * (u - x[0]) - 2 * p * x[1]],
            (0.0, 1e-3), now, args=(position,), rtol=1e-11, atol=1e-10,
        ).y[:, -1]  # fmt: skip
        assert found[0] == pytest.approx(now[0], abs=1e-9)


def test_the_filter_knows_a_parabola_when_it_has_settled() -> None:
    estimate, T = FilteredDifferences(period=1e-3, cutoff=40.0), 1e-3
    for k in range(400):
        q, v, a = estimate.update(0.3 + 0.7 * k * T - 1.3 * (k * T) ** 2)
    assert a == pytest.approx(-2.6, rel=1e-7)
    # late by 2/p, early by half a period for the input that is held while time goes on
    t = 399 * T - estimate.delay + 0.5 * T
    assert v == pytest.approx(0.7 - 2.6 * (t - 0.5 * T), abs=1e-6)
    assert q == pytest.approx(0.3 + 0.7 * t - 1.3 * t**2, abs=0.02 * T)


@pytest.mark.parametrize(("order", "most"), [(2, np.inf), (3, 8.0), (4, 4.0)])
def test_which_order_may_stand_before_a_displayed_inertia(order: int, most: float) -> None:
    """Roots of (1 + s)^n + r, the loop of a device that is told to weigh r times more."""
    for ratio in (0.99 * most, 1.01 * most) if np.isfinite(most) else (1.0, 1e4):
        polynomial = np.poly(-np.ones(order))
        polynomial[-1] += ratio
        stable = np.all(np.roots(polynomial).real < 0.0)
        assert stable == (ratio < most)


def test_the_filter_passes_its_cutoff_at_half_power() -> None:
    estimate, frequency = FilteredDifferences(period=1e-5, cutoff=30.0), 30.0
    t = np.arange(0.0, 0.5, 1e-5)
    found = [estimate.update(np.sin(2 * np.pi * frequency * x))[0] for x in t]
    assert np.max(found[30000:]) == pytest.approx(np.sqrt(0.5), rel=1e-3)


def test_a_hold_takes_values_at_multiples_of_its_period() -> None:
    hold = ZeroOrderHold(7e-3)
    taken, held = [], []
    for k in range(30):
        t = k * 2e-3
        if hold.ready(t):
            taken.append(k)
            hold.take(t, float(k))
        held.append(hold.value)
    # steps of 2 ms, a servo of 7 ms: the first step at or after each multiple
    assert taken == [0, 4, 7, 11, 14, 18, 21, 25, 28]
    assert held[13] == 11.0
