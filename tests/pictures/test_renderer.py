"""Bodies are drawn where they are: pictures against projections by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import inloop as il
from inloop.geometry.shape import KINDS
from inloop.pictures.eye import FIELD, eye_for
from inloop.pictures.palette import palette
from inloop.pictures.renderer import Renderer
from inloop.pictures.shown import Shown
from inloop.pictures.solids import solids
from inloop.pictures.tubes import tube, tubes

LENGTH, RADIUS = 0.8, 0.06  # of the pendulum
WIDTH, HEIGHT = 320, 240


def spot(picture: np.ndarray) -> np.ndarray:
    """Center of all that is red, and its area [pixels]."""
    red = (picture[..., 0] > 100) & (picture[..., 1] < 60) & (picture[..., 2] < 60)
    y, x = np.nonzero(red)
    return np.array([x.mean() + 0.5, y.mean() + 0.5, len(x)])


def test_the_bob_is_where_the_closed_form_puts_it(swing: il.Result) -> None:
    assert swing.plant is not None
    shown = Shown(swing.plant.mechanism)
    X = shown.poses(swing.q)
    renderer = Renderer(shown, X, width=WIDTH, height=HEIGHT, colors=palette("light"))
    rows = [0, 300, 700]
    spots = np.array([spot(renderer.picture(X[k])) for k in rows])
    # about y, from hanging: x = -l sin q, z = -l cos q
    q = swing.q[rows, 0]
    x, z = -LENGTH * np.sin(q), -LENGTH * np.cos(q)
    scale = (spots[2, 0] - spots[0, 0]) / (x[2] - x[0])
    assert scale > 50.0
    np.testing.assert_allclose(spots[:, 0] - spots[0, 0], scale * (x - x[0]), atol=1.0)
    np.testing.assert_allclose(spots[:, 1] - spots[0, 1], -scale * (z - z[0]), atol=1.0)
    # its outline is as large as it is
    np.testing.assert_allclose(spots[:, 2], math.pi * (scale * RADIUS) ** 2, rtol=0.08)


@pytest.mark.parametrize("up", ["y", "z"])
def test_an_eye_in_space_sees_all_points_as_a_pinhole_does(up: str) -> None:
    points = np.random.default_rng(5).uniform(-1.0, 2.0, (400, 3)) * (0.3, 1.0, 2.0)
    eye = eye_for(None, up, points, WIDTH / HEIGHT)
    np.testing.assert_allclose(eye.axes @ eye.axes.T, np.eye(3), atol=1e-14)
    assert eye.axes[1] @ ((0, 1, 0) if up == "y" else (0, 0, 1)) > 0.9  # up is up
    seen = eye.project(points, HEIGHT, WIDTH)
    assert (seen[:, :2] > 0.0).all() and (seen[:, :2] < (WIDTH, HEIGHT)).all()
    assert np.ptp(seen[:, 1]) > 0.5 * HEIGHT or np.ptp(seen[:, 0]) > 0.5 * WIDTH
    # along a ray nothing moves on the screen, and nearness is one over the distance
    center = eye.target + eye.distance * eye.axes[2]
    np.testing.assert_allclose(
        eye.project(center + 1.7 * (points - center), HEIGHT, WIDTH)[:, :2], seen[:, :2], atol=1e-9
    )
    away = (center - points) @ eye.axes[2]
    np.testing.assert_allclose(seen[:, 2], 1.0 / away)
    angle = math.atan2(0.5 * eye.high, eye.distance)
    assert 2.0 * angle == pytest.approx(FIELD)


def test_what_moves_far_is_followed() -> None:
    m = il.Model("cannon")
    visuals = [il.visual(il.sphere(0.1), color="#d01010")]
    m.body("ball", on=m.ground, joint=il.prismatic("x"), mass=1.0, visuals=visuals)
    shown = Shown(m.build())
    X = shown.poses(np.linspace(0.0, 100.0, 30)[:, None])
    renderer = Renderer(shown, X, width=WIDTH, height=HEIGHT, colors=palette("light"))
    spots = np.array([spot(renderer.picture(X[k])) for k in (0, 15, 29)])
    np.testing.assert_allclose(spots[:, :2], [[WIDTH / 2, HEIGHT / 2]] * 3, atol=1.5)
    assert spots[:, 2].min() > 1000


def test_a_visual_follows_the_parameter_that_places_it() -> None:
    m = il.Model("slide")
    height = m.parameter("height", 0.1, unit="m")
    rod = m.body("rod", on=m.ground, joint=il.revolute("y"), mass=1.0, com=(0, 0, 0.2))
    seat = rod.point("seat", (0.05, 0.0, height))
    m.body("weight", on=seat, joint=il.fixed(), mass=0.2, visuals=[il.sphere(0.01)])
    (look,) = Shown(m.build(), {"height": 0.37}).scene["bodies"][0]["shapes"]
    np.testing.assert_allclose(look["position"], (0.05, 0.0, 0.37))


SHAPES = {
    "box": il.box((0.2, 0.3, 0.4)), "capsule": il.capsule(0.1, 0.3), "circle": il.circle(0.2),
    "cone": il.cone(0.1, 0.3), "cylinder": il.cylinder(0.1, 0.3),
    "line": il.line([(0, 0, 0), (0.1, 0.2, 0)]),
    "plane": il.plane(), "plate": il.plate([(0, 0), (0.2, 0), (0, 0.3)], 0.05), "rim": il.rim(0.2),
    "segment": il.segment(0.3, "x"), "sphere": il.sphere(0.2), "torus": il.torus(0.2, 0.05),
    "hull": il.convex_hull([(0, 0, 0), (0.1, 0, 0), (0, 0.2, 0), (0, 0, 0.3)]),
    "heightfield": il.heightfield(np.array([[0.0, 0.1], [0.2, 0.0]]), (0.5, 0.5), -0.1),
}  # fmt: skip


def test_every_kind_of_shape_is_drawn() -> None:
    assert set(KINDS) - {"outline", "mesh", "mesh_file"} <= {s.kind for s in SHAPES.values()} | {""}
    m = il.Model("zoo")
    for k, (name, shape) in enumerate(SHAPES.items()):
        place = m.ground.point(f"at_{name}", (0.7 * k, 0.0, 0.0))
        m.body(name, on=place, joint=il.prismatic("z"), mass=1.0, visuals=[shape])
    shown = Shown(m.build())
    found = solids(shown.scene, shown.meshes, palette("dark"))
    drawn = {solid.body for solid in found if len(solid.triangles) or len(solid.lines)}
    names = list(SHAPES)
    assert {names[k] for k in drawn if k >= 0} == set(SHAPES) - {"plane"}
    for solid in found:
        # normals point out of closed convex solids
        if len(solid.triangles) and not solid.both_sides and names[solid.body] != "torus":
            middle = solid.vertices.mean(axis=0)
            out = solid.vertices[solid.triangles] - middle
            assert (np.einsum("nci,nci->nc", out, solid.normals) > -1e-9).all()
    X = shown.poses(shown.start[None])
    renderer = Renderer(shown, X, width=WIDTH, height=HEIGHT, colors=palette("dark"))
    empty = np.array(palette("dark").rgb("stage"))
    assert np.count_nonzero((renderer.picture(X[0]) != empty).any(axis=2)) > 500


def test_a_box_has_its_twelve_edges() -> None:
    m = il.Model("block")
    m.body("block", on=m.ground, joint=il.prismatic("x"), mass=1.0, visuals=[il.box((1, 2, 3))])
    shown = Shown(m.build())
    edges = next(s for s in solids(shown.scene, {}, palette("light")) if s.body == 0).lines
    lengths = np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1)
    assert sorted(lengths.round(9).tolist()) == [1.0] * 4 + [2.0] * 4 + [3.0] * 4


def test_springs_reach_from_point_to_point_and_tubes_have_their_radius() -> None:
    m = il.Model("hung")
    m.body("block", on=m.ground, joint=il.prismatic("z", initial=(-0.4, 0)), mass=1.0)
    m.spring(m.ground.point("hook", (0.1, 0, 0)), "block", stiffness=10.0, free_length=0.2)
    shown = Shown(m.build())
    ((name, curve, radius),) = tubes(shown.scene, shown.poses(shown.start[None])[0], 1.0)
    assert name == "connector"
    np.testing.assert_allclose(curve[[0, -1]], [(0.1, 0, 0), (0, 0, -0.4)], atol=1e-12)
    vertices, triangles, normals = tube(curve, radius)
    rings = vertices.reshape(len(curve), -1, 3)
    distances = np.linalg.norm(rings - curve[:, None], axis=2)
    np.testing.assert_allclose(distances, radius)
    assert len(triangles) == len(normals) and triangles.max() == len(vertices) - 1


def test_a_flexible_link_at_rest_is_straight() -> None:
    m = il.Model("beam")
    hub = m.body("hub", on=m.ground, joint=il.revolute("y"), mass=1.0, inertia=(1, 1, 1))
    m.flexible_link("rod", on=hub, length=1.5, mass_per_length=0.4, EI=40.0)
    shown = Shown(m.build())
    ((_, curve, _),) = tubes(shown.scene, shown.poses(shown.start[None])[0], 1.0)
    np.testing.assert_allclose(curve[:, 1:], 0.0, atol=1e-12)
    assert curve[-1, 0] == pytest.approx(1.5) and (np.diff(curve[:, 0]) > 0.0).all()
