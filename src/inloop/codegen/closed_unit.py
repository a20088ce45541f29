"""What all generated C of a closed mechanism shares: sizes and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class ClosedUnit:
    """What the generated C needs to know of a partition.

    Attributes:
        n: number of coordinates.
        independent, dependent, driven: their indices.
        states: number of internal states of force laws.
        sizes: what counts as one unit of each dependent coordinate: 1 rad, or a length [m]; empty
            where all are 1.
    """

    n: int
    independent: tuple[int, ...]
    dependent: tuple[int, ...]
    driven: tuple[int, ...]
    states: int = 0
    sizes: tuple[float, ...] = ()


def indices(unit: ClosedUnit, *names: str) -> str:
    """Tables of coordinates: independent, dependent, driven."""
    return "\n".join([*(_table(name, getattr(unit, name)) for name in names), ""])


def _table(name: str, values: Sequence[int]) -> str:
    listed = ", ".join(map(str, values)) or "0"
    return f"static const int {name}[] = {{{listed}}};"
