"""Careless use of bodies with six coordinates each: what is right, or which cause is named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inloop as il

R, LENGTH, START = 0.2, 0.5, 0.9  # of crank and rod [m], of the crank [rad]


def slider_crank(mass: float = 1.0, drive: bool = False) -> il.Model:
    """With a live length of its rod; its crank may be driven, and jumps after 0.1 s then."""
    m = il.Model("slider_crank", gravity=(0.0, 0.0, -9.81))
    length = m.parameter("length", LENGTH, unit="m")
    solid: dict[str, Any] = {"mass": mass, "inertia": (0.02 * mass, 0.03 * mass, 0.04 * mass)}
    crank = m.body("crank", on=m.ground, joint=il.revolute("y", initial=START), com=(0.1, 0, 0),
                   **solid)  # fmt: skip
    rod = m.body("rod", on=crank.point("pin", (R, 0.0, 0.0)), joint=il.revolute("y", guess=-1.2),
                 com=(0.2, 0, 0), **solid)  # fmt: skip
    slider = m.body("slider", on=m.ground, joint=il.prismatic("x", guess=0.6), mass=mass)
    m.close(rod.point("end", (length, 0.0, 0.0)), slider.point("pin", (0.0, 0.0, 0.0)), name="pin")
    if drive:
        m.drive("crank", lambda t: il.where(t > 0.1, START + 0.3, START))
    return m


@pytest.mark.parametrize("formulation", ["reduced", "redundant"])
def test_a_length_that_cannot_close_is_named_and_can_be_taken_back(formulation: str) -> None:
    plant = slider_crank().compile(formulation=formulation)
    stepper = plant.stepper(step=1e-3)
    stepper.step()
    stepper.parameters["length"] = 0.05
    for _ in range(2):  # the second time, too
        with pytest.raises(
            il.SimulationError, match=r"loop 'pin' .* beyond its reach\. Parameters"
        ):
            stepper.step()
    stepper.parameters["length"] = LENGTH
    stepper.step()
    assert stepper.t == pytest.approx(2e-3)
    a, x = stepper["crank.q"], stepper["slider.q"]
    assert x == pytest.approx(R * np.cos(a) + np.sqrt(LENGTH**2 - (R * np.sin(a)) ** 2), abs=1e-9)


def test_runs_that_cannot_start_as_declared_are_told() -> None:
    """A crank cannot stand at 0.9 rad with a rod of 50 mm."""
    plant = slider_crank().compile(formulation="redundant")
    many = plant.simulate_many(t_end=0.01, step=1e-3, parameters={"length": [0.4, 0.05]})
    (note,) = (note for note in many.notes if "elsewhere than declared" in note)
    assert note.startswith("1 of 2 runs start 'crank'") and "run 1 at" in note
    assert many["crank.q"][0, 0] == START
    assert R * np.sin(many["crank.q"][1, 0]) <= 0.05


@pytest.mark.parametrize("formulation", ["reduced", "redundant"])
def test_loops_without_mass_are_refused(formulation: str) -> None:
    with pytest.raises(il.ModelError, match=r"joint 'crank' .* move nothing with inertia"):
        slider_crank(mass=0.0).compile(formulation=formulation)


def test_a_drive_that_jumps_is_blamed_for_a_run_that_diverges() -> None:
    plant = slider_crank(drive=True).compile(formulation="redundant")
    with pytest.raises(il.SimulationError, match=r"the drive of 'crank' jumps by 0\.3 rad"):
        plant.simulate(t_end=0.2, step=1e-3)
