"""Solids of revolution as meshes, from an outline."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inloop.errors import InputError
from inloop.geometry.mesh import Mesh
from inloop.geometry.sizes import Axis, direction, rotation_to, table
from inloop.geometry.surface import revolved

AROUND = 40  # corners of its circles
ON_AXIS = 1e-12  # relative to the largest radius: nearer points are on the axis


def lathe(profile: Sequence[Sequence[float]], axis: Axis = "z", around: int = AROUND) -> Mesh:
    """A solid of revolution, such as a tyre, a piston or a turned foot.

    Args:
        profile: rows of radius and height along the axis [m], from the lowest end to the highest
            along the outside. An outline that begins and ends on the axis (radius 0) is a solid;
            otherwise its last point is joined to its first, which gives a ring.
        axis: "x", "-z", ... or three numbers, in the axes of the frame.
        around: corners of its circles.
    """
    outline = np.array(table(profile, "the profile of a lathe", 2, 3))
    if outline[:, 0].min() < 0.0:
        raise InputError("a radius of a lathe's profile is negative", fix="Write radii >= 0.")
    outline[outline[:, 0] <= ON_AXIS * outline[:, 0].max(), 0] = 0.0
    along = direction(axis, "the axis of a lathe")
    surface = revolved(outline, around).turned(rotation_to(along))
    return Mesh(surface.vertices, surface.triangles)
