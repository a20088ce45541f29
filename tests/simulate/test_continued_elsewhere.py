"""Runs that cannot go on where another one ended are refused; what jumps in between is noted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import inloop as il


def pendulums(
    names: str, model: str = "pendulums", more: Callable[[il.Model], object] | None = None
) -> il.Plant:
    m = il.Model(model)
    for name in names:
        length = {"a": -0.7, "b": -0.3}[name]
        m.body(name, on=m.ground, joint=il.revolute("y"), mass=1.3, com=(0, 0, length))
    if more is not None:
        more(m)
    return m.compile()


@pytest.fixture(scope="module")
def plant() -> il.Plant:
    return pendulums("ab")


@pytest.fixture(scope="module")
def first(plant: il.Plant) -> il.Result:
    return plant.simulate(t_end=0.1, step=1e-3, q={"a": 0.5, "b": -0.2})


@pytest.mark.parametrize(("names", "model"), [("ba", "pendulums"), ("ab", "others")])
def test_runs_of_other_models_are_refused(first: il.Result, names: str, model: str) -> None:
    with pytest.raises(il.InputError, match=r"start is a run of model 'pendulums' with .* a, b"):
        pendulums(names, model).simulate(t_end=0.2, start=first)


@pytest.mark.parametrize(
    "more",
    [
        lambda m: m.drive("a"),
        lambda m: m.gear("a", "b", ratio=-0.4),
        lambda m: m.lugre("a", stiffness=1e3, damping=1.0, coulomb=0.1),
    ],
    ids=["drive", "gear", "state"],
)
def test_runs_of_models_with_other_equations_are_refused(
    first: il.Result, more: Callable[[il.Model], object]
) -> None:
    with pytest.raises(il.InputError, match="start is a run of another model 'pendulums'"):
        pendulums("ab", more=more).simulate(t_end=0.2, start=first)


@pytest.mark.parametrize(
    ("t_end", "step", "told"),
    [
        (0.3, 3e-3, "not a whole number of steps of 0.003 s"),
        (0.2005, 1e-3, "not a whole number of steps"),  # the step would be shortened
        (0.05, 1e-3, r"after t_end = 0\.05 s"),
    ],
)
def test_steps_that_do_not_lead_there_are_refused(
    plant: il.Plant, first: il.Result, t_end: float, step: float, told: str
) -> None:
    with pytest.raises(il.InputError, match=rf"start ended at t = 0\.1 s, .*{told}"):
        plant.simulate(t_end=t_end, step=step, start=first)


def test_the_same_steps_and_other_methods_go_on(plant: il.Plant, first: il.Result) -> None:
    whole = plant.simulate(t_end=0.3, step=1e-3, q={"a": 0.5, "b": -0.2})
    rest = plant.simulate(t_end=0.3, step=1e-3, start=first)
    np.testing.assert_array_equal(rest.q[-1], whole.q[-1])
    other = plant.simulate(t_end=0.3, step=1e-3, method="rodas", start=first)
    np.testing.assert_allclose(other.q[-1], whole.q[-1], atol=1e-7)
    assert not rest.notes and not other.notes


def test_what_a_new_length_moves_is_noted() -> None:
    m = il.Model("crank")
    length = m.parameter("length", 0.8, unit="m")
    crank = m.body("crank", on=m.ground, joint=il.revolute("y", initial=0.4), mass=1.0)
    rod = m.body("rod", on=crank.point("pin", (0.3, 0, 0)), joint=il.revolute("y"), mass=0.7)
    slide = m.body("slide", on=m.ground, joint=il.prismatic("x", guess=1.1), mass=0.4)
    m.close(rod.point("end", (length, 0, 0)), slide)
    plant = m.compile()
    first = plant.simulate(t_end=0.05, step=1e-3)
    plant.parameters["length"] = 0.85
    rest = plant.simulate(t_end=0.06, step=1e-3, start=first)
    told = [note for note in rest.notes if "continues from" in note]
    assert [note.split("'")[1] for note in told] == ["rod", "slide"]
    assert all("parameters or drives have changed" in note for note in told)


def test_more_samples_than_memory_holds_are_refused_before_they_are_made(plant: il.Plant) -> None:
    with pytest.raises(il.InputError, match=r"more than 1e\+09 samples.*sample="):
        plant.simulate(t_end=1.0, step=1e-12)
