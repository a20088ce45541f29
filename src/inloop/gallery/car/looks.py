"""Looks of the car: a light open two-seater with exposed wheels and suspensions.

Outlines are in axes of the chassis: x ahead, y to the left, origin in the front axle [m].
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import inloop as il
from inloop.gallery import parts
from inloop.gallery.car.anti_roll import HALF as BAR_HALF
from inloop.gallery.car.anti_roll import LEVER as BAR_LEVER
from inloop.gallery.car.model import CORNERS
from inloop.gallery.car.steering import LEAN, SEAT
from inloop.gallery.suspension.looks import WHEEL_SIDE, corner_looks, rack_looks
from inloop.gallery.suspension.model import TYRE_RADIUS

Point = tuple[float, float, float]
GREEN, TAN, LAMP = "#1f5c46", "#a9764a", "#f4efdd"
# stations of the body: x, half width, bottom and top; it is narrow between the arms
BODY = (
    (0.62, 0.12, 0.08, 0.24), (0.58, 0.17, 0.04, 0.30), (0.40, 0.25, -0.03, 0.37),
    (0.15, 0.30, -0.06, 0.42), (-0.25, 0.32, -0.07, 0.46), (-0.75, 0.42, -0.08, 0.50),
    (-1.05, 0.48, -0.08, 0.52),
)  # fmt: skip
TAIL = (
    (-1.05, 0.48, -0.08, 0.30), (-2.00, 0.50, -0.08, 0.30), (-2.02, 0.50, -0.08, 0.46),
    (-2.35, 0.46, -0.07, 0.47), (-2.60, 0.32, -0.05, 0.46), (-3.00, 0.31, -0.02, 0.44),
    (-3.22, 0.27, 0.05, 0.38), (-3.27, 0.2, 0.12, 0.32),
)  # fmt: skip


def car_looks(
    *, bars_as_laws: bool, pedals: bool, **_others: object
) -> Mapping[str, tuple[il.Visual, ...]]:
    """Body, seats, steering wheel, suspensions, wheels with mudguards; bars if they are bodies."""
    steering, column = _steering_wheel()
    looks: dict[str, tuple[il.Visual, ...]] = {
        "chassis": (*_shell(), *_inside(), column, *_lamps()),
        "weight": (il.visual(il.box((0.3, 0.34, 0.16)), (0.0, 0.0, 0.06), parts.IRON,
                             material="metal"),),
        "rack": rack_looks(CORNERS[:2]),
    }  # fmt: skip
    for corner in CORNERS:
        steered = corner.axle == "front"
        looks |= corner_looks(corner, steered=steered)
        looks[f"knuckle_{corner.name}"] += _mudguard(corner.side)
    if pedals:
        looks["steering_wheel"] = _at_origin(steering)
    else:
        looks["chassis"] += steering
    if not bars_as_laws:
        looks |= _bars()
    return looks


def _steering_wheel() -> tuple[tuple[il.Visual, ...], il.Visual]:
    """The wheel with its spokes, and the column that it sits on."""
    turned = _leaning(LEAN)
    wheel = il.visual(il.torus(0.16, 0.014, "x"), SEAT, parts.DARK, material="leather",
                      rotation=turned)  # fmt: skip
    spoke = il.visual(il.box((0.012, 0.3, 0.024)), SEAT, parts.STEEL, material="metal",
                      rotation=turned)  # fmt: skip
    column = il.rod(SEAT, (-1.06, 0.23, 0.46), 0.014, parts.STEEL, material="metal")
    return (wheel, spoke), column


def _at_origin(visuals: tuple[il.Visual, ...]) -> tuple[il.Visual, ...]:
    """The same visuals at the origin of their own body."""
    return tuple(
        il.Visual(v.shape, (0.0, 0.0, 0.0), v.rotation, v.color, material=v.material)
        for v in visuals
    )


def _bars() -> dict[str, tuple[il.Visual, ...]]:
    """Halves of the anti-roll bars, and their drop links."""
    bars: dict[str, tuple[il.Visual, ...]] = {}
    for axle in ("front", "rear"):
        for half, way in (("bar", 1.0), ("torsion", -1.0)):
            path = [(0.0, 0.0, 0.0), (0.0, way * (BAR_HALF - 0.04), 0.0),
                    (0.04, way * BAR_HALF, 0.0), (BAR_LEVER, way * BAR_HALF, 0.0)]  # fmt: skip
            bars[f"{half}_{axle}"] = (
                il.visual(il.tube(path, 0.012), color=parts.STEEL, material="metal"),
            )
        for side in ("left", "right"):
            bars[f"drop_{axle}_{side}"] = (
                il.rod((0.0, 0.0, 0.0), "end", 0.009, parts.DARK, material="metal"),
            )
    return bars


def _shell() -> tuple[il.Visual, ...]:
    """Bonnet and nose, then the tub with its tail."""
    return tuple(
        il.visual(il.loft([_ring(*station) for station in stations]), color=GREEN, material="paint")
        for stations in (BODY, TAIL)
    )


def _ring(x: float, half: float, low: float, high: float) -> list[Point]:
    """A section with round shoulders, counterclockwise seen from behind."""
    middle, up = 0.5 * (low + high), 0.5 * (high - low)
    turns = [2.0 * math.pi * k / 32 for k in range(32)]
    return [
        (x, -half * _square(math.sin(a)), middle + up * _square(math.cos(a))) for a in turns
    ]  # fmt: skip


def _square(x: float) -> float:
    """Coordinate on a superellipse of exponent six, from that on a circle."""
    return math.copysign(abs(x) ** (1.0 / 3.0), x)


def _inside() -> tuple[il.Visual, ...]:
    """Seats, windscreen and roll bar."""
    seats = [
        part
        for y in (-0.23, 0.23)
        for part in (
            il.visual(il.box((0.46, 0.38, 0.1)), (-1.72, y, 0.33), TAN, material="leather"),
            il.visual(il.box((0.09, 0.38, 0.5)), (-1.97, y, 0.54), TAN, material="leather",
                      rotation=_leaning(-0.22)),
        )
    ]  # fmt: skip
    screen = il.visual(il.box((0.012, 0.92, 0.27)), (-1.1, 0.0, 0.63), (0.75, 0.86, 0.92, 0.35),
                       material="glass", rotation=_leaning(-0.3))  # fmt: skip
    hoop = [(-2.12, 0.46 * math.cos(a), 0.4 + 0.52 * math.sin(a) ** 0.6)
            for a in (math.pi * k / 24 for k in range(25))]  # fmt: skip
    bar = il.visual(il.tube(hoop, 0.022), color=parts.STEEL, material="metal")
    return (*seats, screen, bar)


def _lamps() -> tuple[il.Visual, ...]:
    """Head lamps on the sides of the nose, red ones at the tail, a grille, an exhaust."""
    heads = [
        part
        for y in (-0.33, 0.33)
        for part in (
            il.visual(il.lathe([(0.0, -0.08), (0.05, -0.06), (0.085, 0.0), (0.085, 0.035),
                                (0.0, 0.035)], "x"), (0.3, y, 0.44), parts.STEEL, material="metal"),
            il.visual(il.cylinder(0.078, 0.012, "x"), (0.336, y, 0.44), LAMP, material="glass"),
        )
    ]  # fmt: skip
    tails = [
        il.visual(il.cylinder(0.045, 0.03, "x"), (-3.2, y, 0.28), "#b3261e", material="glass")
        for y in (-0.2, 0.2)
    ]
    grille = il.visual(il.box((0.02, 0.2, 0.12)), (0.612, 0.0, 0.16), parts.DARK, material="metal")
    pipe = il.rod((-0.5, 0.47, 0.06), (-2.6, 0.56, 0.06), 0.032, parts.STEEL, material="metal")
    return (*heads, *tails, grille, pipe)


def _mudguard(side: int) -> tuple[il.Visual, ...]:
    """A bent sheet over the upper half of a wheel, on its knuckle."""
    wide, near = 0.105, TYRE_RADIUS + 0.035
    out = side * WHEEL_SIDE

    def section(a: float, radius: float) -> Sequence[Point]:
        x, z = math.cos(a), math.sin(a)
        corners = ((radius, wide), (radius + 0.014, wide * 0.96), (radius + 0.014, -wide * 0.96),
                   (radius, -wide))  # fmt: skip
        return [(r * x, out + y, -0.1 + r * z) for r, y in corners]

    turns = [math.radians(15.0 + 150.0 * k / 20) for k in range(21)]
    sheet = il.loft([section(a, near) for a in turns])
    return (il.visual(sheet, color=GREEN, material="paint"),)


def _leaning(angle: float) -> tuple[Point, Point, Point]:
    """Turned about y [rad]."""
    c, s = math.cos(angle), math.sin(angle)
    return ((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c))
