"""What there is to see of a road, as plain data: surface, marks, lanes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Reals = np.ndarray[Any, np.dtype[np.float64]]
Indices = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, eq=False)
class RoadMark:
    """A line painted on a road.

    Attributes:
        points: along its middle, in world axes, (n, 3) [m].
        width: [m].
        color: "white", "yellow", …, as in the file.
        dash: lengths of a stroke and of the gap behind it [m]; None: solid.
    """

    points: Reals
    width: float = 0.12
    color: str = "white"
    dash: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class RoadLane:
    """A lane of a road.

    Attributes:
        number: as in OpenDRIVE: negative to the right of the reference line.
        kind: "driving", "shoulder", "border", …, as in the file.
        left: its left edge as seen along the reference line, in world axes, (n, 3) [m].
        right: its right edge.
    """

    number: int
    kind: str
    left: Reals
    right: Reals


@dataclass(frozen=True, eq=False)
class RoadMesh:
    """The surface of a road as triangles, seen from above counter-clockwise.

    Attributes:
        vertices: in world axes, (n, 3) [m].
        triangles: three numbers of vertices each, (m, 3).
    """

    vertices: Reals
    triangles: Indices


def mesh_of_rows(rows: Reals) -> RoadMesh:
    """Triangles between rows of points, (rows, columns, 3); columns lie to the left of each other.

    Rows follow each other forwards.
    """
    n, m = rows.shape[:2]
    corner = (np.arange(n - 1)[:, None] * m + np.arange(m - 1)).ravel()
    ahead, left = corner + m, corner + 1
    both = np.stack([corner, ahead, ahead + 1, corner, ahead + 1, left], axis=1)
    return RoadMesh(rows.reshape(-1, 3), both.reshape(-1, 3))


def joined(meshes: list[RoadMesh]) -> RoadMesh:
    """Several as one."""
    counts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    return RoadMesh(
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate([m.triangles + k for m, k in zip(meshes, counts, strict=False)]),
    )
