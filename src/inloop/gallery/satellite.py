"""A satellite that spins about its intermediate axis: it turns over periodically.

Rotation about the axis of the intermediate moment of inertia is unstable, as Poinsot's geometry
shows and Dzhanibekov saw in orbit: the body spins steadily for a while, flips quickly, and spins
steadily again.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import inloop as il
from inloop.gallery import Exhibit, Reference, View

MASS = 60.0  # [kg]
INERTIA = (3.2, 5.1, 6.7)  # about x, y, z [kg·m²]: A < B < C
SPIN = (0.0, 3.0, 0.01)  # about y, with a trace about z [rad/s]
PRECISE = {"method": "dopri", "tolerance": 1e-12}

# with L² = B² 3² + C² 0.01², 2E = B 3² + C 0.01²: rate² = (C - B)(L² - 2EA)/(ABC),
# m = (B - A)(2EC - L²)/((C - B)(L² - 2EA)), half a period 2 K(m)/rate; with 30 digits
FLIP = 11.7702368948861  # [s]
TIMES = (5.0, 6.0)  # [s], before and during a flip
# (cn, sn, dn)(K + rate t) times their largest values
RATES = (-1.65959749941903, 2.28465267362651, 1.24988791547011,
         -2.53927808874226, -0.387163520257859, 1.91236417742163)  # fmt: skip

FOIL, PANEL, DISH = "#c9a227", "#27496d", "#d8dee9"


def satellite() -> il.Model:
    """A free body with three different moments of inertia."""
    m = il.Model(
        "satellite",
        gravity=lambda m: (
            0.0,
            0.0,
            -m.parameter("g", 0.0, unit="m/s^2", range=(0.0, 25.0), doc="gravity, along -z"),
        ),
        doc="Free body that spins about its intermediate axis of inertia.",
    )
    A, B, C = (
        m.parameter(f"I{axis}", value, unit="kg·m²", range=(3.0, 7.0), doc=f"inertia about {axis}")
        for axis, value in zip("xyz", INERTIA, strict=True)
    )
    hull = m.body(
        "hull",
        on=m.ground,
        joint=il.free(attitude=(1.0, 0.0, 0.0, 0.0), rate=SPIN),
        mass=MASS,
        inertia=(A, B, C),
        doc="spins about y",
    )
    tip = hull.point("tip", (0.0, 1.0, 0.0))
    for name, at in (
        ("dish", (0.0, -0.45, 0.0)),
        ("port", (1.1, 0, 0)),
        ("starboard", (-1.1, 0, 0)),
    ):
        hull.point(name, at)
    m.sensor("mast", il.sensors.position(tip))
    return m


def _panels() -> list[il.Visual]:
    """Two wings of cells in frames."""
    cells = [
        il.visual(il.box((0.158, 0.18, 0.022)), (side * (0.5 + 0.168 * k), y, 0.0), PANEL,
                  material="glass")
        for side in (-1.0, 1.0)
        for k in range(4)
        for y in (-0.1, 0.1)
    ]  # fmt: skip
    frames = [
        il.visual(il.box((0.7, 0.4, 0.014)), (x, 0.0, 0.0), "#b9bec6", material="metal")
        for x in (-0.752, 0.752)
    ]
    return [*cells, *frames]


def _dish() -> list[tuple[float, float]]:
    """Profile of a shell: radius and height [m]."""
    outside = [(0.2 * k / 8, 0.12 * (k / 8) ** 2) for k in range(9)]
    inside = [(r, z + 0.012) for r, z in reversed(outside[:-1])]
    return [*outside, *inside]


def satellite_looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """A hull in foil, two panels, a mast along the spin axis and a dish at its other end."""
    return {
        "hull": (
            *_panels(),
            il.visual(il.box((0.5, 0.6, 0.35)), color=FOIL, material="metal"),
            *(
                il.visual(il.box((0.515, 0.02, 0.365)), (0.0, y, 0.0), "#8a6d16", material="metal")
                for y in (-0.2, 0.2)
            ),
            il.rod((-0.4, 0.0, 0.0), (0.4, 0.0, 0.0), 0.018, DISH, material="metal"),
            il.rod((0.0, 0.3, 0.0), (0.0, 1.0, 0.0), 0.018, DISH, material="metal"),
            il.visual(il.sphere(0.04), "tip", "#d8792a", material="paint"),
            il.visual(il.lathe(_dish(), "-y"), (0.0, -0.34, 0.0), DISH, material="paint"),
            il.rod((0.0, -0.3, 0.0), (0.0, -0.5, 0.0), 0.01, "#8a6d16", material="metal"),
        )
    }


def _run(plant: il.Plant, t_end: float, **more: object) -> il.Result:
    return plant.simulate(t_end=t_end, **{**PRECISE, **more})  # type: ignore[arg-type]


def _rates(plant: il.Plant) -> np.ndarray:
    run = _run(plant, TIMES[-1], sample=1.0)
    return np.concatenate([run.qd[int(t), 3:] for t in TIMES])


def _flips(plant: il.Plant) -> np.ndarray:
    """Times between zero crossings of the spin."""
    run = _run(plant, 4.0 * FLIP, sample=1e-2)
    spin = run["hull_wy.qd"]
    passed = []
    for k in np.flatnonzero(np.diff(np.sign(spin))):
        # t as a polynomial of the spin, through the neighbors
        near = slice(k - 3, k + 5)
        scaled = spin[near] / np.abs(spin[near]).max()
        passed.append(run.t[k] + np.polyfit(scaled, run.t[near] - run.t[k], 7)[-1])
    return np.diff(passed)


def _kept(plant: il.Plant) -> np.ndarray:
    """Largest relative changes of energy and of the angular momentum in space."""
    run = _run(plant, 4.0 * FLIP, sample=0.1)
    momentum = np.einsum("kij,kj->ki", plant.pose("hull", run.q)[1], INERTIA * run.qd[:, 3:])
    moved = np.linalg.norm(momentum - momentum[0], axis=1) / np.linalg.norm(momentum[0])
    energy = run.energy[:, 0]
    return np.array([np.abs(energy / energy[0] - 1.0).max(), moved.max()])


EXHIBIT = Exhibit(
    name="satellite",
    title="Satellite that turns over (Dzhanibekov)",
    look_at="It spins steadily, flips within three seconds, and continues upside down.",
    make=satellite,
    start="spinning at 3 rad/s about its intermediate axis of inertia",
    seconds=36.0,
    view=View(
        "xyz",
        (("hull_wx.qd", "hull_wy.qd", "hull_wz.qd"), "mast.y",
         ("hull.qw", "hull.qx", "hull.qy", "hull.qz")),
        times=(0.0, 5.2, 6.1),
        trace="hull.tip",
    ),
    looks=satellite_looks,
    reach=((-1.12, -1.05, -1.12), (1.12, 1.05, 1.12)),
    references=(
        Reference(
            what="times between the first four zero crossings of the spin",
            value=(FLIP,) * 3,
            unit="s",
            tolerance=1e-7,
            source="complete elliptic integral of Euler's equations (Landau & Lifshitz I, § 37)",
            measure=_flips,
        ),
        Reference(
            what=f"angular velocity after {' and '.join(f'{t:g}' for t in TIMES)} s",
            value=RATES,
            unit="rad/s",
            tolerance=1e-8,
            source="Jacobi's elliptic functions, the same",
            measure=_rates,
        ),
        Reference(
            what="relative changes of energy and of the angular momentum in space",
            value=(0.0, 0.0),
            unit="1",
            tolerance=1e-9,
            source="conservation",
            measure=_kept,
        ),
    ),
)  # fmt: skip
