"""Designs against figures of merit: known optima, constraints, designs that fail."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inloop as il

K, MASS = 240.0, 1.7  # [N/m], [kg]


@pytest.fixture(scope="module")
def slider() -> il.Plant:
    m = il.Model("slider", gravity=(0.0, 0.0, 0.0))
    c = m.parameter("c", 5.0, unit="N*s/m", range=(0.0, 200.0))
    m.body("block", on=m.ground, joint=il.prismatic("x", initial=(0.1, 0.0)), mass=MASS)
    m.joint_force("block", lambda q, qd: -K * q - c * qd, "spring")
    return m.compile()


def unrest(plant: il.Plant) -> float:
    """∫ x² dt, in closed form x0² (c/(2k) + m/(2c)) [m² s]."""
    run = plant.simulate(t_end=6.0, step=0.01)
    return float(np.sum(run["block.q"] ** 2) - 0.5 * run["block.q"][0] ** 2) * 0.01


@pytest.mark.parametrize("method", ["gradient", "simplex", "global"])
def test_damping_in_closed_form(slider: il.Plant, method: str) -> None:
    best = il.optimise(unrest, {"c": (1.0, 100.0)}, plant=slider, method=method, most=60)  # type: ignore[arg-type]
    assert best.values["c"] == pytest.approx(math.sqrt(K * MASS), rel=0.05)
    assert best.merit == pytest.approx(0.01 * math.sqrt(MASS / K), rel=2e-3)
    assert best.first.values == {"c": 5.0} and best.first.merit > 1.5 * best.merit
    assert slider.parameters["c"] == 5.0


def test_exact_gradient_needs_fewer_designs(slider: il.Plant) -> None:
    def slope(plant: il.Plant) -> dict[str, float]:
        c = plant.parameters["c"]
        return {"c": 0.01 * (1.0 / (2.0 * K) - MASS / (2.0 * c**2))}

    exact = il.optimise(unrest, {"c": (1.0, 100.0)}, plant=slider, gradient=slope)
    plain = il.optimise(unrest, {"c": (1.0, 100.0)}, plant=slider)
    assert exact.values["c"] == pytest.approx(math.sqrt(K * MASS), rel=0.01)
    assert len(exact.history) < len(plain.history)


def test_constraint(slider: il.Plant) -> None:
    # the best damping that is allowed is the least one above the limit
    limits = {"firm": lambda plant: (plant.parameters["c"] - 30.0) / 10.0}
    best = il.optimise(unrest, {"c": (1.0, 100.0)}, plant=slider, constraints=limits)
    assert best.values["c"] == pytest.approx(30.0, rel=1e-3)
    assert best.limits["firm"] >= -1e-6


def test_designs_that_fail_are_told(tmp_path: Path) -> None:
    def closed(values: dict[str, float]) -> np.ndarray:
        if values["a"] + values["b"] < 1.0:
            raise il.ModelError("loop 'crank' cannot be closed")
        return np.array([values["a"] - 0.4, 3.0 * (values["b"] - 0.7), values["a"] * 0.0])

    bounds = {"a": (0.0, 2.0), "b": (0.0, 2.0)}
    first = {"a": 1.9, "b": 1.8}
    best = il.optimise(closed, bounds, first=first, method="global", most=150)
    assert best.failed and "loop 'crank' cannot be closed" in " ".join(best.notes)
    assert all(math.isnan(each.merit) for each in best.failed)
    near = il.optimise(closed, bounds, first=best.values)
    assert near.values == pytest.approx({"a": 0.4, "b": 0.7}, abs=1e-6)
    best.plot(file=tmp_path / "way.png")
    assert (tmp_path / "way.png").stat().st_size > 1000
    with pytest.raises(il.SimulationError, match="the first design fails: loop 'crank'"):
        il.optimise(closed, bounds, first={"a": 0.1, "b": 0.1})


def test_simplex_along_a_valley_between_bounds() -> None:
    """Rosenbrock's function of three parameters, from a corner: one simplex rests at 31."""

    def valley(p: dict[str, float]) -> float:
        x, y, z = p["x"], p["y"], p["z"]
        return 100 * (y - x**2) ** 2 + (1 - x) ** 2 + 100 * (z - y**2) ** 2 + (1 - y) ** 2

    bounds = {name: (-0.5, 2.0) for name in "xyz"}
    corner = {"x": -0.5, "y": 2.0, "z": -0.5}
    best = il.optimise(valley, bounds, first=corner, method="simplex", most=2000)
    assert best.converged and not best.notes
    assert best.values == pytest.approx({"x": 1.0, "y": 1.0, "z": 1.0}, abs=0.01)


