"""A generic chain: no value is zero or one, no axes are parallel, so nothing simplifies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import GROUND, Exhibit, Option, View, parts

MOST_LINKS = 1000
BASE = (0.11, -0.23, 0.37)  # position of its base [m]


def chain(n: int = 6, seed: int = 1, sliders: bool = False) -> il.Model:
    """A serial chain of n joints with arbitrary axes, offsets, twists and inertias.

    Args:
        n: number of joints.
        seed: of the random numbers; the same seed gives the same chain.
        sliders: True makes every third joint prismatic.
    """
    if not 1 <= n <= MOST_LINKS:
        raise il.InputError(f"a chain of {n} joints", fix=f"Give a number from 1 to {MOST_LINKS}.")
    if seed < 0:
        raise il.InputError(f"seed {seed} is negative", fix="Give a seed >= 0.")
    random = np.random.default_rng(seed)
    m = il.Model(
        "chain",
        gravity=lambda m: (
            0.7,
            -0.4,
            -m.parameter("g", 9.81, unit="m/s^2", range=(0.0, 25.0), doc="gravity, along -z"),
        ),
        doc=f"Generic serial chain of {n} joints, seed {seed}.",
    )
    on: Any = m.ground.frame("base", BASE, il.rpy(0.3, -0.5, 0.7))
    for k in range(1, n + 1):
        kind = il.prismatic if sliders and k % 3 == 0 else il.revolute
        axis = random.normal(size=3)
        start = float(random.uniform(-1.0, 1.0)) * (0.2 if kind is il.prismatic else 1.0)
        body = m.body(
            f"link_{k}",
            on=on,
            joint=kind(tuple(axis), name=f"joint_{k}", initial=(start, 0.0)),
            mass=float(random.uniform(0.4, 3.0)),
            com=tuple(random.uniform(-0.2, 0.2, size=3)),
            inertia=_random_inertia(random),
        )
        offset = tuple(random.uniform(-0.4, 0.4, size=3))
        on = body.frame("end", offset, il.rpy(*random.uniform(-1.4, 1.4, size=3)))
    body.point("tip", offset)
    return m


def _random_inertia(random: np.random.Generator) -> list[list[float]]:
    """Inertia of a cloud of points, thus physically possible [kg·m²]."""
    points = random.uniform(-0.12, 0.12, size=(7, 3))
    second = points.T @ points
    inertia: list[list[float]] = (np.trace(second) * np.eye(3) - second).tolist()
    return inertia


def _looks(n: int, seed: int, sliders: bool) -> Mapping[str, tuple[il.Visual, ...]]:
    """Painted bars from joint to joint, balls for the joints, whose axes are arbitrary."""
    colors = (parts.BLUE, parts.ORANGE, parts.GREEN, parts.RED, parts.CREAM, parts.BRASS)
    links = {
        f"link_{k}": (
            il.rod("origin", "end", 0.03, colors[k % len(colors)], material="paint"),
            parts.ball("origin", 0.05, parts.IRON),
        )
        for k in range(1, n + 1)
    }
    x, y, z = BASE
    post = il.disc((x, y, z - 1.42), (x, y, z), 0.045, parts.DARK, material="paint")
    foot = il.visual(il.cylinder(0.22, 0.03), (x, y, z - 1.42), parts.DARK, material="paint")
    return {GROUND: (post, foot), **links}


EXHIBIT = Exhibit(
    name="chain",
    title="Generic chain of n joints, arbitrary twists (6 by default)",
    look_at="The cost per joint when no zeros or right angles simplify the equations.",
    make=chain,
    start="at rest, angles drawn from -1 .. 1 rad",
    seconds=2.0,
    view=View(
        "xyz",
        (
            ("joint_1.q", "joint_2.q", "joint_3.q"),
            ("energy.kinetic", "energy.potential", "energy.total"),
        ),
        times=(0.0, 0.2, 0.4),
    ),
    options={
        "n": Option(6, "number of joints", (1, MOST_LINKS)),
        "seed": Option(1, "seed of the random numbers", (0, 2**32 - 1)),
        "sliders": Option(False, "every third joint is prismatic"),
    },
    looks=_looks,
    reach=((-0.83, -0.66, -1.07), (0.77, 0.63, 0.57)),
)
