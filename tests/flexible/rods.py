"""The rod of table 1 of Boscariol, Gasparetto & Zanotto 2011."""

from __future__ import annotations

import inloop as il

ROD = {"length": 1.5, "mass_per_length": 0.788, "EI": 230e9 * 0.01**4 / 12.0}
EA = 230e9 * 0.01**2


def clamped(elements: int, gravity: float = 0.0) -> il.Plant:
    """The rod, clamped horizontally."""
    m = il.Model("clamped", gravity=(0.0, 0.0, -gravity))
    m.flexible_link("rod", on=m.ground, elements=elements, EA=EA, **ROD)
    return m.compile(backend="python")
