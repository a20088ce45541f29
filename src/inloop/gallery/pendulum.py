"""The simple pendulum: benchmark A01 of the IFToMM library of multibody problems."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

import inloop as il
from inloop.gallery import GROUND, Exhibit, Reference, View, gravity_along, parts

SOURCE = "IFToMM benchmark A01 data, integrated with 30 digits"


def pendulum() -> il.Model:
    """A point mass on a massless bar that turns in the x-y plane; q = 0 hangs down."""
    m = il.Model(
        "pendulum",
        gravity=gravity_along("-y"),
        doc="Simple pendulum, IFToMM benchmark A01: qdd = -(g/length) sin q.",
    )
    mass = m.parameter("mass", 1.0, unit="kg", range=(0.1, 10.0), doc="mass of the bob")
    length = m.parameter("length", 1.0, unit="m", range=(0.1, 3.0), doc="pivot to bob")
    # the bob starts at (-length, 0), at rest
    bar = m.body(
        "bar",
        on=m.ground,
        joint=il.revolute("z", name="angle", initial=(-math.pi / 2, 0.0)),
        mass=mass,
        com=(0.0, -length, 0.0),
        doc="massless bar with a point mass at its end",
    )
    bar.point("bob", (0.0, -length, 0.0))
    return m


def _state_after_10s(plant: il.Plant) -> np.ndarray:
    last = plant.simulate(t_end=10.0, step=1e-3, sample=10.0)
    x, y, _ = plant.position("bar.bob", last.q[-1])
    return np.array([x, y, abs(last.qd[-1, 0])])


def _looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """A brass bob on a steel rod, in a hanger."""
    return {
        GROUND: parts.bracket((0.0, 0.0, 0.0), 0.16, "xy", hangs=True),
        "bar": (
            il.rod("origin", "bob", 0.014, parts.STEEL, material="metal"),
            *parts.bearing("origin", 0.045, 0.08, "z"),
            parts.ball("bob", 0.1, parts.BRASS),
            il.visual(il.torus(0.1, 0.008, "z"), "bob", parts.IRON, material="metal"),
        ),
    }


EXHIBIT = Exhibit(
    name="pendulum",
    title="Simple pendulum (IFToMM A01)",
    look_at="A swing from the horizontal takes 18 % longer than a small one; energy is conserved.",
    make=pendulum,
    start="at rest with the bar horizontal, bob at (-1, 0) m",
    seconds=10.0,
    view=View(
        "xy",
        ("angle.q", "angle.qd", ("energy.kinetic", "energy.potential", "energy.total")),
        times=(0.0, 0.25, 0.45, 0.6),
    ),
    references=(
        Reference(
            what="x, y of the bob and |qd| after 10 s",
            value=(-0.27508746257612, -0.96141920509913, 4.34316069286468),
            unit="m, m, rad/s",
            tolerance=1e-9,
            source=SOURCE,
            measure=_state_after_10s,
        ),
    ),
    looks=_looks,
    reach=((-1.12, -1.12, -0.1), (1.12, 0.18, 0.1)),
)
