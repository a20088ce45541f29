"""Two four-bars, the second one on the coupler of the first, for the tests of this folder."""

from __future__ import annotations

from typing import Any

import inloop as il

# crank, coupler and rocker [m], and where the rocker turns
LENGTHS = ((0.2, 0.6, 0.4, (0.5, 0.05)), (0.25, 0.55, 0.45, (0.47, 0.03)))


def linkage_pair() -> il.Model:
    """Two loops, two degrees of freedom; three choices of independent coordinates in 0.6 s."""
    m = il.Model("linkage_pair", gravity=(0, -9.81, 0))
    carrier: Any = m.ground
    for k, (crank_length, coupler_length, rocker_length, base) in enumerate(LENGTHS):
        crank = m.body(
            f"crank_{k}", on=carrier.point(f"crank_base_{k}", (0.1 * k, 0, 0)),
            joint=il.revolute("z", initial=(1.0, 0.0)), mass=0.7, com=(0.1, 0.01, 0),
            inertia=(1e-3, 2e-3, 2.9e-3),
        )  # fmt: skip
        coupler = m.body(
            f"coupler_{k}", on=crank.point("pin", (crank_length, 0, 0)),
            joint=il.revolute("z", guess=-0.5), mass=0.9, com=(0.3, 0.02, 0),
            inertia=(1e-3, 2e-3, 2.5e-3),
        )  # fmt: skip
        rocker = m.body(
            f"rocker_{k}", on=carrier.point(f"rocker_base_{k}", (*base, 0)),
            joint=il.revolute("z", guess=1.2), mass=0.8, com=(0.2, 0.01, 0),
            inertia=(1e-3, 2e-3, 2.4e-3),
        )  # fmt: skip
        end, tip = coupler.point("end", (coupler_length, 0, 0)), (rocker_length, 0, 0)
        m.close(end, rocker.point("tip", tip), name=f"ring_{k}")
        carrier = coupler
    return m
