"""Surroundings of the car: a closed course, or the given road."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import numpy as np

import inloop as il
from inloop.gallery import Outline, Point, Ribbon, Scenery, Surprise, road_ribbons, rounded_polygon
from inloop.gallery.car.cones import BACK, FRONT, HALF, iso_3888_1
from inloop.gallery.car.roads import road_of
from inloop.gallery.exhibition.scenery import Surface

LANE = 3.5  # [m]
# corners of a closed course and radii of its bends [m]; the car starts in the right lane
COURSE = (
    (-270.0, 0.0, 90.0), (470.0, 0.0, 110.0), (640.0, 190.0, 70.0), (520.0, 380.0, 60.0),
    (330.0, 300.0, 45.0), (170.0, 470.0, 80.0), (-90.0, 400.0, 120.0), (-380.0, 420.0, 60.0),
)  # fmt: skip
LANE_CHANGE = 150.0  # x of the first cones [m]
OUTLINE = Outline("chassis", BACK, FRONT, HALF, 0.2)
# the obstacle of the source: as large as a car, 2.2 s ahead at 75 km/h
SURPRISE = Surprise(ahead=45.0, speed=18.0, earliest=2.0, latest=6.0, size=(4.0, 1.8, 1.5))
STEP = 4.0  # distance of points along a road [m]
GROUND = 0.05  # below the lowest point of a road [m]
SURFACES: dict[str, Surface] = {"driving": "asphalt", "shoulder": "gravel", "border": "gravel"}


def car_scenery(road: il.tyres.Road | str | Path | None) -> Scenery:
    """Ground, road and objects along it; the closed course if the road is a plane."""
    if isinstance(road, str | Path):
        road = road_of(road)
    if not isinstance(road, il.tyres.LineRoad):
        return _course()
    ribbons = (*_surfaces(road), *_marks(road))
    lowest = min(point[2] for ribbon in ribbons for point in ribbon.left) - GROUND
    banks = tuple(_banks(road, lowest))
    return Scenery(lowest, (*banks, *ribbons), outline=OUTLINE, surprise=SURPRISE, trees=260,
                   posts=25.0)  # fmt: skip


def _course() -> Scenery:
    middle = [(x, y + 0.5 * LANE, z) for x, y, z in rounded_polygon(COURSE)]
    cones = tuple((float(x), float(y), 0.0) for x, y in iso_3888_1(LANE_CHANGE).cones)
    ribbons = road_ribbons(middle, 2.0 * LANE + 0.5)
    return Scenery(ribbons=ribbons, cones=cones, outline=OUTLINE, surprise=SURPRISE, trees=260,
                   posts=25.0)  # fmt: skip


def _points(line: np.ndarray) -> tuple[Point, ...]:
    return tuple(cast(Point, tuple(map(float, point))) for point in line)


def _surfaces(road: il.tyres.LineRoad) -> Iterator[Ribbon]:
    """Lanes, or the whole road if it has none."""
    lanes = road.lanes(STEP)
    for lane in lanes:
        surface = SURFACES.get(lane.kind, "verge")
        yield Ribbon(surface, _points(lane.left), _points(lane.right))
    if not lanes:
        left, right = _edges(road)
        yield Ribbon("asphalt", _points(left), _points(right))


def _edges(road: il.tyres.LineRoad) -> tuple[np.ndarray, np.ndarray]:
    """Left and right edge of the whole road, (n, 3) [m]."""
    rows = road.surface_mesh(STEP, 2).vertices.reshape(-1, 2, 3)
    return rows[:, 1], rows[:, 0]


def _marks(road: il.tyres.LineRoad) -> Iterator[Ribbon]:
    """Marks with their width."""
    for mark in road.marks(STEP):
        along = np.gradient(mark.points[:, :2], axis=0)
        across = np.column_stack([-along[:, 1], along[:, 0], np.zeros(len(along))])
        size = np.linalg.norm(across, axis=1, keepdims=True)
        half = 0.5 * mark.width * across / np.where(size > 0.0, size, 1.0)
        surface: Surface = "yellow" if mark.color == "yellow" else "white"
        yield Ribbon(surface, _points(mark.points + half), _points(mark.points - half), mark.dash)


def _banks(road: il.tyres.LineRoad, ground: float) -> Iterator[Ribbon]:
    """Slopes from both edges down to the ground."""
    left, right = _edges(road)
    for edge, other, is_left in ((left, right, True), (right, left, False)):
        out = edge - other
        out[:, 2] = 0.0
        out /= np.linalg.norm(out, axis=1, keepdims=True)
        high = edge[:, 2] - ground
        foot = edge + out * np.maximum(2.0 * high, 1.5)[:, None]
        foot[:, 2] = ground
        inner, outer = _points(edge), _points(foot)
        yield Ribbon("verge", *((outer, inner) if is_left else (inner, outer)))
