"""Bricard's mechanism: benchmark A04 of the IFToMM library, over-constrained."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import GROUND, Exhibit, Reference, View, gravity_along, parts

# A04 as two implementations have it: RehabEngGroup/MBSbenchmarksInOpenSim (createModel.cpp) and
# jgerstmayr/EXUDYN (TestModels/bricardMechanism.py)
SOURCE = "IFToMM benchmark A04, layout as in OpenSim's and Exudyn's models of it"
# edges of a cube, one rod along each; the sixth edge, along -z, is the ground
DIRECTIONS = ((1, 0, 0), (0, -1, 0), (0, 0, 1), (-1, 0, 0), (0, 1, 0))
AXES = ("y", "z", "x", "y", "z")  # of the first hinge of each rod; the closing one is x


def bricard() -> il.Model:
    """Five rods in a closed chain of six hinges, each normal to the two rods that it joins.

    At q = 0 the rods lie along edges of a cube: x, -y, z, -x, y; the ground is the edge along -z.
    The cosines of neighboring hinge angles, counted from the straight chain, obey
    c1 + c2 + c1 c2 = 0.
    By Grübler's count it has no degree of freedom, yet it moves: one of the five constraints of the
    closing hinge is redundant.
    """
    m = il.Model(
        "bricard",
        gravity=gravity_along("-y"),
        doc="Bricard's mechanism of six hinges, IFToMM benchmark A04.",
    )
    mass = m.parameter("mass", 1.0, unit="kg", range=(0.1, 10.0), doc="mass of each rod")
    length = m.parameter("length", 1.0, unit="m", range=(0.3, 3.0), doc="length of each rod")
    width = m.parameter("width", 0.1, unit="m", range=(0.01, 0.2), doc="side of its section")
    along, across = mass * width**2 / 6.0, mass * (length**2 + width**2) / 12.0
    on: Any = m.ground
    for k, (direction, axis) in enumerate(zip(DIRECTIONS, AXES, strict=True), start=1):
        rod = m.body(
            f"rod_{k}",
            on=on,
            joint=il.revolute(axis),
            mass=mass,
            com=tuple(length / 2.0 * x for x in direction),
            inertia=tuple(along if x else across for x in direction),
        )
        on = rod.point("end", tuple(length * x for x in direction))
    m.close(on, m.ground.point("P5", (0.0, 0.0, length)), kind="hinge", axis="x", name="hinge_6")
    return m


def _freedom(plant: il.Plant) -> tuple[int, int]:
    """Degrees of freedom and redundant conditions."""
    return len(plant.formulation.partition.independent), len(plant.formulation.partition.dropped)


def _p3_after_1_s(plant: il.Plant) -> np.ndarray:
    return np.asarray(plant.position("rod_3.end", plant.simulate(t_end=1.0, step=1e-3).q[-1]))


def _energy_drift(plant: il.Plant) -> float:
    return float(plant.simulate(t_end=10.0, step=2.5e-4).energy_drift())


def _looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """Round bars of five colors with a hinge at either end; the sixth is fixed."""
    colors = (parts.BLUE, parts.ORANGE, parts.GREEN, parts.RED, parts.CREAM)
    rods = {
        f"rod_{k}": (
            il.rod("origin", "end", 0.038, color, material="paint"),
            *parts.bearing("origin", 0.058, 0.17, axis),
        )
        for k, (color, axis) in enumerate(zip(colors, AXES, strict=True), start=1)
    }
    fixed = (
        il.rod("origin", "P5", 0.045, parts.DARK, material="metal"),
        *parts.bearing("P5", 0.058, 0.17, "x"),
    )
    return {GROUND: fixed, **rods}


EXHIBIT = Exhibit(
    name="bricard",
    title="Bricard's mechanism (IFToMM A04)",
    look_at="Six hinges that should lock each other but do not: one constraint is redundant.",
    make=bricard,
    start="at rest, rods along edges of a cube",
    seconds=10.0,
    view=View(
        "zxy",
        (("rod_1.q", "rod_2.q"), ("energy.kinetic", "energy.potential", "energy.total")),
        times=(0.0, 0.7, 1.0, 1.2),
        trace="rod_3.end",
    ),
    step=2.5e-4,
    references=(
        Reference(
            what="degrees of freedom, redundant conditions",
            value=(1.0, 1.0),
            unit="-",
            tolerance=0.0,
            source="Bricard 1897; singular values of the Jacobian",
            measure=lambda plant: np.array(_freedom(plant)),
        ),
        Reference(
            what="position of P3, the end of the third rod, after 1 s",
            value=(0.510501461, -1.649167599, 0.140123115),
            unit="m",
            tolerance=2e-9,
            source=f"{SOURCE}; Exudyn 1.13, 4000 and 8000 steps extrapolated",
            measure=_p3_after_1_s,
        ),
        Reference(
            what="relative change of energy in 10 s",
            value=(0.0,),
            unit="-",
            tolerance=1e-8,
            source="conservation of energy",
            measure=_energy_drift,
        ),
    ),
    looks=_looks,
    reach=((-1.11, -1.82, -1.09), (1.11, 0.11, 1.11)),
)
