"""An incremental encoder: what it reads is a whole number of counts."""

from __future__ import annotations

import math
from dataclasses import dataclass

from inloop.errors import InputError

INCH = 0.0254  # [m]


@dataclass(frozen=True)
class Encoder:
    """An encoder that counts the lines it has passed.

    Attributes:
        resolution: what one count stands for [m or rad].
        offset: position at which it counts zero [m or rad].
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
        """Lines passed at a position: it counts up as a line is reached."""
        return math.floor((position - self.offset) / self.resolution)

    def read(self, position: float) -> float:
        """Position that the count stands for [m or rad]: at most one resolution too low."""
        return self.offset + self.resolution * self.count(position)
