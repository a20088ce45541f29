"""Corners of laws that a run with derivatives passes (`native/variation/il_corners.c`)."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from inloop.native import aligned_zeros
from inloop.native.mirror import mirror
from inloop.plant.engine import Array
from inloop.plant.variation.code import VariationCode


class CornerWatch:
    """What corners have cost so far, over all pieces of a run.

    Attributes:
        laws: names of the laws that have corners.
        crossings: by law, steps in which it passes one.
        first: by law, the first of them [s].
        bends: squares of what derivatives of the state are off by, shape (laws, states, lanes).
    """

    def __init__(self, code: VariationCode) -> None:
        size, laws, count = len(code.states), len(code.corners), len(code.corner_owners)
        self.laws = code.corners
        self.crossings = np.zeros(laws, dtype=np.int64)
        self.first = np.zeros(laws)
        self.bends: Array = np.zeros((laws, size, code.lanes))
        self._memory = {
            "owners": np.array(code.corner_owners, dtype=np.int64),
            "values": np.zeros(2 * count),
            "x": np.zeros(size),
            "dep": np.zeros(max(len(code.layout.dependent), 1)),
            "k": np.zeros(size),
            "dk": aligned_zeros(2 * size, code.lanes),
            "charged": np.zeros(laws, dtype=np.int64),
            "crossings": self.crossings,
            "first": self.first,
            "bends": self.bends,
        }
        places = {name: array.ctypes.data for name, array in self._memory.items()}
        self._structure: Any = mirror("il_corners")(
            look=code.library.address(f"{code.prefix}_look_at_corners"),
            count=count, laws=laws, **places,
        )  # fmt: skip

    @property
    def address(self) -> int:
        """Of what C fills; valid for as long as this object lives."""
        return ctypes.addressof(self._structure)
