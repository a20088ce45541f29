"""Where shapes touch: against coal, against brute force, and on flat ground without ghosts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import inloop as il
from inloop.geometry import Heightfield, Mesh, Shape
from inloop.geometry.collision import MOST_NEAR, GroundTables, collision_shape
from inloop.model.contacts.found import TOUCHES
from inloop.model.contacts.pile import CLOSED_FORMS
from inloop.native.mirror import constant, enumeration
from inloop.native.running.collision import Collider, FoundTouch, collides

CELLS, CELL = 20, 0.12
WHEEL = il.cylinder(0.129, 0.1)
UPRIGHT = Rotation.from_euler("x", np.pi / 2)


def field(rough: float) -> Heightfield:
    heights = rough * np.random.default_rng(3).normal(size=(CELLS + 1, CELLS + 1))
    return il.heightfield(heights, (CELLS * CELL, CELLS * CELL), -1.0)


def as_mesh(ground: Heightfield) -> Mesh:
    surface = ground.surface()
    return Mesh(surface.vertices, surface.triangles[: 2 * CELLS**2])


def collider(a: Shape, b: Shape) -> Collider:
    tables = collision_shape(a), collision_shape(b)
    assert tables[0] is not None and tables[1] is not None
    return Collider(*tables)


def least(touches: tuple[FoundTouch, ...]) -> float:
    return min((touch.gap for touch in touches), default=np.inf)


@pytest.fixture(scope="module")
def rough() -> Heightfield:
    return field(0.02)


@pytest.fixture(scope="module")
def in_coal(rough: Heightfield, require_package: Callable[[str], object]) -> tuple[Any, Any]:
    require_package("coal")
    import coal

    mesh = as_mesh(rough)
    vertices, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for vertex in mesh.vertices:
        vertices.append(vertex)
    for triangle in mesh.triangles:
        triangles.append(coal.Triangle(*map(int, triangle)))
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(mesh.triangles), len(mesh.vertices))
    model.addSubModel(vertices, triangles)
    model.endModel()
    return coal, model


def distance(in_coal: tuple[Any, Any], shape: Any, p: np.ndarray, R: np.ndarray) -> float:
    coal, model = in_coal
    answer = coal.DistanceResult()
    pose = coal.Transform3s(R, p)
    here = coal.Transform3s()
    return float(coal.distance(model, here, shape, pose, coal.DistanceRequest(), answer))


def above(rng: np.random.Generator, upright: bool) -> tuple[np.ndarray, np.ndarray]:
    """A place over the ground, and axes that are a little tilted."""
    turns = [rng.uniform(-3.0, 3.0), *rng.uniform(-0.3, 0.3, 2)]
    turned = Rotation.from_euler("zyx", turns) * (UPRIGHT if upright else Rotation.identity())
    return np.array([*rng.uniform(-0.7, 0.7, 2), 0.5]), turned.as_matrix()


@pytest.mark.parametrize(
    ("ours", "name", "sizes", "tolerance"),
    [
        (il.sphere(0.129), "Sphere", (0.129,), 1e-12),
        (il.capsule(0.08, 0.3), "Capsule", (0.08, 0.3), 1e-12),
        # coal's iterations stop some 1e-11 m too early for shapes with corners
        (il.box((0.4, 0.3, 0.2)), "Box", (0.4, 0.3, 0.2), 1e-10),
    ],
)
def test_distances_from_terrain_are_those_of_coal(
    rough: Heightfield,
    in_coal: tuple[Any, Any],
    ours: Shape,
    name: str,
    sizes: Any,
    tolerance: float,
) -> None:
    theirs = getattr(in_coal[0], name)(*sizes)
    rng, found = np.random.default_rng(7), [collider(x, ours) for x in (rough, as_mesh(rough))]
    for _ in range(60):
        p, R = above(rng, upright=False)
        p[2] -= distance(in_coal, theirs, p, R) - 0.004
        gap = distance(in_coal, theirs, p, R)
        for each in found:
            assert least(each.touches(p, R, 0.1)) == pytest.approx(gap, abs=tolerance)


def cylinder_distance(points: np.ndarray) -> np.ndarray:
    """Distance of points from the wheel, in its axes."""
    beyond = np.hypot(points[..., 0], points[..., 1]) - 0.129
    over = np.abs(points[..., 2]) - 0.05
    outside = np.hypot(np.maximum(beyond, 0.0), np.maximum(over, 0.0))
    return np.where((beyond <= 0) & (over <= 0), np.maximum(beyond, over), outside)


def torus_distance(points: np.ndarray) -> np.ndarray:
    radial = np.maximum(np.hypot(points[..., 0], points[..., 1]) - 0.079, 0.0)
    return np.hypot(radial, points[..., 2]) - 0.05


def cone_distance(points: np.ndarray) -> np.ndarray:
    """Distance from a cone of radius 0.1 m and length 0.3 m, by the sides of its profile."""
    place = np.stack([np.hypot(points[..., 0], points[..., 1]), points[..., 2]], axis=-1)
    axis, rim, tip = np.array([0.0, -0.15]), np.array([0.1, -0.15]), np.array([0.0, 0.15])
    apart = []
    for a, b in ((axis, rim), (rim, tip)):
        part = np.clip((place - a) @ (b - a) / np.sum((b - a) ** 2), 0.0, 1.0)
        apart.append(np.linalg.norm(place - a - part[..., None] * (b - a), axis=-1))
    inside = (place[..., 1] > -0.15) & (place[..., 0] * 0.3 + place[..., 1] * 0.1 < 0.015)
    return np.minimum(*apart) * np.where(inside, -1.0, 1.0)


def points_below(ground: Heightfield, p: np.ndarray, count: int) -> np.ndarray:
    """Points of the triangles that are near a place, many of each."""
    mesh = as_mesh(ground)
    corners = mesh.vertices[mesh.triangles]
    sides = np.linspace(0.0, 1.0, count)
    grid = np.array([(u, v) for u in sides for v in sides if u + v <= 1])
    near = corners[np.linalg.norm(corners.mean(axis=1)[:, :2] - p[:2], axis=1) < 0.3]
    a, ab, ac = near[:, 0], near[:, 1] - near[:, 0], near[:, 2] - near[:, 0]
    return a[:, None] + grid[:, :1] * ab[:, None] + grid[:, 1:] * ac[:, None]


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("wheel", "from_points", "turn"),
    [
        (WHEEL, cylinder_distance, UPRIGHT),
        (il.torus(0.079, 0.05), torus_distance, UPRIGHT),
        (il.cone(0.1, 0.3), cone_distance, Rotation.identity()),
        (il.cone(0.1, 0.3), cone_distance, Rotation.from_euler("x", np.pi / 2 + 0.32)),
        (il.cone(0.1, 0.3), cone_distance, Rotation.from_euler("x", np.pi)),
    ],
    ids=["cylinder", "torus", "cone", "cone on its side", "cone on its tip"],
)
def test_distances_of_wheels_are_the_least_over_the_ground(
    rough: Heightfield,
    wheel: Shape,
    from_points: Callable[[np.ndarray], np.ndarray],
    turn: Rotation,
) -> None:
    # coal is no oracle here: it is wrong by millimetres for one cylinder in a hundred
    find, rng = collider(rough, wheel), np.random.default_rng(11)
    for _ in range(4 if wheel.kind == "cone" else 12):
        p, R = above(rng, upright=False)
        R = R @ turn.as_matrix()
        ground = points_below(rough, p, 50)
        # lowered until the nearest point of the ground is about 5 mm away
        for _ in range(6):
            p[2] -= from_points((ground - p) @ R).min() - 0.005
        sampled = from_points((ground - p) @ R).min()
        gap = least(find.touches(p, R, 0.03))
        assert sampled - 4e-4 < gap < sampled + 1e-12


def test_a_wheel_that_is_pressed_into_the_ground_touches_it(rough: Heightfield) -> None:
    # in all of these the deepest place of a rim is just beyond the face that it goes through, and
    # the way out of the ridge there leans past the normal of this face
    find = collider(rough, WHEEL)
    for seed in (6, 84, 102, 103, 155, 242, 276, 363, 439, 448, 502, 539):
        p, R = above(np.random.default_rng(seed), upright=True)
        ground = points_below(rough, p, 25)
        for _ in range(6):
            p[2] -= cylinder_distance((ground - p) @ R).min()
        touches = find.touches(p - np.array([0.0, 0.0, 3e-3]), R, 0.01)
        assert -4e-3 < least(touches) < -2e-3  # points are up to 5 mm apart
        assert all(touch.normal[2] > 0.7 for touch in touches)


def test_a_box_that_overlaps_the_ground_touches_it_and_is_pushed_up(rough: Heightfield) -> None:
    # where an edge of the box lies across a ridge two of its faces are equally near
    find, rng = collider(rough, il.box((0.4, 0.3, 0.2))), np.random.default_rng(21)
    for _ in range(150):
        p, R = above(rng, upright=False)
        for _ in range(4):
            p[2] -= least(find.touches(p, R, 0.5)) + 3e-3
        touches = find.touches(p, R, 0.01)
        assert least(touches) < 0.0
        assert min(touch.normal[2] for touch in touches) > 0.5


def test_a_tip_in_a_valley_touches_though_it_is_below_no_face(rough: Heightfield) -> None:
    """Below a valley the way to either face leads past it: its edge is nearest."""
    steep, half = 0.5, 0.15
    valley = il.terrain(lambda x, y: steep * abs(x), size=(2.4, 2.4), cell=0.12)
    find = collider(valley, il.cone(0.1, 0.3, "-z"))
    (touch,) = find.touches((0.0, 0.031, half - 0.01), margin=0.01)
    assert touch.gap == pytest.approx(-0.01) and touch.normal == pytest.approx((0.0, 0.0, 1.0))
    # and wherever on rough ground
    find, rng = collider(rough, il.cone(0.1, 0.3, "-z")), np.random.default_rng(21)
    for _ in range(60):
        p, R = above(rng, upright=False)
        p[2] = 0.3
        for _ in range(4):
            p[2] -= least(find.touches(p, R, 0.3))
        touches = find.touches(p - np.array([0.0, 0.0, 3e-3]), R, 0.01)
        assert -4e-3 < least(touches) < -2e-3


ON_FLAT = [
    # what stands or lies on it, how high its middle is then, turned how, and its touches
    (il.sphere(0.1), 0.1, Rotation.identity(), 1),
    (il.capsule(0.1, 0.2), 0.1, UPRIGHT, 2),
    (il.cylinder(0.1, 0.12), 0.06, Rotation.identity(), 3),
    (il.cylinder(0.1, 0.24), 0.1, UPRIGHT, 2),
    (il.torus(0.09, 0.03), 0.03, Rotation.identity(), 3),
    (il.cone(0.12, 0.2), 0.1, Rotation.identity(), 3),
    (il.box((0.24, 0.24, 0.2)), 0.1, Rotation.identity(), 4),
    (il.convex_hull(il.box((0.24, 0.24, 0.2)).surface().vertices), 0.1, Rotation.identity(), 4),
]


@pytest.mark.parametrize(("shape", "height", "turn", "count"), ON_FLAT)
def test_what_is_exactly_over_edges_and_corners_touches(
    shape: Shape, height: float, turn: Rotation, count: int
) -> None:
    """Its corners and rims are over the corners of cells, where users put them."""
    flat = field(0.0)
    plate = il.heightfield(np.zeros((5, 5)), (0.96, 0.96), -2e-3).surface()
    for ground in (flat, as_mesh(flat), Mesh(plate.vertices, plate.triangles)):
        find = collider(ground, shape)
        for x, y in ((0.0, 0.0), (0.06, 0.0), (0.03, 0.03), (0.01, 0.043)):
            for z in (1e-4, 0.0, -1e-4):
                touches = find.touches((x, y, height + z), turn.as_matrix(), 2e-3)
                assert len(touches) == count
                # nor does the underside of a thin plate pull
                assert [touch.gap for touch in touches] == pytest.approx([z] * count, abs=1e-12)
                normals = np.array([touch.normal for touch in touches])
                assert np.abs(normals - (0.0, 0.0, 1.0)).max() < 1e-9


@pytest.mark.parametrize("place", [(0.0, 0.0), (0.06, 0.0), (0.05, 0.05), (0.03, 0.01)])
def test_a_sphere_whose_center_is_below_the_ground_is_pushed_up(place: tuple[float, ...]) -> None:
    flat = field(0.0)
    for ground in (flat, as_mesh(flat)):
        find = collider(ground, il.sphere(0.1))
        for z in (1e-3, 0.0, -1e-15, -1e-3, -0.09):
            (touch,) = find.touches((*place, z), margin=0.01)
            assert touch.gap == pytest.approx(z - 0.1, abs=1e-12)
            assert touch.normal == pytest.approx((0.0, 0.0, 1.0), abs=1e-9)
        assert find.touches((*place, -0.12), margin=0.01) == ()
        assert find.touches((1.25, 0.0, -0.02), margin=0.01) == ()  # where it ends


def test_a_sphere_at_an_edge_sharper_than_a_right_angle() -> None:
    """The center may be below the plane of one of both faces: the nearest point decides."""
    a = np.array([(-0.5, -0.1, -0.4), (0.5, -0.1, -0.4), (0.5, 0.1, -0.4), (-0.5, 0.1, -0.4),
                  (-0.5, 0.0, 0.0), (0.5, 0.0, 0.0)])  # fmt: skip
    roof = Mesh(a, np.array([(0, 1, 5), (0, 5, 4), (2, 3, 4), (2, 4, 5)]))
    find = collider(roof, il.sphere(0.1))
    for angle in np.radians([-70.0, -50.0, -10.0, 30.0, 70.0]):
        way = np.array([0.0, np.sin(angle), np.cos(angle)])
        (touch,) = find.touches(0.099 * way, margin=0.01)
        assert touch.gap == pytest.approx(-1e-3) and touch.normal == pytest.approx(way)


def test_poses_that_are_no_numbers_touch_nothing_or_something_but_return() -> None:
    """A run that has diverged ends with a status, not with the process."""
    ground = as_mesh(field(0.02))
    for shape, *_ in ON_FLAT:
        find = collider(ground, shape)
        for wrong in (np.nan, np.inf, -np.inf, 1e300):
            for R in (np.eye(3), np.full((3, 3), wrong)):
                assert len(find.touches((0.0, wrong, 0.1), R)) <= constant("IL_SPOTS_MOST")
                assert len(find.touches((0.0, 0.0, wrong), R)) <= constant("IL_SPOTS_MOST")


def test_touches_on_flat_ground_are_upright_wherever_triangles_meet() -> None:
    flat, rng = field(0.0), np.random.default_rng(2)
    for ground in (flat, as_mesh(flat)):
        for shape in (il.sphere(0.1), WHEEL, il.torus(0.079, 0.05), il.capsule(0.05, 0.2),
                      il.box((0.3, 0.2, 0.1))):  # fmt: skip
            find, upright = collider(ground, shape), shape.kind in ("cylinder", "torus")
            for k in range(60):
                p, R = above(rng, upright)
                if k % 2:  # over an edge or a corner of the mesh
                    p[0] = CELL * round(p[0] / CELL)
                p[2] = 0.25
                p[2] -= least(find.touches(p, R, 0.25)) + 0.003
                touches = find.touches(p, R, 0.02)
                assert least(touches) == pytest.approx(-0.003, abs=1e-12)
                normals = np.array([touch.normal for touch in touches])
                assert np.abs(normals - (0.0, 0.0, 1.0)).max() < 1e-12


def test_valleys_touch_twice_and_ridges_once() -> None:
    steep, find = 0.5, {}
    for sign in (1.0, -1.0):
        bent = il.terrain(lambda x, y, s=sign: s * steep * abs(x), size=(2.4, 2.4), cell=0.12)
        find[sign] = collider(bent, il.sphere(0.3))
    cosine = 1.0 / np.hypot(1.0, steep)
    touches = find[1.0].touches((0.0, 0.031, 0.3 / cosine - 0.001), margin=0.01)
    assert sorted(round(touch.normal[0], 9) for touch in touches) == pytest.approx(
        [-steep * cosine, steep * cosine], abs=1e-9
    )
    (touch,) = find[-1.0].touches((0.05, 0.031, 0.295), margin=0.01)
    direction = np.array([0.05, 0.0, 0.295])
    assert touch.normal == pytest.approx(direction / np.linalg.norm(direction), abs=1e-12)
    assert touch.gap == pytest.approx(np.linalg.norm(direction) - 0.3, abs=1e-12)


def test_a_wheel_on_a_step_touches_its_edge_across_the_tread() -> None:
    step = il.terrain(lambda x, y: 0.1 if x > 1e-9 else 0.0, size=(2.0, 2.0), cell=0.05)
    # between x = 0 and x = 0.05 the ground rises; the edge is at (0.05, 0.1)
    way = 0.127 * np.array([-0.6, 0.0, 0.8])
    center = way + np.array([0.05, 0.01, 0.1])
    touches = collider(step, WHEEL).touches(center, UPRIGHT.as_matrix(), 0.01)
    assert np.ptp([touch.point[1] for touch in touches]) == pytest.approx(0.1)
    for touch in touches:
        assert touch.normal == pytest.approx(way / np.linalg.norm(way), abs=1e-9)
        assert touch.gap == pytest.approx(np.linalg.norm(way) - 0.129, abs=1e-12)


def test_boxes_overlap_as_in_coal(in_coal: tuple[Any, Any]) -> None:
    coal, _ = in_coal
    sizes, rng = ((0.4, 0.3, 0.2), (0.1, 0.2, 0.3)), np.random.default_rng(5)
    find = collider(il.box(sizes[0]), il.box(sizes[1]))
    boxes, deep = [coal.Box(*edges) for edges in sizes], 0
    for _ in range(300):
        p, R = rng.uniform(-0.3, 0.3, 3), Rotation.random(random_state=rng).as_matrix()
        answer = coal.DistanceResult()
        poses = coal.Transform3s(), coal.Transform3s(R, p)
        gap = coal.distance(boxes[0], poses[0], boxes[1], poses[1], coal.DistanceRequest(), answer)
        if gap < 0.0:
            deep += 1
            # edges must be better than faces by a thousandth of the size
            assert least(find.touches(p, R)) == pytest.approx(gap, abs=1e-4)
    assert deep > 50


def test_a_box_on_a_box_touches_with_the_corners_of_what_they_share() -> None:
    find = collider(il.box((0.4, 0.4, 0.2)), il.box((0.2, 0.2, 0.1)))
    touches = find.touches((0.15, 0.05, 0.149))
    points = sorted((round(t.point[0], 9), round(t.point[1], 9)) for t in touches)
    assert points == [(0.05, -0.05), (0.05, 0.15), (0.2, -0.05), (0.2, 0.15)]
    for touch in touches:
        assert touch.normal == pytest.approx((0.0, 0.0, 1.0)) and touch.gap == pytest.approx(-0.001)
        assert touch.point[2] == pytest.approx(0.0995)


def test_a_sphere_at_a_box() -> None:
    box, find = il.box((0.4, 0.3, 0.2)), collider(il.box((0.4, 0.3, 0.2)), il.sphere(0.1))
    for p in np.random.default_rng(1).uniform(-0.4, 0.4, (100, 3)):
        (touch,) = find.touches(p, margin=2.0)
        assert touch.gap == pytest.approx(box.distance(p) - 0.1, abs=1e-14)
        on_sphere = p - 0.1 * touch.normal
        assert touch.point == pytest.approx(on_sphere - 0.5 * touch.gap * touch.normal, abs=1e-12)


def test_shapes_on_a_plane_touch_with_their_lowest_points() -> None:
    rng = np.random.default_rng(4)
    for shape in (il.capsule(0.05, 0.2), WHEEL, il.torus(0.079, 0.05), il.box((0.3, 0.2, 0.1)),
                  il.cone(0.1, 0.3),
                  il.convex_hull([(0, 0, 0), (0.2, 0, 0), (0, 0.3, 0), (0, 0, 0.1)])):  # fmt: skip
        surface, find = shape.surface(around=120).vertices, collider(il.plane(), shape)
        for _ in range(10):
            R = Rotation.random(random_state=rng).as_matrix()
            lowest = (surface @ R.T)[:, 2].min()
            gap = least(find.touches((0.1, 0.2, 0.01 - lowest), R, 0.1))
            # the circles of the surface are polygons
            assert gap == pytest.approx(0.01, abs=1e-4)


def test_the_known_pairs_are_those_of_c() -> None:
    kinds = [name.removeprefix("IL_").lower() for name in enumeration("il_shape_kind")]
    shapes = {
        "plane": il.plane(), "ground": field(0.0), "sphere": il.sphere(0.1),
        "capsule": il.capsule(0.1, 0.2), "cylinder": WHEEL, "torus": il.torus(0.2, 0.1),
        "box": il.box((0.1, 0.1, 0.1)), "hull": il.convex_hull(np.eye(4, 3)),
        "cone": il.cone(0.1, 0.2),
    }  # fmt: skip
    tables = {kind: collision_shape(shapes[kind]) for kind in kinds}
    known = {(a, b) for a in kinds for b in kinds if collides(tables[a], tables[b])}
    # some have closed forms where they are no members of a pile
    assert known == {*TOUCHES, *CLOSED_FORMS}
    assert max(TOUCHES.values()) <= constant("IL_SPOTS_MOST")
    assert constant("IL_TERRAIN_MOST") == MOST_NEAR


def test_the_bound_of_near_triangles_holds(rough: Heightfield) -> None:
    for ground in (rough, as_mesh(rough)):
        shape = collision_shape(ground)
        assert shape is not None and isinstance(shape.ground, GroundTables)
        corners = as_mesh(rough).vertices[as_mesh(rough).triangles][:, :, :2]
        for size in (0.05, 0.2, 0.45):
            rng, most = np.random.default_rng(6), 0
            for center in rng.uniform(-1.2, 1.2, (200, 2)):
                inside = (corners.min(1) <= center + size) & (corners.max(1) >= center - size)
                most = max(most, int(inside.all(axis=1).sum()))
            # a cell more on each side, and rounding at the borders of cells
            assert most <= shape.ground.most_near(size) <= 2 * most + 24
