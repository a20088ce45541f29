"""A changed parameter gives what a model built anew with the new number gives."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from comparing import random_states

import inloop as il

# every kind of declared parameter, with a second value
DECLARED = {
    "m_arm": (1.7, 2.3),
    "cx": (0.12, -0.07),
    "ixy": (0.004, -0.002),
    "izz": (0.05, 0.065),
    "reach": (0.41, 0.57),
    "g": (9.81, 1.62),
    "rotor": (0.03, 0.11),
    "k": (35.0, 52.0),
    "slope": (0.35, -0.52),
    "roll": (0.21, 0.83),
}
# every kind of number in the model, with a second value
NUMBERS = {
    "arm.mass": 2.6,
    "arm.com.z": 0.17,
    "arm.inertia.yy": 0.071,
    "arm.inertia.xz": -0.004,
    "arm.seat.y": 0.29,
    "fore.armature": 0.4,
    "fore.com.x": -0.11,
    "gravity.x": -2.2,
    "gravity.z": -3.7,
    "base.hinge.z": 0.52,
    "hook.eye.x": 0.77,
}


def crane(numbers: Mapping[str, float] | None = None, declared: bool = True) -> il.Model:
    """Three bodies; `numbers` replaces values by name, parameters are numbers if not `declared`."""
    given = dict(numbers or {})

    def number(name: str, value: float) -> float:
        return given.get(name, value)

    values = {name: number(name, pair[0]) for name, pair in DECLARED.items()}
    model = il.Model(
        "crane",
        gravity=lambda m: (
            number("gravity.x", 1.3),
            0.4,
            # "g" is the parameter; "gravity.z" stands for the number when nothing is declared
            -m.parameter("g", values["g"]) if declared else number("gravity.z", -values["g"]),
        ),
    )

    def p(name: str):
        return model.parameter(name, values[name]) if declared else values[name]

    base = model.body(
        "base",
        on=model.ground,
        joint=il.revolute("z", armature=p("rotor")),
        mass=3.1,
        com=(0.05, -0.02, 0.11),
        inertia=(0.09, 0.08, 0.07),
    )
    hinge = base.frame(
        "hinge",
        (0.07, 0.13, number("base.hinge.z", 0.35)),
        il.rpy(p("roll"), 0.4, -0.3),
    )
    arm = model.body(
        "arm",
        on=hinge,
        joint=il.revolute((0.3, -0.5, 0.8)),
        mass=p("m_arm") if declared else number("arm.mass", values["m_arm"]),
        com=(p("cx"), 0.06, number("arm.com.z", 0.09)),
        inertia=(
            0.06,
            number("arm.inertia.yy", 0.055),
            p("izz"),
            p("ixy"),
            number("arm.inertia.xz", 0.003),
            -0.001,
        ),
    )
    seat = arm.point("seat", (p("reach"), number("arm.seat.y", 0.14), 0.19))
    fore = model.body(
        "fore",
        on=seat,
        joint=il.prismatic("-x", armature=number("fore.armature", 0.15)),
        mass=1.4,
        com=(number("fore.com.x", 0.08), 0.03, -0.05),
        inertia=(0.02, 0.03, 0.025),
    )
    slope = fore.frame("slope", (0.12, 0.21, 0.07), il.axis_angle((1.0, 2.0, -1.0), p("slope")))
    hook = model.body(
        "hook", on=slope, joint=il.revolute("y"), mass=0.6, com=(0.04, 0.02, -0.13),
        inertia=(0.004, 0.005, 0.003),
    )  # fmt: skip
    eye = hook.point("eye", (number("hook.eye.x", 0.33), -0.12, 0.2))
    stiffness = p("k")
    model.line_force(
        eye, model.ground.point("wall", (0.9, 0.2, 0.5)), lambda l: stiffness * (l - 0.3)
    )
    model.joint_force("arm", lambda q, qd: -0.1 * stiffness * q - 0.8 * qd)
    return model


def everything(plant: il.Plant) -> dict[str, np.ndarray]:
    q, qd, x = random_states(43, plant.n, 3)
    return {
        "tau": plant.inverse_dynamics(q, qd, x),
        "qdd": plant.direct_dynamics(q, qd, x),
        "M": plant.mass_matrix(q),
        "c": plant.bias(q, qd),
        "E": plant.energy(q, qd),
        "p": plant.position("hook.eye", q),
        "J": plant.jacobian("hook.eye", q),
        "acc": plant.acceleration("hook.eye", q, qd, x),
    }


def assert_same(found: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    for name, value in expected.items():
        size = np.abs(value).max()
        np.testing.assert_allclose(found[name], value, rtol=0, atol=1e-11 * size, err_msg=name)


def differ(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return any(np.abs(a[name] - b[name]).max() > 1e-4 * np.abs(a[name]).max() for name in a)


@pytest.fixture(scope="module", params=["c", "python"])
def built(request: pytest.FixtureRequest) -> il.Plant:
    return crane().compile(backend=request.param)


@pytest.fixture
def plant(built: il.Plant) -> il.Plant:
    built.parameters.reset()
    return built


@pytest.mark.thinned(5)
@pytest.mark.parametrize("name", DECLARED)
def test_declared_parameter(plant: il.Plant, name: str) -> None:
    before = everything(plant)
    plant.parameters[name] = DECLARED[name][1]
    found = everything(plant)
    # "g" is written as the number gravity.z there
    new = {"gravity.z": -DECLARED[name][1]} if name == "g" else {name: DECLARED[name][1]}
    assert_same(found, everything(crane(new, declared=False).compile(backend="python")))
    assert differ(found, before)


def test_all_declared_parameters_together(plant: il.Plant) -> None:
    new = {name: pair[1] for name, pair in DECLARED.items()}
    plant.parameters.update(new)
    found = everything(plant)
    numbers = {**new, "gravity.z": -new["g"]}
    assert_same(found, everything(crane(numbers, declared=False).compile(backend="python")))
    plant.parameters.reset()
    assert_same(everything(plant), everything(crane(declared=False).compile(backend="python")))


@pytest.fixture(scope="module")
def live_plant() -> il.Plant:
    return crane(declared=False).compile(live="all", backend="python")


def test_live_numbers_have_their_values(live_plant: il.Plant) -> None:
    assert set(NUMBERS) <= set(live_plant.parameters)
    assert live_plant.parameters["arm.seat.y"] == 0.14
    assert live_plant.parameters["gravity.z"] == -9.81


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", NUMBERS)
def test_live_number(live_plant: il.Plant, name: str) -> None:
    live_plant.parameters.reset()
    before = everything(live_plant)
    live_plant.parameters[name] = NUMBERS[name]
    found = everything(live_plant)
    rebuilt = crane({name: NUMBERS[name]}, declared=False).compile(backend="python")
    assert_same(found, everything(rebuilt))
    assert differ(found, before)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("live", ["all", ["tail.tip.x"]])
def test_sensor_at_a_live_point_that_nothing_else_uses(live: str | list[str]) -> None:
    def with_tip(x: float) -> il.Model:
        model = crane(declared=False)
        tail = model.body(
            "tail", on="hook.eye", joint=il.revolute("x"), mass=0.3, com=(0.1, 0.2, 0.3),
            inertia=(0.01, 0.011, 0.012),
        )  # fmt: skip
        tail.point("tip", (x, 0.2, -0.4))
        return model

    plant = with_tip(0.13).compile(live=live, backend="python")
    q = random_states(44, plant.n, 2)[0]
    expected = with_tip(0.13).compile(backend="python").jacobian("tail.tip", q)
    np.testing.assert_allclose(plant.jacobian("tail.tip", q), expected, rtol=0, atol=1e-12)
    plant.parameters["tail.tip.x"] = 0.57
    expected = with_tip(0.57).compile(backend="python").jacobian("tail.tip", q)
    np.testing.assert_allclose(plant.jacobian("tail.tip", q), expected, rtol=0, atol=1e-12)


def test_chosen_live_numbers_cost_nothing_else() -> None:
    plant = crane(declared=False).compile(live=["arm.mass", "arm.com.z"], backend="python")
    assert list(plant.parameters) == ["arm.mass", "arm.com.z"]
    plant.parameters["arm.mass"], plant.parameters["arm.com.z"] = 2.6, 0.17
    rebuilt = crane({"arm.mass": 2.6, "arm.com.z": 0.17}, declared=False)
    assert_same(everything(plant), everything(rebuilt.compile(backend="python")))


def test_unknown_live_number() -> None:
    with pytest.raises(il.InputError, match=r"live=\['arm\.weight'\]: no such parameter"):
        crane().compile(live=["arm.weight"], backend="python")


def test_live_numbers_of_a_body_with_a_welded_part() -> None:
    def loaded() -> il.Model:
        model = crane(declared=False)
        model.body(
            "load", on="arm.seat", joint=il.fixed(), mass=2.0, com=(0.1, 0.2, 0.1),
            inertia=(0.1, 0.12, 0.11),
        )  # fmt: skip
        model.external_force("arm")
        return model

    q, qd, x = random_states(47, 4, 2)
    u = [1.1, -2.3, 3.7, 0.2, 0.5, -0.9]
    fixed = loaded().compile(backend="python").inverse_dynamics(q, qd, x, u=u)
    live = loaded().compile(live="all", backend="python").inverse_dynamics(q, qd, x, u=u)
    np.testing.assert_allclose(live, fixed, rtol=1e-10)
