"""Numbers of an array that a kernel reads or writes: a few bases, and offsets from them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


class Slots:
    """Places in an array, which differ from batch to batch and from lane to lane.

    Places that keep their distance in all batches and lanes have one base in common.

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
        self._places: list[tuple[int, int]] = []  # number of the base, offset
        for k in range(index.shape[2]):
            self._places.append(self._find(k))

    def _find(self, k: int) -> tuple[int, int]:
        for number, base in enumerate(self._bases):
            apart = self.index[:, :, k] - self.index[:, :, base]
            if np.all(apart == apart[0, 0]):
                return number, int(apart[0, 0])
        self._bases.append(k)
        return len(self._bases) - 1, 0

    def _side_by_side(self, number: int) -> bool:
        """Whether the lanes of a base are neighbors in the array."""
        at = self.index[:, :, self._bases[number]]
        return bool(np.all(at - at[:, :1] == np.arange(self.lanes)))

    def _base_lanes(self, number: int) -> range:
        """Lanes whose base is in the table."""
        return range(1 if self._side_by_side(number) else self.lanes)

    def columns(self) -> list[Integers]:
        """Columns of the table."""
        return [
            self.index[:, lane, base]
            for number, base in enumerate(self._bases)
            for lane in self._base_lanes(number)
        ]

    def pointers(self, word: str = "const double") -> list[str]:
        """Declarations of the pointers to the bases; constants may leave one of them unused."""
        names = [
            f"{self.name}{number}_{lane}"
            for number in range(len(self._bases))
            for lane in self._base_lanes(number)
        ]
        return [
            f"{word} *{name} = {self.array} + t[{at}]; (void){name};"
            for at, name in enumerate(names, start=self.first)
        ]

    def read(self, k: int) -> str:
        """The number in a place."""
        number, offset = self._places[k]
        name = f"{self.name}{number}"
        if self.lanes == 1:
            return f"{name}_0[{offset}]"
        if self._side_by_side(number):
            return f"LANES({name}_0 + {offset})"
        return f"GATHER({name}, {offset})"

    def write(self, k: int, value: str) -> str:
        """Put a number there."""
        number, offset = self._places[k]
        name = f"{self.name}{number}"
        if self.lanes == 1 or self._side_by_side(number):
            return f"{self.read(k)} = {value};"
        return f"SCATTER({name}, {offset}, {value});"
