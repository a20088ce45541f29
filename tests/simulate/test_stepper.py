"""A plant stepped one step at a time is the plant that `simulate` runs."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il
from inloop import gallery


@pytest.mark.parametrize("name", ["double_pendulum", "four_bar", "bouncing_ball"])
def test_steps_are_those_of_a_run(name: str) -> None:
    plant = gallery.get(name).build().compile()
    result = plant.simulate(t_end=1.3, step=1e-3)
    stepper = plant.stepper(step=1e-3)
    happened = []
    for _ in range(1300):
        stepper.step()
        happened += stepper.events
    assert stepper.t == pytest.approx(1.3)
    np.testing.assert_allclose(stepper.look().q[0], result.q[-1], atol=1e-12)
    assert [e.t for e in happened] == pytest.approx([e.t for e in result.events], abs=1e-12)


@pytest.mark.parametrize("name", ["slider_crank", "suspension"])
def test_looking_does_not_change_the_run(name: str) -> None:
    """At long steps, where the tolerance of the loops shows in the last digits."""
    plant = gallery.get(name).build().compile()
    watched, alone = plant.stepper(step=5e-3), plant.stepper(step=5e-3)
    for _ in range(200):
        watched.step()
        watched.look()
        alone.step()
    np.testing.assert_array_equal(watched.snapshot().x, alone.snapshot().x)


def test_inputs_act_at_once_and_snapshots_bring_everything_back() -> None:
    m = il.Model("pushed", gravity=(0.0, 0.0, 0.0))
    m.body("mass", on=m.ground, joint=il.prismatic("x"), mass=2.0)
    m.joint_input("mass")
    stepper = m.compile().stepper(step=0.01)
    for _ in range(100):
        stepper.step(**{"mass.tau": 4.0})
    assert stepper["mass.q"] == pytest.approx(1.0) and stepper["mass.qd"] == pytest.approx(2.0)
    kept = stepper.snapshot()
    stepper.inputs["mass.tau"] = -4.0
    for _ in range(100):
        stepper.step()
    there = stepper["mass.q"]
    assert stepper["mass.qd"] == pytest.approx(0.0, abs=1e-12)
    stepper.restore(kept)
    assert stepper.t == pytest.approx(1.0)
    for _ in range(100):
        stepper.step()
    assert stepper["mass.q"] == there


def test_a_step_that_fails_leaves_everything_as_it_was() -> None:
    m = il.Model("pushed", gravity=(0.0, 0.0, 0.0))
    m.body("mass", on=m.ground, joint=il.prismatic("x"), mass=2.0)
    m.joint_input("mass")
    stepper = m.compile().stepper(step=0.01)
    stepper.step(**{"mass.tau": 4.0})
    before = stepper["mass.q"], stepper.t
    with pytest.raises(il.SimulationError, match="DIVERGED"):
        stepper.step(**{"mass.tau": float("nan")})
    assert (stepper["mass.q"], stepper.t) == before
    stepper.step(**{"mass.tau": 4.0})
    with pytest.raises(il.InputError, match="there is no input 'mas'"):
        stepper.step(mas=1.0)
