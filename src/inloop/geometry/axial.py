"""Helpers shared by shapes of revolution: quantities along z, rotated to the axis."""

from __future__ import annotations

import math

import numpy as np

from inloop.geometry.mass import MassProperties, solid
from inloop.geometry.sizes import Array, Triple, rotation_to

UNIT = 1e-300  # avoids division by zero for a direction of length zero


def radial_and_height(point: Array, axis: Triple) -> tuple[float, float]:
    """Distance of a point from the axis, and position along it [m]."""
    p, a = np.asarray(point, dtype=np.float64), np.array(axis)
    z = float(p @ a)
    return float(np.linalg.norm(p - z * a)), z


def across_and_along(direction: Array, axis: Triple) -> tuple[Array, float]:
    """Unit vector of the component of a direction across the axis, and sign of the one along."""
    d, a = np.asarray(direction, dtype=np.float64), np.array(axis)
    along = float(d @ a)
    across = d - along * a
    return across / (float(np.linalg.norm(across)) + UNIT), math.copysign(1.0, along)


def round_bounds(radius: float, low: float, high: float, axis: Triple) -> Array:
    """Bounds of two discs of equal radius across the axis, at two positions along it [m]."""
    a = np.array(axis)
    reach = radius * np.sqrt(np.maximum(1.0 - a * a, 0.0))
    ends = np.array([low * a, high * a])
    return np.array([ends.min(axis=0) - reach, ends.max(axis=0) + reach])


def axial_solid(
    mass: float, height: float, across: float, about: float, axis: Triple
) -> MassProperties:
    """A solid of revolution.

    Args:
        mass: [kg].
        height: position of its center of mass along the axis [m].
        across: moment of inertia about a transverse line through the center of mass [kg·m²].
        about: moment of inertia about the axis [kg·m²].
        axis: unit vector.
    """
    R = rotation_to(axis)
    return solid(mass, (0.0, 0.0, height), [across, across, about]).moved(np.zeros(3), R)
