"""Shapes that came with a model, such as those of a URDF file, as the page draws them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inloop.model import Body
from inloop.model.elements import Visual

ALONG = 1.0 - 1e-9  # of an edge: parallel to an axis of the body


def visual_shapes(body: Body) -> list[dict[str, Any]]:
    """Boxes along the body's axes, cylinders and spheres; meshes are not drawn."""
    found = [_shape(visual) for visual in body.visuals]
    return [shape for shape in found if shape is not None]


def _shape(visual: Visual) -> dict[str, Any] | None:
    numbers = (*visual.size, *visual.position, *(x for row in visual.rotation for x in row))
    if not all(isinstance(x, float | int) for x in numbers):
        return None  # follows from parameters
    center, R = np.array(visual.position, dtype=float), np.array(visual.rotation, dtype=float)
    color = _hex(visual.color)
    if visual.kind == "sphere":
        return {"kind": "ball", "center": center.tolist(), "radius": visual.size[0], **color}
    if visual.kind == "cylinder":
        half = 0.5 * visual.size[1] * R[:, 2]
        ends = {"a": (center - half).tolist(), "b": (center + half).tolist()}
        return {"kind": "cylinder", **ends, "radius": visual.size[0], **color}
    if visual.kind == "box" and np.all(np.max(np.abs(R), axis=0) > ALONG):
        size = (np.abs(R) @ np.array(visual.size)).tolist()
        return {"kind": "box", "center": center.tolist(), "size": size, **color}
    return None


def _hex(color: Sequence[float] | None) -> dict[str, str | None]:
    if color is None:
        return {"colour": None}
    red, green, blue = (round(255 * min(max(x, 0.0), 1.0)) for x in color[:3])
    return {"colour": f"#{red:02x}{green:02x}{blue:02x}"}
