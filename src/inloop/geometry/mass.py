"""Mass, center of mass and inertia of solids, and of closed surfaces by the divergence theorem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inloop.errors import InputError
from inloop.geometry.sizes import Array, Indices, number

HEAVIEST = 1e6  # [kg/m³]: osmium has 22 600


@dataclass(frozen=True)
class MassProperties:
    """Mass properties of a solid, in the axes of its frame.

    Attributes:
        mass: [kg].
        com: center of mass, shape (3,) [m].
        inertia: about the center of mass, shape (3, 3) [kg·m²].
    """

    mass: float
    com: Array
    inertia: Array

    def moved(self, p: Array, R: Array) -> MassProperties:
        """The same solid in a frame B, where its own frame is at p_BS with axes R_BS."""
        return MassProperties(self.mass, p + R @ self.com, R @ self.inertia @ R.T)


def density_of(value: object) -> float:
    """Read a density [kg/m³]."""
    found = number(value, "density")
    if not 0.0 < found <= HEAVIEST:
        raise InputError(
            f"density must be > 0 and at most {HEAVIEST:g} kg/m³, got {found:g}",
            fix="Steel has 7850, water 1000.",
        )
    return found


def total(parts: Sequence[MassProperties]) -> MassProperties:
    """One solid made of several, all in the same frame."""
    mass = sum(part.mass for part in parts)
    if mass <= 0.0:
        raise InputError("there is no shape with mass", fix="Give solid shapes.")
    com = np.sum([part.mass * part.com for part in parts], axis=0) / mass
    inertia = np.zeros((3, 3))
    for part in parts:
        # Steiner
        d = part.com - com
        inertia += part.inertia + part.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return MassProperties(mass, com, inertia)


def solid(mass: float, com: Sequence[float], moments: Sequence[float]) -> MassProperties:
    """A solid in principal axes; moments about its center of mass [kg·m²]."""
    return MassProperties(mass, np.array(com, dtype=np.float64), np.diag(moments))


def of_surface(vertices: Array, triangles: Indices, density: float) -> MassProperties:
    """Mass properties of a closed surface with counterclockwise triangles (seen from outside).

    Each triangle spans a tetrahedron with a point near the center; volumes are signed, so the parts
    outside cancel.
    """
    middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    a, b, c = (vertices[triangles[:, k]] - middle for k in range(3))
    volumes = np.einsum("ni,ni->n", a, np.cross(b, c)) / 6.0
    volume = float(volumes.sum())
    extent = float(np.prod(np.ptp(vertices, axis=0)))
    if volume <= 1e-9 * extent:
        raise InputError(
            f"the surface encloses no volume: {volume:.3g} m³",
            fix="Close it, and order the corners of triangles counterclockwise seen from outside.",
        )
    corners = a + b + c
    com = volumes @ corners / (4.0 * volume)
    # ∫ x xᵀ over a tetrahedron: V/20 (a aᵀ + b bᵀ + c cᵀ + s sᵀ) with s = a + b + c
    second = sum(np.einsum("n,ni,nj->ij", volumes, v, v) for v in (a, b, c, corners)) / 20.0
    second = second - volume * np.outer(com, com)
    inertia = density * (np.trace(second) * np.eye(3) - second)
    return MassProperties(density * volume, middle + com, inertia)
