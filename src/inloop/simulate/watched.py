"""The bounds of a state of the stepper, as the runtime reads them (il_bounds)."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence

import numpy as np

from inloop.native.mirror import mirror
from inloop.plant import BarePlant


class Watched:
    """Bounds of x = (q and qd of independent coordinates, z, q of dependent ones).

    Attributes:
        address: of the il_bounds.
        entries: coordinate and whether it is its speed, for each entry of x; None for states of
            force laws.
    """

    def __init__(
        self, plant: BarePlant, independent: Sequence[int], dependent: Sequence[int] = ()
    ) -> None:
        names = plant.coordinates
        self._bounds = plant.bounds
        self.entries: list[tuple[str, bool] | None] = [
            *((names[k], False) for k in independent),
            *((names[k], True) for k in independent),
            *(None for _ in plant.mechanism.states),
            *((names[k], False) for k in dependent),
        ]
        self._most = np.array([self._limit(entry) for entry in self.entries] or [0.0])
        self._structure = mirror("il_bounds")(most=self._most.ctypes.data)
        self.address = ctypes.addressof(self._structure)

    def blame(self) -> str:
        """What would have left its bounds in the last step that failed so."""
        entry = self.entries[self._structure.beyond]
        if entry is None:
            return "the state of a force law would become larger than numbers are"
        return self._bounds.words(*entry)

    def _limit(self, entry: tuple[str, bool] | None) -> float:
        largest = sys.float_info.max
        return largest if entry is None else min(largest, self._bounds[entry[0]][entry[1]])
