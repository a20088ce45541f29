"""Steps that are too long for a motion say so, whatever the energy does; others do not."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

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


@pytest.mark.thinned(3)
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


def test_chaos_is_noted_and_no_doubt() -> None:
    plant = double_pendulum().compile()
    start = dict(zip(plant.coordinates, (2.5, 2.0), strict=True))
    run, half = (plant.simulate(t_end=30.0, q=start, step=h, method="rk4") for h in (1e-3, 5e-4))
    # half the step leads elsewhere in the end
    assert np.abs(run.q[-1] - half.q[-1]).max() > 0.1
    assert run.status == "OK"
    assert not run.doubts
    assert (
        "from here on the motion depends on the step, though each step is accurate" in run.notes[0]
    )
    since = float(run.notes[0].removeprefix("t = ").partition(" s:")[0])
    apart = np.abs(run.q - half.q[::2]).max(axis=1) / np.ptp(run.q, axis=0).max()
    assert apart[run.t < since].max() <= 0.01 < apart[run.t > since].max()


def near_the_top(angle: float, t: np.ndarray) -> np.ndarray:
    """Angle of a pendulum of 1 m from rest at an angle [rad], by SciPy."""

    def rates(_: float, x: np.ndarray) -> tuple[float, float]:
        return x[1], -9.81 * np.sin(x[0])

    start, accuracy = (angle, 0.0), {"rtol": 1e-13, "atol": 1e-14}
    return np.asarray(solve_ivp(rates, (0.0, t[-1]), start, "DOP853", t, **accuracy).y[0])


@pytest.fixture(scope="module")
def pendulum() -> il.Plant:
    m = il.Model("pendulum")
    joint = il.revolute("y")
    m.body("arm", on=m.ground, joint=joint, mass=1.0, com=(0, 0, -1), inertia=(1e-9, 1e-9, 1e-9))
    return m.compile()


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("angle", "method", "step", "tolerance"),
    [
        (2.8, "rk4", 0.1, None),
        (3.1, "rk4", 0.1, None),
        (3.1, "rk4", 0.05, None),
        (3.1, "rk4", 1e-3, None),
        (3.1, "implicit", 0.02, None),
        (3.1, "rodas", 0.1, None),
        (3.14, "implicit", 5e-3, None),
        (3.1, "dopri", 0.01, 1e-4),
        (3.1, "rodas", 0.01, 1e-6),
        (3.14, "dopri", 0.01, 1e-6),
        (3.14, "rodas", 0.01, 1e-9),
    ],
)
def test_errors_that_the_motion_amplifies_are_noted(
    pendulum: il.Plant, angle: float, method: str, step: float, tolerance: float | None
) -> None:
    run = pendulum.simulate(
        t_end=40.0, step=step, method=method, tolerance=tolerance, q={"arm": angle}
    )
    exact = near_the_top(angle, run.t)
    off = np.abs(run["arm.q"] - exact).max() / np.ptp(exact)
    noted = [told for told in run.notes if "is elsewhere by" in told]
    assert (off > 0.02) == bool(noted)
    assert off > 0.02 or off < 1e-3  # neither near the limit
    for told in noted:
        assert "tolerance" in told if tolerance else "with half the step" in told


def test_continued_runs_are_checked_by_themselves(pendulum: il.Plant) -> None:
    first = pendulum.simulate(t_end=0.2, step=0.05, method="rk4", q={"arm": 3.1})
    rest = pendulum.simulate(t_end=40.2, step=0.05, method="rk4", start=first)
    assert any("with half the step 'arm' is elsewhere by" in told for told in rest.notes)


def test_what_stands_still_has_no_errors() -> None:
    m = il.Model("hanging")
    m.body("load", on=m.ground, joint=il.prismatic("z", initial=-0.3), mass=2.0)
    m.joint_force("load", lambda q, qd: -2.0 * 9.81 / 0.3 * q, "spring")
    run = m.compile().simulate(t_end=5.0, step=1e-3, method="rk4")
    assert np.ptp(run["load.q"]) < 1e-12
    assert run.notes == ()
