"""Runs with contacts are judged by all their steps, although few of them are evaluated."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from unstable_models import BALL, ball

import inloop as il
from inloop.simulate.judging import contact_power as module
from inloop.simulate.judging.contact_power import contact_power

STEPS, STEP = 4000, 1e-3


class Laws:
    """Power of laws over time; counts at how many samples it was asked for."""

    def __init__(self, power: np.ndarray) -> None:
        self.power, self.asked = power, 0

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        self.asked += len(rows)
        return self.power[rows]


def smooth() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, a power, and the energies that its exact integral gives."""
    t = STEP * np.arange(STEPS + 1)
    power = 3.0 * np.sin(2.0 * t) * np.cos(0.7 * t)
    # sin a cos b = (sin(a + b) + sin(a - b)) / 2
    work = 1.5 * ((1.0 - np.cos(2.7 * t)) / 2.7 + (1.0 - np.cos(1.3 * t)) / 1.3)
    return t, power, np.column_stack([1.0 + work, 0.3 - 0.0 * t])


def test_a_smooth_power_is_mostly_interpolated() -> None:
    t, power, energy = smooth()
    laws = Laws(power)
    found = contact_power(t, energy, 0.0 * t, laws)
    assert laws.asked < 0.3 * STEPS
    assert np.abs(found - power).max() < 1e-6 * np.abs(power).max()


@pytest.mark.parametrize("lasts", [1, 2, 3, 7])
@pytest.mark.parametrize("begins", range(2001, 2009))
def test_a_pulse_between_two_evaluated_steps_is_seen(begins: int, lasts: int) -> None:
    """It changes the energy by 0.1 % of what is exchanged, at any place."""
    t, power, energy = smooth()
    pulse = slice(begins, begins + lasts)
    jump = 1e-3 * energy[:, 0].max()
    power[pulse] += jump / (STEP * lasts)
    energy[:, 0] += np.clip((np.arange(STEPS + 1) - begins) / lasts, 0.0, 1.0) * jump
    laws = Laws(power)
    found = contact_power(t, energy, 0.0 * t, laws)
    np.testing.assert_array_equal(found[pulse], power[pulse])
    assert laws.asked < 0.3 * STEPS


@pytest.mark.parametrize("begins", range(2001, 2009))
def test_energy_that_comes_from_nowhere_is_looked_at(begins: int) -> None:
    """The power knows nothing of it: all steps around are evaluated, not smoothed over."""
    t, power, energy = smooth()
    energy[begins:, 0] += 1e-3
    laws = Laws(power)
    found = contact_power(t, energy, 0.0 * t, laws)
    around = slice(begins - 4, begins + 4)
    np.testing.assert_array_equal(found[around], power[around])


@pytest.mark.thinned(4)
@pytest.mark.parametrize("late", range(8))
@pytest.mark.parametrize("law", [il.power_law(1e7), il.power_law(1e9)], ids=repr)
def test_one_hard_impact_in_a_long_run_is_told(
    law: object, late: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ball is in touch for one or two of 4000 steps; few samples are wanted."""
    plant = ball(law, 0.05)
    # let go at rest so high that it lands then
    impact = 1.5 + late * STEP
    fall = 0.5 * 9.81 * impact**2
    start = {"q": {"ball": BALL + fall}, "t_end": 2.0, "step": STEP, "method": "rk4"}
    every = plant.simulate(**start)
    touching = np.count_nonzero(every["ball.q"] < BALL)
    assert 1 <= touching <= 3
    gained = np.abs(np.sum(every.energy[-1] - every.energy[0])) / every.energy[:, 0].max()
    assert gained > 0.05, "a case that goes wrong"
    few = plant.simulate(sample=0.5, **start)
    monkeypatch.setattr(module, "WORTH", math.inf)
    exact = plant.simulate(sample=0.5, **start)
    for run in (every, few, exact):
        assert run.doubts and run.status == exact.status
        told = re.match(r"t = (\S+) s", run.doubts[0])
        assert told
        assert float(told[1]) == pytest.approx(impact, abs=2.0 * STEP)
    assert len(few.t) == 5
    np.testing.assert_array_equal(few.work, every.work[::500])
    assert few.work == pytest.approx(exact.work, abs=1e-4 * np.abs(exact.energy).max())
