"""A hanging chain of n equal rods in a plane."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import GROUND, Exhibit, Option, Reference, View, gravity_along, parts

MOST_LINKS = 400


def n_pendulum(n: int = 10) -> il.Model:
    """A hanging chain of n slender rods in the x-y plane; q = 0 hangs down.

    Each coordinate is the angle between a rod and the rod above it.

    Args:
        n: number of rods.
    """
    if not 1 <= n <= MOST_LINKS:
        raise il.InputError(
            f"a pendulum of {n} links", fix=f"Give a number from 1 to {MOST_LINKS}."
        )
    m = il.Model(
        "n_pendulum",
        gravity=gravity_along("-y"),
        doc=f"Chain of {n} slender rods in a plane; coordinates are angles between neighbors.",
    )
    mass = m.parameter("mass", 0.1, unit="kg", range=(0.01, 5.0), doc="mass of one rod")
    length = m.parameter("length", 0.2, unit="m", range=(0.02, 2.0), doc="length of one rod")
    about_middle = mass * length**2 / 12.0
    on: Any = m.ground
    for k in range(1, n + 1):
        rod = m.body(
            f"rod_{k}",
            on=on,
            joint=il.revolute("z", initial=(0.9 if k == 1 else 0.0, 0.0)),
            mass=mass,
            com=(0.0, -length / 2.0, 0.0),
            inertia=(about_middle, 0.0, about_middle),
        )
        on = rod.point("tip", (0.0, -length, 0.0))
    return m


def _slowest_frequency(plant: il.Plant) -> float:
    """Lowest frequency of small oscillations [rad/s]: K x = ω² M x about the rest position."""
    n, h = plant.n, 1e-4
    rest = np.zeros(n)
    moved = h * np.eye(n)
    K = (plant.bias(moved, rest) - plant.bias(-moved, rest)) / (2.0 * h)
    squares = np.linalg.eigvals(np.linalg.solve(plant.mass_matrix(rest), K))
    return float(np.sqrt(np.min(squares.real)))


def _looks(n: int) -> Mapping[str, tuple[il.Visual, ...]]:
    """Rods of two kinds of wood, alternating, with brass pins between them."""
    rods = {
        f"rod_{k}": (
            il.rod("origin", "tip", 0.014, ("#d8b078", "#9c6b3f")[k % 2], material="wood"),
            *parts.bearing("origin", 0.02, 0.05, "z", parts.BRASS),
        )
        for k in range(1, n + 1)
    }
    return {GROUND: parts.bracket((0.0, 0.0, 0.0), 0.15, "xy", hangs=True), **rods}


EXHIBIT = Exhibit(
    name="n_pendulum",
    title="Hanging chain of n rods (10 by default)",
    look_at="The lowest mode approaches that of a hanging rope as n grows.",
    make=n_pendulum,
    start="at rest, straight, 0.9 rad from the vertical",
    seconds=5.0,
    view=View(
        "xy",
        (("rod_1.q", "rod_2.q"), ("energy.kinetic", "energy.potential", "energy.total")),
        times=(0.0, 0.5, 1.0, 1.5, 2.0),
    ),
    options={"n": Option(10, "number of rods", (1, MOST_LINKS))},
    references=(
        Reference(
            what="lowest frequency of the rope of the same length",
            # first zero of J0: ω = (j0/2) sqrt(g/L), L = 2 m
            value=(2.404825557695773 / 2.0 * np.sqrt(9.81 / 2.0),),
            unit="rad/s",
            tolerance=1e-3,
            source="Daniel Bernoulli 1733: ω = (j0/2) sqrt(g/L); 10 rods agree within 1e-3",
            measure=_slowest_frequency,
        ),
    ),
    looks=_looks,
    reach=((-1.65, -2.02, -0.07), (1.65, 0.17, 0.06)),
)
