"""No size hides in a tolerance: a mechanism in nanometers or kilometers moves as one in meters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inloop as il

SIZES = {"nm": 1e-9, "mm": 1e-3, "m": 1.0, "km": 1e3}


def engine(size: float, live: bool = False) -> il.Model:
    """A four-bar whose rocker pushes a slider; lengths by size, masses and times as they are.

    With gravity and stiffness scaled alike, every length is that of one meter times the size, every
    angle the same: M of lengths scales by 1, of angles by size², energies by size². If it is live,
    the size is the default of a parameter that all of them follow.
    """
    s = size

    def gravity(m: il.Model) -> tuple[Any, Any, Any]:
        nonlocal s
        if live:
            s = m.parameter("size", size, unit="m", range=(1e-9, 1e6))
        return 0.0, -9.81 * s, 0.0

    m = il.Model("engine", gravity=gravity)
    crank = m.body("crank", on=m.ground, joint=il.revolute("z", initial=(1.0, 2.0)), mass=0.7,
                   com=(0.1 * s, 0.01 * s, 0), inertia=(0.0, 2e-3 * s**2, 2e-3 * s**2))  # fmt: skip
    coupler = m.body("coupler", on=crank.point("pin", (0.2 * s, 0, 0)),
                     joint=il.revolute("z", guess=-0.5), mass=0.9, com=(0.3 * s, 0.02 * s, 0),
                     inertia=(0.0, 2.5e-3 * s**2, 2.5e-3 * s**2))  # fmt: skip
    rocker = m.body("rocker", on=m.ground.point("base", (0.5 * s, 0.05 * s, 0)),
                    joint=il.revolute("z", guess=1.2), mass=0.8, com=(0.2 * s, 0.01 * s, 0),
                    inertia=(0.0, 2.4e-3 * s**2, 2.4e-3 * s**2))  # fmt: skip
    rod = m.body("rod", on=rocker.point("tip", (0.4 * s, 0, 0)), joint=il.revolute("z", guess=-1.2),
                 mass=0.3, com=(0.2 * s, 0, 0), inertia=(0, 5e-3 * s**2, 5e-3 * s**2))  # fmt: skip
    slider = m.body("slider", on=m.ground.point("rail", (0.0, 0.4 * s, 0.0)),
                    joint=il.prismatic("x", guess=1.2 * size), mass=1.3)  # fmt: skip
    m.close(
        coupler.point("end", (0.6 * s, 0, 0)), rocker.point("top", (0.4 * s, 0, 0)), name="ring"
    )
    m.close(rod.point("end", (0.7 * s, 0, 0)), slider, name="piston")
    m.joint_force("slider", lambda q, qd: -3.0 * (q - 1.0 * s) - 0.4 * qd)
    return m


def in_meters(plant: il.Plant, q: np.ndarray, size: float) -> np.ndarray:
    kinds = [body.joint.kind.name for body in plant.mechanism.bodies]
    return q / np.array([1.0 if kind == "revolute" else size for kind in kinds])


@pytest.mark.thinned(2)
@pytest.mark.parametrize("unit", ["nm", "mm", "km"])
def test_a_linkage_of_any_size_moves_alike(unit: str) -> None:
    plants = {size: engine(size).compile() for size in (1.0, SIZES[unit])}
    found = {}
    for size, plant in plants.items():
        result = plant.simulate(t_end=1.5, step=1e-3)
        found[size] = in_meters(plant, result.q, size)
        assert result.violation is not None and result.violation.max() < 1e-12 * size
    (one, reference), (other, scaled) = plants.items()
    assert scaled.formulation.partition.independent == reference.formulation.partition.independent
    assert (
        scaled.formulation.positions.mobility.rank
        == reference.formulation.positions.mobility.rank
        == 4
    )
    assert np.ptp(found[one], axis=0).min() > 0.05
    np.testing.assert_allclose(found[other], found[one], rtol=0, atol=1e-8)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("unit", ["nm", "km"])
@pytest.mark.parametrize("method", ["dopri", "rodas"])
def test_own_steps_do_not_depend_on_the_size(unit: str, method: str) -> None:
    sizes = (1.0, SIZES[unit])
    found = []
    for size in sizes:
        plant = engine(size).compile()
        result = plant.simulate(t_end=0.5, step=0.05, tolerance=1e-9, method=method)
        found.append(in_meters(plant, result.q, size))
    np.testing.assert_allclose(found[1], found[0], rtol=0, atol=1e-7)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("unit", list(SIZES))
def test_assembly_is_the_same_in_all_sizes(unit: str) -> None:
    size = SIZES[unit]
    plant = engine(size).compile()
    reference = engine(1.0).compile()
    rng = np.random.default_rng(8)
    for _ in range(20):
        guess = rng.uniform(-1.5, 1.5, 5)
        scaled = guess * np.array([1, 1, 1, 1, size])
        try:
            expected = reference.formulation.assemble(guess).q
        except il.ModelError:
            with pytest.raises(il.ModelError):
                plant.formulation.assemble(scaled)
            continue
        q = in_meters(plant, plant.formulation.assemble(scaled).q, size)
        np.testing.assert_allclose(q, expected, atol=1e-6)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("unit", list(SIZES))
def test_a_gap_is_told_in_its_own_size(unit: str) -> None:
    size = SIZES[unit]
    m = il.Model("too_short")
    a = m.body(
        "a", on=m.ground, joint=il.revolute("z", guess=0.3), mass=1.0, com=(0.1 * size, 0, 0)
    )
    b = m.body("b", on=a.point("tip", (0.5 * size, 0, 0)), joint=il.revolute("z", guess=0.4),
               mass=1.0, com=(0.1 * size, 0, 0))  # fmt: skip
    m.close(b.point("end", (0.4 * size, 0, 0)), m.ground.point("far", (1.2 * size, 0, 0)), name="x")
    with pytest.raises(il.ModelError, match=f"loop 'x' cannot close, {0.3 * size:.3g} m is left"):
        m.compile()


@pytest.fixture(scope="module")
def resized() -> il.Plant:
    """Written and compiled in meters; its size is a parameter."""
    return engine(1.0, live=True).compile()


@pytest.fixture(scope="module")
def in_one_meter(resized: il.Plant) -> np.ndarray:
    resized.parameters.reset()
    return resized.simulate(t_end=0.5, step=1e-3).q


@pytest.mark.thinned(2)
@pytest.mark.parametrize("size", [1e-9, 1e-3, 1e3, 1e6])
def test_tolerances_follow_parameters(
    resized: il.Plant, in_one_meter: np.ndarray, size: float
) -> None:
    resized.parameters["size"] = size
    assert resized.coordinate_sizes == pytest.approx([1, 1, 1, 1, 1.2 * size], rel=1e-12)
    ways: list[dict[str, Any]] = [
        {"step": 1e-3},
        {"step": 0.05, "method": "dopri", "tolerance": 1e-9},
        {"step": 0.05, "method": "rodas", "tolerance": 1e-9},
    ]
    for way in ways:
        result = resized.simulate(t_end=0.5, **way)
        expected = in_one_meter[:: round(way["step"] / 1e-3)]
        assert result.violation is not None and result.violation.max() < 1e-12 * size
        np.testing.assert_allclose(in_meters(resized, result.q, size), expected, atol=1e-7)
    # a position that is open by a thousandth of the size is refused, a closed one taken
    closed = resized.simulate(t_end=1e-3).q[0]
    opened = closed + np.array([0, 0, 0, 0, 1e-3 * size])
    with pytest.raises(il.InputError, match=r"loop 'piston' is open by .* m"):
        resized.simulate(t_end=1e-3, q=opened)
    with pytest.raises(il.SimulationError, match="cannot be closed"):
        resized.formulation.close(closed + np.array([3.0, 0, 0, 0, 0]))  # type: ignore[union-attr]
    assert resized.formulation.close(opened) == pytest.approx(closed, rel=1e-12)  # type: ignore[union-attr]
    stepper = resized.stepper(step=1e-3)
    for _ in range(100):
        stepper.step()
    np.testing.assert_allclose(
        in_meters(resized, stepper.look().q, size)[0], in_one_meter[100], atol=1e-9
    )


def test_live_numbers_count_as_lengths() -> None:
    plant = engine(1.0).compile(live="all")
    lengths = [name for name, p in _declared(plant).items() if p.unit == "m"]
    plant.parameters.update({name: 1e3 * plant.parameters[name] for name in lengths})
    assert plant.coordinate_sizes == pytest.approx([1, 1, 1, 1, 1.2e3], rel=1e-12)


def _declared(plant: il.Plant) -> dict[str, Any]:
    return {p.name: p for p in plant.parameters.declared}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("amplitude", [1e-12, 1e-6, 1.0, 1e6])
@pytest.mark.parametrize("method", ["dopri", "rodas"])
def test_a_model_without_lengths_is_measured_by_its_motion(amplitude: float, method: str) -> None:
    """A mass on a spring, from 0: x = a sin(w t); and a pull on it: x = a (1 - cos(w t))."""
    w = 7.0
    for pull in (0.0, amplitude * w**2):
        m = il.Model("mass", gravity=(0.0, 0.0, 0.0))
        speed = amplitude * w if pull == 0.0 else 0.0
        joint = il.prismatic("x", initial=(0.0, speed))
        mass = m.body("mass", on=m.ground, joint=joint, mass=2.0)
        m.joint_force(mass, lambda q, pull=pull: 2.0 * (pull - w**2 * q))
        result = m.compile().simulate(t_end=2.0, step=0.1, method=method, tolerance=1e-7)
        t = result.t
        exact = np.sin(w * t) if pull == 0.0 else 1.0 - np.cos(w * t)
        assert np.abs(result.q[:, 0] / amplitude - exact).max() < 1e-6


def test_a_slowed_mass_without_lengths() -> None:
    """A cart that a damper stops: x = v/d (1 - exp(-d t))."""
    d, v = 3.0, 2e-9
    m = il.Model("cart", gravity=(0.0, 0.0, 0.0))
    cart = m.body("cart", on=m.ground, joint=il.prismatic("x", initial=(0.0, v)), mass=1.0)
    m.joint_force(cart, lambda qd: -d * qd)
    result = m.compile().simulate(t_end=2.0, step=0.1, method="dopri", tolerance=1e-7)
    exact = (1.0 - np.exp(-d * result.t)) / d
    assert np.abs(result.q[:, 0] / v - exact).max() < 1e-6


def test_centers_of_mass_are_lengths_where_there_are_no_others() -> None:
    m = il.Model("crane", gravity=(0.0, 0.0, -9.81))
    cart = m.body("cart", on=m.ground, joint=il.prismatic("x"), mass=1.0)
    m.body("load", on=cart, joint=il.revolute("y"), mass=1.0, com=(0.0, 0.0, -2e-6))
    assert m.compile().coordinate_sizes.tolist() == [2e-6, 1.0]
