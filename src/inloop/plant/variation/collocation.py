"""Memory of implicit steps with derivatives (`native/variation/il_collocation.c`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from inloop.native import aligned_zeros
from inloop.native.mirror import mirror
from inloop.plant.engine import Array
from inloop.plant.variation.code import VariationCode


class Collocation:
    """Data of implicit steps besides their method.

    Attributes:
        structure: for C; valid as long as this object lives.
    """

    def __init__(self, code: VariationCode, times: Array) -> None:
        """Reserve memory.

        Args:
            code: with rates and with derivatives along directions.
            times: fractions of the step at which stages are evaluated.
        """
        size, lanes, stages = len(code.states), code.lanes, len(times)
        whole = stages * size
        self._memory = {
            "still": aligned_zeros(max(len(code.varied), 1), lanes),
            "J": np.zeros(stages * size * size),
            "M": np.zeros(whole * whole),
            "pivots": np.zeros(whole, dtype=np.int64),
            **{name: np.zeros(whole) for name in ("x", "f", "step", "rest")},
            "most": np.zeros(size),
            "unit": aligned_zeros(size, lanes),
            "column": aligned_zeros(size, lanes),
            **{name: aligned_zeros(whole, lanes) for name in ("df", "wide", "wide_rest")},
            "begun": np.zeros(size),
            "ahead": _ahead(times),
        }
        places = {name: array.ctypes.data for name, array in self._memory.items()}
        self.structure: Any = mirror("il_collocation")(
            rates=code.library.address(f"{code.prefix}_plain_slopes"),
            slopes=code.library.address(f"{code.prefix}_slopes"),
            lanes=lanes, **places,
        )  # fmt: skip


def _ahead(times: Array) -> Array:
    """Lagrange weights of a step's start and stages, at the stages of the next one."""
    nodes = np.concatenate([[0.0], times])
    weights = np.ones((len(times), len(nodes)))
    for i, own in enumerate(nodes):
        for other in np.delete(nodes, i):
            weights[:, i] *= (1.0 + times - other) / (own - other)
    return weights
