"""The grounds of the rover: contact shapes, looks and initial positions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery.rover import data

PLANE, HILLS, RAMP, STEP, MOUND = range(5)
WORDS = "0: a plane, 1: hills of 20,000 triangles, 2: a ramp of 10°, 3: a step, 4: a mound"
EDGE = 12.0  # edge length of all grounds except the plane [m]
CELL = 0.12  # of the hills: 20,000 triangles
RAMP_ANGLE, RAMP_BEGIN, RAMP_END = math.radians(10.0), -1.8, 3.0  # along x [m]
STEP_AT, STEP_HEIGHT = -1.0, 0.1  # [m]
MOUND_AT, MOUND_RADIUS, MOUND_HEIGHT = -0.5, 2.0, 0.2  # a sphere that protrudes by 0.2 m [m]
STARTS = {PLANE: 0.0, HILLS: -4.0, RAMP: -4.0, STEP: -3.0, MOUND: -4.0}  # of the trunk, x [m]
SAND, STONE = "#b5714a", "#8d7b6c"


def hills(x: float, y: float) -> float:
    """Dunes with stones [m]."""
    dunes = 0.16 * np.sin(0.9 * x + 0.4) * np.cos(0.7 * y) + 0.05 * np.sin(2.3 * x - 1.7 * y)
    stones = 0.03 * np.sin(9.1 * x + 2.0 * np.sin(3.3 * y)) * np.sin(8.3 * y + np.cos(4.1 * x))
    return float(dunes + stones)


def ramp(x: float, y: float) -> float:
    """Flat, then 10° uphill along x, then flat again [m]."""
    return math.tan(RAMP_ANGLE) * min(max(x - RAMP_BEGIN, 0.0), RAMP_END - RAMP_BEGIN)


def ground(terrain: int) -> Any:
    """Shape with which all wheels are in contact."""
    if terrain == HILLS:
        return il.terrain(hills, size=(EDGE, EDGE), cell=CELL)
    if terrain == RAMP:
        return il.terrain(ramp, size=(EDGE, EDGE), cell=0.2)
    return _step() if terrain == STEP else il.plane()


def mound() -> Any:
    """The sphere that protrudes from the plane, and its center [m]."""
    return il.sphere(MOUND_RADIUS), (MOUND_AT, 0.0, MOUND_HEIGHT - MOUND_RADIUS)


def start(terrain: int) -> tuple[float, float, float]:
    """Initial position of the trunk [m]: at rest, on hills slightly above the ground."""
    x = STARTS[terrain]
    if terrain != HILLS:
        return x, 0.0, data.REST_HEIGHT - 1e-9
    under = [
        hills(x + bogie.at[0] + at[0], bogie.at[1] + at[1])
        for bogie in data.BOGIES
        for at in bogie.wheels.values()
    ]
    return x, 0.0, data.REST_HEIGHT + max(under) + 0.02


def ground_looks(terrain: int) -> tuple[il.Visual, ...]:
    """Looks of a ground."""
    if terrain in (HILLS, RAMP):
        return (il.visual(ground(terrain), color=SAND, material="felt"),)
    half = 0.5 * EDGE
    if terrain == STEP:
        before, behind = STEP_AT + half, half - STEP_AT
        lower = il.visual(il.box((before, 8.0, 0.1)), (STEP_AT - 0.5 * before, 0.0, -0.05), SAND)
        upper = il.visual(
            il.box((behind, 8.0, 0.1 + STEP_HEIGHT)),
            (STEP_AT + 0.5 * behind, 0.0, 0.5 * (STEP_HEIGHT - 0.1)),
            STONE,
        )
        return lower, upper
    plane = il.visual(il.box((EDGE, 8.0, 0.1)), (0.0, 0.0, -0.05), SAND)
    if terrain == PLANE:
        return (plane,)
    return plane, il.visual(_cap(), (MOUND_AT, 0.0, 0.0), STONE)


def _step() -> il.Mesh:
    """Two levels with a wall between them."""
    half, at, up = 0.5 * EDGE, STEP_AT, STEP_HEIGHT
    profile = ((-half, 0.0), (at, 0.0), (at, up), (half, up))
    corners = [(x, y, z) for x, z in profile for y in (-half, half)]
    triangles = [t for k in (0, 2, 4) for t in ((k, k + 2, k + 1), (k + 1, k + 2, k + 3))]
    return il.Mesh(np.array(corners), np.array(triangles))


def _cap() -> il.Mesh:
    """The part of the sphere above the plane."""
    low = MOUND_RADIUS - MOUND_HEIGHT
    widest = math.acos(low / MOUND_RADIUS)
    turns = np.linspace(widest, 0.01 * widest, 12)
    profile = [(1e-3, -0.01), (MOUND_RADIUS * math.sin(widest), -0.01)]
    profile += [(MOUND_RADIUS * math.sin(a), MOUND_RADIUS * math.cos(a) - low) for a in turns]
    return il.lathe(profile, "z")
