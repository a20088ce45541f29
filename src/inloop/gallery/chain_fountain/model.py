"""A chain of rods, folded on the floor of a pot, with one end hanging over a round guide.

A rod that is picked up at one end pushes the floor with the other one, and the floor pushes back:
this lifts the chain above its pot (Biggins and Warner 2014, doi:10.1098/rspa.2013.0689). As it runs
faster, it lifts off the guide. All rods move in one plane and pass through each other; floor and
guide are elastic.
"""

from __future__ import annotations

import math
from typing import Any

import inloop as il
from inloop.gallery import gravity_along

MOST_LINKS = 200
LINK, MASS = 0.05, 0.01  # length [m] and mass [kg] of a rod
POT = 1.6  # height of the floor of the pot [m]
RISE, ROUND, DOWN = 5, 7, 11  # rods that lead up, around the guide, and down outside initially
GUIDE = LINK / (2.0 * math.sin(math.pi / (2.0 * ROUND)))  # radius of the guide [m]
CENTER = (GUIDE, POT + LINK * RISE)  # of the guide, x and z [m]
DEEP = 0.6 * LINK  # points deeper below the floor than this are outside the pot [m]


def directions(n: int) -> list[float]:
    """Initial angles of all rods, from the end in the pot to the end outside [rad]."""
    over = [math.pi / 2.0 - math.pi * (k + 0.5) / ROUND for k in range(ROUND)]
    outside = [*([math.pi / 2.0] * RISE), *over, *([-math.pi / 2.0] * DOWN)]
    folded = [0.0 if k % 2 else math.pi for k in range(n - len(outside))]
    return [*folded, *outside]


def _one_sided(force: Any) -> Any:
    return il.where(force > 0.0, force, 0.0)


def chain_fountain(n: int = 100) -> il.Model:
    """A chain at rest, with one end fixed in the pot.

    Args:
        n: number of rods.
    """
    m = il.Model(
        "chain_fountain",
        gravity=gravity_along("-z"),
        doc=f"Chain of {n} rods that runs out of a pot and rises above it.",
    )
    stiffness = m.parameter(
        "floor", 400.0, unit="N/m", range=(50.0, 5000.0), doc="stiffness of the floor, by rod"
    )
    damping = m.parameter(
        "damping", 0.4, unit="N*s/m", range=(0.0, 5.0), doc="damping of the floor, by rod"
    )
    drag = m.parameter(
        "friction", 2e-6, unit="N*m*s/rad", range=(0.0, 1e-3), doc="damping of each joint"
    )

    def push(p: Any, v: Any) -> tuple[Any, Any, Any]:
        """Force of floor and guide on the end of a rod [N]."""
        depth = POT - p[2]
        touches = il.where((depth > 0.0) & (depth < DEEP) & (p[0] < GUIDE), 1.0, 0.0)
        up = touches * _one_sided(stiffness * depth - damping * v[2])
        # the guide is round and smooth
        x, z = p[0] - CENTER[0], p[2] - CENTER[1]
        r = il.sqrt(x * x + z * z)
        inside = il.where(r < GUIDE, 1.0, 0.0)
        out = inside * _one_sided(
            5.0 * stiffness * (GUIDE - r) - damping * (x * v[0] + z * v[2]) / r
        )
        return out * x / r - 0.3 * damping * touches * v[0], 0.0, up + out * z / r

    angles = directions(n)
    # so that the last of the folded rods ends below the guide
    first = LINK * ((n - RISE - ROUND - DOWN) % 2)
    on: Any = m.ground.point("peg", (first, 0.0, POT))
    before = 0.0
    for k, angle in enumerate(angles, start=1):
        turn = math.remainder(angle - before, 2.0 * math.pi)
        rod = m.body(
            f"rod_{k}",
            on=on,
            joint=il.revolute("-y", initial=(turn, 0.0)),
            mass=MASS,
            com=(0.5 * LINK, 0.0, 0.0),
            inertia=(0.0, MASS * LINK**2 / 12.0, MASS * LINK**2 / 12.0),
        )
        m.joint_force(f"rod_{k}", lambda qd: -drag * qd)
        on = rod.point("end", (LINK, 0.0, 0.0))
        m.force(on, push)
        before = angle
    return m
