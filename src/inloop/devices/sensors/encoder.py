"""An incremental encoder: quantizes a position to counts."""

from __future__ import annotations

import math
from dataclasses import dataclass

from inloop.errors import InputError

INCH = 0.0254  # [m]


@dataclass(frozen=True)
class Encoder:
    """An incremental encoder.

    Attributes:
        resolution: position per count [m or rad].
        offset: position of count zero [m or rad].
    """

    resolution: float
    offset: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 < self.resolution < math.inf:
            raise InputError(
                f"an encoder cannot have a resolution of {self.resolution:g}",
                fix="Give what one count stands for, > 0 m or rad.",
            )

    @classmethod
    def per_inch(cls, lines: float, offset: float = 0.0) -> Encoder:
        """A linear encoder with a number of lines per inch, one count per line."""
        return cls(INCH / lines, offset)

    def count(self, position: float) -> int:
        """Count at a position: increments as a line is reached."""
        return math.floor((position - self.offset) / self.resolution)

    def read(self, position: float) -> float:
        """Position of the count [m or rad]: at most one resolution too low."""
        return self.offset + self.resolution * self.count(position)
