"""The N-loop four-bar mechanism: benchmark A02 of the IFToMM library of multibody problems."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import inloop as il
from inloop.gallery import GROUND, Exhibit, Option, Reference, View, gravity_along, parts

SOURCE = "IFToMM benchmark A02 data, regular branch, integrated independently"
MOST_LOOPS = 100


def four_bar(loops: int = 2) -> il.Model:
    """N four-bars in a row, in the x-y plane: upright bars joined by couplers at their tips.

    Bar k turns about the ground point (k length, 0) and is upright at q = 0; coupler k connects the
    tips of bars k-1 and k. All links are equal slender rods.

    Args:
        loops: number of four-bars.
    """
    if not 1 <= loops <= MOST_LOOPS:
        raise il.InputError(
            f"a mechanism of {loops} four-bars", fix=f"Give a number from 1 to {MOST_LOOPS}."
        )
    m = il.Model(
        "four_bar",
        gravity=gravity_along("-y"),
        doc=f"{loops} four-bars in a row, IFToMM benchmark A02; singular when all links lie flat.",
    )
    mass = m.parameter("mass", 1.0, unit="kg", range=(0.1, 10.0), doc="mass of each link")
    length = m.parameter("length", 1.0, unit="m", range=(0.1, 3.0), doc="length of each link")
    about_middle = mass * length**2 / 12.0
    up, along = (0.0, length, 0.0), (length, 0.0, 0.0)
    tip = None
    for k in range(loops + 1):
        # the tips start at 1 m/s in x, and the couplers stay horizontal
        bar = m.body(
            f"bar_{k}",
            on=m.ground.point(f"A{k}", (k * length, 0.0, 0.0)),
            joint=il.revolute("z", initial=(0.0, -1.0)),
            mass=mass,
            com=(0.0, length / 2.0, 0.0),
            inertia=(about_middle, 0.0, about_middle),
        )
        before, tip = tip, bar.point("B", up)
        if before is None:
            continue
        coupler = m.body(
            f"coupler_{k}",
            on=before,
            joint=il.revolute("z", initial=(0.0, 1.0)),
            mass=mass,
            com=(length / 2.0, 0.0, 0.0),
            inertia=(0.0, about_middle, about_middle),
        )
        m.close(coupler.point("end", along), tip, name=f"loop_{k}")
    m.independent("bar_0")
    return m


def _tip_after_10s(plant: il.Plant) -> np.ndarray:
    """x, y, vx, vy of B0 after 10 s."""
    last = plant.simulate(t_end=10.0, step=1e-3)
    q, qd = last.q[-1], last.qd[-1]
    return np.concatenate([plant.position("bar_0.B", q)[:2], plant.velocity("bar_0.B", q, qd)[:2]])


def _looks(loops: int) -> Mapping[str, tuple[il.Visual, ...]]:
    """Bars in bearings: cranks in blue on feet, couplers in orange in front of them."""
    feet = (parts.bracket(f"A{k}", 0.16, "xy") for k in range(loops + 1))
    bars = {f"bar_{k}": parts.bar("origin", "B", 0.03, parts.BLUE, "z") for k in range(loops + 1)}
    couplers = {
        f"coupler_{k}": parts.bar("origin", "end", 0.024, parts.ORANGE, "z")
        for k in range(1, loops + 1)
    }
    return {GROUND: tuple(part for foot in feet for part in foot), **bars, **couplers}


EXHIBIT = Exhibit(
    name="four_bar",
    title="N four-bars in a row (IFToMM A02, two by default)",
    look_at="Passing the singular position, all links flat, the bars stay parallel.",
    make=four_bar,
    start="bars upright, their tips at 1 m/s in x",
    seconds=10.0,
    view=View(
        "xy",
        ("bar_0.q", "bar_0.qd", ("energy.kinetic", "energy.potential", "energy.total")),
        times=(0.0, 0.3, 0.5, 0.65),
    ),
    options={"loops": Option(2, "number of four-bars", (1, MOST_LOOPS))},
    references=(
        Reference(
            what="x, y and velocity of B0 after 10 s, two loops",
            value=(0.328458111540815, 0.944518538178601, 1.42305147021, -0.494868845487),
            unit="m, m, m/s, m/s",
            tolerance=1e-6,
            source=SOURCE,
            measure=_tip_after_10s,
        ),
    ),
    looks=_looks,
    reach=((-1.07, -1.07, -0.08), (3.07, 1.07, 0.06)),
)
