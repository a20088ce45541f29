"""Springs whose ends meet and accelerations without a value: computed if possible, else told."""

from __future__ import annotations

import math

import numpy as np
import pytest

import inloop as il


def tethered(free_length: float) -> il.Model:
    """A body that moves in a plane, on a spring to the ground."""
    m = il.Model("tethered", gravity=(0, 0, 0))
    joint = [il.prismatic("x"), il.prismatic("y")]
    body = m.body("body", on=m.ground, joint=joint, mass=2.0)
    m.spring(body, m.ground, m.parameter("k", 50.0), free_length=free_length, name="tether")
    return m


def test_a_spring_without_free_length_passes_its_other_end() -> None:
    plant = tethered(0.0).compile()
    result = plant.simulate(t_end=1.0, step=1e-3, qd={"body_tx": 0.6, "body_ty": -0.2})
    assert result.status == "OK"
    for name, speed in (("body_tx", 0.6), ("body_ty", -0.2)):
        exact = speed / 5.0 * np.sin(5.0 * result.t)  # k / m = 25 / s²
        np.testing.assert_allclose(result[f"{name}.q"], exact, atol=1e-10)
    # its stiffness is there too, where both ends meet
    frequencies = plant.linearize().eigenvalues.imag
    np.testing.assert_allclose(np.sort(np.abs(frequencies)), 5.0, rtol=1e-12)


def test_a_spring_that_does_not_know_where_to_push_is_named() -> None:
    plant = tethered(0.1).compile()
    with pytest.raises(il.SimulationError, match=r"law 'tether' has no finite value .* t = 0 s"):
        plant.simulate(t_end=1.0)
    with pytest.raises(il.SimulationError, match=r"cannot be linearized .* rate of body_tx.qd"):
        plant.linearize()


def test_a_live_mass_of_zero_is_told_with_its_joint() -> None:
    m = il.Model("light")
    arm = m.body("arm", on=m.ground, joint=il.revolute("y"), mass=1.0, com=(0, 0, -0.5))
    load = m.parameter("load", 1.0, unit="kg")
    m.body("hand", on=arm, joint=il.revolute("y"), mass=load, com=(0, 0, -0.2))
    plant = m.compile()
    plant.parameters["load"] = 0.0
    with pytest.raises(il.SimulationError, match="nothing resists joint 'hand'"):
        plant.simulate(t_end=0.1, q={"arm": math.pi / 3})
