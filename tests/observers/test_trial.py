"""Trials: an observer on runs of its own plant, judged in words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import inloop as il

PERIOD = 5e-3


@pytest.fixture(scope="module")
def swing() -> il.Plant:
    """A pendulum whose tip is seen by a camera: sines of its angle."""
    m = il.Model("swing")
    rod = m.body("rod", on=m.ground, joint=il.revolute("y", name="hinge", initial=(1.2, 0.0)),
                 mass=1.3, com=(0.0, 0.0, -0.4), inertia=(0.05, 0.05, 0.01))  # fmt: skip
    m.sensor("tip", il.sensors.position(rod.point("end", (0.0, 0.0, -0.8))))
    return m.compile()


def observer_of(swing: il.Plant, doubt: float, **options: object) -> il.observers.Observer:
    return il.observer(
        swing, measured={"tip.x": 2e-3, "tip.z": 2e-3}, disturbances={"hinge.tau": 0.05},
        doubt={"hinge.q": doubt, "hinge.qd": 0.5}, period=PERIOD, **options,
    )  # fmt: skip


def test_the_filter_of_a_linear_plant_is_as_sure_as_it_may_be(oscillator: il.Plant) -> None:
    observer = il.observer(
        oscillator, measured={"rail.q": 1e-4, "accelerometer.x": 0.05}, unknown={"rail.tau": 3.0},
        offsets={"accelerometer.x": 0.02}, disturbances={"rail.tau": 0.4},
        doubt={"rail.q": 0.02, "rail.qd": 0.3}, period=PERIOD,
    )  # fmt: skip
    found = il.observers.trial(
        observer, runs=60, samples=40, seed=2, controller=lambda t, y: {"rail.tau": -3.0 * y["t"]}
    )
    assert "rail.tau.noise" not in found.ratios
    assert found.nees.freedom == len(found.ratios) == 4
    assert found.nees.mean == pytest.approx(4.0, rel=0.15)
    assert found.nis.mean == pytest.approx(2.0, rel=0.1)
    assert found.notes == ("the filter is consistent",)
    assert found.unscented is None


def test_slopes_that_do_not_hold_are_blamed(swing: il.Plant, tmp_path: Path) -> None:
    found = il.observers.trial(observer_of(swing, 0.2), runs=20, samples=40, seed=3)
    assert found.too_sure
    assert found.unscented is not None
    assert found.unscented.nees.inside > found.nees.inside
    verdict, cause = found.notes
    assert "above all those of 'hinge.qd'" in verdict
    assert "linearization of an extended filter does not hold" in cause
    assert "method='ukf'" in cause
    figure = found.plot(file=tmp_path / "trial.png")
    above, _ = figure.axes
    assert len(above.lines) == 3
    # over far too much no filter is sure
    far = il.observers.trial(observer_of(swing, 0.35), runs=10, samples=20, seed=3)
    assert "even for an unscented filter" in far.notes[1]
    drawn = il.observers.trial(observer_of(swing, 0.35, method="ukf"), runs=10, samples=20, seed=3)
    assert drawn.unscented is None
    assert "give a smaller doubt" in drawn.notes[1]
    np.testing.assert_array_equal(drawn.nees.values, far.unscented.nees.values)


def test_what_makes_no_sense_is_refused(swing: il.Plant) -> None:
    observer = observer_of(swing, 0.1)
    with pytest.raises(il.InputError, match="1 runs of 200 samples"):
        il.observers.trial(observer, runs=1)
    with pytest.raises(il.InputError, match="noise that moves states directly"):
        il.observers.trial(observer_of(swing, 0.1, states={"hinge.q": 0.1}))
    with pytest.raises(il.InputError, match=r"'hinge.w'"):
        il.observers.trial(observer, unjudged=["hinge.w"])
    with pytest.raises(il.InputError, match="'torque'"):
        il.observers.trial(observer, controller=lambda t, y: {"torque": 1.0})


def test_bristles_of_friction_are_doubted_by_micrometers() -> None:
    """They bend by 15 µm at most; a unit of 1 m for them made the filter and its slopes useless."""
    m = il.Model("sticking", gravity=(0.0, 0.0, 0.0))
    m.body("block", on=m.ground, joint=il.prismatic("x"), mass=1.0)
    m.joint_force("block", lambda q, t: 2.0 * (0.1 * t - q), "pull")
    m.lugre("block", stiffness=1e5, damping=300.0, viscous=0.4, coulomb=1.0, static=1.5,
            stribeck=1e-3, name="friction")  # fmt: skip
    observer = il.observer(
        m.compile(), measured={"block.q": 1e-5}, disturbances={"block.tau": 0.1},
        doubt={"block.q": 1e-4, "block.qd": 1e-4}, integrator="implicit",
    )  # fmt: skip
    assert 1e-7 < observer.estimate.deviations["friction.z"] < 1e-5
    judged = il.observers.trial(observer, runs=12, samples=60)
    assert judged.notes[0] == "the filter is consistent"
