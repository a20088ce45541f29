"""Looks of the tilting vehicle: a slim cabin with a canopy on a rear module, cones and a course.

Outlines are those of the full-size vehicle [m] and scaled with it: origin on the road below the
rear axle, x ahead, y to the left.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import inloop as il
from inloop.gallery import GROUND, parts
from inloop.gallery.tilting_vehicle.controllers.course import weave_cones
from inloop.gallery.tilting_vehicle.data import CLEVER

Point = tuple[float, float, float]
YELLOW, WHITE, GLASS, ROAD, CONE = "#e3b21f", "#eef0f1", "#9fc4d8", "#5d6166", "#d9541e"
# stations of the body: x, half width, bottom and top
TUB = (
    (2.30, 0.05, 0.52, 0.58), (2.18, 0.16, 0.42, 0.66), (1.95, 0.24, 0.34, 0.76),
    (1.60, 0.31, 0.26, 0.86), (1.20, 0.35, 0.24, 0.90), (0.75, 0.35, 0.24, 0.92),
    (0.45, 0.32, 0.28, 0.96), (0.20, 0.26, 0.38, 0.98), (0.06, 0.16, 0.52, 0.90),
)  # fmt: skip
CANOPY = (
    (1.72, 0.14, 0.80, 0.84), (1.50, 0.24, 0.84, 1.06), (1.20, 0.28, 0.86, 1.26),
    (0.85, 0.29, 0.88, 1.34), (0.50, 0.27, 0.90, 1.30), (0.25, 0.20, 0.92, 1.12),
    (0.12, 0.10, 0.94, 1.00),
)  # fmt: skip


def tilting_looks(*, size: float, **_others: object) -> Mapping[str, tuple[il.Visual, ...]]:
    """Looks of all bodies, the course and its cones; takes the options of the exhibit."""
    s = size
    return {
        GROUND: tuple(_course(s)),
        "rear": tuple(_module(s)),
        "cabin": tuple(_cabin(s)),
        "fork": tuple(_fork(s)),
        "wheel_left": _wheel(s, 1),
        "wheel_right": _wheel(s, -1),
        "wheel_front": _wheel(s, 1),
    }


def _course(s: float) -> Iterator[il.Visual]:
    """Dark ground with white lines, and the cones of the weave."""
    if s > 0.5:
        return
    wide, deep = 5.3, 2.4
    yield il.visual(il.box((wide, deep, 0.02)), (0.0, 0.0, -0.012), ROAD, material="felt")
    for y in (-0.5 * deep + 0.05, 0.5 * deep - 0.05):
        yield il.visual(il.box((wide - 0.1, 0.025, 0.002)), (0.0, y, -0.0015), WHITE)
    for x in (-0.5 * wide + 0.05, 0.5 * wide - 0.05):
        yield il.visual(il.box((0.025, deep - 0.1, 0.002)), (x, 0.0, -0.0015), WHITE)
    for x, y in weave_cones():
        yield from _cone((x, y, 0.0))


def _cone(at: Point) -> Iterator[il.Visual]:
    x, y, z = at
    yield il.visual(il.box((0.1, 0.1, 0.008)), (x, y, z + 0.004), parts.DARK, material="rubber")
    yield il.visual(il.lathe([(0.0, 0.0), (0.04, 0.0), (0.008, 0.16), (0.0, 0.16)]), at, CONE,
                    material="paint")  # fmt: skip
    yield il.visual(il.lathe([(0.0, 0.06), (0.0285, 0.06), (0.0205, 0.095), (0.0, 0.095)]), at,
                    WHITE, material="paint")  # fmt: skip


def _module(s: float) -> Iterator[il.Visual]:
    """Axle, motor, a bearing about the tilt axis and the potentiometer on its shaft."""
    half, r = 0.5 * CLEVER.track, CLEVER.radius
    yield il.visual(il.cylinder(0.035 * s, 2.0 * half * s, "y"), _at(s, 0.0, 0.0, r), parts.STEEL,
                    material="metal")  # fmt: skip
    yield il.visual(il.box(_at(s, 0.34, 0.44, 0.2)), _at(s, -0.02, 0.0, r), parts.DARK,
                    material="paint")  # fmt: skip
    yield il.visual(il.cylinder(0.11 * s, 0.36 * s, "x"), _at(s, -0.02, 0.0, 0.42), parts.IRON,
                    material="metal")  # fmt: skip
    for y in (-0.15, 0.15):
        yield il.rod(_at(s, 0.0, y, r), _at(s, 0.24, 0.0, 0.16), 0.03 * s, parts.STEEL,
                     material="metal")  # fmt: skip
    yield il.visual(il.cylinder(0.075 * s, 0.16 * s, "x"), _at(s, 0.26, 0.0, 0.14), parts.IRON,
                    material="metal")  # fmt: skip
    # mudguard with lamps
    for side in (-1.0, 1.0):
        yield il.visual(il.box(_at(s, 0.05, 0.1, 0.06)), _at(s, -0.2, 0.24 * side, 0.36), "#b3261e",
                        material="glass")  # fmt: skip


def _cabin(s: float) -> Iterator[il.Visual]:
    """Tub, canopy, the shaft that carries it, and the strut that holds the fork."""
    yield il.visual(il.loft([_ring(s, *station) for station in TUB]), color=YELLOW,
                    material="paint")  # fmt: skip
    yield il.visual(il.loft([_ring(s, *station) for station in CANOPY]), color=GLASS,
                    material="glass")  # fmt: skip
    yield il.visual(il.cylinder(0.04 * s, 0.7 * s, "x"), _at(s, 0.5, 0.0, 0.14), parts.STEEL,
                    material="metal")  # fmt: skip
    yield il.rod(_at(s, 0.8, 0.0, 0.14), _at(s, 0.8, 0.0, 0.3), 0.05 * s, parts.IRON,
                 material="metal")  # fmt: skip
    for y in (-0.17, 0.17):
        lamp = _at(s, 2.14, y * 0.75, 0.56)
        yield il.visual(il.cylinder(0.055 * s, 0.03 * s, "x"), lamp, WHITE, material="glass")
    # torque cell: two holes in a block, on the shaft
    yield il.visual(il.box(_at(s, 0.14, 0.1, 0.1)), _at(s, 0.42, 0.0, 0.14), parts.BRASS,
                    material="metal")  # fmt: skip
    yield il.rod(_at(s, 2.15, 0.0, 0.55), _at(s, 2.4, 0.0, 0.66), 0.035 * s, parts.DARK,
                 material="metal")  # fmt: skip


def _fork(s: float) -> Iterator[il.Visual]:
    """Two blades from the hub up to the head; origin in the hub."""
    head = (0.0, 0.0, 0.38 * s)
    for y in (-0.1, 0.1):
        yield il.rod((0.0, y * s, 0.0), (0.0, y * s, 0.36 * s), 0.022 * s, parts.STEEL,
                     material="metal")  # fmt: skip
    yield il.visual(il.box((0.08 * s, 0.26 * s, 0.05 * s)), head, parts.IRON, material="metal")
    turns = [math.radians(20.0 + 120.0 * k / 12) for k in range(13)]
    sheet = il.loft([_sheet(s, a) for a in turns])
    yield il.visual(sheet, color=YELLOW, material="paint")


def _sheet(s: float, a: float) -> list[Point]:
    """A section of the mudguard over the front wheel."""
    near, wide = (CLEVER.radius + 0.035) * s, 0.075 * s
    corners = ((near, wide), (near + 0.012 * s, wide), (near + 0.012 * s, -wide), (near, -wide))
    return [(r * math.cos(a), y, r * math.sin(a)) for r, y in corners]


def _wheel(s: float, side: int) -> tuple[il.Visual, ...]:
    return parts.car_wheel(CLEVER.radius * s, 0.11 * s, side)


def _ring(s: float, x: float, half: float, low: float, high: float) -> list[Point]:
    """A section with round shoulders, counterclockwise seen from behind."""
    middle, up = 0.5 * (low + high), 0.5 * (high - low)
    turns: Sequence[float] = [2.0 * math.pi * k / 28 for k in range(28)]
    return [
        _at(s, x, -half * _round(math.sin(a)), middle + up * _round(math.cos(a))) for a in turns
    ]  # fmt: skip


def _round(x: float) -> float:
    """Coordinate on a superellipse, from that on a circle."""
    return math.copysign(abs(x) ** 0.7, x)


def _at(s: float, x: float, y: float, z: float) -> Point:
    return (s * x, s * y, s * z)
