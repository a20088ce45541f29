"""Dimension of a coordinate, with the units of all related quantities."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Dimension:
    """An angle or a length.

    Attributes:
        unit: unit of q; that of qd is `<unit>/s`.
        effort: unit of the force or torque along the coordinate.
        far: largest plausible |q| [unit].
        fast: largest plausible |qd| [unit/s].
    """

    unit: str
    effort: str
    far: float
    fast: float

    @property
    def units(self) -> dict[str, str]:
        """Units of q, qd, qdd and effort by these names."""
        unit = self.unit
        return {"q": unit, "qd": f"{unit}/s", "qdd": f"{unit}/s²", "effort": self.effort}


# beyond 1e9 rad a double resolves only 1e-7 rad, and nothing turns faster than 1e12 rad/s
ANGLE = Dimension("rad", "N·m", 1e9, 1e12)
# 1e12 m is as far as the outer planets, and nothing moves faster than light
LENGTH = Dimension("m", "N", 1e12, 299_792_458.0)
NOTHING = Dimension("", "", 0.0, 0.0)
