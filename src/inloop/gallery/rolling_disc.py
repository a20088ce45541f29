"""A thin disc that rolls on a plane without slip."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

import inloop as il
from inloop.gallery import GROUND, Exhibit, Option, Reference, View, gravity_along

RADIUS, MASS = 0.3, 2.0
ACROSS, ABOUT = 0.25 * MASS * RADIUS**2, 0.5 * MASS * RADIUS**2
# yaw, lean, spin, x, y after 3 s from the default initial state
AFTER_3_S = (-7.244597264918, 0.355765550910, 21.384276798154, 1.049075405315, -0.819588734582)


def rolling_disc(steady: bool = False) -> il.Model:
    """A uniform disc with six joints and three constraints at the contact point.

    Args:
        steady: start with the closed-form steady motion in a circle, instead of wobbling.
    """
    m = il.Model("rolling_disc", gravity=gravity_along("-z"), doc="Disc that rolls on a plane.")
    yaw, lean, spin = ((0.0, 2.0), (0.4, 0.0), (0.0, _steady_spin(0.4, 2.0)))
    if not steady:
        yaw, lean, spin = (0.2, 0.7), (0.35, 0.2), (0.1, 5.0)
    place = [
        il.prismatic("x", name="x", initial=None if steady else (0.4, None)),
        il.prismatic("y", name="y", initial=None if steady else (-0.5, None)),
        il.prismatic("z", name="height", guess=RADIUS * math.cos(lean[0])),
        il.revolute("z", name="yaw", initial=yaw),
        il.revolute("x", name="lean", initial=lean),
        il.revolute("y", name="spin", initial=spin),
    ]
    inertia = (ACROSS, ABOUT, ACROSS)
    disc = m.body("disc", on=m.ground, joint=place, mass=MASS, inertia=inertia)
    m.rolls(disc, radius=RADIUS, axis="y", name="rim")
    return m


def _steady_spin(lean: float, yaw_rate: float) -> float:
    """(C + m r²) w Ω cos a = A Ω² sin a cos a - m g r sin a with w = spin + Ω sin a [rad/s]."""
    s, c = math.sin(lean), math.cos(lean)
    turning = ACROSS * yaw_rate**2 * s * c - MASS * 9.81 * RADIUS * s
    return turning / ((ABOUT + MASS * RADIUS**2) * yaw_rate * c) - yaw_rate * s


def _after_3_s(plant: il.Plant) -> np.ndarray:
    run = plant.simulate(t_end=3.0, step=1e-3, sample=3.0)
    return np.array([run[f"{name}.q"][-1] for name in ("yaw", "lean", "spin", "x", "y")])


def _looks(steady: bool) -> Mapping[str, tuple[il.Visual, ...]]:
    face, thin = "#2f6f9f", 0.006
    spot = (0.0, thin, 0.72 * RADIUS)
    table = il.visual(il.cylinder(1.75, 0.03), (0.49, -1.06, -0.015), "#b98d5a", material="wood")
    return {
        GROUND: (table,),
        "disc": (
            il.disc((0.0, -thin, 0.0), (0.0, thin, 0.0), RADIUS - 0.004, face, material="paint"),
            il.visual(il.torus(RADIUS - 0.009, 0.009, "y"), color="#e3b23c", material="metal"),
            il.visual(il.cylinder(0.05, 0.03, "y"), color="#e3b23c", material="metal"),
            il.visual(il.sphere(0.03), spot, "#e3b23c", material="metal"),
            il.visual(il.sphere(0.03), (0.0, -thin, -0.72 * RADIUS), "#e8e4da", material="paint"),
        ),
    }


EXHIBIT = Exhibit(
    name="rolling_disc",
    title="Disc that rolls without slip",
    look_at="It turns into its lean. Its energy is constant: rolling dissipates nothing.",
    make=rolling_disc,
    start="leaning 0.35 rad, spinning at 5 rad/s",
    seconds=10.0,
    view=View(
        "xyz",
        (
            "lean.q",
            ("lam.rim.normal", "lam.rim.lateral"),
            ("energy.kinetic", "energy.potential", "energy.total"),
        ),
        trace="disc.origin",
        discs={"disc": RADIUS},
        until=4.0,
    ),
    options={"steady": Option(False, "start with a steady circle, by the closed form")},
    references=(
        Reference(
            what="yaw, lean, spin, x, y after 3 s",
            value=AFTER_3_S,
            unit="rad, rad, rad, m, m",
            tolerance=1e-8,
            source="Newton's and Euler's equations in axes that follow yaw and lean, integrated "
            "independently by DOP853 at 1e-12",
            measure=_after_3_s,
        ),
    ),
    looks=_looks,
    reach=((-0.5, -2.13, -0.03), (1.48, 0.0, 0.62)),
)
