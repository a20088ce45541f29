"""Polygons: area, centroid, second moments, triangulation."""

from __future__ import annotations

import numpy as np

from inloop.geometry.sizes import Array


def polygon_moments(corners: Array) -> tuple[float, Array, Array]:
    """Signed area [m²], center [m] and second moments ∫ x xᵀ dA about the origin [m⁴]."""
    a, b = corners, np.roll(corners, -1, axis=0)
    cross = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    area = 0.5 * float(cross.sum())
    if area == 0.0:
        return 0.0, corners.mean(axis=0), np.zeros((2, 2))
    center = cross @ (a + b) / (6.0 * area)
    # over the triangle of origin, a and b: cross/24 (a aᵀ + b bᵀ + (a + b)(a + b)ᵀ)
    second = sum(np.einsum("n,ni,nj->ij", cross, v, v) for v in (a, b, a + b)) / 24.0
    return area, center, np.asarray(second)


def cut_into_triangles(corners: Array) -> list[tuple[int, int, int]]:
    """Triangulate a counterclockwise polygon by ear clipping."""
    left = list(range(len(corners)))
    found: list[tuple[int, int, int]] = []
    while len(left) > 3:
        k = next((k for k in range(len(left)) if _is_ear(corners, left, k)), 0)
        found.append((left[k - 1], left[k], left[(k + 1) % len(left)]))
        del left[k]
    return [*found, (left[0], left[1], left[2])]


def _is_ear(corners: Array, left: list[int], k: int) -> bool:
    a, b, c = left[k - 1], left[k], left[(k + 1) % len(left)]
    if _turn(corners[a], corners[b], corners[c]) <= 0.0:
        return False
    others = (p for p in left if p not in (a, b, c))
    return not any(
        all(_turn(corners[s], corners[t], corners[p]) >= 0.0 for s, t in ((a, b), (b, c), (c, a)))
        for p in others
    )


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
