"""The heavy top: a wheel on a rod about a fixed point, the benchmark of Brüls and Cardona.

The angular momenta about the vertical and about the axis of the top are opposite and, except for
the last digit, equal. So the axis swings from the horizontal through the downward vertical, where
Euler angles are singular, and back.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import inloop as il
from inloop.gallery import GROUND, Exhibit, Reference, View, gravity_along

MASS, LENGTH = 15.0, 1.0  # [kg], fixed point to center of mass [m]
INERTIA = (0.234375, 0.46875, 0.234375)  # about the center of mass [kg·m²]
SPIN = (0.0, 150.0, -4.61538)  # initial angular velocity, in axes of the top [rad/s]
# m g l / (I spin): no nutation from the horizontal; with g = 9.81
PRECESSION = MASS * 9.81 * LENGTH / (INERTIA[1] * SPIN[1])
PRECISE = {"method": "dopri", "tolerance": 1e-12}

DATA = "data of Brüls & Cardona 2010 (doi:10.1115/1.4001370)"
TIMES = (0.1, 0.3, 0.5, 0.9, 1.5)  # [s]
# z = u1 - u1 sn²(K + t √(β (u3 - u1)) / 2), m = -u1 / (u3 - u1), from the roots u1 < 0 < u3 of
# (Lz² / I² - β u) (1 - u²) - (Lz - L u)² / I², β = 2 m g l / I; with 30 digits
HEIGHTS = (-0.1491647005619, -0.89753199145184, -0.711400257651734, -0.337587535214354,
           -0.0014220838511313)  # fmt: skip
SWING = 0.745206947616769  # from horizontal to horizontal: 4 K / √(β (u3 - u1)) [s]

STEEL, BRASS, DARK = "#8d99a6", "#c9a227", "#3b4252"


def heavy_top() -> il.Model:
    """A wheel at the end of a 1 m rod on a ball joint at the origin."""
    m = il.Model(
        "heavy_top",
        gravity=gravity_along("-z"),
        doc="Heavy top of Brüls and Cardona: a ball joint at a fixed point.",
    )
    mass = m.parameter("mass", MASS, unit="kg", range=(1.0, 50.0), doc="mass of the wheel")
    length = m.parameter(
        "length", LENGTH, unit="m", range=(0.2, 2.0), doc="fixed point to center of mass"
    )
    top = m.body(
        "top",
        on=m.ground,
        joint=il.ball(initial=(1.0, 0.0, 0.0, 0.0), rate=SPIN),
        mass=mass,
        com=(0.0, length, 0.0),
        inertia=INERTIA,
        doc="axis along y",
    )
    center = top.point("center", (0.0, length, 0.0))
    m.sensor("place", il.sensors.position(center))
    return m


def heavy_top_looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """A thin wheel with spokes of two colors, which show its rotation; its rod; the bearing."""
    spokes = [
        il.visual(il.box(size), "center", color, material="metal")
        for size, color in (((0.42, 0.06, 0.035), BRASS), ((0.035, 0.06, 0.42), DARK))
    ]
    ring = [(0.21, -0.03), (0.25, -0.022), (0.25, 0.022), (0.21, 0.03)]
    # mounted from above: the wheel swings through the downward vertical
    post = [(0.0, 0.05), (0.022, 0.05), (0.03, 0.3), (0.05, 0.5), (0.2, 0.53), (0.2, 0.56),
            (0.0, 0.56)]  # fmt: skip
    return {
        GROUND: (
            il.visual(il.lathe(post), color=DARK, material="paint"),
            il.visual(il.torus(0.028, 0.01), (0.0, 0.0, 0.036), BRASS, material="metal"),
        ),
        "top": (
            il.rod("origin", "center", 0.014, STEEL, material="metal"),
            il.visual(il.lathe(ring, "y"), "center", STEEL, material="metal"),
            il.visual(il.cylinder(0.045, 0.1, "y"), "center", STEEL, material="metal"),
            *spokes,
            il.visual(il.sphere(0.035), color=BRASS, material="metal"),
        ),
    }


def _run(plant: il.Plant, t_end: float, **more: object) -> il.Result:
    return plant.simulate(t_end=t_end, **{**PRECISE, **more})  # type: ignore[arg-type]


def _heights(plant: il.Plant) -> np.ndarray:
    run = _run(plant, TIMES[-1], sample=0.1)
    rows = [round(t / 0.1) for t in TIMES]
    return np.asarray(plant.position("top.center", run.q[rows])[:, 2])


def _after_one_swing(plant: il.Plant) -> np.ndarray:
    """Height of the center of mass [m] and its rate [m/s]."""
    run = _run(plant, SWING)
    om_W = plant.pose("top", run.q[-1])[1] @ run.qd[-1]
    at = plant.position("top.center", run.q[-1])
    return np.array([at[2], np.cross(om_W, at)[2]])


def _steady(plant: il.Plant) -> np.ndarray:
    run = _run(plant, 2.0, qd={"top": (0.0, SPIN[1], PRECESSION)})
    return np.asarray(plant.position("top.center", run.q[-1]))


def _momenta(plant: il.Plant) -> np.ndarray:
    """Largest relative changes of the energy and the angular momenta about z and the axis."""
    run = _run(plant, 3.0, sample=0.01)
    about = np.array([INERTIA[0] + MASS * LENGTH**2, INERTIA[1], INERTIA[2] + MASS * LENGTH**2])
    R_WB = plant.pose("top", run.q)[1]
    vertical = np.einsum("kj,kj->k", R_WB[:, 2], about * run.qd)
    energy = run.energy.sum(axis=1)
    kept = np.stack([energy, vertical, run.qd[:, 1]])
    return np.asarray(np.abs(kept / kept[:, :1] - 1.0).max(axis=1))


EXHIBIT = Exhibit(
    name="heavy_top",
    title="Heavy top",
    look_at="The spinning wheel swings from the horizontal down through the vertical and "
            "back while it precesses; Euler angles would be singular at the bottom.",
    make=heavy_top,
    start="axis horizontal, wheel at 150 rad/s, turned back about the vertical at 4.6 rad/s",
    seconds=3.0,
    step=1e-4,
    view=View(
        "xyz",
        (("place.x", "place.y", "place.z"), ("top_wx.qd", "top_wz.qd"),
         ("top.qw", "top.qx", "top.qy", "top.qz")),
        times=(0.0, 0.1, 0.2, 0.3),
        trace="top.center",
        until=1.5,
    ),
    looks=heavy_top_looks,
    reach=((-1.09, -1.09, -1.12), (1.09, 1.09, 0.4)),
    references=(
        Reference(
            what=f"height of the center of mass after {', '.join(map(str, TIMES))} s",
            value=HEIGHTS,
            unit="m",
            tolerance=1e-9,
            source=f"Jacobi's elliptic functions; {DATA}",
            measure=_heights,
        ),
        Reference(
            what=f"height and its rate after one swing, {SWING:.6f} s",
            value=(0.0, 0.0),
            unit="m, m/s",
            tolerance=1e-8,
            source="period by a complete elliptic integral",
            measure=_after_one_swing,
        ),
        Reference(
            what="x, y, z after 2 s of steady precession, started at m g l / (I spin) about z",
            value=(-np.sin(2.0 * PRECESSION), np.cos(2.0 * PRECESSION), 0.0),
            unit="m",
            tolerance=1e-9,
            source="a top whose axis is horizontal precesses at m g l / (I spin), without nutation",
            measure=_steady,
        ),
        Reference(
            what="relative changes of energy, of angular momenta about the vertical and the axis",
            value=(0.0, 0.0, 0.0),
            unit="1",
            tolerance=1e-9,
            source="conservation",
            measure=_momenta,
        ),
    ),
)  # fmt: skip
