"""Angles and limits that look like degrees are noted; turns and lengths are not."""

from __future__ import annotations

import math

import pytest

import inloop as il


def swing(initial: float | None = None) -> il.Plant:
    m = il.Model("swing")
    m.body("arm", on=m.ground, joint=il.revolute("y", initial=initial), mass=1.0, com=(0, 0, -1))
    m.body("cart", on=m.ground, joint=il.prismatic("x", initial=90.0), mass=1.0)
    return m.compile()


TOLD = "'arm' starts at 90 rad, 14.3 turns; if these are degrees, write math.radians(90)"


def test_a_declared_angle_in_degrees_is_noted_and_kept() -> None:
    plant = swing(90)
    result = plant.simulate(t_end=0.01)
    assert result.notes == (TOLD,) and result["arm.q"][0] == 90.0
    assert plant.stepper(step=1e-3).notes == (TOLD,)
    # a value of the run replaces it, and an end of a run is where it is
    assert plant.simulate(t_end=0.01, q={"arm": math.radians(90)}).notes == ()
    assert plant.simulate(t_end=0.02, start=result).notes == ()


@pytest.mark.parametrize(
    ("angle", "noted"),
    [
        (-45, True), (10, True), (360, True),
        (5, False), (7, False), (20 * math.pi, False), (62.37, False), (math.radians(90), False),
    ],
)  # fmt: skip
def test_angles_of_a_run(angle: float, noted: bool) -> None:
    notes = swing().simulate(t_end=0.01, q={"arm": angle}).notes
    assert [f"write math.radians({angle:g})" in note for note in notes] == [True] * noted


@pytest.mark.parametrize(
    ("limits", "noted"),
    [
        ((-90, 90), (-90, 90)),
        ((-1.5, 45), (45,)),
        ((-math.inf, 20), (20,)),
        ((-math.pi / 2, math.pi / 2), ()),
        ((-1e6, 1e6), ()),
    ],
)
def test_limits(limits: tuple[float, float], noted: tuple[float, ...]) -> None:
    m = il.Model("stopped")
    m.body("arm", on=m.ground, joint=il.revolute("y", limits=limits), mass=1.0, com=(0, 0, -1))
    m.body("cart", on=m.ground, joint=il.prismatic("x", limits=(-90, 90)), mass=1.0)
    notes = m.compile().simulate(t_end=0.01).notes
    assert [note.partition(";")[0] for note in notes] == [
        f"'arm' has a limit at {each:g} rad, {abs(each) / math.tau:.3g} turns" for each in noted
    ]
