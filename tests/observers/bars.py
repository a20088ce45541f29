"""A four-bar that several tests observe."""

from __future__ import annotations

import inloop as il


def four_bar(independent: str) -> il.Model:
    """Its crank goes round; its arm turns back twice in each turn."""
    m = il.Model("rocker", gravity=(0.0, -9.81, 0.0))
    crank = m.body("crank", on=m.ground, joint=il.revolute("z", initial=(0.9, 6.0)), mass=0.7,
                   com=(0.1, 0.0, 0.0), inertia=(0.004, 0.01, 0.013))  # fmt: skip
    rod = m.body("rod", on=crank.point("pin", (0.21, 0.0, 0.0)), joint=il.revolute("z", guess=-0.5),
                 mass=0.5, com=(0.3, 0.02, 0.0), inertia=(0.003, 0.02, 0.021))  # fmt: skip
    arm = m.body("arm", on=m.ground.point("pivot", (0.55, 0.0, 0.0)),
                 joint=il.revolute("z", guess=1.7), mass=0.9, com=(0.2, 0.0, 0.0),
                 inertia=(0.008, 0.01, 0.017))  # fmt: skip
    m.close(rod.point("end", (0.6, 0.0, 0.0)), arm.point("end", (0.4, 0.0, 0.0)), name="loop")
    m.independent(independent)
    return m
