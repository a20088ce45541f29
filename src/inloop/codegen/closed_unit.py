"""Sizes and index tables shared by all generated C of a closed mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inloop.codegen import c_attitudes


@dataclass(frozen=True)
class ClosedUnit:
    """Data of a partition that the generated C needs.

    Attributes:
        n: number of coordinates.
        independent, dependent, driven: their indices.
        states: number of internal states of force laws.
        lengths: whether a dependent coordinate is a length, measured relative to the mechanism's
            size.
        turned: see `c_attitudes`.
    """

    n: int
    independent: tuple[int, ...]
    dependent: tuple[int, ...]
    driven: tuple[int, ...]
    states: int = 0
    lengths: bool = False
    turned: tuple[int, ...] = ()

    @property
    def positions(self) -> int:
        """Length of q: the coordinates, then the quaternions."""
        return self.n + c_attitudes.numbers(self.turned)

    @property
    def size(self) -> int:
        """Length of x: q and qd of independent coordinates, states, dependent q, quaternions."""
        count = 2 * len(self.independent) + self.states + len(self.dependent)
        return count + c_attitudes.numbers(self.turned)


def indices(unit: ClosedUnit, *names: str) -> str:
    """Index tables: independent, dependent, driven."""
    return "\n".join([*(_table(name, getattr(unit, name)) for name in names), ""])


def _table(name: str, values: Sequence[int]) -> str:
    listed = ", ".join(map(str, values)) or "0"
    return f"static const int {name}[] = {{{listed}}};"
