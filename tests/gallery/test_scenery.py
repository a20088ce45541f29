"""What lies around an exhibit that is driven: lines, ribbons, and the courses of the car."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import inloop as il
from inloop.gallery import Ribbon, Scenery, road_ribbons, rounded_polygon
from inloop.gallery.car.surroundings import car_scenery

RECTANGLE = ((0.0, 0.0, 20.0), (200.0, 0.0, 25.0), (200.0, 110.0, 30.0), (0.0, 110.0, 20.0))


def length(line: tuple[tuple[float, ...], ...]) -> float:
    return sum(math.dist(a, b) for a, b in pairwise(line))


def test_corners_become_arcs() -> None:
    line = rounded_polygon(RECTANGLE)
    radii = 20.0 + 25.0 + 30.0 + 20.0
    # sides without twice the radii, and quarters of circles
    assert length(line) == pytest.approx(620.0 - 2 * radii + 0.5 * math.pi * radii, rel=1e-4)
    assert line[0] == line[-1]
    assert line[0][1] == 0.0 and 90.0 < line[0][0] < 110.0  # in the middle of the first side
    first = [math.hypot(x - 175.0, y - 25.0) for x, y, _ in line if x > 175.0 and y < 25.0]
    assert first == pytest.approx([25.0] * len(first), abs=1e-9) and len(first) > 20
    with pytest.raises(il.InputError, match="bends 0 and 1 of a road overlap: they need 210 m"):
        rounded_polygon([(0.0, 0.0, 110.0), (200.0, 0.0, 100.0), *RECTANGLE[2:]])


def test_ribbons_lie_beside_each_other_along_the_line() -> None:
    ribbons = road_ribbons(rounded_polygon(RECTANGLE), 7.5, lanes=3)
    assert [r.surface for r in ribbons] == ["verge", "asphalt", *["white"] * 4]
    widths = [{round(math.dist(a, b), 6) for a, b in zip(r.left, r.right, strict=True)}
              for r in ribbons]  # fmt: skip
    assert widths == [{10.5}, {7.5}, *[{0.15}] * 4]
    # the line runs counterclockwise: its left is inside, and shorter by 2π times the width
    asphalt = ribbons[1]
    assert length(asphalt.right) - length(asphalt.left) == pytest.approx(
        2 * math.pi * 7.5, rel=1e-3
    )
    assert [r.dash is not None for r in ribbons[2:]] == [False, False, True, True]


def test_a_ribbon_that_makes_no_sense_is_refused() -> None:
    edge = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    with pytest.raises(il.InputError, match="2 points on its left and 1 on its right"):
        Ribbon("white", edge, edge[:1])
    with pytest.raises(il.InputError, match="dashes of 0 m"):
        Ribbon("white", edge, edge, (0.0, 1.0))


def lanes_over(scenery: Scenery, x: float, y: float) -> list[float]:
    """Heights of the ribbons of asphalt over a place [m]."""
    found = []
    for ribbon in scenery.ribbons:
        if ribbon.surface != "asphalt":
            continue
        left, right = np.array(ribbon.left), np.array(ribbon.right)
        near = int(np.argmin(np.linalg.norm(0.5 * (left + right)[:, :2] - (x, y), axis=1)))
        across = left[near] - right[near]
        part = float(((x, y) - right[near, :2]) @ across[:2] / (across[:2] @ across[:2]))
        if 0.0 <= part <= 1.0:
            found.append(float(right[near, 2] + part * across[2]))
    return found


def test_the_car_starts_on_its_course_and_on_the_road_that_it_is_given() -> None:
    course, track = car_scenery(None), car_scenery("track")
    assert lanes_over(course, 0.0, 0.0) == [0.0]
    # ISO 3888-1: 125 m long, cones at most 3 m apart on both sides of 15, 25 and 30 m
    xs = [x for x, _, _ in course.cones]
    assert max(xs) - min(xs) == pytest.approx(125.0) and len(xs) == 2 * (6 + 10 + 11)
    assert not track.cones
    (height,) = lanes_over(track, 0.0, 0.0)
    assert height == pytest.approx(0.0, abs=0.03)
    # all of a road lies above the ground around
    lowest = min(p[2] for r in track.ribbons for p in (*r.left, *r.right))
    assert lowest == pytest.approx(track.ground)
