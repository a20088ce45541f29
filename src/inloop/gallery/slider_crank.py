"""The slider-crank: in a plane, or the spatial one of the IFToMM library."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Exhibit, Option, Reference, View, gravity_along

CRANK, ROD = 0.1, 0.3  # of the planar one [m]
START = 1.2  # of the crank, above the stroke [rad]
ANGLES = (0.3, 1.1, 2.0, 4.0)  # of the crank, for the closed form [rad]
# the spatial one (Haug 1989; IFToMM library): A is the bearing of the crank
SPATIAL_CRANK, SPATIAL_ROD = 0.08, 0.3
SPATIAL_A = (0.0, 0.1, 0.12)


def slider_crank(spatial: bool = False) -> il.Model:
    """A crank that moves a slider along x by a rod; nothing brakes it.

    The planar one moves in the x-z plane; crank and rod lie along x at q = 0. The spatial one
    (after Haug 1989) has its crank in a plane normal to the slider's axis, and the crank stands up
    at q = 0.

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
        # at the start the rod leans down to the slider
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
        # the rod points along -x of its own axes, to B
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
    """Where the slider is for some angles of the crank, from the closed loop."""
    crank, slider = (plant.coordinates.index(name) for name in ("crank", "slider"))
    q, found = plant.formulation.position.q, []
    for angle in ANGLES:
        # in small steps, as Newton's method follows the mechanism
        for between in np.linspace(q[crank], angle, 20):
            q[crank] = between
            q = plant.formulation.close(q)
        found.append(q[slider])
    return np.array(found)


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
)
