"""A four-bar of three flexible rods, 20 finite elements in all; the source gives no data.

Crank, coupler and follower are steel rods of 3 mm by 3 mm that bend in the plane of the mechanism
and keep their lengths. The data are chosen here, typical of a laboratory mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import inloop as il
from inloop.gallery import GROUND, Exhibit, Option, Reference, View, gravity_along, parts

LENGTHS = {"crank": 0.25, "coupler": 0.6, "follower": 0.45}  # [m]
BASE = 0.6  # between the hinges on the ground [m]
SIDE, DENSITY, E = 3e-3, 7800.0, 210e9  # of the rods [m], [kg/m³], [Pa]
START = 60.0  # initial angle of the crank [deg]
AFTER = 0.5  # [s]


def start_angles(crank: float) -> tuple[float, float]:
    """Angles of coupler and follower relative to the base for an angle of the crank [rad]."""
    a, b, c = LENGTHS.values()
    x, z = a * math.cos(crank) - BASE, a * math.sin(crank)
    far = math.hypot(x, z)
    follower = math.atan2(z, x) - math.acos((far**2 + c**2 - b**2) / (2.0 * far * c))
    x, z = c * math.cos(follower) - x, c * math.sin(follower) - z
    return math.atan2(z, x), follower


def flexible_four_bar(elements: int = 20, axial: bool = False) -> il.Model:
    """Three flexible rods in a loop, in the x-z plane.

    Args:
        elements: finite elements in all, at least 3; longer rods get more of them.
        axial: let the rods stretch too.
    """
    if elements < 3:
        raise il.InputError(f"three rods of {elements} elements", fix="Give at least 3 elements.")
    m = il.Model(
        "flexible_four_bar",
        gravity=gravity_along("-z"),
        doc="Four-bar of three flexible rods; data typical of a laboratory mechanism.",
    )
    stiffer = m.parameter(
        "stiffer", 1.0, unit="1", range=(0.1, 1e6), doc="factor of Young's modulus"
    )
    young = E * stiffer
    beta = m.parameter("beta", 2e-5, unit="s", range=(0.0, 1e-3), doc="damping per stiffness")
    crank_0 = math.radians(START)
    coupler_0, follower_0 = start_angles(crank_0)
    angles = {"crank": crank_0, "coupler": coupler_0 - crank_0, "follower": follower_0}
    counts = _shares(elements)

    def rod(name: str, on: il.Handle) -> il.FlexibleLinkHandle:
        return m.flexible_link(
            name,
            on=on,
            joint=il.revolute("-y", guess=angles[name]),
            length=LENGTHS[name],
            mass_per_length=DENSITY * SIDE**2,
            EI=young * (SIDE**4 / 12.0),
            EA=young * SIDE**2 if axial else None,
            # without axial coordinates: linear theory, as in the source; takes a third of the time
            stiffening=axial,
            elements=counts[name],
            damping=(0.1, beta),
        )

    crank = rod("crank", m.ground)
    coupler = rod("coupler", crank.tip)
    follower = rod("follower", m.ground.point("D", (BASE, 0.0, 0.0)))
    m.close(coupler.tip, follower.tip, name="pin")
    m.independent(crank)
    m.joint_input(crank)
    return m


def _shares(elements: int) -> dict[str, int]:
    """Elements of the rods, in proportion to their lengths."""
    counts = dict.fromkeys(LENGTHS, 1)
    for _ in range(elements - len(LENGTHS)):
        # the next one is added where elements are longest
        longest = max(LENGTHS, key=lambda name: LENGTHS[name] / counts[name])
        counts[longest] += 1
    return counts


def _crank_when_stiff(plant: il.Plant) -> float:
    """Angle of the crank after half a second with rods of 10,000 times the stiffness."""
    plant.parameters["stiffer"] = 1e4
    try:
        run = plant.simulate(t_end=AFTER, step=2e-4, method="implicit", sample=AFTER)
        return float(run["crank.q"][-1])
    finally:
        plant.parameters["stiffer"] = 1.0


def _looks(elements: int, axial: bool) -> Mapping[str, tuple[il.Visual, ...]]:
    """Clamps at the ends of the rods, bearings on feet, pins between the rods."""
    counts = _shares(elements)

    def clamp(color: str) -> tuple[il.Visual, ...]:
        return (
            il.visual(il.box((0.045, 0.02, 0.02)), (0.026, 0.0, 0.0), color, material="paint"),
            *parts.bearing((0.0, 0.0, 0.0), 0.016, 0.028, "y"),
        )

    tips = {
        f"{name}_{count}": parts.bearing((0.0, 0.0, 0.0), 0.012, 0.024, "y", parts.BRASS)
        for name, count in counts.items()
    }
    feet = (parts.bracket((x, 0.0, 0.0), 0.06, "xz") for x in (0.0, BASE))
    return {
        GROUND: tuple(part for foot in feet for part in foot),
        "crank": clamp(parts.RED),
        "coupler": clamp(parts.ORANGE),
        "follower": clamp(parts.BLUE),
        **tips,
    }


EXHIBIT = Exhibit(
    name="flexible_four_bar",
    title="Four-bar of three flexible rods",
    look_at="The rods vibrate while the mechanism falls; the loop stays closed.",
    make=flexible_four_bar,
    start=f"crank at {START:g}°, all rods straight, at rest",
    seconds=1.0,
    step=5e-4,
    method="implicit",
    view=View(
        "xz", ("crank.q", "follower.q", ("coupler_4_w.q", "follower_3_w.q")), times=(0.0, 0.2, 0.4)
    ),
    options={
        "elements": Option(20, "finite elements in all", (3, 60)),
        "axial": Option(False, "let the rods stretch too"),
    },
    references=(
        Reference(
            what="angle of the crank after 0.5 s, rods 10,000 times as stiff",
            value=(-1.82679174,),
            unit="rad",
            tolerance=1e-4,
            source="rigid four-bar, one equation written by hand, SciPy's DOP853",
            measure=_crank_when_stiff,
        ),
    ),
    looks=_looks,
    reach=((-0.28, -0.03, -0.28), (0.75, 0.03, 0.47)),
)
