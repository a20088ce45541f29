"""Looks of the kart bench: a tubular kart on a belt, its cell, a desk with the remote wheel."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import inloop as il
from inloop.gallery import GROUND, Point, parts
from inloop.gallery.kart import data
from inloop.gallery.kart.data import CORNERS, HALF_BASE, HALF_TRACK, RADIUS
from inloop.gallery.kart.model import DESK, LEAN

BELT, FRAME, RED, WOOD = "#3b3f44", "#8d969f", "#b8322a", "#a9764a"
HEIGHT = 0.12  # default height of the cell, origin of the kart [m]
NEEDLES = {"front_left": "#1f5fa8", "front_right": "#c2410c", "rear_left": "#2f855a",
           "rear_right": "#7a4fa0"}  # fmt: skip


def kart_looks(*, gauges: bool) -> Mapping[str, tuple[il.Visual, ...]]:
    """Looks of all bodies; takes the options of the exhibit."""
    looks: dict[str, tuple[il.Visual, ...]] = {
        GROUND: tuple(_bench(gauges)),
        "kart": tuple(_chassis()),
        "column": tuple(_column()),
        "hand_wheel": tuple(_hand_wheel()),
        "roller_front": tuple(_roller()),
        "roller_rear": tuple(_roller()),
    }
    for corner, (ahead, side) in CORNERS.items():
        looks[f"wheel_{corner}"] = parts.car_wheel(RADIUS, data.WIDTH, int(side))
        if ahead > 0.0:
            looks[f"knuckle_{corner}"] = tuple(_knuckle(side))
        if gauges:
            looks[f"needle_{corner}"] = tuple(_needle(NEEDLES[corner]))
    return looks


def _bench(gauges: bool) -> Iterator[il.Visual]:
    """Belt, rails, the post of the cell, the desk, scales of the gauges."""
    ahead, deep = data.ROLLER_AHEAD, data.ROLLER
    for z in (-0.004, -2.0 * deep - 0.008):
        yield il.visual(il.box((2.0 * ahead, 0.92, 0.006)), (0.0, 0.0, z), BELT, material="rubber")
    for y in (-0.52, 0.52):
        yield il.visual(il.box((2.0 * ahead + 0.24, 0.05, 0.1)), (0.0, y, -deep), FRAME,
                        material="metal")  # fmt: skip
        for x in (-ahead + 0.12, ahead - 0.12):
            yield il.visual(il.box((0.06, 0.05, 0.3)), (x, y, -deep - 0.2), parts.DARK,
                            material="paint")  # fmt: skip
    # arch over the kart, from which the cell hangs
    for y in (-0.52, 0.52):
        yield il.rod((-0.02, y, -0.04), (-0.02, y, 0.36), 0.016, FRAME, material="metal")
    yield il.rod((-0.02, -0.52, 0.36), (-0.02, 0.52, 0.36), 0.016, FRAME, material="metal")
    yield il.rod((-0.02, 0.0, 0.36), (-0.02, 0.0, 0.24), 0.014, FRAME, material="metal")
    yield from _cell()
    yield from _desk()
    if gauges:
        for ahead_, side in CORNERS.values():
            at = (ahead_ * (HALF_BASE + 0.22), side * HALF_TRACK, 0.004)
            yield il.visual(il.box((0.05, 0.36, 0.004)), at, parts.CREAM, material="paint")
            for k in range(-4, 5):
                tick = (at[0], at[1] + 10.0 * data.GAUGE * k, 0.0065)
                wide = 0.004 if k else 0.008
                yield il.visual(il.box((0.034, wide, 0.002)), tick, parts.DARK, material="paint")


def _cell() -> Iterator[il.Visual]:
    """A binocular block: two holes side by side, gauges on it."""
    yield il.visual(il.box((0.05, 0.05, 0.1)), (-0.02, 0.0, 0.19), parts.BRASS, material="metal")
    for z in (0.165, 0.215):
        yield il.visual(il.cylinder(0.017, 0.053, "y"), (-0.02, 0.0, z), parts.DARK,
                        material="metal")  # fmt: skip


def _desk() -> Iterator[il.Visual]:
    x, _, z = DESK
    yield il.visual(il.box((0.3, 0.6, 0.03)), (x - 0.02, 0.0, z - 0.2), WOOD, material="wood")
    for y in (-0.26, 0.26):
        yield il.rod((x - 0.02, y, z - 0.2), (x - 0.02, y, -0.45), 0.018, parts.DARK,
                     material="paint")  # fmt: skip
    foot = (x + 0.16 * math.cos(LEAN), 0.0, z - 0.16 * math.sin(LEAN) - 0.1)
    yield il.rod(DESK, foot, 0.014, parts.STEEL, material="metal")
    # sheaths of the cables, from the desk to the column of the kart
    for y in (-0.03, 0.03):
        path = [
            (x + 0.08, y, z - 0.1), (x + 0.3, 3.0 * y, z - 0.06), (-0.45, 4.0 * y, 0.32),
            (-0.1, 4.5 * y, 0.42), (0.2, 3.0 * y, 0.34), (HALF_BASE - 0.06, 2.0 * y, 0.13),
        ]  # fmt: skip
        yield il.visual(il.tube(_smooth(path), 0.007), color=parts.RUBBER, material="rubber")


def _smooth(path: list[Point]) -> list[Point]:
    """Points on a curve through some points (Catmull & Rom)."""
    ends = [path[0], *path, path[-1]]
    curve = []
    for a, b, c, d in zip(ends, ends[1:], ends[2:], ends[3:], strict=False):
        for t in (0.0, 0.25, 0.5, 0.75):
            weights = (
                -0.5 * t + t**2 - 0.5 * t**3, 1.0 - 2.5 * t**2 + 1.5 * t**3,
                0.5 * t + 2.0 * t**2 - 1.5 * t**3, -0.5 * t**2 + 0.5 * t**3,
            )  # fmt: skip
            x, y, z = (
                sum(w * p[k] for w, p in zip(weights, (a, b, c, d), strict=True)) for k in range(3)
            )
            curve.append((x, y, z))
    return [*curve, path[-1]]


def _chassis() -> Iterator[il.Visual]:
    """Tubes, floor, seat, bumper; relative to the cell."""
    low = RADIUS - HEIGHT - 0.03
    for y in (-0.14, 0.14):
        path = [(-0.46, 0.6 * y, low), (-0.4, y, low), (0.28, y, low), (0.46, 0.5 * y, low)]
        yield il.visual(il.tube(path, 0.013), color=RED, material="paint")
    for x in (-0.46, 0.46):
        wide = 0.2 if x < 0.0 else 0.16
        yield il.rod((x, -wide, low), (x, wide, low), 0.014, parts.STEEL, material="metal")
    yield il.visual(il.box((0.5, 0.26, 0.008)), (0.05, 0.0, low - 0.01), FRAME, material="metal")
    yield il.rod((-HALF_BASE, -HALF_TRACK, RADIUS - HEIGHT), (-HALF_BASE, HALF_TRACK,
                 RADIUS - HEIGHT), 0.012, parts.STEEL, material="metal")  # fmt: skip
    for y in (-1.0, 1.0):
        yield il.rod((HALF_BASE, 0.1 * y, low), (HALF_BASE, y * (HALF_TRACK - 0.05),
                     RADIUS - HEIGHT), 0.012, RED, material="paint")  # fmt: skip
    yield il.visual(il.box((0.2, 0.24, 0.03)), (-0.2, 0.0, low + 0.03), parts.DARK,
                    material="leather")  # fmt: skip
    yield il.visual(il.box((0.03, 0.24, 0.2)), (-0.31, 0.0, low + 0.12), parts.DARK,
                    material="leather")  # fmt: skip
    yield il.visual(il.box((0.14, 0.12, 0.1)), (-HALF_BASE - 0.02, 0.18, low + 0.05), parts.IRON,
                    material="metal")  # fmt: skip
    # up to the cell
    yield il.rod((-0.02, 0.0, low), (-0.02, 0.0, 0.02), 0.014, parts.STEEL, material="metal")


def _column() -> Iterator[il.Visual]:
    """A drum for the cables, with the arm that moves the tie rods."""
    yield il.visual(il.cylinder(data.COLUMN_DRUM, 0.014, "z"), (0.0, 0.0, 0.02), parts.BRASS,
                    material="metal")  # fmt: skip
    yield il.visual(il.cylinder(0.01, 0.1, "z"), (0.0, 0.0, 0.03), parts.STEEL, material="metal")
    yield il.visual(il.box((0.09, 0.016, 0.012)), (-0.04, 0.0, 0.0), parts.IRON, material="metal")


def _knuckle(side: float) -> Iterator[il.Visual]:
    yield il.visual(il.cylinder(0.014, 0.09, "z"), (0.0, -0.055 * side, 0.0), parts.STEEL,
                    material="metal")  # fmt: skip
    yield il.rod((0.0, -0.055 * side, 0.0), (0.0, 0.0, 0.0), 0.01, parts.STEEL, material="metal")
    yield il.rod((0.0, -0.055 * side, 0.0), (-0.075, -0.07 * side, 0.0), 0.007, parts.IRON,
                 material="metal")  # fmt: skip
    # half of the tie rod, since the wheels turn together
    yield il.rod((-0.075, -0.07 * side, 0.0), (-0.075, -0.27 * side, 0.0), 0.006, parts.STEEL,
                 material="metal")  # fmt: skip


def _hand_wheel() -> Iterator[il.Visual]:
    """The remote wheel, about an axis inclined to the driver."""
    c, s = math.cos(LEAN), math.sin(LEAN)
    turned = ((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c))
    here = (0.0, 0.0, 0.0)
    yield il.visual(il.torus(0.14, 0.013, "x"), here, parts.DARK, material="leather",
                    rotation=turned)  # fmt: skip
    yield il.visual(il.box((0.012, 0.26, 0.028)), here, parts.STEEL, material="metal",
                    rotation=turned)  # fmt: skip
    yield il.visual(il.cylinder(0.03, 0.02, "x"), here, RED, material="paint", rotation=turned)
    mark = (0.14 * s, 0.0, 0.14 * c)
    yield il.visual(il.sphere(0.016), mark, RED, material="paint")


def _roller() -> Iterator[il.Visual]:
    yield il.visual(il.cylinder(data.ROLLER, 0.94, "y"), color=parts.IRON, material="metal")
    for k in range(3):
        a = 2.0 * math.pi * k / 3
        at = (0.9 * data.ROLLER * math.cos(a), 0.0, 0.9 * data.ROLLER * math.sin(a))
        yield il.visual(il.cylinder(0.012, 0.96, "y"), at, parts.BRASS, material="metal")


def _needle(color: str) -> Iterator[il.Visual]:
    """A bright slider with a pointer across its scale."""
    yield il.visual(il.box((0.056, 0.012, 0.012)), color=color, material="paint")
    yield il.visual(il.lathe([(0.0, 0.0), (0.024, 0.0), (0.0, 0.055)]), (0.0, 0.0, 0.006), color,
                    material="paint")  # fmt: skip
