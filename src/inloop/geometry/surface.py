"""Triangulated surfaces: bodies of revolution, checks, normals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from inloop.geometry.sizes import Array, Indices

AROUND = 32  # corners of a circle
CREASE = math.cos(math.radians(35.0))  # sharper edges are not smoothed
MOST_FACES_AT_ONE = 48  # triangles at a vertex; beyond this it is not smoothed


@dataclass(frozen=True)
class Surface:
    """Triangles of a surface, counterclockwise seen from outside.

    Attributes:
        vertices: shape (n, 3) [m].
        triangles: numbers of vertices, shape (m, 3).
    """

    vertices: Array
    triangles: Indices

    @property
    def bounds(self) -> Array:
        """Minimum and maximum coordinates, shape (2, 3) [m]."""
        return np.array([self.vertices.min(axis=0), self.vertices.max(axis=0)])

    def turned(self, R: Array) -> Surface:
        """The same surface, rotated."""
        return Surface(self.vertices @ R.T, self.triangles)

    def joined(self) -> Surface:
        """The same surface with equal vertices merged and degenerate triangles removed."""
        whole = self.joined_corners()
        a, b, c = whole.triangles.T
        return Surface(whole.vertices, whole.triangles[(a != b) & (b != c) & (c != a)])

    def joined_corners(self) -> Surface:
        """The same triangles in the same order, with equal vertices merged."""
        vertices, numbers = np.unique(self.vertices + 0.0, axis=0, return_inverse=True)
        return Surface(vertices, numbers.reshape(-1)[self.triangles])

    def open_edges(self) -> int:
        """Number of edges not shared by two consistently oriented triangles."""
        edges = self.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        # each edge must occur equally often in both directions
        low, high = edges.min(axis=1), edges.max(axis=1)
        numbers = low * (int(self.triangles.max(initial=0)) + 1) + high
        _, which = np.unique(numbers, return_inverse=True)
        balance = np.bincount(which.reshape(-1), np.where(edges[:, 0] == low, 1.0, -1.0))
        return int(np.count_nonzero(balance))


def revolved(profile: Array, around: int = AROUND) -> Surface:
    """A surface of revolution about z.

    Args:
        profile: rows of radius and z [m], from the lowest end to the highest along the outside.
            Ends on the axis close it; otherwise they are joined to each other, as in a torus.
        around: corners of its circles.
    """
    turn = 2.0 * math.pi * np.arange(around) / around
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    count = len(profile)
    rings = np.empty((count, around, 3))
    rings[:, :, :2] = profile[:, 0, None, None] * circle
    rings[:, :, 2] = profile[:, 1, None]
    on_axis = profile[0, 0] == 0.0 == profile[-1, 0]
    low = np.arange(count - 1 if on_axis else count)
    high = (low + 1) % count
    here, there = np.arange(around), (np.arange(around) + 1) % around
    a, b = low[:, None] * around + here, low[:, None] * around + there
    c, d = high[:, None] * around + there, high[:, None] * around + here
    quads = [np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)]
    triangles = np.concatenate([quad.reshape(-1, 3) for quad in quads])
    return Surface(rings.reshape(-1, 3), triangles).joined()


def corner_normals(surface: Surface) -> Array:
    """Normals at the three corners of each triangle, smooth except at sharp edges, shape (m, 3, 3).

    The normal at a corner is the area-weighted mean over the triangles at that vertex whose normals
    differ by less than the crease angle.
    """
    v, triangles = surface.vertices, surface.triangles
    across = np.cross(
        v[triangles[:, 1]] - v[triangles[:, 0]], v[triangles[:, 2]] - v[triangles[:, 0]]
    )
    lengths = np.linalg.norm(across, axis=1, keepdims=True)
    flat = across / np.where(lengths > 0.0, lengths, 1.0)
    corners = triangles.reshape(-1)
    faces = np.repeat(np.arange(len(triangles)), 3)
    order = np.argsort(corners, kind="stable")
    faces_at = faces[order]
    counts = np.bincount(corners, minlength=len(v))
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    normals = flat[faces]
    summed = np.zeros_like(normals)
    for k in range(min(int(counts.max(initial=0)), MOST_FACES_AT_ONE)):
        # the k-th triangle at the vertex of each corner
        has = counts[corners] > k
        other = faces_at[np.where(has, first[corners] + k, 0)]
        near = has & (np.einsum("ni,ni->n", normals, flat[other]) > CREASE)
        summed += np.where(near[:, None], across[other], 0.0)
    sizes = np.linalg.norm(summed, axis=1, keepdims=True)
    crowded = (counts[corners] > MOST_FACES_AT_ONE)[:, None] | (sizes == 0.0)
    found = np.where(crowded, normals, summed / np.where(sizes > 0.0, sizes, 1.0))
    return found.reshape(-1, 3, 3)
