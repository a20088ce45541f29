"""A four-bar that comes near its singular position but does not meet it."""

from __future__ import annotations

import inloop as il


def near_rhombus(short: float) -> il.Model:
    """Three bars of 1 m and a coupler that is `short` [m] shorter, which fall flat from beside.

    Bars in line would be singular if all were equal. Here the crank comes to rest instead, within a
    way of about √short, and the coupler turns on with the rocker.
    """
    m = il.Model("near_rhombus", gravity=(0.7, -9.2, 0.0))
    crank = m.body("crank", on=m.ground, joint=il.revolute("z", initial=(0.15, -2.0)), mass=0.7,
                   com=(0.45, 0.03, 0.0), inertia=(0.02, 0.05, 0.06))  # fmt: skip
    coupler = m.body("coupler", on=crank.point("pin", (1.0, 0.0, 0.0)),
                     joint=il.revolute("z", guess=-0.15), mass=1.1, com=(0.55, -0.02, 0.0),
                     inertia=(0.03, 0.08, 0.09))  # fmt: skip
    rocker = m.body("rocker", on=m.ground.point("base", (1.0, 0.0, 0.0)),
                    joint=il.revolute("z", guess=0.15), mass=0.9, com=(0.4, 0.01, 0.0),
                    inertia=(0.02, 0.07, 0.08))  # fmt: skip
    m.close(coupler.point("end", (1.0 - short, 0.0, 0.0)), rocker.point("end", (1.0, 0.0, 0.0)),
            name="pin")  # fmt: skip
    return m
