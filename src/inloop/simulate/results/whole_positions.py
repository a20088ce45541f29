"""Positions of a result from a file: coordinates plus the quaternions among its signals."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from inloop.plant import Array

COMPONENTS = ("qw", "qx", "qy", "qz")


def whole_positions(coordinates: Array, signals: Mapping[str, Array]) -> Array:
    """q in the order of `plant.positions`, shape (N, nq).

    Args:
        coordinates: shape (N, n).
        signals: by name; quaternions are "<body>.qw", ".qx", ".qy" and ".qz".
    """
    heads = (name.removesuffix(".qw") for name in signals if name.endswith(".qw"))
    names = [[f"{head}.{part}" for part in COMPONENTS] for head in heads]
    quaternions = [signals[name] for four in names if set(four) <= signals.keys() for name in four]
    return np.column_stack([coordinates, *quaternions])
