"""Locations in an array that a kernel reads or writes: a few base pointers plus offsets."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

PAIRED = 4  # number of lanes that are read in pairs


class Slots:
    """Locations in an array, which differ between batches and lanes.

    Locations with the same distance in all batches share a base pointer, across lanes.

    Args:
        name: name of the base pointers.
        array: the array.
        index: array index of each location, shape (batches, lanes, locations).
    """

    def __init__(self, name: str, array: str, index: Integers) -> None:
        self.name, self.array, self.index = name, array, index
        self.lanes = index.shape[1]
        self.first = 0  # first table column of the bases
        self._bases: list[Integers] = []  # bases of each batch
        apart = index - index[:, :1, :]
        self._side_by_side = np.all(apart == np.arange(self.lanes)[None, :, None], axis=(0, 1))
        # base and offset of each location in each lane
        self._places = [
            [self._find(index[:, lane, k]) for lane in self._lanes_of(k)]
            for k in range(index.shape[2])
        ]

    def _lanes_of(self, k: int) -> range:
        """Lanes of a location that need a pointer."""
        return range(1 if self._side_by_side[k] else self.lanes)

    def _find(self, at: Integers) -> tuple[int, int]:
        for number, base in enumerate(self._bases):
            if np.all(at - base == at[0] - base[0]):
                return number, int(at[0] - base[0])
        self._bases.append(at)
        return len(self._bases) - 1, 0

    def side_by_side(self, places: Iterable[int]) -> bool:
        """Whether the numbers of all lanes lie side by side, in some places."""
        return all(self._side_by_side[k] for k in places)

    def columns(self) -> list[Integers]:
        """Columns of the table."""
        return self._bases

    def pointers(self, word: str = "const double") -> list[str]:
        """Declarations of the base pointers; constants may leave one of them unused."""
        names = [f"{self.name}{number}" for number in range(len(self._bases))]
        return [
            f"{word} *{name} = {self.array} + t[{at}]; (void){name};"
            for at, name in enumerate(names, start=self.first)
        ]

    def _at(self, k: int) -> str:
        """Pointers to a location, for each lane."""
        return ", ".join(f"{self.name}{base} + {offset}" for base, offset in self._places[k])

    def read(self, k: int) -> str:
        """Read a number."""
        if self.lanes == 1:
            ((base, offset),) = self._places[k]
            return f"{self.name}{base}[{offset}]"
        if self._side_by_side[k]:
            return f"LANES({self.lanes}, {self._at(k)})"
        return f"GATHER{self.lanes}({self._at(k)})"

    def pairs(self, places: Iterable[int]) -> list[tuple[int, int]]:
        """Pairs of locations that are adjacent in the array, in each of four lanes."""
        if self.lanes != PAIRED:
            return []
        at = {tuple(self._places[k]): k for k in places if not self._side_by_side[k]}
        found: list[tuple[int, int]] = []
        taken: set[int] = set()
        for place, k in sorted(at.items()):
            other = at.get(tuple((base, offset + 1) for base, offset in place))
            if other is not None and not {k, other} & taken:
                found.append((k, other))
                taken |= {k, other}
        return found

    def read_pair(self, k: int, names: tuple[str, str]) -> str:
        """Declare two variables with the numbers at a location and the next one."""
        return f"PAIR{PAIRED}({self._at(k)}, {', '.join(names)});"

    def write_pair(self, k: int, values: tuple[str, str]) -> str:
        """Write two numbers to a location and the next one."""
        return f"PUT_PAIR{PAIRED}({self._at(k)}, {', '.join(values)});"

    def write(self, k: int, value: str) -> str:
        """Write a number."""
        if self.lanes == 1 or self._side_by_side[k]:
            return f"{self.read(k)} = {value};"
        return f"SCATTER{self.lanes}({self._at(k)}, {value});"
