"""The mapping of live parameters: what it takes, what it refuses, and with which words."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import inloop as il


@pytest.fixture
def plant() -> il.Plant:
    model = il.Model("spring")
    k = model.parameter("stiffness", 40.0, unit="N*m/rad", range=(5.0, 90.0))
    model.parameter("unused", -1.25)
    model.body(
        "rod", on=model.ground, joint=il.revolute("y"), mass=1.3, com=(0.1, 0, -0.4),
        inertia=(0.02, 0.03, 0.01),
    )  # fmt: skip
    model.joint_force("rod", lambda q: -k * q)
    return model.compile(backend="python")


def test_reads_like_a_mapping(plant: il.Plant) -> None:
    assert dict(plant.parameters) == {"stiffness": 40.0, "unused": -1.25}
    assert len(plant.parameters) == 2
    assert "stiffness" in plant.parameters
    assert plant.parameters.get("unused") == -1.25
    assert repr(plant.parameters) == "Parameters(stiffness=40 N*m/rad, unused=-1.25)"


def test_asking_for_a_name_that_is_not_there(plant: il.Plant) -> None:
    assert "stiffnes" not in plant.parameters
    assert plant.parameters.get("stiffnes", 3.5) == 3.5


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("stiffnes", 3.0, "no live parameter 'stiffnes'. Did you mean stiffness?"),
        ("mass", 3.0, "no live parameter 'mass'. See plant.parameters for all names."),
        ("stiffness", float("nan"), "parameter 'stiffness': nan is not a number. Nothing changed."),
        ("stiffness", float("inf"), "parameter 'stiffness': inf is not a number. Nothing changed."),
        (
            "stiffness",
            90.5,
            "parameter 'stiffness': 90.5 is outside 5 .. 90 N*m/rad. "
            "Nothing was changed; choose a value within the range.",
        ),
        (
            "stiffness",
            4.0,
            "parameter 'stiffness': 4 is outside 5 .. 90 N*m/rad. "
            "Nothing was changed; choose a value within the range.",
        ),
    ],
)
def test_refused_values(plant: il.Plant, name: str, value: float, text: str) -> None:
    before = plant.bias([0.7], [0.2])
    with pytest.raises(il.InputError) as error:
        plant.parameters[name] = value
    assert str(error.value) == text
    assert dict(plant.parameters) == {"stiffness": 40.0, "unused": -1.25}
    np.testing.assert_array_equal(plant.bias([0.7], [0.2]), before)


def test_limits_of_the_range_are_allowed(plant: il.Plant) -> None:
    for value in (5.0, 90.0):
        plant.parameters["stiffness"] = value
        assert plant.parameters["stiffness"] == value


def test_a_change_acts_at_once_and_reset_takes_it_back(plant: il.Plant) -> None:
    # c holds +k q
    before = plant.bias([0.7], [0.2])
    plant.parameters["stiffness"] = 55.0
    np.testing.assert_allclose(plant.bias([0.7], [0.2]) - before, 15.0 * 0.7, rtol=1e-12)
    plant.parameters.reset()
    np.testing.assert_array_equal(plant.bias([0.7], [0.2]), before)


def test_a_copy_keeps_the_values(plant: il.Plant) -> None:
    name, first = next(iter(plant.parameters.items()))
    kept = plant.parameters.copy(), copy.copy(plant.parameters)
    plant.parameters[name] = 1.1 * first
    for each in kept:
        assert each[name] == first
        each[name] = 1.2 * first
        assert plant.parameters[name] == 1.1 * first
    plant.parameters.reset()


def test_cannot_be_deleted(plant: il.Plant) -> None:
    with pytest.raises(il.InputError, match=r"parameter 'stiffness' cannot be deleted.*reset\(\)"):
        del plant.parameters["stiffness"]


def test_plants_do_not_share_values() -> None:
    def build() -> il.Plant:
        model = il.Model("own")
        m = model.parameter("m", 1.5)
        model.body("b", on=model.ground, joint=il.revolute("x"), mass=m, com=(0, 0.3, 0.2))
        return model.compile(backend="python")

    a, b = build(), build()
    a.parameters["m"] = 4.0
    assert b.parameters["m"] == 1.5
    np.testing.assert_allclose(a.mass_matrix([0.4]) / b.mass_matrix([0.4]), 4.0 / 1.5, rtol=1e-12)


def test_the_digest_sees_numbers_inside_long_laws() -> None:
    def digest(stiffness: float) -> str:
        m = il.Model("rubbing")
        m.body("block", on=m.ground, joint=il.prismatic("x"), mass=1.0)
        m.lugre("block", stiffness=stiffness, damping=1.0, coulomb=1.0)
        return m.compile(backend="python").digest

    assert digest(1e3) == digest(1e3)
    assert digest(1e3) != digest(2e3)
