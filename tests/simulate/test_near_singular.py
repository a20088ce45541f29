"""Runs past a singular position that is not met: their steps resolve the turn there."""

from __future__ import annotations

import os

import numpy as np
import pytest
from near_rhombus import near_rhombus

import inloop as il

METHODS = ("euler", "rk4", "dopri", "rodas", "implicit")


@pytest.fixture(scope="module")
def plant() -> il.Plant:
    return near_rhombus(1e-4).compile()


@pytest.mark.thinned(2)
@pytest.mark.parametrize("method", METHODS)
def test_energy_is_kept_whatever_the_method(plant: il.Plant, method: str) -> None:
    """Nothing takes energy, and one degree of freedom leaves nothing else to be wrong but time."""
    result = plant.simulate(t_end=0.2, step=1e-3, method=method)
    # the crank comes to rest within 30 steps, and the coupler takes over
    assert result["crank.qd"][50] < -2.0 and abs(result["crank.qd"][80]) < 0.1
    assert abs(result["coupler.qd"][80]) > 1.0
    assert result.energy_drift() < 1e-7 and not result.doubts


def test_shorter_steps_change_nothing(plant: il.Plant) -> None:
    """Time is right, too: runs with ever shorter steps end at the same place."""
    ends = [plant.simulate(t_end=0.2, step=step).q[-1] for step in (2e-3, 1e-3, 2.5e-4, 2e-5)]
    for end in ends[:-1]:
        np.testing.assert_allclose(end, ends[-1], atol=1e-7)


def test_samples_are_where_they_are_wanted(plant: il.Plant) -> None:
    every, few = (plant.simulate(t_end=0.2, step=1e-3, sample=s) for s in (None, 0.03))
    np.testing.assert_allclose(every.t, 1e-3 * np.arange(201), atol=1e-15)
    np.testing.assert_allclose(few.t, [*(0.03 * np.arange(7)), 0.2], atol=1e-15)
    np.testing.assert_array_equal(few.q[:-1], every.q[:181:30])


def test_motion_far_from_singular_positions_keeps_its_steps(plant: il.Plant) -> None:
    """Errors are those of RK4, of order 4."""
    start = {"crank": 1.5}
    coarse, fine, finest = (
        plant.simulate(t_end=0.2, step=step, method="rk4", q=start).q[-1]
        for step in (2e-2, 1e-2, 1e-3)
    )
    ratio = np.abs(coarse - finest).max() / np.abs(fine - finest).max()
    assert 10.0 < ratio < 24.0


def lost(plant: il.Plant, q: np.ndarray, qd: np.ndarray) -> float:
    """Energy that was lost on the way, of the kinetic energy."""
    first, last = plant.simulate(t_end=0.0).energy[0], plant.energy(q, qd)
    return float(abs(last.sum() - first.sum()) / last[0])


@pytest.mark.parametrize(("step", "too_long"), [(1e-3, True), (1e-5, False)])
def test_a_stepper_says_when_its_steps_are_too_long(
    plant: il.Plant, step: float, too_long: bool
) -> None:
    """It keeps its steps; what they miss shows in the energy."""
    stepper = plant.stepper(step=step)
    for _ in range(round(0.2 / step)):
        stepper.step()
    end = stepper.look()
    assert (lost(plant, end.q[0], end.qd[0]) > 0.01) == too_long
    assert any("near singular positions" in note for note in stepper.notes) == too_long


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("substeps", "too_long"), [(1, True), (100, False)])
def test_a_report_says_when_steps_are_too_long(
    plant: il.Plant, substeps: int, too_long: bool
) -> None:
    name = f"near_singular_{os.getpid()}"
    options = {"rate": 1000, "mode": "free", "seconds": 0.2, "rehearse": 0.0}
    report = il.run(plant, name=name, substeps=substeps, **options)
    assert (report.missed_turns > 0) == too_long
    assert any("near a singular position" in note for note in report.notes) == too_long


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("step", "told"), [(1e-3, True), (1e-5, False)])
def test_a_mechanism_with_modes_says_so_too(step: float, told: bool) -> None:
    model = near_rhombus(1e-4)
    free, braked = (model.mode(name) for name in ("free", "braked"))
    with model.during(braked):
        model.joint_force("crank", lambda qd: -0.05 * qd, name="brake")
    model.event("far", lambda q: q["crank"] + 3.0, mode=free, to=braked)
    result = model.compile().simulate(t_end=0.2, step=step, method="rk4")
    assert any("loop 'pin' is near a singular position" in note for note in result.notes) == told
