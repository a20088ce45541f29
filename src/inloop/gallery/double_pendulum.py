"""The double pendulum: the simplest mechanism with chaotic motion."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

import inloop as il
from inloop.gallery import GROUND, Exhibit, Reference, View, gravity_along, parts

SOURCE = "point masses, integrated with rtol 1e-12 and 1e-13, which agree"


def double_pendulum() -> il.Model:
    """Two point masses on massless bars in the x-y plane; q = 0 hangs down.

    The second coordinate is the angle between the bars: θ2 = upper + lower.
    """
    m = il.Model(
        "double_pendulum",
        gravity=gravity_along("-y"),
        doc="Double pendulum of point masses; 'lower' is measured from the upper bar.",
    )
    m1 = m.parameter("upper_mass", 1.0, unit="kg", range=(0.1, 10.0), doc="mass of the elbow")
    m2 = m.parameter("lower_mass", 1.0, unit="kg", range=(0.1, 10.0), doc="mass of the tip")
    l1 = m.parameter("upper_length", 1.0, unit="m", range=(0.1, 3.0), doc="pivot to elbow")
    l2 = m.parameter("lower_length", 1.0, unit="m", range=(0.1, 3.0), doc="elbow to tip")
    upper = m.body(
        "upper",
        on=m.ground,
        joint=il.revolute("z", initial=(math.pi / 2, 0.0)),
        mass=m1,
        com=(0.0, -l1, 0.0),
    )
    elbow = upper.point("elbow", (0.0, -l1, 0.0))
    lower = m.body("lower", on=elbow, joint=il.revolute("z"), mass=m2, com=(0.0, -l2, 0.0))
    lower.point("tip", (0.0, -l2, 0.0))
    return m


def _angles_at(t: float) -> Callable[[il.Plant], np.ndarray]:
    """Angles of both bars from the vertical after t seconds."""

    def measure(plant: il.Plant) -> np.ndarray:
        last = plant.simulate(t_end=t, step=5e-4, sample=t).q[-1]
        return np.cumsum(last)

    return measure


def _looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """Two bars in bearings; the elbow and the tip are the masses."""

    def arm(end: str, color: str) -> tuple[il.Visual, ...]:
        return (
            il.rod("origin", end, 0.022, color, material="paint"),
            *parts.bearing("origin", 0.055, 0.1, "z"),
            il.visual(il.cylinder(0.11, 0.07, "z"), end, parts.BRASS, material="metal"),
            il.visual(il.torus(0.085, 0.012, "z"), end, parts.IRON, material="metal"),
        )

    return {
        GROUND: parts.bracket((0.0, 0.0, 0.0), 0.26, "xy", hangs=True),
        "upper": arm("elbow", parts.BLUE),
        "lower": arm("tip", parts.ORANGE),
    }


EXHIBIT = Exhibit(
    name="double_pendulum",
    title="Double pendulum",
    look_at="Change one length by a millimeter: after ten seconds the motion is completely "
    "different.",
    make=double_pendulum,
    start="at rest with both bars horizontal",
    seconds=10.0,
    view=View(
        "xy",
        (("upper.q", "lower.q"), ("energy.kinetic", "energy.potential", "energy.total")),
        times=(0.0, 0.3, 0.6, 0.9),
    ),
    references=(
        Reference(
            what="angles of the bars from the vertical after 1 s",
            value=(-0.6250877, -1.03458509),
            unit="rad",
            tolerance=1e-7,
            source=SOURCE,
            measure=_angles_at(1.0),
        ),
        Reference(
            what="angles of the bars from the vertical after 2 s",
            value=(-0.48297153, -1.32404871),
            unit="rad",
            tolerance=1e-7,
            source=SOURCE,
            measure=_angles_at(2.0),
        ),
    ),
    looks=_looks,
    reach=((-2.12, -2.12, -0.13), (2.12, 0.55, 0.1)),
)
