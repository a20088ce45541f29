"""Careless values in every argument: it works, or an error tells what is wrong and what to do."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
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
    "line_force": {"a": "a.p", "b": "ground", "law": lambda l: l, "name": "f"},
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
    """A tree."""
    m, _ = model()
    m.parameter("k", 1.0)
    u = m.input("u")
    m.joint_force("a", lambda q, qd: u - 0.3 * q - 0.1 * qd)
    return m.compile()


@cache
def closed_plant() -> il.Plant:
    """A slider-crank."""
    m = il.Model("careless_closed")
    k, u = m.parameter("k", 3.0), m.input("u")
    crank = il.revolute("y", initial=0.4)
    a = m.body("a", on=m.ground, joint=crank, mass=1.0, com=(0.2, 0, 0), inertia=(1, 1, 1))
    rod = il.revolute("y", guess=-0.9)
    b = m.body("b", on=a.point("p", (0.5, 0, 0)), joint=rod, mass=0.7, inertia=(1, 1, 1))
    c = m.body("c", on=m.ground, joint=il.prismatic("x", guess=1.1), mass=0.4)
    m.close(b.point("e", (0.8, 0, 0)), c.point("o", (0, 0, 0)), kind="ball", name="pin")
    m.joint_force("a", lambda q, qd: u - k * q - 0.1 * qd)
    return m.compile()


@cache
def plant_with_modes() -> il.Plant:
    """A mass that sticks where it hits the floor."""
    m = il.Model("careless_modes")
    k, u = m.parameter("k", 1.0), m.input("u")
    m.body("a", on=m.ground, joint=il.prismatic("z", initial=0.3), mass=1.3)
    m.joint_force("a", lambda q: u - k * q)
    free, stuck = m.mode("free"), m.mode("stuck")
    with m.during(stuck):
        m.lock("a", name="l")
    m.event("hit", lambda q: q["a"] + 0.2, mode=free, direction="falls", to=stuck)
    return m.compile()


@cache
def run_of(plant: il.Plant) -> il.Result:
    return plant.simulate(t_end=0.01, step=1e-3)


PLANTS = {"tree": plant, "closed": closed_plant, "modes": plant_with_modes}
TIMES = np.linspace(0.0, 0.1, 8)
EMPTY = {"q": None, "tau": None, "inputs": None, "states": None}
# a valid call of each method of all three plants
RUNS: dict[str, dict[str, Any]] = {
    "simulate": {
        "t_end": 0.01, "step": 1e-3, "method": "rk4", "q": None, "qd": None, "tau": None,
        "inputs": {"u": 0.0}, "sample": None, "tolerance": None, "start": None, "mode": None,
        "reactions": (), "most_events": 10, "settle_time": 1e-9,
    },
    "simulate_many": {
        "t_end": 0.01, "step": 1e-3, "method": "rk4", "runs": 3, "q": None,
        "qd": {"a": [0.1, 0.0, 0.2]}, "tau": None, "inputs": {"u": 0.0},
        "parameters": {"k": [1.0, 2.0, 3.0]}, "sample": None, "tolerance": None, "vary": None,
        "folder": None, "chunk": None, "on": None,
    },
    "stepper": {
        "step": 1e-3, "method": "rk4", "mode": None, "q": None, "qd": None, "inputs": None,
        "motions": None, "most_events": 10,
    },
    "equilibrium": {**EMPTY, "unknowns": None, "fixed": (), "t": 0.0},
    "linearize": {
        "q": None, "qd": None, "tau": None, "inputs": (), "outputs": (), "input_values": None,
        "states": None, "t": 0.0,
    },
    "eigenmodes": {**EMPTY, "fixed": (), "t": 0.0},
    "sweep": {**EMPTY, "over": "k", "values": [1.0, 1.1], "what": ()},
    "inverse_dynamics_run": {
        "t": TIMES, "q": {"a": 0.4 + 0.1 * TIMES}, "qd": None, "qdd": None, "actuated": None,
        "inputs": None, "states": None,
    },
}  # fmt: skip
# of functions that take one state, which is put in by the plant
STATES: dict[str, tuple[str, ...]] = {
    "direct_dynamics": ("q", "qd", "tau", "u", "t"),
    "inverse_dynamics": ("q", "qd", "qdd", "u", "t"),
    "mass_matrix": ("q",),
}
OTHERS: dict[str, dict[str, Any]] = {
    "pose": {"path": "a", "q": None, "axes": None},
    "evaluate": {"function": "mass_matrix", "q": None},
    "energy_audit": {"result": None, "tau": None, "inputs": None},
}
# of what runs and steppers offer; each is called on a fresh one
RESULTS: dict[str, dict[str, Any]] = {
    "save": {"path": "a.csv"},
    "plot": {"panel": "a.q", "file": None, "title": None, "drawing": None, "until": None},
    "signal": {"name": "a.q"},
    "step": {"u": 1.0},
    "now": {"name": "a.q"},
    "restore": {"snapshot": None},
}


def valid_call(plant: il.Plant, method: str) -> dict[str, Any]:
    """Arguments with which a method of a plant works."""
    if method in RUNS:
        return RUNS[method]
    run = run_of(plant)
    rest = {"q": run.q[0], "qd": run.qd[0], "u": [0.0], "t": 0.0}
    state = {name: rest.get(name, np.zeros(plant.n)) for name in STATES.get(method, ())}
    other = dict(OTHERS.get(method, {}))
    other |= {"q": run.q[0]} if "q" in other else {}
    other |= {"result": run} if "result" in other else {}
    return {**state, **other}


def call_on(plant: il.Plant, what: str, arguments: dict[str, Any]) -> Any:
    """Call what a result or a stepper offers."""
    run, given = run_of(plant), dict(arguments)
    if what == "save":
        return run.save(**given)
    if what == "plot":
        return run.plot(given.pop("panel"), **given)
    if what == "signal":
        return run[given["name"]]
    stepper = plant.stepper()
    if what == "step":
        return stepper.step(**given)
    if what == "now":
        return stepper[given["name"]]
    given_one = given["snapshot"]
    return stepper.restore(stepper.snapshot() if given_one is None else given_one)


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


METHODS = (*RUNS, *STATES, *OTHERS)
ARGUMENTS = [
    *((method, name) for method, valid in {**RUNS, **OTHERS}.items() for name in valid),
    *((method, name) for method, names in STATES.items() for name in names),
]


@pytest.fixture(scope="module", autouse=True)
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What careless names write goes to a directory of its own."""
    with contextlib.chdir(tmp_path_factory.mktemp("careless")):
        yield


