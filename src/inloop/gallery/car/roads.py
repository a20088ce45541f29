"""Roads of the car, and its initial position on them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

import inloop as il
from inloop.gallery.car.hard_points import SIDES, WHEEL_X

TRACK = Path(__file__).parent / "track.xodr"
BEGIN = 10.0  # station of the front axle at the start [m]
HALF_TRACK = 0.75  # approximately [m]


def road_of(path: str | Path) -> il.tyres.LineRoad:
    """A road of a file, or "track", moved so that the car starts in a driving lane."""
    road = il.load_road(TRACK if str(path) == "track" else path)
    right = [lane for lane in road.strips if lane.kind == "driving" and lane.number < 0]
    lanes = right or [lane for lane in road.strips if lane.kind == "driving"]
    begin = min(BEGIN, 0.5 * road.length)
    if not lanes:
        return road.moved(begin)
    lane = max(lanes, key=lambda lane: (-lane.begin, lane.number))
    s = np.array([lane.begin + begin])
    return road.moved(float(s[0]), 0.5 * float((lane.left(s) + lane.right(s))[0]))


def standing(road: il.tyres.Road | None) -> tuple[float, float, float]:
    """Initial height [m], roll and pitch [rad] of the car, from the road under its wheels."""
    if road is None:
        return 0.0, 0.0, 0.0
    front, rear = WHEEL_X["front"], WHEEL_X["rear"]
    x = np.array([front, front, rear, rear])
    y = HALF_TRACK * np.array([*SIDES.values(), *SIDES.values()])
    z = il.tyres.heights_at(road, x, y)
    plane = np.column_stack([np.ones(4), x, y])
    (raised, uphill, banked), *_ = np.linalg.lstsq(plane, z, rcond=None)
    return float(raised), math.atan(float(banked)), -math.atan(float(uphill))
