"""Every shape against integrals over its own triangles, finer and finer, and against samples."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial import ConvexHull as Qhull

import inloop as il
from inloop.geometry import Surface, shape_from, total
from inloop.geometry.mass import of_surface

AXIS = (0.3, -0.5, 0.8)
POINTS = np.random.default_rng(1).normal(size=(25, 3))
HEIGHTS = np.random.default_rng(2).uniform(0.1, 0.5, (5, 7))
CORNERS = [(0.02, 0.01), (0.3, 0.04), (0.11, 0.12), (0.05, 0.4)]
DENSITY = 1234.0
ROUND = {
    "sphere": lambda: il.sphere(0.31),
    "cylinder": lambda: il.cylinder(0.11, 0.43, AXIS),
    "capsule": lambda: il.capsule(0.12, 0.37, AXIS),
    "cone": lambda: il.cone(0.21, 0.53, AXIS),
    "torus": lambda: il.torus(0.33, 0.09, AXIS),
}
FLAT = {
    "box": lambda: il.box((0.13, 0.27, 0.41)),
    "plate": lambda: il.plate(CORNERS, 0.07, "xz"),
    "plate-backwards": lambda: il.plate(CORNERS[::-1], 0.07, "yz"),
    "hull": lambda: il.convex_hull(POINTS),
    "heightfield": lambda: il.heightfield(HEIGHTS, (1.1, 2.3), -0.13),
    "mesh": lambda: il.Mesh(*vars(il.box((0.2, 0.3, 0.5)).surface()).values()),
}
ALL = ROUND | FLAT
Make = Callable[[], il.Shape]


def integrals(shape: il.Shape, around: int = 32) -> np.ndarray:
    found = shape.surface(around)
    whole = of_surface(found.vertices, found.triangles, DENSITY)
    return np.array([whole.mass, *whole.com, *whole.inertia.ravel()])


def closed_forms(shape: il.Shape) -> np.ndarray:
    found = shape.mass_properties(DENSITY)
    return np.array([found.mass, *found.com, *found.inertia.ravel()])


@pytest.mark.parametrize("make", FLAT.values(), ids=FLAT)
def test_flat_shapes_have_the_mass_properties_of_their_triangles(make: Make) -> None:
    shape = make()
    assert closed_forms(shape) == pytest.approx(integrals(shape), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("make", ROUND.values(), ids=ROUND)
def test_triangles_approach_round_shapes_with_second_order(
    make: Make,
) -> None:
    shape = make()
    errors = [np.abs(integrals(shape, n) - closed_forms(shape)).max() for n in (32, 64)]
    assert 3.7 < errors[0] / errors[1] < 4.3
    assert errors[1] < 0.02 * closed_forms(shape).max()


def test_a_box_by_hand() -> None:
    found = il.box((0.2, 0.3, 0.5)).mass_properties(1000.0)
    assert found.mass == pytest.approx(30.0)
    assert np.diag(found.inertia) == pytest.approx([0.85, 0.725, 0.325])


@pytest.mark.parametrize("make", ALL.values(), ids=ALL)
def test_surfaces_are_closed_and_inside_their_bounds(make: Make) -> None:
    shape = make()
    found = shape.surface()
    assert found.open_edges() == 0
    low, high = shape.bounds
    assert np.all(found.vertices >= low - 1e-12) and np.all(found.vertices <= high + 1e-12)
    # and they touch them, up to the corners of circles
    assert np.abs(found.bounds - shape.bounds).max() < 0.01 * np.ptp(shape.bounds)


@pytest.mark.parametrize("name", [*ROUND, "box", "plate", "hull"])
def test_the_support_point_is_farthest(name: str) -> None:
    shape = ALL[name]()
    vertices = shape.surface().vertices
    for direction in np.random.default_rng(3).normal(size=(50, 3)):
        far = direction @ shape.support(direction)
        assert far >= (vertices @ direction).max() - 1e-12
        assert far == pytest.approx((vertices @ direction).max(), rel=0.02)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", [*ROUND, "box"])
def test_distances_are_those_to_the_nearest_of_many_points(
    name: str,
) -> None:
    shape = ALL[name]()
    random = np.random.default_rng(4)
    on = sampled(shape.surface(128), random)
    hull = Qhull(shape.surface(128).vertices)
    for point in random.uniform(-0.6, 0.6, (80, 3)):
        apart = float(np.linalg.norm(on - point, axis=1).min())
        assert abs(shape.distance(point)) == pytest.approx(apart, abs=6e-3)
        if name != "torus" and apart > 6e-3:
            inside = np.all(hull.equations[:, :3] @ point + hull.equations[:, 3] < 0.0)
            assert (shape.distance(point) < 0.0) == inside


def sampled(whole: Surface, random: np.random.Generator) -> np.ndarray:
    """Points evenly on the triangles."""
    a, b, c = (whole.vertices[whole.triangles[:, k]] for k in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    k = random.choice(len(areas), 60_000, p=areas / areas.sum())
    s, t = random.random((2, len(k), 1))
    s, t = np.where(s + t > 1.0, 1.0 - s, s), np.where(s + t > 1.0, 1.0 - t, t)
    return a[k] + s * (b - a)[k] + t * (c - a)[k]


@pytest.mark.parametrize("make", ALL.values(), ids=ALL)
def test_plain_data_there_and_back(make: Make) -> None:
    placed = il.visual(make(), (0.1, 0.2, 0.3), "#12ab34")
    told = json.loads(json.dumps(placed.data()))
    assert json.loads(json.dumps(il.Visual.read(told).data())) == told


@pytest.mark.parametrize("make", ALL.values(), ids=ALL)
def test_mass_properties_move_with_the_shape(make: Make) -> None:
    R = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
    p = np.array([0.4, -0.3, 0.2])
    found = il.visual(make(), p, rotation=R.tolist()).mass_properties(DENSITY)
    whole = make().surface()
    moved = of_surface(whole.vertices @ R.T + p, whole.triangles, DENSITY)
    rough = 0.05 if make in ROUND.values() else 1e-9
    assert found.com == pytest.approx(moved.com, abs=1e-9)
    assert found.inertia == pytest.approx(moved.inertia, rel=rough, abs=rough * found.inertia.max())


def test_two_halves_are_one_whole() -> None:
    half = il.box((0.1, 0.3, 0.5))
    parts = [il.visual(half, (x, 0.0, 0.0)).mass_properties(DENSITY) for x in (-0.05, 0.05)]
    whole = il.box((0.2, 0.3, 0.5)).mass_properties(DENSITY)
    assert total(parts).mass == pytest.approx(whole.mass)
    assert total(parts).inertia == pytest.approx(whole.inertia, abs=1e-12)


def test_the_height_of_the_ground_lies_on_its_triangles() -> None:
    field = il.heightfield(HEIGHTS, (1.1, 2.3), -0.13)
    whole = field.surface()
    top = whole.triangles[np.all(whole.triangles < HEIGHTS.size, axis=1)]
    for triangle in whole.vertices[top]:
        x, y, z = triangle.mean(axis=0)
        assert field.height(x, y) == pytest.approx(z)


def test_an_open_mesh_has_no_volume() -> None:
    box = il.box((0.2, 0.3, 0.5)).surface()
    open_box = il.Mesh(box.vertices, box.triangles[1:])
    assert not open_box.is_closed
    with pytest.raises(il.InputError, match="is not closed: 3 edges"):
        open_box.mass_properties(1000.0)
    inside_out = il.Mesh(box.vertices, box.triangles[:, ::-1])
    with pytest.raises(il.InputError, match="encloses no volume"):
        inside_out.mass_properties(1000.0)


def test_a_mirrored_mesh_keeps_its_volume() -> None:
    mesh = il.Mesh(*vars(il.convex_hull(POINTS).surface()).values())
    assert mesh.scaled((1.0, -2.0, 1.0)).volume == pytest.approx(2.0 * mesh.volume)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: il.sphere(-1.0), "the radius of a sphere must be >= 0 m, got -1"),
        (lambda: il.sphere("big"), "the radius of a sphere must be a number, got 'big'"),
        (lambda: il.sphere(float("nan")), "the radius of a sphere is nan"),
        (lambda: il.sphere(1e300), "the radius of a sphere is 1e"),
        (lambda: il.box((0.1, 0.0, 0.2)), "an edge of a box must be > 0 m, got 0"),
        (lambda: il.box(0.1), "the size of a box needs 3 components, got 0.1"),
        (lambda: il.cylinder(0.1, 0.2, "w"), "the axis of a cylinder is 'w'"),
        (lambda: il.cylinder(0.1, 0.2, (0, 0, 0)), "the axis of a cylinder has length zero"),
        (lambda: il.cylinder(0.1).volume, "a cylinder has no ends"),
        (lambda: il.torus(0.1, 0.2), "has no hole"),
        (lambda: il.plate([(0, 0), (1, 1)], 0.1), "the corners of a plate must be at least 3 rows"),
        (lambda: il.plate(CORNERS, 0.1, "zz"), "the plane of a plate is 'zz'"),
        (lambda: il.convex_hull(POINTS * [1, 1, 0]), "points of a convex hull lie in a plane"),
        (lambda: il.convex_hull([[np.inf] * 3] * 4), "row 0 of the points of a convex hull"),
        (lambda: il.heightfield(HEIGHTS, (1, 1), 0.3), "is not below its lowest height"),
        (lambda: il.Mesh(POINTS, [[0, 1, 99]]), "uses vertex 99, but there are 25"),
        (lambda: il.plane().bounds, "a plane has no finite bounds"),
        (lambda: il.sphere(0.1, hollow=True).mass_properties(1.0), "it is hollow"),
        (lambda: il.sphere(0.1).mass_properties(-1.0), "density must be > 0"),
        (lambda: il.visual(0.1), "a visual needs a shape, got 0.1"),
        (lambda: il.visual(il.point(), color="red"), "a color cannot be 'red'"),
        (lambda: il.visual(il.point(), rotation=np.ones((3, 3))), "is not a rotation"),
        (lambda: shape_from({"kind": "blob"}), "no shape of kind 'blob'"),
        (lambda: shape_from({"kind": "box", "radius": 1}), "the data of a box is wrong"),
    ],
)  # fmt: skip
def test_mistakes_are_told(make: Callable[[], object], text: str) -> None:
    with pytest.raises(il.InputError) as caught:
        make()
    (mistake,) = caught.value.mistakes
    assert text in mistake.what and mistake.fix
