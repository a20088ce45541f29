"""The slider-crank: in a plane, or the spatial one of the IFToMM library."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import GROUND, Exhibit, Option, Reference, View, gravity_along, parts

CRANK, ROD = 0.1, 0.3  # of the planar one [m]
START = 1.2  # initial angle of the crank above the stroke [rad]
ANGLES = (0.3, 1.1, 2.0, 4.0)  # of the crank, for the reference [rad]
# the spatial one (Haug 1989; IFToMM library): A is the bearing of the crank
SPATIAL_CRANK, SPATIAL_ROD = 0.08, 0.3
SPATIAL_A = (0.0, 0.1, 0.12)


def slider_crank(spatial: bool = False) -> il.Model:
    """A crank that moves a slider along x with a rod, without friction.

    The planar one moves in the x-z plane; crank and rod are along x at q = 0. The spatial one
    (after Haug 1989) has its crank in a plane normal to the slider's axis, upright at q = 0.

    Args:
        spatial: True for the spatial one.
    """
    m = il.Model(
        "slider_crank",
        gravity=gravity_along("-z"),
        doc="Slider-crank; the loop is cut at the pin between rod and "
        + ("crank." if spatial else "slider."),
    )
    load = m.parameter("load", 2.0 if spatial else 1.0, unit="kg", range=(0.1, 10.0),
                       doc="mass of the slider")  # fmt: skip
    (_add_spatial if spatial else _add_planar)(m, load)
    m.independent("crank")
    return m


def _stroke(angle: float) -> float:
    """Position of the planar slider [m]: x = r cos q + sqrt(l² - r² sin² q)."""
    return CRANK * math.cos(angle) + math.sqrt(ROD**2 - (CRANK * math.sin(angle)) ** 2)


def _add_planar(m: il.Model, load: Any) -> None:
    crank = m.body(
        "crank",
        on=m.ground,
        joint=il.revolute("y", initial=(-START, 6.0)),
        mass=0.4,
        com=(CRANK / 2.0, 0.0, 0.0),
        inertia=(1e-4, 4e-4, 4e-4),
    )
    lean = math.asin(CRANK / ROD * math.sin(START))
    across = 0.6 * ROD**2 / 12.0
    rod = m.body(
        "rod",
        on=crank.point("pin", (CRANK, 0.0, 0.0)),
        # initially the rod leans down to the slider
        joint=il.revolute("y", guess=lean + START),
        mass=0.6,
        com=(ROD / 2.0, 0.0, 0.0),
        inertia=(2e-5, across, across),
    )
    slider = m.body(
        "slider",
        on=m.ground,
        joint=il.prismatic("x", guess=_stroke(START)),
        mass=load,
    )
    m.close(rod.point("end", (ROD, 0.0, 0.0)), slider.origin, name="pin")


def _add_spatial(m: il.Model, load: Any) -> None:
    crank = m.body(
        "crank",
        on=m.ground.point("A", SPATIAL_A),
        joint=il.revolute("x", initial=(0.0, 6.0)),
        mass=0.12,
        com=(0.0, 0.0, SPATIAL_CRANK / 2.0),
        inertia=(1e-4, 1e-4, 1e-5),
    )
    # crank up: B = (0, 0.1, 0.2), so the slider is at x = sqrt(0.3² - 0.1² - 0.2²) = 0.2
    slider = m.body("slider", on=m.ground, joint=il.prismatic("x", guess=0.2), mass=load)
    rod = m.chain(
        "rod",
        on=slider,
        # the rod points along -x of its body axes, to B
        joints=[
            il.revolute("z", guess=-math.atan2(0.1, 0.2)),
            il.revolute("y", guess=math.asin(0.2 / SPATIAL_ROD)),
        ],
        mass=0.5,
        com=(-SPATIAL_ROD / 2.0, 0.0, 0.0),
        inertia=(4e-4, 4e-3, 4e-3),
    )
    end = rod.point("end", (-SPATIAL_ROD, 0.0, 0.0))
    m.close(end, crank.point("B", (0.0, 0.0, SPATIAL_CRANK)), name="ball_B")


def _slider_positions(plant: il.Plant) -> np.ndarray:
    """Positions of the slider for some angles of the crank, from the closed loop."""
    crank, slider = (plant.coordinates.index(name) for name in ("crank", "slider"))
    q, positions = plant.formulation.home(), []
    for angle in ANGLES:
        # in small steps, so that Newton's method follows the mechanism
        for between in np.linspace(q[crank], angle, 20):
            q[crank] = between
            q = plant.formulation.close(q)
        positions.append(q[slider])
    return np.array(positions)


def _looks(spatial: bool) -> Mapping[str, tuple[il.Visual, ...]]:
    """A crank with its web, a connecting rod, and a piston between the halves of its cylinder."""
    return _spatial_looks() if spatial else _planar_looks()


def _planar_looks() -> Mapping[str, tuple[il.Visual, ...]]:
    web = [(-0.052, -0.034), (-0.036, -0.046), (CRANK, -0.017), (CRANK + 0.016, 0.0),
           (CRANK, 0.017), (-0.036, 0.046), (-0.052, 0.034)]  # fmt: skip
    least, most = ROD - CRANK - 0.06, ROD + CRANK + 0.055
    liner = [
        il.visual(il.box((most - least, 0.08, 0.012)), (0.5 * (least + most), 0.012, z),
                  parts.IRON, material="metal")
        for z in (-0.047, 0.047)
    ]  # fmt: skip
    head = il.visual(il.box((0.02, 0.09, 0.13)), (most + 0.01, 0.012, 0.0), parts.DARK,
                     material="paint")  # fmt: skip
    rings = [
        il.visual(il.cylinder(0.0405, 0.005, "x"), (x, 0.0, 0.0), parts.DARK, material="metal")
        for x in (0.014, 0.026)
    ]
    return {
        GROUND: (*parts.bracket((0.0, 0.0, 0.0), 0.085, "xz"), *liner, head),
        "crank": (
            _behind(il.plate(web, 0.016, "xz"), parts.IRON),
            *parts.bearing((0.0, 0.0, 0.0), 0.024, 0.05, "y"),
            *parts.bearing("pin", 0.014, 0.05, "y", parts.BRASS),
        ),
        "rod": (
            il.rod("origin", "end", 0.0085, parts.BLUE, material="paint"),
            il.visual(il.cylinder(0.022, 0.024, "y"), "origin", parts.BLUE, material="paint"),
            il.visual(il.cylinder(0.017, 0.022, "y"), "end", parts.BLUE, material="paint"),
        ),
        "slider": (
            il.visual(il.cylinder(0.04, 0.075, "x"), (0.002, 0.012, 0.0), parts.STEEL,
                      material="metal"),
            *rings,
            *parts.bearing((0.0, 0.0, 0.0), 0.011, 0.07, "y", parts.BRASS),
        ),
    }  # fmt: skip


def _spatial_looks() -> Mapping[str, tuple[il.Visual, ...]]:
    x, y, z = SPATIAL_A
    rail = il.rod((0.05, 0.0, 0.0), (0.38, 0.0, 0.0), 0.006, parts.STEEL, material="metal")
    post = il.visual(il.box((0.03, 0.05, z)), (x - 0.03, y, 0.5 * z), parts.DARK, material="paint")
    return {
        GROUND: (
            il.visual(il.box((0.46, 0.2, 0.014)), (0.17, 0.05, -0.022), parts.DARK,
                     material="paint"),
            rail,
            post,
        ),
        "crank": (
            il.rod((0.0, 0.0, 0.0), "B", 0.01, parts.IRON, material="metal"),
            *parts.bearing((-0.02, 0.0, 0.0), 0.018, 0.04, "x"),
            parts.ball("B", 0.015, parts.BRASS),
        ),
        "rod": (il.rod((0.0, 0.0, 0.0), "end", 0.007, parts.BLUE, material="paint"),),
        "slider": (
            il.visual(il.box((0.05, 0.036, 0.028)), color=parts.ORANGE, material="paint"),
            parts.ball((0.0, 0.0, 0.0), 0.019),
        ),
    }  # fmt: skip


def _behind(shape: il.Shape, color: str) -> il.Visual:
    """A shape behind the rod, which passes it."""
    return il.visual(shape, (0.0, 0.022, 0.0), color, material="metal")


EXHIBIT = Exhibit(
    name="slider_crank",
    title="Slider-crank, planar or spatial",
    look_at="The slider stops at both ends of its stroke, and the crank turns unevenly.",
    make=slider_crank,
    start="crank 1.2 rad above the stroke (upright if spatial), turning at 6 rad/s",
    seconds=10.0,
    view=View(
        "xz",
        ("crank.qd", "slider.q", ("energy.kinetic", "energy.potential", "energy.total")),
        times=(0.0, 0.15, 0.3, 0.45),
        until=2.0,
    ),
    step=2.5e-4,
    options={"spatial": Option(False, "the spatial one of the IFToMM library")},
    references=(
        Reference(
            what="positions of the slider at crank angles " + ", ".join(map(str, ANGLES)) + " rad",
            value=tuple(map(_stroke, ANGLES)),
            unit="m",
            tolerance=1e-12,
            source="closed form x = r cos q + sqrt(l² - r² sin² q)",
            measure=_slider_positions,
        ),
    ),
    looks=_looks,
    reach=((-0.13, -0.045, -0.13), (0.48, 0.06, 0.13)),
)
