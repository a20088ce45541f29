"""Looks of a double-wishbone suspension: arms, upright, tie rod, wheel, in body axes."""

from __future__ import annotations

from collections.abc import Mapping

import inloop as il
from inloop.gallery import parts
from inloop.gallery.suspension.model import (
    ARM,
    LOWER_BALL,
    PIVOT_Y,
    RACK,
    RACK_HALF,
    SPRING_ON_ARM,
    SPRING_ON_CHASSIS,
    STEERING_ARM,
    TYRE_RADIUS,
    UPPER_Z,
    WHEEL_CENTER,
    Corner,
)

TYRE_WIDTH = 0.19  # [m]
LOWER_SPAN, UPPER_SPAN = 0.17, 0.12  # from the middle of an arm to its two pivots, along x [m]
WHEEL_SIDE = 0.07  # distance of the tyre's middle outside the ball joints [m]


def suspension_looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """A corner of a car, and its side of the frame."""
    corner = Corner("left", 1, 0.0)
    y, high = PIVOT_Y - 0.03, SPRING_ON_CHASSIS + 0.03
    # a frame of tubes through the pivots, and a seat for the spring above them
    ways = [
        ((-0.25, y, 0.0), (0.25, y, 0.0)), ((-0.2, y, UPPER_Z), (0.2, y, UPPER_Z)),
        ((-0.2, y, 0.0), (-0.15, y, UPPER_Z)), ((0.2, y, 0.0), (0.15, y, UPPER_Z)),
        ((-0.15, y, UPPER_Z), (0.0, y, high)), ((0.15, y, UPPER_Z), (0.0, y, high)),
    ]  # fmt: skip
    frame = [il.rod(a, b, 0.014, parts.IRON, material="paint") for a, b in ways]
    tower = il.disc((0.0, y + 0.03, high - 0.012), (0.0, y + 0.03, high + 0.012), 0.06,
                    parts.IRON, material="metal")  # fmt: skip
    x, _, z = RACK
    housing = il.disc((x, -0.05, z), (x, 0.14, z), 0.032, parts.IRON, material="metal")
    return {
        "chassis": (*frame, tower, housing),
        "rack": rack_looks((corner,)),
        **corner_looks(corner, steered=True),
    }


def rack_looks(corners: tuple[Corner, ...]) -> tuple[il.Visual, ...]:
    """The bar of the rack between its ends."""
    ends = [corner.along(RACK_HALF) for corner in corners]
    first = ends[1] if len(ends) > 1 else (0.0, -0.12, 0.0)
    return (
        il.rod(first, ends[0], 0.016, parts.STEEL, material="metal"),
        *(parts.ball(end, 0.026, parts.DARK) for end in ends),
    )


def corner_looks(corner: Corner, *, steered: bool) -> dict[str, tuple[il.Visual, ...]]:
    """Looks of the bodies of one corner, by name."""
    name, out = corner.name, corner.side * WHEEL_SIDE
    ball = corner.along(ARM)
    lower = LOWER_BALL if steered else (0.0, 0.0, LOWER_BALL[2])
    looks = {
        f"lower_{name}": (*_arm(ball, LOWER_SPAN, 0.019), _seat(corner)),
        f"upper_{name}": _arm(ball, UPPER_SPAN, 0.015),
        f"knuckle_{name}": _knuckle(lower, out, steered),
        f"wheel_{name}": tuple(_outward(part, out)
                               for part in parts.car_wheel(TYRE_RADIUS, TYRE_WIDTH, corner.side)),
    }  # fmt: skip
    if steered:
        looks[f"tie_{name}"] = (
            il.rod((0.0, 0.0, 0.0), "end", 0.012, parts.STEEL, material="metal"),
            parts.ball("end", 0.022, parts.DARK),
        )
    return looks


def _arm(ball: tuple[float, float, float], span: float, radius: float) -> tuple[il.Visual, ...]:
    """Two tubes from the pivots to the ball, and one across."""
    pivots = [(x, 0.0, 0.0) for x in (-span, span)]
    inner = [tuple(0.4 * b + 0.6 * p for b, p in zip(ball, pivot, strict=True)) for pivot in pivots]
    return (
        *(il.rod(pivot, ball, radius, parts.RED, material="paint") for pivot in pivots),
        il.rod(inner[0], inner[1], 0.75 * radius, parts.RED, material="paint"),
        *(part for pivot in pivots for part in parts.bearing(pivot, 1.7 * radius, 0.055, "x")),
        parts.ball(ball, 1.7 * radius, parts.DARK),
    )


def _seat(corner: Corner) -> il.Visual:
    """The plate that supports the spring."""
    x, y, z = corner.along(SPRING_ON_ARM)
    return il.visual(il.box((0.13, 0.07, 0.016)), (x, y, z), parts.RED, material="paint")


def _knuckle(lower: tuple[float, float, float], out: float, steered: bool) -> tuple[il.Visual, ...]:
    """From the upper ball to the lower one, with the hub in between and an arm to the tie rod."""
    x, y, z = WHEEL_CENTER
    pieces = [
        il.rod((0.0, 0.0, 0.0), lower, 0.022, parts.IRON, material="metal"),
        il.disc((x, y - 0.02 * (1 if out > 0 else -1), z), (x, y + 0.7 * out, z), 0.05, parts.IRON,
                material="metal"),
    ]  # fmt: skip
    if steered:
        pieces.append(il.rod((x, y, z), STEERING_ARM, 0.014, parts.IRON, material="metal"))
    return tuple(pieces)


def _outward(part: il.Visual, out: float) -> il.Visual:
    x, y, z = part.origin
    return il.Visual(part.shape, (x, y + out, z), part.rotation, part.color,
                     material=part.material)  # fmt: skip
