"""Fixed steps that are too long for a motion say so, whatever the energy does; others do not."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import inloop as il
from inloop.gallery.double_pendulum import double_pendulum


@cache
def oscillator() -> il.Plant:
    m = il.Model("oscillator", gravity=(0, 0, 0))
    k, c = m.parameter("k", 1e4, unit="N/m"), m.parameter("c", 0.0, unit="N*s/m")
    m.body("mass", on=m.ground, joint=il.prismatic("x", initial=(1.0, 0.0)), mass=1.0)
    m.joint_force("mass", lambda q, qd: -k * q - c * qd, "spring")
    return m.compile()


def exact(t: np.ndarray, k: float, c: float) -> np.ndarray:
    """Where the mass is, in closed form [m]."""
    roots = np.roots([1.0, c, k]).astype(complex)
    first, second = roots[1] / (roots[1] - roots[0]), -roots[0] / (roots[1] - roots[0])
    return (first * np.exp(roots[0] * t) + second * np.exp(roots[1] * t)).real


@pytest.mark.parametrize("method", ["euler", "rk4", "implicit", "rodas"])
@pytest.mark.parametrize("step", [2e-4, 1e-3, 4e-3, 2e-2, 1e-1])
@pytest.mark.parametrize("damping", [0.0, 2.0, 150.0, 1000.0])
def test_what_is_visibly_wrong_is_told(method: str, step: float, damping: float) -> None:
    plant = oscillator()
    plant.parameters["c"] = damping
    try:
        result = plant.simulate(t_end=2.0, step=step, method=method)
    except il.SimulationError:
        return
    off = np.abs(result["mass.q"] - exact(result.t, 1e4, damping)).max() / np.ptp(result["mass.q"])
    # half the step tells a part of the error, which is small for methods of low order
    if off > 0.03:
        assert result.doubts
    if off < 0.005:
        assert not any("half the step" in told or "swings" in told for told in result.doubts)


def test_the_step_that_is_proposed_is_short_enough() -> None:
    plant = oscillator()
    plant.parameters["c"] = 0.0
    doubt = plant.simulate(t_end=2.0, step=4e-3, method="rk4").doubts[0]
    assert "with half the step 'mass' is elsewhere by" in doubt
    proposed = float(doubt.partition("Use step <= ")[2].partition(",")[0])
    finer = plant.simulate(t_end=2.0, step=proposed, method="rk4")
    assert not finer.doubts
    assert finer["mass.q"][-1] == pytest.approx(exact(finer.t, 1e4, 0.0)[-1], abs=4e-3)
    # without a method, another one follows
    default = plant.simulate(t_end=2.0, step=4e-3)
    assert default["mass.q"][-1] == pytest.approx(exact(default.t, 1e4, 0.0)[-1], abs=1e-2)
    assert default.notes[0].startswith("integrated by rodas with tolerance 1e-06; rk4 is not")


def test_what_swings_is_not_taken_for_settled() -> None:
    plant = oscillator()
    plant.parameters.update(k=1e6, c=0.0)
    lost = plant.simulate(t_end=1.0, step=0.1, method="implicit")
    plant.parameters["k"] = 1e4
    assert lost.status == "UNSTABLE"
    assert lost.doubts[0].startswith("t = 0 s: 'spring' swings faster than steps of 0.1 s follow")


def test_small_changes_that_grow_by_themselves_are_no_error() -> None:
    plant = double_pendulum().compile()
    start = dict(zip(plant.coordinates, (2.5, 2.0), strict=True))
    runs = [plant.simulate(t_end=30.0, q=start, step=h, method="rk4") for h in (1e-3, 5e-4)]
    # the motion is chaotic: half the step leads elsewhere in the end
    assert np.abs(runs[0].q[-1] - runs[1].q[-1]).max() > 0.1
    assert runs[0].notes == ()
