"""Looks of the rover: a box with solar cells and a mast, beams, and wheels with cleats."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import inloop as il
from inloop.gallery import GROUND, parts
from inloop.gallery.rover import data
from inloop.gallery.rover.grounds import ground_looks

GOLD, CELLS = "#c8a13a", "#22314f"
WIDE = 0.13  # of a wheel [m]
CLEATS = 18


def rover_looks(terrain: int) -> Mapping[str, tuple[il.Visual, ...]]:
    """Looks of all bodies and the ground; takes the options of the exhibit."""
    looks: dict[str, tuple[il.Visual, ...]] = {"trunk": tuple(_trunk())}
    for bogie in data.BOGIES:
        looks[bogie.name] = tuple(_beam(bogie))
        for wheel in bogie.wheels:
            side = 1.0 if wheel.endswith("left") else -1.0
            looks[f"steer_{wheel}"] = tuple(_bracket(side))
            looks[f"wheel_{wheel}"] = tuple(_wheel())
    looks[GROUND] = ground_looks(terrain)
    return looks


def _trunk() -> Iterator[il.Visual]:
    yield il.visual(il.box((0.86, 0.56, 0.24)), (0.0, 0.0, -0.06), GOLD, material="metal")
    yield il.visual(il.box((0.9, 0.6, 0.03)), (0.0, 0.0, 0.075), parts.CREAM, material="paint")
    # solar cells, in rows
    for i in range(5):
        for j in (-1.0, 1.0):
            at = (-0.4 + 0.16 * i, 0.33 * j, 0.1)
            yield il.visual(il.box((0.15, 0.44, 0.008)), at, CELLS, material="glass")
    # mast with two eyes
    yield il.rod((0.36, 0.0, 0.08), (0.36, 0.0, 0.5), 0.022, parts.CREAM, material="paint")
    yield il.visual(il.box((0.09, 0.24, 0.08)), (0.37, 0.0, 0.52), parts.CREAM, material="paint")
    for y in (-0.07, 0.07):
        at, front = (0.4, y, 0.52), (0.43, y, 0.52)
        yield il.disc(at, front, 0.026, parts.DARK, material="glass")
    # antenna
    yield il.rod((-0.32, 0.18, 0.08), (-0.32, 0.18, 0.24), 0.012, parts.STEEL, material="metal")
    yield il.disc((-0.32, 0.18, 0.24), (-0.325, 0.18, 0.255), 0.11, parts.CREAM, material="paint")
    for bogie in data.BOGIES:
        yield from parts.bearing(bogie.at, 0.05, 0.09, bogie.axis.strip("-"))


def _beam(bogie: data.Bogie) -> Iterator[il.Visual]:
    ends = list(bogie.wheels.values())
    if bogie.axis == "y":
        # a bent arm on either side of the pivot
        inner = [(x, 0.0, z) for x, _, z in ends]
        for knee, end in zip(inner, ends, strict=True):
            yield il.rod((0.0, 0.0, 0.0), knee, 0.026, parts.IRON, material="metal")
            yield il.rod(knee, end, 0.024, parts.IRON, material="metal")
    else:
        back = (ends[0][0], 0.0, ends[0][2])
        yield il.rod((0.0, 0.0, 0.0), back, 0.03, parts.IRON, material="metal")
        yield il.rod(ends[0], ends[1], 0.028, parts.IRON, material="metal")
    for end in ends:
        yield from parts.bearing(end, 0.042, 0.08, "z")


def _bracket(side: float) -> Iterator[il.Visual]:
    """From the steering axis over the wheel and down next to it."""
    axle, out = data.WHEEL_BELOW[2], -side * (0.5 * WIDE + 0.022)
    top = 0.75 * data.RADIUS + axle + 0.085
    yield il.rod((0.0, 0.0, 0.0), (0.0, 0.0, top), 0.024, parts.CREAM, material="paint")
    yield il.rod((0.0, 0.0, top), (0.0, out, top), 0.02, parts.CREAM, material="paint")
    yield il.rod((0.0, out, top), (0.0, out, axle), 0.018, parts.CREAM, material="paint")
    yield il.disc((0.0, 1.25 * out, axle), (0.0, 0.6 * out, axle), 0.04, parts.STEEL,
                  material="metal")  # fmt: skip


def _wheel() -> Iterator[il.Visual]:
    """A drum with a round tread, like the contact sphere, and cleats."""
    edge = math.sqrt(data.RADIUS**2 - (0.5 * WIDE) ** 2)
    profile = [(0.2 * edge, -0.42 * WIDE), (0.9 * edge, -0.5 * WIDE)]
    for k in range(-4, 5):
        y = 0.12 * WIDE * k
        profile.append((0.985 * math.sqrt(data.RADIUS**2 - y * y), y))
    profile += [(0.9 * edge, 0.5 * WIDE), (0.2 * edge, 0.42 * WIDE)]
    yield il.visual(il.lathe(profile, "y"), color=parts.DARK, material="metal")
    for k in range(CLEATS):
        a = 2.0 * math.pi * k / CLEATS
        c, s = math.cos(a), math.sin(a)
        r, half = 0.965 * data.RADIUS, 0.36 * WIDE
        yield il.rod((r * c, -half, r * s), (r * c, half, r * s), 0.0045, parts.STEEL,
                     material="metal")  # fmt: skip
    # a mark that shows its rotation
    yield il.visual(il.box((0.03, 1.06 * WIDE, 0.03)), (0.55 * edge, 0.0, 0.0), parts.ORANGE)
