"""Derivatives of the rates of plants, against steps along the imaginary axis."""

from __future__ import annotations

import numpy as np
import pytest
from complex_step import ComplexRates

import inloop as il
from inloop.gallery.bouncing_ball import bouncing_ball
from inloop.gallery.slider_crank import slider_crank


def four_bar() -> il.Plant:
    """A loop with live sizes, a bent spring, an input, and friction with a state."""
    m = il.Model("linkage", gravity=(0.3, 0.0, -9.81))
    k = m.parameter("k", 70.0)
    ground = m.ground.point("A", (0.1, 0.0, 0.2))
    crank = m.body(
        "crank", on=ground, joint=il.revolute("y", initial=(0.4, 2.0)),
        mass=1.3, com=(0.21, 0.0, 0.02), inertia=(0.02, 0.05, 0.04),
    )  # fmt: skip
    coupler = m.body(
        "coupler", on=crank.point("B", (0.45, 0.0, 0.0)), joint=il.revolute("y", guess=-1.4),
        mass=0.7, com=(0.3, 0.0, 0.0), inertia=(0.01, 0.03, 0.02),
    )  # fmt: skip
    rocker = m.body(
        "rocker", on=m.ground.point("D", (1.0, 0.0, 0.1)), joint=il.revolute("y", guess=-0.2),
        mass=0.9, com=(0.0, 0.0, 0.33), inertia=(0.03, 0.04, 0.02),
    )  # fmt: skip
    m.close(coupler.point("C", (0.75, 0.0, 0.0)), rocker.point("E", (0.0, 0.0, 0.6)), name="pin")
    motor = m.input("motor", unit="N*m")
    m.joint_force(
        "crank", lambda q, qd: motor - k * il.tanh(q - 0.2) - 0.3 * qd * abs(qd), "spring"
    )
    m.lugre("rocker", stiffness=300.0, damping=2.0, coulomb=0.8, static=1.1, stribeck=0.05,
            name="friction")  # fmt: skip
    return m.compile(live=["crank.mass", "rocker.com.z", "crank.B.x", "coupler.C.x"])


def ball_jointed() -> il.Plant:
    """A body that turns freely on a slide: part of its state is a quaternion."""
    m = il.Model("top", gravity=(0.0, 0.4, -9.81))
    slide = m.body("slide", on=m.ground, joint=il.prismatic("x", initial=(0.1, 0.3)), mass=2.0)
    m.body(
        "top", on=slide, joint=il.ball(), mass=1.1, com=(0.02, 0.01, 0.3),
        inertia=(0.05, 0.06, 0.02),
    )  # fmt: skip
    m.joint_force("slide", lambda q, qd: -90.0 * q - 4.0 * qd, "spring")
    return m.compile(live=["slide.mass", "top.com.z"])


CASES = {
    "loop": (four_bar, ["k", "crank.mass", "rocker.com.z", "crank.B.x", "coupler.C.x", "motor",
                        "crank.tau"]),
    "ball joint": (ball_jointed, ["slide.mass", "top.com.z", "slide.tau"]),
    "slider-crank": (lambda: slider_crank().compile(), ["crank.tau", "load"]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_derivatives_are_those_of_steps_along_the_imaginary_axis(case: str) -> None:
    make, by = CASES[case]
    plant = make()
    tangent = plant.tangent(by)
    x = tangent.x0 + 0.03 * np.cos(1.0 + np.arange(len(tangent.states)))
    oracle = ComplexRates(plant, by)
    z = plant.formulation.home()[list(plant.formulation.position_roles.dependent)]
    for found, wanted in zip(tangent.jacobian(x, t=0.2), oracle.jacobian(x, z, 0.2), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-10 * np.abs(wanted).max())
        assert np.abs(wanted).max() > 0.1


def test_more_directions_than_lanes_and_new_parameters() -> None:
    plant = four_bar()
    few, many = (plant.tangent(["k", "crank.mass", "motor"], directions=k) for k in (2, 8))
    plant.parameters["k"] = 55.0
    x = many.x0 + 0.02
    for a, b in zip(few.jacobian(x), many.jacobian(x), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    before = many.jacobian(x)[0]
    plant.parameters["k"] = 70.0
    assert np.abs(many.jacobian(x)[0] - before).max() > 1e-3


def test_unknown_names_are_told() -> None:
    with pytest.raises(il.InputError, match="no live parameter or input 'sprung'"):
        slider_crank().compile().tangent(["sprung"])
    with pytest.raises(il.InputError, match="x has shape"):
        tangent = bouncing_ball().compile().tangent(["mass"])
        tangent.jacobian(np.zeros(7))
