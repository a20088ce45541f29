"""Roads along curved lines, against closed forms: circles, hairpins, all back ends."""

from __future__ import annotations

import math

import numpy as np
import pytest

import inloop as il
from inloop.model.tyres.line_roads import LineRoad
from inloop.symbolic import Graph, evaluate, forward
from inloop.symbolic.lines import Curve
from inloop.symbolic.spline_surfaces import SplineSurface
from inloop.symbolic.surfaces import PiecewiseSurface

RADIUS = 50.0
RNG = np.random.default_rng(5)


def circle(turn: float = 2.0 * math.pi) -> Curve:
    """To the left, from the origin along x."""
    s = np.linspace(0.0, turn * RADIUS, 400)
    points = RADIUS * np.column_stack([np.sin(s / RADIUS), 1.0 - np.cos(s / RADIUS)])
    return Curve(s, points, np.column_stack([np.cos(s / RADIUS), np.sin(s / RADIUS)]))


def waves(s, t):
    return 0.1 * t + 0.02 * il.sin(0.3 * s) + 0.01 * t * il.cos(0.2 * s)


def road_of(*curves: Curve) -> LineRoad:
    return LineRoad(curves, waves, (lambda s: 0.0 * s - 4.0, lambda s: 0.0 * s + 3.0))


def places(count: int = 500):
    """s, t, x, y on the circle."""
    s, t = RNG.uniform(0.0, 2.0 * math.pi * RADIUS, count), RNG.uniform(-7.0, 7.0, count)
    r = RADIUS - t
    return s, t, r * np.sin(s / RADIUS), RADIUS - r * np.cos(s / RADIUS)


def test_places_on_a_closed_circle() -> None:
    """Also beside the seam, where the end meets the begin."""
    s, t, x, y = places()
    found = road_of(circle()).place(x, y)
    np.testing.assert_allclose(found[0], s, atol=1e-5)
    np.testing.assert_allclose(found[1], t, atol=1e-7)


def test_heights_and_slopes_are_those_of_the_circle() -> None:
    s, t, x, y = places()
    graph = Graph()
    a, b = graph.symbol("x"), graph.symbol("y")
    at = road_of(circle()).at(a, b)
    z, zx, zy = evaluate([at.height, *at.slope], {a: x, b: y})
    np.testing.assert_allclose(z, 0.1 * t + 0.02 * np.sin(0.3 * s) + 0.01 * t * np.cos(0.2 * s),
                               atol=1e-6)  # fmt: skip
    by_s = (0.006 * np.cos(0.3 * s) - 0.002 * t * np.sin(0.2 * s)) * RADIUS / (RADIUS - t)
    by_t = 0.1 + 0.01 * np.cos(0.2 * s)
    cos, sin = np.cos(s / RADIUS), np.sin(s / RADIUS)
    np.testing.assert_allclose(zx, by_s * cos - by_t * sin, atol=1e-6)
    np.testing.assert_allclose(zy, by_s * sin + by_t * cos, atol=1e-6)
    # what is told as slope is the derivative of the height, by another way
    for known, symbol in ((zx, a), (zy, b)):
        np.testing.assert_allclose(
            evaluate(forward([at.height], symbol), {a: x, b: y})[0], known, atol=1e-9
        )


def test_the_nearer_of_two_lines_counts() -> None:
    """Two straight lines end to end and one beside them, in one axis of stations."""
    s = np.linspace(0.0, 40.0, 21)

    def straight(x: float, y: float) -> Curve:
        ahead = np.tile([1.0, 0.0], (len(s), 1))
        return Curve(s, np.column_stack([x + s, y + 0.0 * s]), ahead)

    road = road_of(straight(0.0, 0.0), straight(40.0, 0.0), straight(0.0, 12.0))
    found, t = road.place([39.9, 40.1, 20.0, 20.0], [1.0, 1.0, 5.9, 6.1])
    np.testing.assert_allclose(found, [39.9, 240.1, 20.0, 500.0], atol=1e-9)
    np.testing.assert_allclose(t, [1.0, 1.0, 5.9, -5.9], atol=1e-9)


def test_a_spline_of_an_even_grid_is_that_of_patches() -> None:
    xs, ys = 1.5 + 0.7 * np.arange(12), -2.0 + 0.3 * np.arange(9)
    zs = RNG.normal(size=(12, 9))
    x, y = RNG.uniform(0.0, 11.0, 60), RNG.uniform(-3.0, 1.5, 60)
    for kind, degree in (("linear", 1), ("cubic", 3)):
        known = PiecewiseSurface.through(xs, ys, zs, kind)
        found = SplineSurface.through((1.5, 0.7), (-2.0, 0.3), zs, degree)
        np.testing.assert_allclose(found(x, y), known(x, y), atol=1e-12)


def test_beyond_its_ends_it_goes_on_straight() -> None:
    """To where it points at the end: upwards after a quarter of the circle."""
    road = road_of(circle(0.5 * math.pi))
    s, t = road.place([-30.0, RADIUS - 2.0], [1.5, RADIUS + 60.0])
    np.testing.assert_allclose(s, [-30.0, 0.5 * math.pi * RADIUS + 60.0], atol=1e-4)
    np.testing.assert_allclose(t, [1.5, 2.0], atol=1e-4)
    p = road.position(s, t)
    np.testing.assert_allclose(p[:, :2], [[-30.0, 1.5], [RADIUS - 2.0, RADIUS + 60.0]], atol=1e-4)


def test_what_is_seen_lies_on_the_road() -> None:
    road = road_of(circle(1.0))
    mesh = road.surface_mesh(step=2.0)
    s, t = road.place(*mesh.vertices[:, :2].T)
    np.testing.assert_allclose(mesh.vertices[:, 2], road.height(s, t), atol=1e-6)
    a, b, c = (mesh.vertices[mesh.triangles[:, k], :2] for k in range(3))
    (ux, uy), (vx, vy) = (b - a).T, (c - a).T
    area = 0.5 * (ux * vy - uy * vx)
    assert area.min() > 0.0  # seen from above
    # a sector between two radii
    assert area.sum() == pytest.approx(0.5 * ((RADIUS + 4.0) ** 2 - (RADIUS - 3.0) ** 2), rel=1e-3)


def test_moved_to_the_origin() -> None:
    road = road_of(circle(1.0)).moved(20.0, -2.0)
    np.testing.assert_allclose(road.position(20.0, -2.0), 0.0, atol=1e-9)
    assert float(road.heading(20.0)) == pytest.approx(0.0, abs=1e-9)
    assert float(road.height(10.0, 1.0) - road.height(20.0, -2.0)) == pytest.approx(
        waves(10.0, 1.0) - waves(20.0, -2.0), abs=1e-12
    )
