"""A flexible link among other elements of a model: loops, live numbers, names, mistakes."""

from __future__ import annotations

import re

import numpy as np
import pytest
from rods import EA, ROD

import inloop as il
from inloop import gallery


def bridge(elements: int = 4) -> il.Model:
    """Two half rods that meet in the middle: together a beam that is clamped at both ends."""
    m = il.Model("bridge", gravity=(0.0, 0.0, 0.0))
    half = {**ROD, "length": ROD["length"] / 2, "EA": EA, "elements": elements}
    left = m.flexible_link("left", on=m.ground, **half)
    far = m.ground.point("far", (ROD["length"], 0.0, 0.0))
    right = m.flexible_link("right", on=far, along="-x", **half)
    m.close(left.tip, right.tip, kind="solid", name="weld")
    push = m.input("push", unit="N")
    m.force(left.tip, lambda: (0.0, 0.0, -push), name="load")
    return m


def test_two_links_closed_to_one_beam() -> None:
    plant = bridge().compile(backend="python")
    L, EI, rho = ROD["length"], ROD["EI"], ROD["mass_per_length"]
    # all coordinates are displacements of nodes here: some of them must be dependent
    assert len(plant.formulation.partition.dependent) == 3
    rest = plant.equilibrium(inputs={"push": 1.0})
    assert plant.position("left_4", rest.q)[2] == pytest.approx(-(L**3) / (192.0 * EI), rel=1e-4)
    # roots of cos(x) cosh(x) = 1
    exact = np.array([4.7300407449, 7.8532046241]) ** 2 / (2 * np.pi * L**2) * np.sqrt(EI / rho)
    assert plant.eigenmodes(q=np.zeros(plant.n)).frequencies[:2] == pytest.approx(exact, rel=1e-3)


def test_joints_of_a_flexible_loop_are_dependent_not_its_displacements() -> None:
    # that the stiff limit is the rigid four-bar is a reference of the gallery
    plant = gallery.get("flexible_four_bar").build(elements=3).compile(backend="python")
    assert plant.formulation.independent == (
        "crank", "crank_1_w", "crank_1_r", "coupler_1_w", "coupler_1_r", "follower_1_w",
        "follower_1_r",
    )  # fmt: skip


def test_numbers_of_a_link_may_be_live() -> None:
    def model(length: float, EI: float) -> il.Model:
        m = il.Model("live", gravity=(0.0, 0.0, -9.81))
        data = {**ROD, "length": length, "EI": EI}
        m.flexible_link("rod", on=m.ground, joint=il.revolute("-y"), elements=2, EA=EA, **data)
        return m

    live = model(1.5, 190.0).compile(live="all", backend="python")
    for k in (1, 2):
        live.parameters[f"rod.rest_{k}.x"] *= 1.2 / 1.5
    live.parameters["rod.EI"] = 120.0
    other = model(1.2, 120.0).compile(backend="python")
    rng = np.random.default_rng(5)
    q, qd = 0.1 * rng.normal(size=7), rng.normal(size=7)
    assert live.mass_matrix(q) == pytest.approx(other.mass_matrix(q), rel=1e-12, abs=1e-15)
    assert live.bias(q, qd) == pytest.approx(other.bias(q, qd), rel=1e-12)
    assert live.energy(q, qd) == pytest.approx(other.energy(q, qd), rel=1e-12)


def test_forces_sensors_and_outputs_at_nodes() -> None:
    m = il.Model("sensed", gravity=(0.0, 0.0, 0.0))
    gain = m.parameter("gain", 200.0)
    rod = m.flexible_link("rod", on=m.ground, elements=2, **ROD)
    wind = m.input("fan.wind", unit="N")
    m.force(rod.tip, lambda: (0.0, 0.0, -wind))
    m.output("strain", "rod_1_r", lambda q: gain * q, unit="V")
    plant = m.compile(backend="python")
    assert plant.inputs == ("fan.wind",) and plant.n == 4
    rest = plant.equilibrium(inputs={"fan.wind": 2.0})
    L, EI = ROD["length"], ROD["EI"]
    # bends about y: a load along -z turns it up; slope at mid-span: P (L x - x²/2) / EI
    slope = 2.0 * (L * L / 2 - L * L / 8) / EI
    assert plant.law_outputs(rest.q, 0 * rest.q)["strain"] == pytest.approx(200 * slope, rel=1e-9)
    assert plant.position(rod.tip.path, rest.q)[2] == pytest.approx(-2 * L**3 / (3 * EI), rel=1e-9)
    linear = plant.linearize(rest.q, inputs=["fan.wind"], outputs=["strain"])
    at = linear.states.index("rod_1_r.q")
    assert linear.C[0, at] == pytest.approx(200.0) and np.count_nonzero(linear.C) == 1


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"length": 0.0}, "length must be > 0, got 0"),
        ({"EI": -1.0}, "EI must be > 0, got -1"),
        ({"elements": 0}, "elements must be a whole number from 1 to 200"),
        ({"elements": 2.5}, "elements must be a whole number from 1 to 200"),
        ({"along": "y"}, "not perpendicular to the link"),
        ({"damping": (-1.0, 0.0)}, "damping per mass must be >= 0"),
        ({"damping": 0.1}, "damping needs 2"),
        ({"on": "nowhere"}, "is attached to 'nowhere', which does not exist"),
        ({"name": "a-b"}, "not an identifier"),
        ({"EA": "stiff"}, "EA must be a number"),
    ],
)
def test_mistakes_are_told(wrong: dict[str, object], told: str) -> None:
    m = il.Model("wrong")
    options = {"name": "rod", "on": m.ground, **ROD, **wrong}
    m.flexible_link(options.pop("name"), **options)
    with pytest.raises(il.ModelError, match=re.escape(told)):
        m.build()
