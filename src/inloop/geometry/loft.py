"""Lofted surfaces over a sequence of sections, as meshes: tubes along a path, hulls, shells."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from inloop.errors import InputError
from inloop.geometry.mesh import Mesh
from inloop.geometry.sizes import Array, number, size, table

AROUND = 12  # corners of the section of a tube


def loft(sections: Sequence[Sequence[Sequence[float]]]) -> Mesh:
    """A closed surface over closed sections, flat at both ends.

    Args:
        sections: rings of points [m], all with the same number of points and the same sense of
            rotation, in order along the part.
    """
    rings = [table(ring, "a section of a loft", 3, 3) for ring in sections]
    if len(rings) < 2 or len({len(ring) for ring in rings}) != 1:
        raise InputError(
            "a loft needs at least two sections with the same number of points",
            fix="Write the same number of points in each section.",
        )
    count, corners = len(rings), len(rings[0])
    vertices = np.vstack([*rings, rings[0].mean(axis=0), rings[-1].mean(axis=0)])
    here, there = np.arange(corners), (np.arange(corners) + 1) % corners
    low = np.arange(count - 1)[:, None] * corners
    p, q, r, s = low + here, low + there, low + corners + there, low + corners + here
    first, last = count * corners, count * corners + 1
    end = (count - 1) * corners
    triangles = [
        np.stack([p, q, r], axis=-1).reshape(-1, 3),
        np.stack([p, r, s], axis=-1).reshape(-1, 3),
        np.stack([there, here, np.full(corners, first)], axis=-1),
        np.stack([end + here, end + there, np.full(corners, last)], axis=-1),
    ]
    found = np.concatenate(triangles)
    # orient outward, whichever way the sections are traversed
    a, b, c = (vertices[found[:, k]] - vertices[0] for k in range(3))
    inside_out = float(np.einsum("ij,ij->", a, np.cross(b, c))) < 0.0
    return Mesh(vertices, found[:, ::-1] if inside_out else found)


def tube(points: Sequence[Sequence[float]], radius: float, around: int = AROUND) -> Mesh:
    """A round bar along a path: a bent pipe, a handlebar, a wire.

    Args:
        points: points of its center line [m]; consecutive points differ.
        radius: radius of the bar [m].
        around: corners of its section.
    """
    path = table(points, "the path of a tube", 3, 2)
    r = number(size(radius, "the radius of a tube"), "the radius of a tube")
    steps = np.diff(path, axis=0)
    lengths = np.linalg.norm(steps, axis=1, keepdims=True)
    if lengths.min() == 0.0:
        raise InputError(
            "two consecutive points on the path of a tube are equal", fix="Remove one of them."
        )
    along = _tangents(steps / lengths)
    turn = 2.0 * math.pi * np.arange(around) / around
    side = _across(along[0])
    rings = []
    for p, t in zip(path, along, strict=True):
        # parallel transport from ring to ring, without twist
        side = side - (side @ t) * t
        side /= np.linalg.norm(side)
        up = np.cross(t, side)
        rings.append(p + r * (np.cos(turn)[:, None] * side + np.sin(turn)[:, None] * up))
    return loft([ring.tolist() for ring in rings])


def _tangents(directions: Array) -> Array:
    """Tangents at the points of a path: mean of the directions before and after."""
    ends = np.vstack([directions[:1], directions, directions[-1:]])
    mean = ends[:-1] + ends[1:]
    sizes = np.linalg.norm(mean, axis=1, keepdims=True)
    # where the path reverses, use the direction before
    return np.asarray(np.where(sizes > 1e-9, mean / np.maximum(sizes, 1e-9), ends[:-1]))


def _across(t: Array) -> Array:
    """A unit vector perpendicular to another one."""
    side = np.cross(t, np.eye(3)[int(np.argmin(np.abs(t)))])
    return np.asarray(side / np.linalg.norm(side))
