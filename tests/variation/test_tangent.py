"""Derivatives of the rates of plants, against steps along the imaginary axis."""

from __future__ import annotations

import numpy as np
import pytest
from complex_step import ComplexRates
from linkage_model import ball_jointed, linkage

import inloop as il
from inloop.gallery.bouncing_ball import bouncing_ball
from inloop.gallery.slider_crank import slider_crank

CASES = {
    "loop": (linkage, ["k", "crank.mass", "rocker.com.z", "crank.B.x", "coupler.C.x", "motor",
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
    plant = linkage()
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
