"""Corners of laws that a run with derivatives passes (`native/variation/il_corners.c`)."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inloop.native import aligned_zeros
from inloop.native.mirror import mirror
from inloop.plant.engine import Array
from inloop.plant.variation.code import VariationCode

MOST_STAGES = 6  # of explicit methods


class CornerWatch:
    """Corners passed so far, over all pieces of a run.

    Attributes:
        laws: names of the laws that have corners.
        crossings: number of steps in which a law passes one, by law.
        first: time of the first of them [s], by law.
        bends: squared remaining errors of derivatives of the state, shape (laws, states, lanes),
            or, in a backward pass, of the adjoints, shape (laws, states + varied).
        most: the largest adjoint of each state in a backward pass.
    """

    def __init__(self, code: VariationCode, back: bool = False) -> None:
        """Reserve memory.

        Args:
            code: compiled with corners.
            back: for a backward pass.
        """
        size, laws, count = len(code.states), len(code.corners), len(code.corner_owners)
        wide = (size + len(code.varied),) if back else (size, code.lanes)
        self.laws = code.corners
        self.crossings = np.zeros(laws, dtype=np.int64)
        self.first = np.zeros(laws)
        self.bends: Array = np.zeros((laws, *wide))
        self.most: Array = np.zeros(size)
        self._memory = {
            "owners": np.array(code.corner_owners, dtype=np.int64),
            "values": np.zeros(4 * count),
            "x": np.zeros(3 * size),
            "dep": np.zeros(max(len(code.layout.dependent), 1)),
            "k": np.zeros(3 * size),
            "stages": np.zeros(MOST_STAGES * size),
            "dx": aligned_zeros(size, max(code.lanes, 1)),
            "dk": aligned_zeros(4 * max(int(np.prod(wide)), size * max(code.lanes, 1))),
            "bent": aligned_zeros(int(np.prod(wide))),
            "pending": np.zeros(count, dtype=np.int64),
            "charged": np.zeros(laws, dtype=np.int64),
            "crossings": self.crossings,
            "first": self.first,
            "bends": self.bends,
            "most": self.most,
        }
        places = {name: array.ctypes.data for name, array in self._memory.items()}
        rates = "plain_slopes" if back else "slopes"
        self._structure: Any = mirror("il_corners")(
            look=code.library.address(f"{code.prefix}_look_at_corners"),
            rates=code.library.address(f"{code.prefix}_{rates}"),
            count=count, laws=laws, **places,
        )  # fmt: skip

    def mark(self) -> tuple[NDArray[np.int64], Array, Array]:
        """The counts so far, for `back_to`."""
        return self.crossings.copy(), self.first.copy(), self.bends.copy()

    def back_to(self, mark: tuple[NDArray[np.int64], Array, Array]) -> None:
        """Discard the counts since a mark."""
        self.crossings[:], self.first[:], self.bends[:] = mark

    @property
    def address(self) -> int:
        """Address of the structure filled by C; valid as long as this object lives."""
        return ctypes.addressof(self._structure)
