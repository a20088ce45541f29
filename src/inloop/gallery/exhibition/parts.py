"""Machine parts for looks: bars with eyes, bearings, brackets, wheels."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

import inloop as il

Place = Sequence[float] | str
STEEL, IRON, DARK = "#aab2ba", "#6b747d", "#343a41"
BRASS, COPPER = "#c9a227", "#b87545"
RED, ORANGE, BLUE, GREEN, CREAM = "#b3402a", "#d8792a", "#2f6f9f", "#4c8a63", "#ece5d6"
RUBBER = "#26282b"
# directions of a planar mechanism as seen by the viewer: right, up, towards the viewer
SEEN = {
    "xy": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "xz": ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)),
}


def bearing(
    at: Place, radius: float, width: float, axis: str | Sequence[float], color: str = IRON
) -> tuple[il.Visual, ...]:
    """A bushing about an axis, with the bright end of its pin; sizes [m]."""
    return (
        il.visual(il.cylinder(radius, width, axis), at, color, material="metal"),
        il.visual(il.cylinder(0.45 * radius, 1.25 * width, axis), at, STEEL, material="metal"),
    )


def bar(
    a: Place, b: Place, radius: float, color: str, axis: str | Sequence[float]
) -> tuple[il.Visual, ...]:
    """A painted bar with a bearing at either end; follows points given by name; radius [m]."""
    eyes = (bearing(at, 2.0 * radius, 3.0 * radius, axis) for at in (a, b))
    return (il.rod(a, b, radius, color, material="paint"), *(part for eye in eyes for part in eye))


def bracket(at: Place, size: float, plane: str, *, hangs: bool = False) -> tuple[il.Visual, ...]:
    """A foot that carries a bearing, or a hanger with `hangs`, in a plane of `SEEN`.

    Args:
        at: position of the bearing, on the ground.
        size: distance from the bearing to the foot [m].
        plane: "xy" or "xz".
        hangs: the foot is above the bearing.
    """
    right, up, towards = (np.array(axis) for axis in SEEN[plane])
    way = 1.0 if hangs else -1.0
    web = [(-0.55 * size, way * size), (0.55 * size, way * size), (0.3 * size, -0.2 * way * size),
           (-0.3 * size, -0.2 * way * size)]  # fmt: skip
    behind = tuple((-0.32 * size * towards).tolist())
    foot = tuple((way * 1.06 * size * up - 0.1 * size * towards).tolist())
    extent = tuple((1.5 * size * right + 0.16 * size * up + 0.8 * size * np.abs(towards)).tolist())
    return (
        _moved(il.plate(web, 0.2 * size, plane), at, behind, IRON),
        _moved(il.box(extent), at, foot, DARK),
        *bearing(at, 0.22 * size, 0.62 * size, tuple(towards.tolist())),
    )


def _moved(shape: il.Shape, at: Place, by: Sequence[float], color: str) -> il.Visual:
    """A shape moved off a point; the coordinates of a point given by name are not known here."""
    if isinstance(at, str):
        surface = shape.surface()
        shape = il.Mesh(surface.vertices + np.array(by), surface.triangles)
        return il.visual(shape, at, color, material="paint")
    return il.visual(shape, tuple(np.add(at, by).tolist()), color, material="paint")


def ball(at: Place, radius: float, color: str = STEEL) -> il.Visual:
    """A ball joint, or the bob of a pendulum [m]."""
    return il.visual(il.sphere(radius), at, color, material="metal")


@functools.cache
def tyre(radius: float, inner: float, width: float, axis: str = "y") -> il.Mesh:
    """A tyre with flat tread and round shoulders; sizes [m]."""
    w, h = 0.5 * width, radius - inner
    return il.lathe(
        [
            (inner, -0.80 * w), (inner + 0.25 * h, -0.97 * w), (inner + 0.55 * h, -w),
            (inner + 0.82 * h, -0.95 * w), (radius - 0.03 * h, -0.82 * w), (radius, -0.68 * w),
            (radius, 0.68 * w), (radius - 0.03 * h, 0.82 * w), (inner + 0.82 * h, 0.95 * w),
            (inner + 0.55 * h, w), (inner + 0.25 * h, 0.97 * w), (inner, 0.80 * w),
        ],
        axis,
    )  # fmt: skip


@functools.cache
def rim(radius: float, width: float, axis: str = "y") -> il.Mesh:
    """The well of a rim, open at both sides; sizes [m]."""
    w = 0.5 * width
    return il.lathe(
        [
            (0.86 * radius, -0.5 * w), (0.93 * radius, -0.86 * w), (1.03 * radius, -0.9 * w),
            (1.03 * radius, -0.8 * w), (0.95 * radius, -0.5 * w), (0.95 * radius, 0.5 * w),
            (1.03 * radius, 0.8 * w), (1.03 * radius, 0.9 * w), (0.93 * radius, 0.86 * w),
            (0.86 * radius, 0.5 * w),
        ],
        axis,
    )  # fmt: skip


def car_wheel(radius: float, width: float, side: int) -> tuple[il.Visual, ...]:
    """Tyre, rim with five spokes, brake disc; about y, outside towards side · y; sizes [m]."""
    inner, spokes = 0.66 * radius, 5
    out = 0.22 * width * side
    turns = [2.0 * math.pi * k / spokes for k in range(spokes)]
    return (
        il.visual(tyre(radius, inner, width), color=RUBBER, material="rubber"),
        il.visual(rim(inner, width), color=STEEL, material="metal"),
        *(
            il.rod((0.0, out, 0.0), (0.9 * inner * math.cos(a), out, 0.9 * inner * math.sin(a)),
                   0.075 * inner, STEEL, material="metal")
            for a in turns
        ),
        il.disc((0.0, 0.3 * out, 0.0), (0.0, 1.5 * out, 0.0), 0.24 * inner, IRON, material="metal"),
        il.disc((0.0, -1.1 * out, 0.0), (0.0, -0.9 * out, 0.0), 0.72 * inner, IRON,
                material="metal"),
    )  # fmt: skip
