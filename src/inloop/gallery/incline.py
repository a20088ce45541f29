"""A block on an incline, held by friction that sticks without creep."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import GROUND, Exhibit, Reference, View, parts

SLOPE = 0.5  # tangent of the incline
MU = 1.01 * SLOPE  # 1 % above the limit
# the bristles bend by mu/STIFFNESS = 0.1 µm before they slide
STIFFNESS = 5e6
DAMPING = 3e-3 * STIFFNESS  # [s/m]: settles after some milliseconds without oscillation
# supporting bars: positions across the slope, half length, depth below the center of the block [m]
BARS, REACH, DEEP = (-0.08, -0.04, 0.0, 0.04, 0.08), 0.5, 0.075
STEPPING: dict[str, Any] = {"method": "rodas", "tolerance": 1e-9}


def incline() -> il.Model:
    """A block that slides along x of the frame "ground.slope"; down is positive."""
    g: Any = None

    def gravity(m: il.Model) -> tuple[float, float, Any]:
        nonlocal g
        g = m.parameter("g", 9.81, unit="m/s^2", range=(0.1, 25.0), doc="gravity")
        return 0.0, 0.0, -g

    about = "Block on an incline with elasto-plastic LuGre friction."
    m = il.Model("incline", gravity=gravity, doc=about)
    mass = m.parameter("mass", 2.0, unit="kg", range=(0.1, 100.0), doc="mass of the block")
    angle = m.parameter(
        "angle", math.atan(SLOPE), unit="rad", range=(0.0, 1.4), doc="angle of the incline"
    )
    mu = m.parameter("mu", MU, unit="1", range=(0.01, 3.0), doc="coefficient of friction")
    c, s = il.cos(angle), il.sin(angle)
    # x points down the incline, z out of it
    slope = m.ground.frame("slope", rotation=((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c)))
    for k, across in enumerate(BARS):
        for end, along in (("top", -REACH), ("foot", REACH)):
            m.ground.point(f"{end}_{k}", (along * c - DEEP * s, across, -along * s - DEEP * c))
    m.body("block", on=slope, joint=il.prismatic("x"), mass=mass)
    m.lugre(
        "block",
        stiffness=STIFFNESS,
        damping=DAMPING,
        coulomb=mu,
        normal=mass * g * c,
        name="friction",
    )
    return m


def _position_after_60s(plant: il.Plant) -> float:
    run = plant.simulate(t_end=60.0, step=1e-3, sample=60.0, **STEPPING)
    return float(run["block.q"][-1])


def _acceleration_below_the_limit(plant: il.Plant) -> float:
    """Mean acceleration from 1 s to 60 s with mu 1 % below the tangent."""
    before = plant.parameters["mu"]
    plant.parameters["mu"] = 0.99 * SLOPE
    try:
        run = plant.simulate(t_end=60.0, step=1e-3, sample=1.0, **STEPPING)
    finally:
        plant.parameters["mu"] = before
    return float(np.diff(run["block.qd"][[1, -1]])[0] / 59.0)


def _looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """A block of wood with a felt sole on a bed of steel bars, which follows the angle."""
    return {
        GROUND: tuple(
            il.rod(f"top_{k}", f"foot_{k}", 0.018, parts.STEEL, material="metal")
            for k in range(len(BARS))
        ),
        "block": (
            il.visual(il.box((0.2, 0.16, 0.1)), (0.0, 0.0, 0.005), "#b07f45", material="wood"),
            il.visual(il.box((0.2, 0.16, 0.012)), (0.0, 0.0, -0.051), parts.RED, material="felt"),
            il.visual(il.box((0.206, 0.02, 0.104)), (0.0, 0.0, 0.005), parts.BRASS,
                      material="metal"),
        ),
    }  # fmt: skip


EXHIBIT = Exhibit(
    name="incline",
    title="Block on an incline",
    look_at="With mu 1 % above the tangent of the angle it stays forever; 1 % below, it slides.",
    make=incline,
    start="at rest, bristles straight",
    seconds=60.0,
    view=View("xz", ("block.q", "friction.effort", "friction.deflection")),
    method="rodas",
    tolerance=1e-9,
    references=(
        Reference(
            what="position after 60 s: presliding alone",
            value=(2.282179646195894e-07,),
            unit="m",
            tolerance=1e-10,
            source="∫ dz/(1 - alpha(z) z/zh) up to z = tan(angle)/stiffness, by quadrature",
            measure=_position_after_60s,
        ),
        Reference(
            what="acceleration with mu = 0.99 tan(angle)",
            value=(
                9.81 * (math.sin(math.atan(SLOPE)) - 0.99 * SLOPE * math.cos(math.atan(SLOPE))),
            ),
            unit="m/s²",
            tolerance=1e-8,
            source="g (sin - mu cos)",
            measure=_acceleration_below_the_limit,
        ),
    ),
    looks=_looks,
    reach=((-0.5, -0.1, -0.31), (0.44, 0.1, 0.18)),
)
