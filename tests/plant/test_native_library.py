"""What the generated library of a plant is made of."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from comparing import random_states
from random_trees import random_tree

import inloop as il
from inloop.native import BuildOptions
from inloop.plant import NativeEngine

CORE = {"inverse_dynamics", "direct_dynamics", "mass_matrix", "bias", "energy", "prepare"}
# all that generated code may ask of the system
MATHEMATICS = {"sin", "cos", "sincos", "sqrt", "tanh", "exp", "fmin", "fmax", "fabs", "atan2"}
# what every shared library asks for
LOADER = {
    "__cxa_finalize",
    "__gmon_start__",
    "_ITM_deregisterTMCloneTable",
    "_ITM_registerTMCloneTable",
    "__stack_chk_fail",
    "memset",
    "memcpy",
}


def model() -> il.Model:
    """A tree with a parameter, a law with time and an input, and external forces."""
    result = replace(random_tree(801, size=6), name="native").model()
    k = result.parameter("stiffness", 21.0, unit="N*m/rad", range=(1.0, 90.0), doc="of a spring")
    push = result.input("push", unit="N")
    result.joint_force("b2", lambda q, qd, t: -k * q - il.tanh(qd) + push * il.sin(3 * t))
    return result


@pytest.fixture(scope="module")
def plant(shipped_flags: None) -> il.Plant:
    return model().compile(external_forces=["b3"], backend="c")


@pytest.fixture(scope="module")
def engine(plant: il.Plant) -> NativeEngine:
    found = plant.equations.engine("inverse_dynamics")
    assert isinstance(found, NativeEngine)
    return found


def test_compiles_without_a_word(engine: NativeEngine, plant: il.Plant) -> None:
    strict = NativeEngine(engine.unit, BuildOptions(strict=True))
    q, qd, x = (rows[0] for rows in random_states(1, plant.n, 1))
    arrays = {"pre": plant.prepared(), "q": q, "qd": qd, "tau": x, "u": np.arange(7.0), "t": [0.3]}
    inputs = [np.array(arrays[b.name], float) for b in engine.unit.find("direct_dynamics").inputs]
    found = strict.call("direct_dynamics", inputs, None)[0]
    expected = plant.direct_dynamics(q, qd, x, u=np.arange(7.0), t=0.3)
    np.testing.assert_array_equal(found, expected)


def test_every_exported_name_has_the_prefix(engine: NativeEngine) -> None:
    names = engine.library.exported_symbols()
    assert all(name.startswith("native_") for name in names), names
    assert {f"native_{name}" for name in CORE} <= set(names)
    assert {"native_rates", "native_manifest"} <= set(names)


def test_needs_only_mathematics(engine: NativeEngine) -> None:
    needed = set(engine.library.needed_symbols())
    assert needed & {"sin", "cos", "sincos", "tanh"}
    assert needed <= MATHEMATICS | LOADER, needed - MATHEMATICS - LOADER


def test_no_variable_outside_functions(plant: il.Plant) -> None:
    """No globals: every definition at the left margin is a function, a type or a constant."""
    for name, text in plant.sources().items():
        bare = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        for line in bare.splitlines():
            if re.match(r"(static\s+)?(double|real|int|float)\s+\w+\s*(=|;|\[)", line):
                pytest.fail(f"{name}: {line}")


def test_manifest_tells_names_and_sizes(engine: NativeEngine, plant: il.Plant) -> None:
    told = json.loads(engine.manifest())
    assert told["model"] == "native"
    assert told["coordinates"] == list(plant.coordinates)
    wrench = [f"b3.{kind}.{axis}" for kind in ("force", "torque") for axis in "xyz"]
    assert told["inputs"] == ["push", *wrench] == list(plant.inputs)
    assert told["parameters"] == [{"name": "stiffness", "unit": "N*m/rad", "default": 21.0}]
    assert told["functions"]["mass_matrix"]["out"] == {"M": [plant.n, plant.n]}
    assert told["functions"]["inverse_dynamics"]["in"]["u"] == 7
    assert set(told["functions"]) | {"prepare"} >= CORE


def test_manifest_survives_any_text() -> None:
    rod = il.Model("odd", doc='says "hello\\n" ??/ to\nall')
    rod.parameter("k", 2.5, doc='a "quoted" ?? backslash \\ é')
    rod.body("b", on=rod.ground, joint=il.revolute("x"), mass=1.1, com=(0, 0.2, 0.1))
    plant = rod.compile(backend="c")
    told = json.loads(plant.equations.engine("bias").manifest())
    assert [p["name"] for p in told["parameters"]] == ["k"]


def test_header_of_generated_files(plant: il.Plant) -> None:
    text = plant.sources()["native_inverse_dynamics.c"]
    head = text[: text.index("#include")]
    assert "model 'native', sha256:" in head
    for name in ("b0", "b5", "j_b3"):
        assert name in head


def test_two_plants_in_one_process_do_not_clash() -> None:
    """The same name, other numbers; and both called in turn."""
    models = [replace(random_tree(seed, size=3), name="twin").model() for seed in (802, 803)]
    a, b = (item.compile(backend="c") for item in models)
    references = [item.compile(backend="python") for item in models]
    q, qd, x = random_states(2, 3, 3)
    for _ in range(2):
        for plant, reference in zip((a, b), references, strict=True):
            found = plant.inverse_dynamics(q, qd, x)
            expected = reference.inverse_dynamics(q, qd, x)
            size = np.abs(expected).max()
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * size)
    assert np.abs(a.inverse_dynamics(q, qd, x) - b.inverse_dynamics(q, qd, x)).max() > 0.1


def test_calls_are_pure(plant: il.Plant) -> None:
    q, qd, x = random_states(3, plant.n, 2)
    first = plant.direct_dynamics(q[0], qd[0], x[0])
    plant.direct_dynamics(q[1], qd[1], x[1])
    np.testing.assert_array_equal(plant.direct_dynamics(q[0], qd[0], x[0]), first)


def test_operations_are_those_of_the_programs(plant: il.Plant) -> None:
    assert set(plant.operations) >= CORE
    for name, counts in plant.operations.items():
        parts = sum(counts[kind] for kind in ("mul", "add", "div", "sincos", "function"))
        assert counts["total"] == parts, name
    assert plant.operations["prepare"]["total"] < plant.operations["inverse_dynamics"]["total"]
    report = next(r for r in plant.passes if r.function == "inverse_dynamics")
    totals = list(report.totals.values())
    assert totals == sorted(totals, reverse=True)
    assert totals[-1] == plant.operations["inverse_dynamics"]["total"]
