"""Numbers that must lie within bounds do so as expressions, too, and while a plant runs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inloop as il

Declared = Callable[[il.Model, Any, Any], object]  # on a model, a body and a value


def contact(m: il.Model, body: Any, law: Any) -> None:
    m.contact(m.ground, il.plane(), body, il.sphere(0.1), law=law, name="c")


def bounce(m: il.Model, _: Any, x: Any) -> None:
    free, hit = m.mode("free"), m.mode("hit")
    with m.during(hit):
        m.lock("body", name="floor")
    m.event("blow", lambda q: q["body"], mode=free, impact=hit, restitution=x)


ELEMENTS: dict[str, tuple[Declared, float, tuple[float, float]]] = {
    "restitution": (lambda m, b, x: contact(m, b, il.hard(x)), 1.5, (0.0, 1.0)),
    "friction": (lambda m, b, x: contact(m, b, il.hard(0.0, x)), -0.5, (0.0, math.inf)),
    "exponent": (lambda m, b, x: contact(m, b, il.power_law(1e4, x)), 0.9, (1.0, math.inf)),
    "damping": (lambda m, b, x: m.torsion_spring(b, 1.0, x), -1.0, (0.0, math.inf)),
    "coulomb": (lambda m, b, x: m.coulomb(b, coulomb=x, velocity=1e-3), -1.0, (0.0, math.inf)),
    "restitution of events": (bounce, 1.01, (0.0, 1.0)),
    "radius": (
        lambda m, b, x: m.contact(m.ground, il.plane(), b, il.sphere(x), law=il.hard(), name="c"),
        -0.1,
        (0.0, math.inf),
    ),
}


def model_with(declared: Declared, default: float, through: Callable[[Any], Any]) -> il.Model:
    m = il.Model("bounds")
    body = m.body("body", on=m.ground, joint=il.prismatic("z", initial=0.3), mass=1.0)
    declared(m, body, through(m.parameter("x", default)))
    return m


@pytest.mark.parametrize("through", [lambda x: x, lambda x: 0.5 * (x + x)], ids=["x", "formula"])
@pytest.mark.parametrize("element", ELEMENTS)
def test_expressions_are_refused_where_numbers_are(
    element: str, through: Callable[[Any], Any]
) -> None:
    declared, wrong, _ = ELEMENTS[element]
    with pytest.raises(il.ModelError, match=rf"must be .*, got {wrong:g} at the default") as caught:
        model_with(declared, wrong, through).build()
    (mistake,) = caught.value.mistakes
    assert element.partition(" of ")[0] in mistake.what
    assert "test_bounds.py" in mistake.where


@pytest.mark.parametrize("element", ELEMENTS)
def test_parameters_keep_to_the_bounds_of_what_they_are(element: str) -> None:
    declared, _, allowed = ELEMENTS[element]
    (parameter,) = model_with(declared, 1.0, lambda x: x).build().parameters
    assert parameter.range == allowed


def test_ranges_of_the_user_are_narrowed_and_not_widened() -> None:
    m = il.Model("ranges")
    body = m.body("body", on=m.ground, joint=il.prismatic("z"), mass=1.0)
    m.torsion_spring(body, m.parameter("k", 3.0, range=(-1.0, 5.0)), m.parameter("d", 0.2))
    m.parameter("other", -1.0)
    ranges = {p.name: p.range for p in m.build().parameters}
    assert ranges == {"k": (0.0, 5.0), "d": (0.0, math.inf), "other": None}


def test_live_masses_and_moments_do_not_become_negative() -> None:
    m = il.Model("live")
    load = m.parameter("load", 2.0, unit="kg")
    joint = il.revolute("y", armature=0.01)
    m.body("arm", on=m.ground, joint=joint, mass=load, com=(0, 0, -0.4), inertia=(0.1, 0.2, 0.15))
    live = ["arm.inertia.yy", "arm.armature", "arm.com.z"]
    plant = m.compile(live=live, backend="python")
    for name in ("load", "arm.inertia.yy", "arm.armature"):
        before = plant.parameters[name]
        with pytest.raises(il.InputError, match=rf"'{name}': -1 is outside 0"):
            plant.parameters[name] = -1.0
        with pytest.raises(il.InputError, match=rf"run 1: .*'{name}': -1 is outside 0"):
            plant.simulate_many(t_end=0.01, parameters={name: [0.5, -1.0]})
        assert plant.parameters[name] == before
    plant.parameters["arm.com.z"] = 0.4
    assert plant.bias([0.0], [0.0]) == pytest.approx(0.0)


def test_formulas_of_live_parameters_keep_to_their_bounds() -> None:
    m = il.Model("formulas")
    load, slip = m.parameter("load", 2.0, unit="kg"), m.parameter("slip", 0.5)
    joint = il.revolute("y", armature=load / 50 - 0.01)
    m.body("arm", on=m.ground, joint=joint, mass=load - 1.0, com=(0, 0, -0.4))
    m.body("weight", on="arm", joint=il.fixed(), mass=2.0 * load - 0.5)
    m.torsion_spring("arm", 3.0, 1.0 - slip)
    plant = m.compile(backend="python")
    wrong = [
        ("load", 0.9, r"body 'arm': mass must be >= 0"),
        ("load", 0.2, r"mass must be >= 0"),
        ("slip", 1.5, r"torsion_spring 'arm': damping must be >= 0"),
    ]
    for name, value, told in wrong:
        before = plant.parameters[name]
        with pytest.raises(il.InputError, match=rf"{told}.*'{name}' = {value:g}"):
            plant.parameters[name] = value
        with pytest.raises(il.InputError, match=rf"run 1: .*{told}"):
            plant.simulate_many(t_end=0.01, parameters={name: [before, value]})
        assert plant.parameters[name] == before
    plant.parameters.update(load=1.1, slip=0.9)


def test_open_ends_of_bounds_are_refused_while_a_plant_runs_too() -> None:
    """The range of a parameter includes its ends; "> 0" does not include 0."""
    m = il.Model("open_ends")
    k, v = m.parameter("k", 1e6, range=(0.0, 1e7)), m.parameter("v", 0.01)
    body = m.body("body", on=m.ground, joint=il.prismatic("z"), mass=1.0)
    m.contact(m.ground, il.plane(), body, il.point(), law=il.hard(stiffness=k), name="floor")
    m.lugre(body, stiffness=1e4, damping=10.0, coulomb=2.0 * v, static=1.0, stribeck=v)
    plant = m.compile(backend="python")
    for name, told in (("k", "'floor': stiffness must be > 0"), ("v", "must be > 0")):
        before = plant.parameters[name]
        with pytest.raises(il.InputError, match=rf"{told}.*'{name}' = 0"):
            plant.parameters[name] = 0.0
        assert plant.parameters[name] == before
    plant.parameters.update(k=1e-3, v=1e-12)


def rotated_box(a: float, b: float, c: float) -> np.ndarray:
    """Inertia of a box of 1 kg with these edges, about axes that are not its own."""
    turn = np.linalg.qr(np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 2.0], [1.5, 0.2, 0.7]]))[0]
    moments = np.array([b * b + c * c, a * a + c * c, a * a + b * b]) / 12.0
    return turn @ np.diag(moments) @ turn.T


def test_live_inertias_stay_those_of_bodies() -> None:
    thin, flat, fat = rotated_box(1.0, 0.02, 0.01), rotated_box(1.0, 0.8, 0.0), rotated_box(1, 2, 3)
    m = il.Model("box")
    joint = il.revolute("y")
    m.body("box", on=m.ground, joint=joint, mass=1.0, inertia=tuple(map(tuple, fat.tolist())))
    plant = m.compile(live="all", backend="python")
    places = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}

    def named(inertia: np.ndarray) -> dict[str, float]:
        return {f"box.inertia.{axes}": float(inertia[at]) for axes, at in places.items()}

    for real in (thin, flat, fat, 1e-9 * fat):
        plant.parameters.update(named(real))
    before = dict(plant.parameters)
    for axes in ("xx", "yy", "xy"):
        with pytest.raises(il.InputError, match=r"body 'box': inertia .*triangle inequality"):
            plant.parameters[f"box.inertia.{axes}"] = 1.0
    # positive moments of which two are too small for the third
    short = np.linalg.eigh(fat)[1]
    with pytest.raises(il.InputError, match=r"triangle inequality"):
        plant.parameters.update(named(short @ np.diag([1.0, 2.0, 3.1]) @ short.T))
    plant.parameters.update(named(short @ np.diag([1.0, 2.0, 2.9]) @ short.T))
    assert dict(plant.parameters) != before
