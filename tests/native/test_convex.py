"""Convex shapes of any kind: against coal, against planes between them, and where they touch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import inloop as il
from inloop.geometry import Shape
from inloop.geometry.collision import collision_shape
from inloop.native.running.collision import Collider, FoundTouch

WIDE = 10.0  # [m]: a margin that sees everything
POSES = 25


def corners(seed: int, count: int, size: tuple[float, float, float]) -> np.ndarray:
    points = np.random.default_rng(seed).normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1)[:, None] * size


STONE, GEM = corners(1, 14, (0.3, 0.2, 0.25)), corners(2, 30, (0.2, 0.3, 0.15))
SHAPES: dict[str, Shape] = {
    "stone": il.convex_hull(STONE),
    "gem": il.convex_hull(GEM),
    "box": il.box((0.4, 0.3, 0.2)),
    "drum": il.cylinder(0.13, 0.3),
    "coin": il.cylinder(0.2, 0.1),
    "capsule": il.capsule(0.08, 0.3),
    "ball": il.sphere(0.12),
    "cone": il.cone(0.15, 0.35),
    "top": il.cone(0.2, 0.12),
    "wheel": il.torus(0.2, 0.06),
    "tyre": il.torus(0.15, 0.08),
}
PAIRS = [
    ("stone", "gem"), ("stone", "box"), ("stone", "drum"), ("stone", "capsule"), ("stone", "ball"),
    ("box", "drum"), ("box", "capsule"), ("drum", "coin"), ("drum", "capsule"), ("drum", "ball"),
    ("cone", "stone"), ("cone", "box"), ("cone", "drum"), ("cone", "capsule"), ("cone", "ball"),
    ("cone", "top"),
    ("stone", "wheel"), ("box", "wheel"), ("cone", "wheel"), ("wheel", "drum"), ("wheel", "ball"),
    ("wheel", "capsule"), ("wheel", "tyre"),
]  # fmt: skip


def collider(a: Shape, b: Shape) -> Collider:
    return Collider(*(collision_shape(shape) for shape in (a, b)))


def nearest(touches: tuple[FoundTouch, ...]) -> FoundTouch:
    return min(touches, key=lambda touch: touch.gap)


def reach(shape: Shape, direction: np.ndarray) -> float:
    """How far a shape reaches along a unit vector [m], by its definition."""
    match shape:
        case il.geometry.Sphere(radius):
            return float(radius)
        case il.geometry.Capsule(radius, length, _):
            return float(radius + 0.5 * length * abs(direction[2]))
        case il.geometry.Cylinder(radius, length, _):
            return float(radius * np.hypot(*direction[:2]) + 0.5 * length * abs(direction[2]))
        case il.geometry.Cone(radius, length, _):
            rim = radius * np.hypot(*direction[:2]) - 0.5 * length * direction[2]
            return float(max(rim, 0.5 * length * direction[2]))
        case il.geometry.Torus(radius, tube, _):
            return float(radius * np.hypot(*direction[:2]) + tube)
    return float((shape.surface().vertices @ direction).max())


def gap_along(a: Shape, b: Shape, p: np.ndarray, R: np.ndarray, normal: np.ndarray) -> float:
    return float(normal @ p) - reach(b, -R.T @ normal) - reach(a, normal)


def poses(find: Collider, shift: float, seed: int) -> Any:
    """Poses in which two shapes are about `shift` apart along the line of their centers."""
    rng = np.random.default_rng(seed)
    for _ in range(POSES):
        R = Rotation.from_rotvec(rng.uniform(-3.0, 3.0, 3)).as_matrix()
        way = rng.normal(size=3)
        way /= np.linalg.norm(way)
        low, high = 0.0, 1.5
        for _ in range(30):
            middle = 0.5 * (low + high)
            overlap = nearest(find.touches(way * middle, R, WIDE)).gap < 0.0
            low, high = (middle, high) if overlap else (low, middle)
        yield (high + shift) * way, R


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_no_plane_parts_them_better(first: str, second: str) -> None:
    a, b = SHAPES[first], SHAPES[second]
    find, rng = collider(a, b), np.random.default_rng(3)
    # what a face may be worse than an edge
    slack = 1e-4 * min(find.a.radius + find.a.half, find.b.radius + find.b.half)
    for shift in (0.03, 1e-7, -1e-7, -5e-3):
        for p, R in poses(find, shift, 7):
            touch = nearest(find.touches(p, R, WIDE))
            along = gap_along(a, b, p, R, touch.normal)
            assert touch.gap == pytest.approx(along, abs=slack)
            others = touch.normal + rng.normal(size=(30, 3)) * np.logspace(-6, 0, 30)[:, None]
            others /= np.linalg.norm(others, axis=1)[:, None]
            assert max(gap_along(a, b, p, R, n) for n in others) <= along + slack


def in_coal(coal: Any, name: str) -> Any:
    def hull(points: np.ndarray) -> Any:
        vertices = coal.StdVec_Vec3s()
        for point in points:
            vertices.append(point)
        return coal.Convex.convexHull(vertices, False, None)

    def rounded(shape: Any, radius: float) -> Any:
        shape.setSweptSphereRadius(radius)
        return shape

    made: dict[str, Callable[[], Any]] = {
        "stone": lambda: hull(STONE),
        "gem": lambda: hull(GEM),
        "box": lambda: coal.Box(0.4, 0.3, 0.2),
        "capsule": lambda: coal.Capsule(0.08, 0.3),
        "ball": lambda: coal.Sphere(0.12),
        "cone": lambda: coal.Cone(0.15, 0.35),
        "wheel": lambda: rounded(coal.Cylinder(0.2, 0.0), 0.06),
    }
    return made[name]()


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    ("first", "second"),
    [("stone", "gem"), ("stone", "box"), ("stone", "capsule"), ("stone", "ball"),
     ("cone", "stone"), ("cone", "box"), ("cone", "ball"),
     ("stone", "wheel"), ("wheel", "ball")],
)  # fmt: skip
def test_distances_are_those_of_coal(
    first: str, second: str, require_package: Callable[[str], object]
) -> None:
    require_package("coal")
    import coal

    a, b = SHAPES[first], SHAPES[second]
    find = collider(a, b)
    theirs = in_coal(coal, first), in_coal(coal, second)
    request = coal.DistanceRequest(True, True)
    request.gjk_tolerance = request.epa_tolerance = 1e-14
    off, worse = [], []
    for shift in (0.03, 1e-7, -5e-3):
        for p, R in poses(find, shift, 5):
            result = coal.DistanceResult()
            placed = (theirs[0], coal.Transform3s(), theirs[1], coal.Transform3s(R, p))
            told = coal.distance(*placed, request, result)
            touch = nearest(find.touches(p, R, WIDE))
            gap = touch.gap
            assert gap == pytest.approx(gap_along(a, b, p, R, touch.normal), abs=1e-12)
            off.append(abs(gap - told))
            # coal may stop 1e-11 m early, whatever is asked of it, after other calls in the same
            # process; how far apart its plane holds them is exact
            worse.append(gap_along(a, b, p, R, np.ravel(result.normal)) - gap)
    assert np.median(off) < 1e-10 and np.median(np.abs(worse)) < 1e-10
    # a face is preferred to an edge that is better by less than 1e-4 of the size: of a hundred
    # random poses one or two
    worse.sort()
    # rims are found to 1e-9 of their size
    assert worse[-4] < (1e-10 if first == "cone" else 1e-12)
    assert worse[-1] < 3e-5


def test_shapes_that_lie_on_each_other_touch_around_their_face() -> None:
    # a drum of radius 0.13 m that stands in the middle of a box: points of its rim, all 1 mm deep
    touches = collider(SHAPES["box"], SHAPES["drum"]).touches([0.0, 0.0, 0.249], None, 0.02)
    assert [touch.gap for touch in touches] == pytest.approx([-1e-3] * 8, abs=1e-12)
    assert np.array([t.normal for t in touches]) == pytest.approx(
        np.tile([0.0, 0.0, 1.0], (8, 1)), abs=1e-12
    )
    places = np.array([touch.point for touch in touches])
    assert np.hypot(places[:, 0], places[:, 1]) == pytest.approx(0.13)
    assert places[:, :2].mean(axis=0) == pytest.approx([0.0, 0.0], abs=1e-12)
    # over the edge of the box, where the drum ends what it stands on, the face ends, too
    beyond = collider(SHAPES["box"], SHAPES["drum"]).touches([0.15, 0.0, 0.249], None, 0.02)
    places = np.array([touch.point for touch in beyond])
    assert places[:, 0].max() == pytest.approx(0.2)
    assert places[:, 0].min() == pytest.approx(0.02)


def test_capsules_and_drums_that_lie_touch_at_both_ends() -> None:
    on_side = Rotation.from_euler("y", np.pi / 2).as_matrix()
    touches = collider(SHAPES["box"], SHAPES["capsule"]).touches([0.0, 0.0, 0.18], on_side, 0.01)
    assert sorted(touch.point[0] for touch in touches) == pytest.approx([-0.15, 0.15])
    # a drum on its side on another one, both along x
    stacked = Collider(
        *(collision_shape(il.cylinder(0.1, length, "x")) for length in (0.3, 0.2))
    ).touches([0.02, 0.0, 0.199], None, 0.01)
    assert sorted(touch.point[0] for touch in stacked) == pytest.approx([-0.08, 0.12])
    assert [touch.gap for touch in stacked] == pytest.approx([-1e-3] * 2)


def test_a_torus_touches_as_a_wheel_whose_hole_is_filled() -> None:
    """Radius 0.2 m, tube 0.06 m: on the face of a box, over its edge, beside and over a ball."""
    on_box = collider(SHAPES["box"], SHAPES["wheel"])
    # it lies: eight points of its circle, all 1 mm deep; a box that is narrower cuts their octagon
    lying = collider(il.box((1.0, 1.0, 0.2)), SHAPES["wheel"]).touches(
        [0.0, 0.0, 0.159], None, 0.01
    )
    assert [touch.gap for touch in lying] == pytest.approx([-1e-3] * 8, abs=1e-14)
    places = np.array([touch.point for touch in lying])
    assert np.hypot(places[:, 0], places[:, 1]) == pytest.approx(0.2)
    narrow = np.array([touch.point for touch in on_box.touches([0.0, 0.0, 0.159], None, 0.01)])
    assert np.abs(narrow[:, 1]).max() == pytest.approx(0.15)
    # it stands, leaning by 0.3 rad: one point, straight below the circle
    leaning = Rotation.from_euler("x", np.pi / 2 + 0.3).as_matrix()
    (touch,) = on_box.touches([0.05, 0.02, 0.1 + 0.2 * np.cos(0.3) + 0.06], leaning, 0.01)
    assert touch.gap == pytest.approx(0.0, abs=1e-15)
    assert touch.point == pytest.approx([0.05, 0.02 + 0.2 * np.sin(0.3), 0.1])
    # its axis is along the edge: the tread, 0.26 m from the axis, is 2 mm from the edge
    along_edge = Rotation.from_euler("x", np.pi / 2).as_matrix()
    away = np.array([np.sin(0.7), 0.0, np.cos(0.7)])
    edge = np.array([0.2, 0.03, 0.1])
    (touch,) = on_box.touches(edge + 0.262 * away, along_edge, 0.01)
    assert touch.gap == pytest.approx(2e-3, abs=1e-12)
    assert touch.normal == pytest.approx(away, abs=1e-7)
    assert touch.point == pytest.approx(edge + 1e-3 * away, abs=1e-8)
    # a ball of 0.12 m at its tread, and in its hole, which is none
    (beside,) = collider(SHAPES["wheel"], SHAPES["ball"]).touches([0.3, 0.2, 0.1], None, 1.0)
    to_circle = np.hypot(np.hypot(0.3, 0.2) - 0.2, 0.1)
    assert beside.gap == pytest.approx(to_circle - 0.18, abs=1e-14)
    for height in (0.1, 0.0):
        (over,) = collider(SHAPES["wheel"], SHAPES["ball"]).touches([0.03, 0.0, height], None, 1.0)
        assert over.gap == pytest.approx(height - 0.18, abs=1e-14)
        assert over.normal[2] == pytest.approx(1.0, abs=1e-14)
