"""Looks of the PUMA 560: outlines after its drawings, in axes of its links.

The shoulder is 0.2435 m wide from the column to the outside of the upper arm, whose joints are
0.4318 m apart; the forearm is set back by 0.0934 m to the offset of 0.15005 m.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import inloop as il
from inloop.gallery import GROUND, parts
from inloop.gallery.puma560.model import DH_TABLE, PEDESTAL

Point = tuple[float, float]
WHITE, GRAY, BLACK = "#e8e6df", "#9aa0a6", "#2d3136"
UPPER, LOWER, OFFSET = DH_TABLE[1].a, DH_TABLE[3].d, DH_TABLE[2].d  # [m]
ARM = (0.172, 0.283)  # faces of the upper arm along the shoulder [m]


def puma560_looks(friction: bool = False) -> Mapping[str, tuple[il.Visual, ...]]:
    """Column, shoulder, arms, wrist and a gripper."""
    return {
        GROUND: (
            # a stand, low enough for the arm to hang next to it
            il.visual(il.box((0.5, 0.5, 0.03)), (0.0, 0.0, -0.345), BLACK, material="paint"),
            il.visual(il.cylinder(0.13, 0.33), (0.0, 0.0, -0.165), parts.IRON, material="metal"),
            il.visual(il.cylinder(0.17, 0.03), (0.0, 0.0, 0.015), BLACK, material="paint"),
            il.visual(
                il.lathe([(0.0, 0.03), (0.125, 0.03), (0.1, 0.09), (0.092, 0.5), (0.0, 0.5)]),
                color=GRAY,
                material="paint",
            ),
        ),
        "link_1": _shoulder(),
        "link_2": _upper_arm(),
        "link_3": _forearm(),
        "link_4": (
            il.visual(
                il.lathe([(0.0, 0.318), (0.044, 0.318), (0.044, 0.37), (0.036, 0.39), (0.0, 0.39)]),
                color=GRAY,
                material="metal",
            ),
            # fork about the axis of the wrist
            *(
                il.visual(il.box((0.05, 0.012, 0.06)), (0.0, y, LOWER - 0.012), GRAY,
                          material="metal")
                for y in (-0.034, 0.034)
            ),
        ),
        "link_5": (
            il.visual(il.cylinder(0.027, 0.084), color=BLACK, material="paint"),
            il.visual(il.sphere(0.03), color=WHITE, material="paint"),
        ),
        "link_6": _gripper(),
    }  # fmt: skip


def _shoulder() -> tuple[il.Visual, ...]:
    """The head on the column; the shoulder's axis is -y at the height of the pedestal."""
    head = [
        (0.0, 0.502), (0.097, 0.502), (0.105, 0.52), (0.105, PEDESTAL + 0.055),
        (0.085, PEDESTAL + 0.09), (0.0, PEDESTAL + 0.095),
    ]  # fmt: skip
    return (
        il.visual(il.lathe(head), color=WHITE, material="paint"),
        il.disc((0.0, 0.12, PEDESTAL), (0.0, -0.165, PEDESTAL), 0.098, WHITE, material="paint"),
        il.disc((0.0, -0.165, PEDESTAL), (0.0, -0.172, PEDESTAL), 0.09, BLACK, material="rubber"),
        il.disc((0.0, 0.12, PEDESTAL), (0.0, 0.128, PEDESTAL), 0.07, GRAY, material="metal"),
    )


def _upper_arm() -> tuple[il.Visual, ...]:
    """Along x, normal to the shoulder axis; the motors are behind the shoulder."""
    middle, wide = 0.5 * sum(ARM), ARM[1] - ARM[0]
    outline = [
        *_arc((-0.13, 0.0), 0.072, 120.0, 240.0, 9),
        *_arc((0.0, 0.0), 0.114, 262.0, 285.0, 4),
        *_arc((UPPER, 0.0), 0.074, 282.0, 438.0, 13),
        *_arc((0.0, 0.0), 0.114, 75.0, 98.0, 4),
    ]  # fmt: skip
    return (
        il.visual(il.plate(outline, wide), (0.0, 0.0, middle), WHITE, material="paint"),
        il.visual(il.cylinder(0.06, 0.012), (0.0, 0.0, ARM[1] + 0.004), GRAY, material="metal"),
        il.visual(il.cylinder(0.042, 0.012), (UPPER, 0.0, ARM[1] + 0.004), GRAY, material="metal"),
        il.visual(il.cylinder(0.055, 0.05), (-0.12, 0.0, ARM[1] + 0.02), BLACK, material="paint"),
    )


def _forearm() -> tuple[il.Visual, ...]:
    """Along y from the elbow, next to the upper arm."""
    x = DH_TABLE[2].a
    top = ARM[0] - 0.004
    sections = [
        (-0.11, 0.055, 0.046), (-0.06, 0.062, 0.05), (0.05, 0.058, 0.05), (0.2, 0.05, 0.047),
        (LOWER - 0.12, 0.044, 0.044), (LOWER - 0.1, 0.04, 0.04),
    ]  # fmt: skip
    body = il.loft([_ring(y, wide, deep) for y, wide, deep in sections])
    return (
        il.visual(body, (x, 0.0, top - 0.05), WHITE, material="paint"),
        il.disc((0.0, 0.0, 0.09), (0.0, 0.0, ARM[0] + 0.004), 0.066, GRAY, material="metal"),
    )


def _gripper() -> tuple[il.Visual, ...]:
    """Flange, palm and two fingers along z."""
    fingers = [
        il.visual(il.box((0.012, 0.02, 0.05)), (x, 0.0, 0.115), parts.IRON, material="metal")
        for x in (-0.03, 0.03)
    ]
    pads = [
        il.visual(il.box((0.005, 0.018, 0.03)), (0.7 * x, 0.0, 0.122), BLACK, material="rubber")
        for x in (-0.03, 0.03)
    ]
    return (
        il.disc((0.0, 0.0, 0.03), (0.0, 0.0, 0.056), 0.026, parts.STEEL, material="metal"),
        il.visual(il.box((0.085, 0.032, 0.034)), (0.0, 0.0, 0.074), parts.ORANGE, material="paint"),
        *fingers,
        *pads,
    )


def _ring(y: float, wide: float, deep: float) -> list[tuple[float, float, float]]:
    """A rounded section in x, z."""
    turns = [2.0 * math.pi * k / 24 for k in range(24)]
    return [
        (wide * _round(math.sin(a)), y, deep * _round(math.cos(a))) for a in turns
    ]  # fmt: skip


def _round(x: float) -> float:
    """Coordinate on a superellipse of exponent four, from that on a circle."""
    return math.copysign(abs(x) ** 0.5, x)


def _arc(center: Point, radius: float, begin: float, end: float, count: int) -> list[Point]:
    """Points of an arc; angles in degrees, counterclockwise from x."""
    turns = [math.radians(begin + (end - begin) * k / (count - 1)) for k in range(count)]
    return [(center[0] + radius * math.cos(a), center[1] + radius * math.sin(a)) for a in turns]
