"""Derivatives past corners of forces, as a tyre has them in combined slip."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from complex_step import ANALYTIC, STEP
from complex_variation import ComplexVariation

import inloop as il
from inloop.gallery.car.model import car
from inloop.model.tyres.formula import Slip
from inloop.symbolic import Graph, evaluate, jacobian

Values = Callable[[float], np.ndarray]

# slips of the car about 0.15 s after its start: a slip angle passes 0 beside a far smaller kappa
NEAR_ZERO = [(1e-5, 2e-5), (1e-5, 1e-9), (-1e-5, -1e-9), (-1e-5, -3e-5), (1e-13, 2e-13), (0.0, 0.0)]


@pytest.mark.parametrize(("kappa", "alpha"), NEAR_ZERO)
def test_formula_beside_its_corner(kappa: float, alpha: float) -> None:
    """The symbolic derivatives, against steps along the imaginary axis."""
    graph = Graph()
    values = {"load": 4100.0, "kappa": kappa, "alpha": alpha, "gamma": 4e-3, "grip": 0.9}
    symbols = {name: graph.symbol(name) for name in values}
    found = il.tyres.Formula1987().forces(Slip(**symbols))
    forces = [found.longitudinal, found.lateral, found.aligning]
    at = {symbols[name]: value for name, value in values.items()}
    rows = jacobian(forces, list(symbols.values()))
    mine = np.array([evaluate(row, at) for row in rows], dtype=float)
    for k, s in enumerate(symbols.values()):
        wanted = [np.imag(f) for f in evaluate(forces, {**at, s: at[s] + 1j * STEP}, ANALYTIC)]
        np.testing.assert_allclose(mine[:, k], np.array(wanted) / STEP, rtol=1e-10, atol=1e-9)


def central(values: Values, at: float, increment: float) -> np.ndarray:
    return (values(at + increment) - values(at - increment)) / (2.0 * increment)


def past_a_corner(t: float, k: complex) -> complex:
    """q of q̈ = -k |q| from q = 1: a cosine, then an exponential growth."""
    w = np.sqrt(k)
    s = t - np.pi / 2.0 / w
    return complex(np.cos(w * t) if s.real < 0.0 else -np.sinh(w * s))


@pytest.fixture(scope="module")
def bent() -> il.Plant:
    m = il.Model("bent")
    k = m.parameter("k", 3.0, unit="N/m")
    m.body("mass", on=m.ground, joint=il.prismatic("x", initial=(1.0, 0.0)), mass=1.0)
    m.joint_force("mass", lambda q, qd: -k * abs(q), "spring")
    return m.compile()


METHODS = [("rk4", 2), ("dopri", 2), ("euler", 1), ("rodas", 2)]


@pytest.mark.parametrize(("method", "order"), METHODS)
def test_derivatives_past_a_corner_are_those_of_the_motion(
    bent: il.Plant, method: str, order: int
) -> None:
    """As the steps themselves: one order is lost with the step that passes it."""
    for step in (2e-2, 3e-3):
        run = bent.simulate(t_end=1.5, step=step, sample=0.1, method=method, sensitivities=["k"])
        assert run.sensitivities is not None
        found = run.sensitivities["mass.q", "k"]
        exact = [past_a_corner(t, 3.0 + 1j * STEP).imag / STEP for t in run.t]
        assert run["mass.q"][-1] < -0.5 and not any("corner" in note for note in run.notes)
        np.testing.assert_allclose(found, exact, atol=2.0 * step**order)


@pytest.mark.parametrize("method", ["rk4", "euler", "rodas"])
def test_a_corner_that_steps_are_too_long_for_is_noted(bent: il.Plant, method: str) -> None:
    """Forwards and backwards, which agree; the corner is at a quarter of a turn."""
    run = {"t_end": 1.5, "step": 0.1, "method": method}
    forwards = bent.simulate(**run, sensitivities=["k", "mass.q"])
    backwards = bent.gradient({"mass.q": np.zeros(16)}, by=["k", "mass.q"], **run)
    assert forwards.sensitivities is not None
    wanted = 2.0 * forwards["mass.q"] @ forwards.sensitivities["mass.q"]
    np.testing.assert_allclose(backwards.values, wanted, rtol=1e-12)
    for notes in (forwards.notes, backwards.result.notes):
        (told,) = [note for note in notes if "corner" in note]
        assert "law 'spring' passes a corner in 1 step, first at t = 0." in told
        assert "Use shorter steps" in told
        assert 1e-3 < float(told.split("about ")[1].split(" %")[0]) / 100.0 < 0.05
    # a run that ends before it has none
    short = bent.simulate(**run | {"t_end": 0.8}, sensitivities=["k"])
    assert not any("corner" in note for note in short.notes)


CAR = ["front_stiffness", "rear_stiffness", "front_damping", "rear_damping", "load", "caster",
       "grip", "front_bar"]  # fmt: skip


@pytest.fixture(scope="module")
def on_tyres() -> il.Plant:
    return car(bars_as_laws=True).compile()


def velocities(plant: il.Plant, name: str, value: float, **run: object) -> np.ndarray:
    """All velocities of a run with another value of a parameter."""
    before = plant.parameters[name]
    plant.parameters[name] = value
    result = plant.simulate(**run)  # type: ignore[arg-type]
    plant.parameters[name] = before
    return result.qd


def derivatives(plant: il.Plant, result: il.Result, name: str) -> np.ndarray:
    assert result.sensitivities is not None
    return np.stack([result.sensitivities[f"{x}.qd", name] for x in plant.coordinates], axis=1)


@pytest.mark.long
def test_car_before_its_slip_angles_pass_zero(on_tyres: il.Plant) -> None:
    """Against equations that nobody differentiated, integrated with their derivatives by SciPy."""
    result = on_tyres.simulate(t_end=0.1, step=1e-4, sample=0.005, method="rk4", sensitivities=CAR)
    assert result.sensitivities is not None
    mine = np.stack([derivatives(on_tyres, result, name) for name in CAR], axis=2)
    oracle = ComplexVariation(on_tyres, CAR, np.abs(mine).max(axis=(0, 1)))
    states = list(oracle.system.states)
    wanted = oracle.integrate(result.t, 1e-10)
    for k, name in enumerate(on_tyres.coordinates):
        if f"{name}.qd" in states:
            column = wanted[:, states.index(f"{name}.qd")]
            apart = np.abs(mine[:, k] - column).max(axis=0) / np.abs(mine).max(axis=(0, 1))
            assert np.all(apart <= 1e-8), (name, apart)


@pytest.mark.long
def test_car_past_corners_of_its_tyres(on_tyres: il.Plant) -> None:
    """Against differences of runs that choose their steps."""
    run = {"t_end": 0.2, "sample": 0.005}
    result = on_tyres.simulate(**run, step=2.5e-4, method="rk4", sensitivities=["grip", "caster"])
    assert "tyre_front_left, tyre_front_right, tyre_rear_left" in result.notes[-1]
    angles = np.stack([result[f"tyre_{x}.alpha"] for x in ("front_left", "rear_left")])
    assert np.all(np.ptp(np.sign(angles[:, 20:]), axis=1) == 2.0)
    exact = {**run, "step": 1e-4, "method": "dopri", "tolerance": 1e-12}
    for name, increment in (("grip", 1e-4), ("caster", 1e-5)):

        def values(value: float, name: str = name) -> np.ndarray:
            return velocities(on_tyres, name, value, **exact)

        wanted = central(values, on_tyres.parameters[name], increment)
        apart = np.abs(derivatives(on_tyres, result, name) - wanted).max()
        assert apart <= 1.5e-3 * np.abs(wanted).max(), name
