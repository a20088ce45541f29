"""What a coordinate measures, and the units of all that belongs to it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Dimension:
    """An angle or a length.

    Attributes:
        unit: of q; that of qd is `<unit>/s`.
        effort: unit of what drives the coordinate.
        far: largest |q| that still makes sense [unit].
        fast: largest |qd| that still makes sense [unit/s].
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


# beyond 1e9 rad a double tells an angle to 1e-7 rad only, and nothing turns faster than 1e12 rad/s
ANGLE = Dimension("rad", "N·m", 1e9, 1e12)
# beyond 1e12 m are the outer planets, and nothing moves faster than light
LENGTH = Dimension("m", "N", 1e12, 299_792_458.0)
NOTHING = Dimension("", "", 0.0, 0.0)