def test_no_more_designs_than_asked_for(slider: il.Plant) -> None:
    best = il.optimise(unrest, {"c": (1.0, 100.0)}, plant=slider, method="simplex", most=7)
    assert len(best.history) == 7 and not best.converged
    assert "not converged" in str(best)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"over": {"c": (2.0, 1.0)}}, "bounds of 'c'"),
        ({"over": {}}, "no parameters are given to optimise"),
        ({"over": {"d": (0.0, 1.0)}}, "no live parameter 'd'"),
        ({"over": {"c": (1.0, 9.0)}, "first": {"c": 20.0}}, "out of its bounds"),
        ({"over": {"c": (1.0, 9.0)}, "method": "guess"}, "method 'guess'"),
        ({"over": {"c": (1.0, 9.0)}, "constraints": [unrest]}, "constraints is .* dictionary"),
        ({"over": {"c": (1.0, 9.0)}, "constraints": {"far": 3.0}}, "far is '3.0'. Give a function"),
        ({"over": {"c": (1.0, 9.0)}, "gradient": {"c": 1.0}}, "gradient is .* Give a function"),
    ],
)
def test_arguments_of_no_use(slider: il.Plant, arguments: dict[str, object], words: str) -> None:
    with pytest.raises(il.InputError, match=words):
        il.optimise(unrest, plant=slider, **arguments)  # type: ignore[arg-type]


def test_a_constraint_without_a_value_is_named() -> None:
    over = {"a": (0.0, 4.0)}
    for value, words in ((math.nan, "'far' is not finite"), (None, "'far' is 'None'")):
        with pytest.raises(il.SimulationError, match=f"first design fails: constraint {words}"):
            il.optimise(
                lambda at: at["a"], over, constraints={"far": lambda at, value=value: value}
            )
    with pytest.raises(il.InputError, match=r"merit is .* Give a function"):
        il.optimise(3.0, over)  # type: ignore[arg-type]


def test_gradients_and_merits_that_are_none() -> None:
    """A sign that is wrong, a name that is missing, NaN; numbers that become more; a constant."""
    over = {"a": (0.0, 4.0), "b": (0.0, 3.0)}

    def merit(at: dict[str, float]) -> float:
        return (at["a"] - 1.0) ** 2 + (at["b"] - 1.0) ** 2

    def slope(sign: float, *names: str) -> Any:
        return lambda at: {name: sign * 2.0 * (at[name] - 1.0) for name in names}

    right = il.optimise(merit, over, gradient=slope(1.0, "a", "b"))
    assert right.merit < 1e-9 and not right.notes
    wrong = il.optimise(merit, over, gradient=slope(-1.0, "a", "b"), first={"a": 3.0, "b": 2.0})
    assert any("gradient= is not that of the figure of merit" in note for note in wrong.notes)
    with pytest.raises(il.InputError, match="the gradient by 'b' is missing"):
        il.optimise(merit, over, gradient=slope(1.0, "a"))
    with pytest.raises(il.InputError, match="the gradient by 'a' is nan"):
        il.optimise(merit, over, gradient=slope(math.nan, "a", "b"))
    sizes = iter(range(2, 99))
    with pytest.raises(il.InputError, match="has 3 numbers, that of the first design 2"):
        il.optimise(lambda at: np.ones(next(sizes)), over)
    same = il.optimise(lambda at: 2.0, over)
    assert any("is the same in all 3 designs" in note for note in same.notes)
    with pytest.raises(il.InputError, match="a search over 0 designs"):
        il.optimise(merit, over, most=0)
