"""Careless values in every argument: it works, or an error tells what is wrong and what to do."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inloop as il

CARELESS: tuple[Any, ...] = (
    None, "", "x", "z", "a", b"x", math.nan, math.inf, -math.inf, 1e300, -1.0, 0, 10**400, 1j, True,
    np.float32(2.0), np.float64("nan"), np.array(1.0), np.zeros((2, 2)), np.array([1j]),
    (), [], [[1]], (1, 2), (1, 2, 3, 4), ("a", None), {}, {"a": None}, {"a": 10**400}, {1: 2},
    object(), int,
)  # fmt: skip


def model() -> tuple[il.Model, Any]:
    m = il.Model("careless")
    a = m.body(
        "a", on=m.ground, joint=il.revolute("z"), mass=1.0, com=(0.1, 0.0, 0.0), inertia=(1, 1, 1)
    )
    a.point("p", (1.0, 0.0, 0.0))
    m.ground.point("q", (1.0, 0.0, 0.0))
    return m, a


# a valid call of each method, of which one argument is spoiled
BUILDER: dict[str, dict[str, Any]] = {
    "body": {
        "name": "b", "on": "a", "joint": il.revolute("z"), "mass": 1.0, "com": (0, 0, 0),
        "inertia": (1, 1, 1), "doc": "", "visuals": (),
    },
    "parameter": {"name": "k", "default": 1.0, "unit": "m", "range": (0.0, 2.0), "doc": ""},
    "input": {"name": "u", "unit": "N", "doc": ""},
    "joint_force": {"joint": "a", "law": lambda q: q, "name": "f"},
    "force": {"at": "a", "law": lambda t: (0, 0, 0), "frame": "world", "name": "f"},
    "torque": {"body": "a", "law": lambda t: (0, 0, 0), "frame": "body", "name": "f"},
    "link": {"a": "a.p", "b": "ground", "law": lambda l: l, "name": "f"},
    "spring": {
        "a": "a.p", "b": "ground", "stiffness": 1.0, "damping": 0.1, "free_length": 1.0, "name": "f"
    },
    "torsion_spring": {"joint": "a", "stiffness": 1.0, "damping": 0.1, "rest": 0.0, "name": "f"},
    "joint_stop": {"joint": "a", "stiffness": 1.0, "damping": 0.1, "limits": (-1, 1), "name": "f"},
    "coulomb": {"joint": "a", "coulomb": 1.0, "viscous": 0.1, "velocity": 1e-3, "name": "f"},
    "lugre": {
        "joint": "a", "stiffness": 1e4, "damping": 1.0, "coulomb": 1.0, "static": 1.1,
        "stribeck": 1e-3, "exponent": 2.0, "elastic": 0.5, "name": "f",
    },
    "contact": {
        "a": "a", "shape_a": il.sphere(0.1), "b": "ground", "shape_b": il.plane(),
        "law": il.hunt_crossley(1e4, 1.5, 0.1), "name": "f",
    },
    "close": {
        "a": "a.p", "b": "ground.q", "kind": "ball", "axis": None, "length": None, "name": "c"
    },
    "constraint": {"name": "c", "law": lambda a: a, "unit": "rad"},
    "drive": {"joint": "a", "motion": lambda t: t, "derivatives": "given", "cutoff": 50.0},
    "event": {"name": "e", "when": lambda a: a, "direction": "falls", "restitution": 0.5},
    "external_force": {"body": "a", "at": "a.p"},
    "joint_input": {"joint": "a"},
    "lock": {"joint": "a", "name": "l"},
    "mode": {"name": "m", "doc": ""},
    "output": {"name": "o", "joint": "a", "law": lambda q: q, "unit": "m"},
    "note": {"text": "x"},
}  # fmt: skip
JOINTS = {"axis": "z", "name": "j", "initial": (0.0, 0.0), "limits": (-1.0, 1.0), "armature": 0.1}
CALLS: dict[str, dict[str, Any]] = {
    "simulate": {
        "t_end": 0.01, "step": 1e-3, "method": "rk4", "q": None, "qd": None, "tau": None,
        "inputs": {"u": 0.0}, "sample": None, "tolerance": None, "start": None, "mode": None,
        "reactions": (),
    },
    "stepper": {"step": 1e-3, "method": "rk4", "q": None, "qd": None, "inputs": None},
    "equilibrium": {"q": None, "inputs": None},
    "linearize": {"q": None, "qd": None, "inputs": ()},
    "modes": {"q": None},
    "direct_dynamics": {"q": [0.0], "qd": [0.0], "tau": [0.0], "u": [0.0], "t": 0.0},
    "inverse_dynamics": {"q": [0.0], "qd": [0.0], "qdd": [0.0], "u": [0.0], "t": 0.0},
    "mass_matrix": {"q": [0.0]},
    "pose": {"path": "a.p", "q": [0.0], "axes": None},
    "evaluate": {"function": "mass_matrix", "q": [0.0]},
}  # fmt: skip
COMPILE = {"live": (), "external_forces": (), "backend": "python"}


def works_or_explains(call: Callable[[], Any]) -> None:
    """Run; an error must say what is wrong and what to do."""
    try:
        call()
    except il.InloopError as error:
        assert error.mistakes
        for mistake in error.mistakes:
            assert mistake.what.strip()
            assert mistake.fix.strip()


def spoiled(calls: dict[str, dict[str, Any]]) -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    """A call and its arguments, of which one is careless."""
    places = [(method, name) for method, valid in calls.items() for name in valid]
    drawn = st.tuples(st.sampled_from(places), st.sampled_from(CARELESS))
    return drawn.map(lambda item: (item[0][0], {**calls[item[0][0]], item[0][1]: item[1]}))


@cache
def plant() -> il.Plant:
    m, _ = model()
    m.parameter("k", 1.0)
    u = m.input("u")
    m.joint_force("a", lambda q, qd: u - 0.3 * q - 0.1 * qd)
    return m.compile()


@settings(max_examples=400, deadline=None)
@given(spoiled(BUILDER))
def test_models(call: tuple[str, dict[str, Any]]) -> None:
    def describe() -> None:
        m, _ = model()
        getattr(m, call[0])(**call[1])
        m.build()

    works_or_explains(describe)


@settings(max_examples=100, deadline=None)
@given(spoiled({"revolute": JOINTS, "prismatic": JOINTS}))
def test_joints(call: tuple[str, dict[str, Any]]) -> None:
    def describe() -> None:
        m, a = model()
        joint = getattr(il, call[0])(**call[1])
        m.body("b", on=a, joint=joint, mass=1.0, inertia=(1, 1, 1))
        m.build()

    works_or_explains(describe)


@pytest.mark.parametrize("careless", CARELESS, ids=lambda value: repr(value)[:20])
def test_names_gravity_points_and_parameters(careless: Any) -> None:
    works_or_explains(lambda: il.Model(careless).build())
    if not callable(careless):
        works_or_explains(lambda: il.Model("m", gravity=careless).build())
    works_or_explains(lambda: model()[1].point("r", careless))
    works_or_explains(lambda: model()[1].point(careless, (0, 0, 0)))
    works_or_explains(lambda: plant().parameters[careless])
    works_or_explains(lambda: plant().parameters.update(k=careless))
    works_or_explains(lambda: plant().vector(a=careless))
    plant().parameters.reset()


@settings(max_examples=150, deadline=None)
@given(spoiled({"compile": COMPILE}))
def test_compiling(call: tuple[str, dict[str, Any]]) -> None:
    works_or_explains(lambda: model()[0].compile(**call[1]))


@settings(max_examples=400, deadline=None)
@given(spoiled(CALLS))
def test_plants(call: tuple[str, dict[str, Any]]) -> None:
    works_or_explains(lambda: getattr(plant(), call[0])(**call[1]))


def test_a_model_without_bodies_says_so() -> None:
    with pytest.raises(il.ModelError, match="model 'empty' has nothing that moves") as caught:
        il.Model("empty").compile()
    assert "m.body" in caught.value.mistakes[0].fix
