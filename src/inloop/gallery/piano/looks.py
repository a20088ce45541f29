"""Looks of the piano action: outlines in the x-z plane, in axes of each part.

Contact surfaces are those of the model; the rest is drawn as wood and felt.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import inloop as il
from inloop.gallery import GROUND, Device
from inloop.gallery.piano import data
from inloop.gallery.piano.data import Point
from inloop.gallery.piano.rest import MM, at_rest, knuckle, string_height

MAPLE, SPRUCE, WALNUT = "#d8b078", "#e3c48f", "#9c6b3f"
IVORY, BRASS, STEEL, LEATHER = "#f6f1e4", "#c9a227", "#8d969e", "#b98a5a"
FELT, GREEN, RED = "#efe9dc", "#5d8a66", "#a8403a"
WIDE, NARROW = 20.0, 9.0  # widths along y [mm]
MATERIALS = {
    MAPLE: "wood", SPRUCE: "wood", WALNUT: "wood", BRASS: "metal", STEEL: "metal",
    LEATHER: "leather", FELT: "felt", GREEN: "felt", RED: "felt",
}  # fmt: skip

DEVICE = Device(
    input="finger",
    low=0.0,
    high=12e-3,
    rest=0.0,
    body="key",
    point=(MM * data.KEY["front"][0], 0.0, MM * data.KEY["front"][1]),
    axis=(0.0, 0.0, -12e-3),
    hint="Press the front of the key: slowly to feel the let-off, fast to play.",
    keys={"Space": 11.5e-3, "KeyA": 11.5e-3, "KeyS": 6.0e-3},
    midi=True,
)


def piano_looks(finger: bool = True) -> dict[str, tuple[il.Visual, ...]]:
    """Looks of all moving parts and of the frame."""
    return {
        "key": _key(),
        "whippen": _whippen(),
        "jack": _jack(),
        "lever": _lever(),
        "hammer": _hammer(),
        "damper": _damper(),
        GROUND: _frame(),
    }


def _plate(corners: Sequence[Point], color: str, width: float = NARROW,
           origin: Point = (0.0, 0.0)) -> il.Visual:  # fmt: skip
    shifted = tuple((MM * (x - origin[0]), MM * (z - origin[1])) for x, z in corners)
    material = MATERIALS.get(color, "plastic")
    return il.visual(il.plate(shifted, MM * width, "xz"), color=color, material=material)


def _disc(center: Point, radius: float, color: str, width: float = NARROW,
          origin: Point = (0.0, 0.0)) -> il.Visual:  # fmt: skip
    x, z = (MM * (c - o) for c, o in zip(center, origin, strict=True))
    half = 0.5 * MM * width
    material = MATERIALS.get(color, "plastic")
    return il.disc((x, -half, z), (x, half, z), MM * radius, color, material=material)


def _arc(center: Point, radius: float, begin: float, end: float, count: int = 9) -> list[Point]:
    """Points of an arc; angles in degrees, counterclockwise from x."""
    turns = [math.radians(begin + (end - begin) * k / (count - 1)) for k in range(count)]
    return [(center[0] + radius * math.cos(a), center[1] + radius * math.sin(a)) for a in turns]


def _key() -> tuple[il.Visual, ...]:
    check, lean = data.KEY["check"], math.radians(data.CHECK_LEAN)
    along, across = (math.sin(lean), math.cos(lean)), (math.cos(lean), -math.sin(lean))
    half, thick = 0.5 * data.CHECK_LENGTH, 0.5 * data.CHECK_THICKNESS

    def on_check(up: float, back: float) -> Point:
        return (check[0] + up * along[0] + back * across[0],
                check[1] + up * along[1] + back * across[1])  # fmt: skip

    capstan = data.KEY["capstan"]
    x = capstan[0]
    return (
        _plate([(-262, -9), (235, -9), (235, 10), (130, 14), (-60, 14), (-100, 5), (-262, 5)],
               SPRUCE, WIDE),
        _plate([(-263, 5), (-110, 5), (-110, 7), (-265, 7), (-265, -12), (-263, -12)],
               IVORY, WIDE + 2.0),
        _disc((0.0, 0.0), 2.5, STEEL, WIDE + 3.0),
        _disc(data.KEY_LEAD, 5.0, STEEL, WIDE + 1.0),
        _disc((-150.0, -2.0), 5.0, STEEL, WIDE + 1.0),
        # capstan: a brass dome on its screw
        _plate([(x - 2, 12), (x + 2, 12), (x + 2, capstan[1] - 10), (x - 2, capstan[1] - 10)],
               STEEL, 4.0),
        _plate([(x - 5, capstan[1] - 10), (x + 5, capstan[1] - 10),
                *_arc((x, capstan[1] - 6.0), 6.0, 40.0, 140.0)], BRASS, 10.0),
        # back-check on its wire
        _plate([(check[0] + 5, 8), (check[0] + 8, 8), on_check(-2.0, 7.0), on_check(-2.0, 4.0)],
               STEEL, 3.0),
        _plate([on_check(-half, thick), on_check(half, thick), on_check(half, 6.0),
                on_check(-half + 2, 9.0)], MAPLE, 12.0),
        _plate([on_check(-half, -thick), on_check(half, -thick), on_check(half, thick),
                on_check(-half, thick)], LEATHER, 12.0),
        _plate([(213, 8), (237, 8), (237, 10), (213, 10)], GREEN, WIDE),
    )  # fmt: skip


def _whippen() -> tuple[il.Visual, ...]:
    pin, heel, post = data.WHIPPEN["pin"], data.WHIPPEN["heel"], data.LEVER["pin"]
    jack = data.JACK["pin"]
    body = [
        (jack[0] - 5, jack[1] - 5), (heel[0] - 12, heel[1] + 6), (heel[0] + 12, heel[1] + 6),
        (150, 60), (pin[0] + 5, pin[1] - 4), (pin[0] + 5, pin[1] + 4), (150, 74), (135, 75),
        (post[0] + 4, post[1]), (post[0], post[1] + 4), (post[0] - 4, post[1]), (117, 75),
        (100, 71), (jack[0] + 3, jack[1] + 6), (jack[0] - 5, jack[1] + 4),
    ]  # fmt: skip
    spoon = data.JACK["back"]
    fence = data.JACK["front"][0] - data.RADIUS["front"] - data.JACK_SWING
    tail = data.LEVER["tail"]
    below = data.RADIUS["lever_tail"]
    return (
        _plate(body, MAPLE, NARROW, pin),
        _plate([(heel[0] - 11, heel[1]), (heel[0] + 11, heel[1]), (heel[0] + 12, heel[1] + 6),
                (heel[0] - 12, heel[1] + 6)], RED, NARROW, pin),
        # spoon behind the jack, hook under the tail of the lever
        _plate([(spoon[0] + 2, spoon[1] - 4), (spoon[0] + 4, spoon[1] - 20),
                (spoon[0] + 6, spoon[1] - 20), (spoon[0] + 4, spoon[1] + 4),
                (spoon[0] + 2, spoon[1] + 4)], STEEL, 3.0, pin),
        _plate([(tail[0] - 5, tail[1] - below - 2), (tail[0] - 6, 68), (tail[0] - 3, 68),
                (tail[0] + 5, tail[1] - below - 2), (tail[0] + 5, tail[1] - below),
                (tail[0] - 5, tail[1] - below)], STEEL, 3.0, pin),
        # fence in front of the jack
        _plate([(fence, spoon[1] - 4), (fence, spoon[1] + 4), (fence - 2, spoon[1] + 4),
                (fence - 2, jack[1] + 2), (fence, jack[1] + 2)], STEEL, 3.0, pin),
        _disc(pin, 2.5, BRASS, NARROW + 3.0, pin),
        _disc(jack, 2.0, BRASS, NARROW + 3.0, pin),
        _disc(post, 2.0, BRASS, NARROW + 3.0, pin),
    )  # fmt: skip


def _jack() -> tuple[il.Visual, ...]:
    pin, toe = data.JACK["pin"], data.JACK["toe"]
    top = knuckle()[1] - data.RADIUS["knuckle"] - data.JACK_GAP
    left, right = (data.JACK["top"][0] + side * 0.5 * data.JACK_WIDTH for side in (-1.0, 1.0))
    outline = [
        (toe[0] - 2, toe[1] - 2), (pin[0] - 3, pin[1] - 4), (pin[0] + 3, pin[1] - 3),
        (pin[0] + 3.5, pin[1] + 8), (right, top - 12), (right, top), (left, top),
        (left - 0.5, pin[1] + 14), (pin[0] - 8, pin[1] + 6), (toe[0] + 2, toe[1] + 2),
        *_arc(toe, data.RADIUS["toe"], 60.0, 200.0),
    ]  # fmt: skip
    back = data.JACK["back"]
    return (
        _plate(outline, WALNUT, 5.0, pin),
        _disc(back, data.RADIUS["back"], FELT, 4.0, pin),
    )


def _lever() -> tuple[il.Visual, ...]:
    pin, nose, tail = data.LEVER["pin"], data.LEVER["nose"], data.LEVER["tail"]
    top = knuckle()[1] - data.RADIUS["knuckle"]
    outline = [
        (nose[0] - 3, top - 4), (pin[0] - 6, pin[1] - 5), (pin[0] + 4, pin[1] - 5),
        (tail[0] + 2, tail[1] - 2), (tail[0] + 2, tail[1] + 2), (pin[0] + 6, pin[1] + 6),
        (pin[0] - 22, top - 1.5), (pin[0] - 30, top), (nose[0] - 3, top),
    ]  # fmt: skip
    return (
        _plate(outline, SPRUCE, NARROW + 2.0, pin),
        _disc(nose, data.RADIUS["nose"], LEATHER, NARROW, pin),
        _disc(tail, data.RADIUS["lever_tail"], FELT, 6.0, pin),
    )


def _hammer() -> tuple[il.Visual, ...]:
    crown, tail = data.HAMMER["crown"], data.HAMMER["tail"]
    x, radius = crown[0], data.RADIUS["crown"]
    top = crown[1] + radius
    shank = [(0, -2.2), (x + 8, -2.6), (x + 8, 2.6), (0, 3.0)]
    wood = [
        (x - 5, -7), *_arc(tail, data.RADIUS["tail"], 215.0, 360.0), (x + 7, -4), (x + 6, 12),
        (x + 2, top - 14), (x - 2, top - 14), (x - 6, 12),
    ]  # fmt: skip
    felt = [
        (x - 6, 10), (x - 10, 20), (x - 9.5, 32), *_arc(crown, radius, 170.0, 10.0), (x + 9.5, 32),
        (x + 10, 20), (x + 6, 10), (x + 2, top - 14), (x - 2, top - 14),
    ]  # fmt: skip
    center = at_rest(data.HAMMER["knuckle"])
    return (
        _plate([at_rest(p) for p in shank], MAPLE, 6.0),
        _plate([at_rest(p) for p in felt], FELT, WIDE - 8.0),
        _plate([at_rest(p) for p in wood], WALNUT, NARROW),
        _disc(center, data.RADIUS["knuckle"], LEATHER, NARROW),
        _disc(center, 2.0, WALNUT, NARROW + 1.0),
        _disc((0.0, 0.0), 2.5, BRASS, NARROW + 3.0),
    )


def _damper() -> tuple[il.Visual, ...]:
    foot = data.KEY["lifter"][1] - data.DAMPER[1] + 1e3 * data.DIALS["damper_gap"].value
    return (
        _plate([(-1, foot), (1, foot), (1, 56), (-1, 56)], STEEL, 2.0),
        _plate([(-9, foot), (9, foot), (9, foot + 4), (-9, foot + 4)], MAPLE, NARROW),
        _plate([(-16, 45), (16, 45), (13, 60), (-13, 60)], WALNUT, NARROW),
        _plate([(-14, 40), (-3, 40), (-2, 45), (-16, 45)], FELT, NARROW),
        _plate([(14, 40), (3, 40), (2, 45), (16, 45)], FELT, NARROW),
    )


def _frame() -> tuple[il.Visual, ...]:
    pin, button, screw = data.HAMMER["pin"], data.BUTTON, data.SCREW
    string = 1e3 * string_height(data.DIALS["blow_distance"].value)
    x, z = at_rest(data.HAMMER["shank"])
    rest = pin[1] + z - data.RADIUS["shank"] - data.CUSHION_GAP
    rear = data.WHIPPEN["pin"]
    stop, back = data.KEY["front_stop"], data.KEY["back_rest"]
    bed = stop[1] - 1.0 - 1e3 * data.DIALS["key_dip"].value + 0.5
    half = 0.5e-3 * WIDE
    return (
        il.disc((MM * 120.0, 0.0, MM * (string + 0.6)), (MM * 260.0, 0.0, MM * (string + 0.6)),
                 0.6 * MM, STEEL),
        # let-off button on its rail, drop screw in the hammer flange
        _plate([(button[0] - 4, button[1]), (button[0] + 4, button[1]),
                (button[0] + 4, button[1] + 5), (button[0] - 4, button[1] + 5)], GREEN),
        _plate([(button[0] - 1, button[1] + 5), (button[0] + 1, button[1] + 5),
                (button[0] + 1, 118), (button[0] - 1, 118)], STEEL, 2.0),
        _plate([(button[0] - 14, 106), (button[0] + 6, 106), (button[0] + 6, 118),
                (button[0] - 14, 118)], WALNUT, WIDE),
        _plate([(screw[0] - 1.5, screw[1]), (screw[0] + 1.5, screw[1]), (screw[0] + 1.5, 152),
                (screw[0] - 1.5, 152)], STEEL, 3.0),
        _plate([(30, 134), (60, 134), (pin[0] + 4, pin[1] + 3), (screw[0] + 4, pin[1] + 6),
                (screw[0] + 4, pin[1] + 10), (30, pin[1] + 10)], MAPLE, NARROW),
        _plate([(30, 118), (52, 118), (52, 134), (30, 134)], WALNUT, WIDE),
        # rest cushion, rail of the whippens, key bed
        _plate([(pin[0] + x - 9, rest - 5), (pin[0] + x + 9, rest - 5), (pin[0] + x + 9, rest),
                (pin[0] + x - 9, rest)], RED, NARROW),
        _plate([(rear[0] - 4, rear[1] + 4), (rear[0] - 4, 50), (rear[0] + 4, 50),
                (rear[0] + 4, rear[1] + 4)], MAPLE, NARROW - 5.0),
        _plate([(rear[0] - 12, 40), (rear[0] + 6, 40), (rear[0] + 6, 52), (rear[0] - 12, 52)],
               WALNUT, WIDE),
        _plate([(stop[0] - 9, bed - 4), (stop[0] + 9, bed - 4), (stop[0] + 9, bed),
                (stop[0] - 9, bed)], GREEN, WIDE),
        _plate([(back[0] - 14, back[1] - 6), (back[0] + 14, back[1] - 6),
                (back[0] + 14, back[1] - 1), (back[0] - 14, back[1] - 1)], GREEN, WIDE),
        _plate([(-6, -20), (6, -20), (3, -9), (-3, -9)], WALNUT, WIDE),
        _plate([(-255, -30), (240, -30), (240, -22), (-255, -22)], WALNUT, 2e3 * half),
    )  # fmt: skip
