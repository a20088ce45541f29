"""No size hides in a tolerance: a mechanism in nanometers or kilometers moves as one in meters."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il

SIZES = {"nm": 1e-9, "mm": 1e-3, "m": 1.0, "km": 1e3}


def engine(size: float) -> il.Model:
    """A four-bar whose rocker pushes a slider; lengths by size, masses and times as they are.

    With gravity and stiffness scaled alike, every length is that of one meter times the size, every
    angle the same: M of lengths scales by 1, of angles by size², energies by size².
    """
    s = size
    m = il.Model("engine", gravity=(0.0, -9.81 * s, 0.0))
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
                    joint=il.prismatic("x", guess=1.2 * s), mass=1.3)  # fmt: skip
    m.close(
        coupler.point("end", (0.6 * s, 0, 0)), rocker.point("top", (0.4 * s, 0, 0)), name="ring"
    )
    m.close(rod.point("end", (0.7 * s, 0, 0)), slider, name="piston")
    m.joint_force("slider", lambda q, qd: -3.0 * (q - 1.0 * s) - 0.4 * qd)
    return m


def in_meters(plant: il.Plant, q: np.ndarray, size: float) -> np.ndarray:
    kinds = [body.joint.kind for body in plant.mechanism.bodies]
    return q / np.array([1.0 if kind == "revolute" else size for kind in kinds])


@pytest.mark.parametrize("unit", ["nm", "mm", "km"])
def test_a_linkage_of_any_size_moves_alike(unit: str) -> None:
    plants = {size: engine(size).compile() for size in (1.0, SIZES[unit])}
    found = {}
    for size, plant in plants.items():
        assert plant.loops is not None
        result = plant.simulate(t_end=1.5, step=1e-3)
        found[size] = in_meters(plant, result.q, size)
        assert result.violation is not None and result.violation.max() < 1e-12 * size
    (one, reference), (other, scaled) = plants.items()
    assert reference.loops is not None and scaled.loops is not None
    assert scaled.loops.partition.independent == reference.loops.partition.independent
    assert scaled.loops.mobility.rank == reference.loops.mobility.rank == 4
    assert np.ptp(found[one], axis=0).min() > 0.05
    np.testing.assert_allclose(found[other], found[one], rtol=0, atol=1e-8)


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


@pytest.mark.parametrize("unit", list(SIZES))
def test_assembly_is_the_same_in_all_sizes(unit: str) -> None:
    size = SIZES[unit]
    plant = engine(size).compile()
    assert plant.loops is not None
    reference = engine(1.0).compile()
    assert reference.loops is not None
    rng = np.random.default_rng(8)
    for _ in range(20):
        guess = rng.uniform(-1.5, 1.5, 5)
        scaled = guess * np.array([1, 1, 1, 1, size])
        try:
            expected = reference.loops.assemble(guess).q
        except il.ModelError:
            with pytest.raises(il.ModelError):
                plant.loops.assemble(scaled)
            continue
        q = in_meters(plant, plant.loops.assemble(scaled).q, size)
        np.testing.assert_allclose(q, expected, atol=1e-6)


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
