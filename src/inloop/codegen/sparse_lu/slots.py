"""Numbers of an array that a kernel reads or writes: a few bases, and offsets from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class _Place:
    """Where a number lies.

    Attributes:
        base: number of its base.
        offsets: from the base, of each lane.
        side_by_side: whether the lanes are neighbors in the array.
    """

    base: int
    offsets: tuple[int, ...]
    side_by_side: bool


class Slots:
    """Places in an array, which differ from batch to batch and from lane to lane.

    Places that keep their distance in all batches have one base in common; each lane has its own.

    Args:
        name: of the pointers to the bases.
        array: in which the places are.
        index: of each place, shape (batches, lanes, places).
    """

    def __init__(self, name: str, array: str, index: Integers) -> None:
        self.name, self.array, self.index = name, array, index
        self.lanes = index.shape[1]
        self.first = 0  # column of the table in which the bases begin
        self._bases: list[int] = []  # the place that is the base
        self._places = [self._find(k) for k in range(index.shape[2])]
        scattered = {place.base for place in self._places if not place.side_by_side}
        # number of the base and lane, of those that are in the table
        self._pointers = [
            (number, lane)
            for number in range(len(self._bases))
            for lane in range(self.lanes if number in scattered else 1)
        ]

    def _find(self, k: int) -> _Place:
        at = self.index[:, :, k]
        side_by_side = bool(np.all(at - at[:, :1] == np.arange(self.lanes)))
        for number, base in enumerate(self._bases):
            apart = at - self.index[:, :, base]
            if np.all(apart == apart[0]):
                return _Place(number, tuple(apart[0].tolist()), side_by_side)
        self._bases.append(k)
        return _Place(len(self._bases) - 1, (0,) * self.lanes, side_by_side)

    def columns(self) -> list[Integers]:
        """Columns of the table."""
        return [self.index[:, lane, self._bases[number]] for number, lane in self._pointers]

    def pointers(self, word: str = "const double") -> list[str]:
        """Declarations of the pointers to the bases; constants may leave one of them unused."""
        names = [f"{self.name}{number}_{lane}" for number, lane in self._pointers]
        return [
            f"{word} *{name} = {self.array} + t[{at}]; (void){name};"
            for at, name in enumerate(names, start=self.first)
        ]

    def read(self, k: int) -> str:
        """The number in a place."""
        place = self._places[k]
        name = f"{self.name}{place.base}"
        if self.lanes == 1:
            return f"{name}_0[{place.offsets[0]}]"
        if place.side_by_side:
            return f"LANES({self.lanes}, {name}_0 + {place.offsets[0]})"
        return f"GATHER{self.lanes}({name}, {_listed(place.offsets)})"

    def write(self, k: int, value: str) -> str:
        """Put a number there."""
        place = self._places[k]
        if self.lanes == 1 or place.side_by_side:
            return f"{self.read(k)} = {value};"
        name = f"{self.name}{place.base}"
        return f"SCATTER{self.lanes}({name}, {_listed(place.offsets)}, {value});"


def _listed(offsets: tuple[int, ...]) -> str:
    return ", ".join(map(str, offsets))