@pytest.mark.parametrize("kind", PLANTS)
def test_the_calls_that_are_spoiled_are_good_ones(kind: str) -> None:
    plant = PLANTS[kind]()
    for method in METHODS:
        if (kind, method) != ("modes", "energy_audit"):  # refused there
            getattr(plant, method)(**valid_call(plant, method))
    for what, arguments in RESULTS.items():
        call_on(plant, what, arguments)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(list(PLANTS)), st.sampled_from(ARGUMENTS), st.sampled_from(CARELESS))
def test_plants(kind: str, place: tuple[str, str], careless: Any) -> None:
    (method, name), plant = place, PLANTS[kind]()
    if (method, name) == ("sweep", "what") and callable(careless):
        return  # a function of theirs that fails
    valid = valid_call(plant, method)
    works_or_explains(lambda: getattr(plant, method)(**{**valid, name: careless}))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(list(PLANTS)), spoiled(RESULTS))
def test_results_and_steppers(kind: str, call: tuple[str, dict[str, Any]]) -> None:
    if call[0] == "plot" and callable(call[1]["drawing"]):
        return  # a function of theirs that fails
    works_or_explains(lambda: call_on(PLANTS[kind](), *call))


def test_a_model_without_bodies_says_so() -> None:
    with pytest.raises(il.ModelError, match="model 'empty' has nothing that moves") as caught:
        il.Model("empty").compile()
    assert "m.body" in caught.value.mistakes[0].fix
