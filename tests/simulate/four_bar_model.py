"""A planar four-bar in general position, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import inloop as il

L1, L2, L3, BASE = 0.2, 0.6, 0.4, (0.5, 0.05)


def four_bar(
    laws: Callable[[il.Model], None] | None = None,
    *,
    driven: bool = False,
    crank_joint: Any = None,
) -> il.Model:
    """One loop, one degree of freedom; models that are equal share what is built for them."""
    crank_joint = crank_joint or il.revolute("z", initial=(1.0, 0.0))
    m = il.Model("four_bar", gravity=(0, -9.81, 0))
    crank = m.body(
        "crank", on=m.ground, joint=crank_joint, mass=0.7,
        com=(0.1, 0.01, 0), inertia=(1e-3, 2e-3, 2.9e-3),
    )  # fmt: skip
    coupler = m.body(
        "coupler", on=crank.point("pin", (L1, 0, 0)), joint=il.revolute("z", guess=-0.5),
        mass=0.9, com=(0.3, 0.02, 0), inertia=(1e-3, 2e-3, 2.5e-3),
    )  # fmt: skip
    rocker = m.body(
        "rocker", on=m.ground.point("base", (*BASE, 0)),
        joint=il.revolute("z", guess=1.2), mass=0.8, com=(0.2, 0.01, 0),
        inertia=(1e-3, 2e-3, 2.4e-3),
    )  # fmt: skip
    m.close(coupler.point("end", (L2, 0, 0)), rocker.point("tip", (L3, 0, 0)), name="ring")
    if driven:
        m.drive(crank)
    if laws is not None:
        laws(m)
    return m


def four_bar_with_a_tail() -> il.Model:
    """The crank follows a motion, and a sprung tail is free to swing."""
    m = four_bar()
    m.drive("crank", lambda t: 1.0 + 0.5 * il.sin(4.0 * t))
    m.body(
        "tail", on="rocker.tip", joint=il.revolute("z", initial=(0.3, 0.0)), mass=0.3,
        com=(0.1, 0.02, 0), inertia=(1e-4, 2e-4, 3e-4),
    )  # fmt: skip
    m.joint_force("tail", lambda q, qd: -2.0 * q - 0.02 * qd)
    return m
