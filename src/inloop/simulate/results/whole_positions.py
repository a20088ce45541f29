"""Positions of a result from a file: coordinates, and quaternions that are among its signals."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from inloop.plant import Array

COMPONENTS = ("qw", "qx", "qy", "qz")


def whole_positions(coordinates: Array, signals: Mapping[str, Array]) -> Array:
    """q as `plant.positions` has it, shape (N, nq).

    Args:
        coordinates: shape (N, n).
        signals: by name; those of an attitude are "<body>.qw", ".qx", ".qy" and ".qz".
    """
    heads = (name.removesuffix(".qw") for name in signals if name.endswith(".qw"))
    names = [[f"{head}.{part}" for part in COMPONENTS] for head in heads]
    found = [signals[name] for four in names if set(four) <= signals.keys() for name in four]
    return np.column_stack([coordinates, *found])
