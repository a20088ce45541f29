"""Coordinates and speeds beyond what makes sense: a status of their own, told by name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import inloop as il
from inloop.joints import LENGTH


def runaway() -> il.Model:
    """qd grows as exp(50 t) from 1 m/s; beside it a pendulum that does nothing special."""
    m = il.Model("runaway", gravity=(0, 0, -9.81))
    m.body("swing", on=m.ground, joint=il.revolute("y", name="swing"), mass=0.7, com=(0.1, 0, -0.3),
           inertia=(0.01, 0.01, 0.01))  # fmt: skip
    m.body("cart", on=m.ground, joint=il.prismatic("x", name="cart", initial=(0.0, 1.0)), mass=1.0)
    m.joint_force("cart", lambda q, qd: 50.0 * qd)
    return m


def test_a_run_ends_where_its_bound_is() -> None:
    """qd = exp(50 t) reaches the speed of light at ln(299792458) / 50 s."""
    plant = runaway().compile()
    with pytest.raises(il.SimulationError, match=r"speed of coordinate 'cart'.*plant\.bounds") as e:
        plant.simulate(t_end=2.0, step=1e-4)
    result = e.value.result
    assert result.status == "OUT_OF_BOUNDS"
    assert result.t[-1] == pytest.approx(math.log(299_792_458.0) / 50.0, abs=2e-4)
    assert np.abs(result.qd).max() <= 299_792_458.0


@pytest.mark.parametrize("options", [
    {"step": 1e-4, "method": "euler"}, {"step": 1e-4, "method": "implicit"},
    {"tolerance": 1e-6, "method": "dopri"}, {"step": 1e-4, "method": "rodas"},
])  # fmt: skip
def test_bounds_can_be_set_by_name(options: dict[str, Any]) -> None:
    """q = (exp(50 t) - 1) / 50 reaches 2 m at ln(101) / 50 s."""
    plant = runaway().compile()
    plant.bounds["cart"] = (2.0, math.inf)
    with pytest.raises(il.SimulationError, match=r"coordinate 'cart' would exceed .* 2 m") as e:
        plant.simulate(t_end=2.0, **options)
    assert e.value.result.t[-1] == pytest.approx(math.log(101.0) / 50.0, rel=0.02)
    del plant.bounds["cart"]
    assert plant.bounds["cart"] == (LENGTH.far, LENGTH.fast)
    for wrong in ((1.0,), (0.0, 1.0), (math.nan, 1.0), "x", None, (1.0, 2.0, 3.0)):
        with pytest.raises(il.InputError, match="cannot bound coordinate 'cart'"):
            plant.bounds["cart"] = wrong
    with pytest.raises(il.InputError, match="no coordinate 'crat'"):
        plant.bounds["crat"] = (1.0, 1.0)


def test_a_dependent_coordinate_has_bounds_too() -> None:
    """A slider that a crank carries beyond a bound between its start and its farthest place."""
    m = il.Model("crank", gravity=(0, 0, 0))
    crank = m.body("crank", on=m.ground, joint=il.revolute("y", name="crank", initial=(2.0, 0.0)),
                   mass=1.0, inertia=(1, 1, 1))  # fmt: skip
    joint = il.revolute("y", name="rod", guess=-2.2)
    rod = m.body("rod", on=crank.point("pin", (0.1, 0, 0)), joint=joint, mass=0.2,
                 inertia=(0.01, 0.01, 0.01))  # fmt: skip
    slider = m.body(
        "slider", on=m.ground, joint=il.prismatic("x", name="slider", guess=0.25), mass=0.3
    )
    m.close(rod.point("end", (0.3, 0, 0)), slider.point("pin", (0, 0, 0)))
    plant = m.compile()
    options = {"t_end": 3.0, "step": 1e-3, "qd": {"crank": -1.0}}
    free = np.abs(plant.simulate(**options)["slider.q"])
    assert free.max() > free[0] + 0.01
    bound = 0.5 * (free[0] + free.max())
    plant.bounds["slider"] = (bound, 10.0)
    with pytest.raises(il.SimulationError, match=r"coordinate 'slider' would exceed") as e:
        plant.simulate(**options)
    # there, and nowhere else, the free run passes the bound
    assert len(e.value.result.t) == np.flatnonzero(free > bound)[0]


def test_a_stepper_names_what_left_its_bounds() -> None:
    plant = runaway().compile()
    plant.bounds["swing"] = (math.inf, 1e-3)
    stepper = plant.stepper(step=1e-3)
    with pytest.raises(il.SimulationError, match=r"OUT_OF_BOUNDS .*speed of coordinate 'swing'"):
        for _ in range(100):
            stepper.step()
