"""A block pulled over a table by a spring: the stick-slip oscillator of Canudas de Wit et al."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

import inloop as il
from inloop.gallery import GROUND, Exhibit, Option, Reference, View, gravity_along, parts

SOURCE = (
    "data of Canudas de Wit, Olsson, Åström & Lischinsky 1995; equations written by hand, "
    "integrated by SciPy's Radau with rtol 1e-10"
)


def stick_slip(elastic: float = 0.7) -> il.Model:
    """A block on a spring whose other end moves at constant speed along x.

    Args:
        elastic: elastic fraction of the bristles' deflection; 0 is the friction of 1995.
    """
    m = il.Model(
        "stick_slip",
        gravity=gravity_along("-z"),
        doc="Stick-slip oscillator with LuGre friction, Canudas de Wit et al. 1995.",
    )
    mass = m.parameter("mass", 1.0, unit="kg", range=(0.1, 10.0), doc="mass of the block")
    k = m.parameter("spring", 2.0, unit="N/m", range=(0.1, 100.0), doc="stiffness of the spring")
    speed = m.parameter("speed", 0.1, unit="m/s", range=(0.0, 1.0), doc="speed of its far end")
    coulomb = m.parameter("coulomb", 1.0, unit="N", range=(0.1, 10.0), doc="friction in motion")
    breakaway = m.parameter("breakaway", 1.5, unit="N", range=(0.1, 10.0), doc="friction at rest")
    m.body("block", on=m.ground, joint=il.prismatic("x"), mass=mass)

    def pull(q, t):  # type: ignore[no-untyped-def]
        force = k * (speed * t - q)
        return force, {"force": force}

    m.joint_force("block", pull, "pull", outputs={"force": "N"})
    m.lugre(
        "block",
        stiffness=1e5,
        damping=math.sqrt(1e5),
        viscous=0.4,
        coulomb=coulomb,
        static=breakaway,
        stribeck=1e-3,
        elastic=elastic,
        name="friction",
    )
    return m


def _state_after_25s(plant: il.Plant) -> np.ndarray:
    run = plant.simulate(t_end=25.0, step=25.0, method="rodas", tolerance=1e-9)
    return np.array([run[name][-1] for name in ("block.q", "block.qd", "friction.z")])


def _looks(elastic: float) -> Mapping[str, tuple[il.Visual, ...]]:
    """A block of brass with a hook on a bed of steel."""
    marks = [
        il.visual(il.box((0.006, 0.32, 0.006)), (0.25 * k, 0.0, -0.118), parts.DARK)
        for k in range(-1, 10)
    ]
    return {
        GROUND: (
            il.visual(il.box((2.9, 0.32, 0.05)), (1.0, 0.0, -0.145), parts.STEEL, material="metal"),
            *marks,
        ),
        "block": (
            il.visual(il.box((0.3, 0.22, 0.18)), (0.0, 0.0, -0.03), parts.BRASS, material="metal"),
            il.visual(il.box((0.3, 0.2, 0.012)), (0.0, 0.0, -0.115), parts.RED, material="felt"),
            il.rod((0.15, 0.0, 0.0), (0.2, 0.0, 0.0), 0.012, parts.IRON, material="metal"),
            il.visual(il.torus(0.03, 0.009, "y"), (0.23, 0.0, 0.0), parts.IRON, material="metal"),
        ),
    }


EXHIBIT = Exhibit(
    name="stick_slip",
    title="Stick-slip oscillator with LuGre friction",
    look_at="The block sticks until the spring pulls with 1.5 N, then slips and sticks again.",
    make=stick_slip,
    start="at rest, spring relaxed, bristles straight",
    seconds=25.0,
    view=View("xz", ("block.q", "block.qd", "friction.effort"), times=(0.0, 5.0, 10.0)),
    method="rodas",
    tolerance=1e-9,
    options={
        "elastic": Option(
            0.7, "elastic fraction of the bristles' deflection; 0: plain LuGre", (0.0, 1.0)
        )
    },
    references=(
        Reference(
            what="position, velocity and deflection of the bristles after 25 s",
            value=(1.918618199152, 2.254086264e-06, 1.162129249920e-05),
            unit="m, m/s, m",
            tolerance=1e-8,
            source=SOURCE,
            measure=_state_after_25s,
        ),
    ),
    looks=_looks,
    reach=((-0.45, -0.16, -0.17), (2.45, 0.16, 0.07)),
)
