"""Touches that are found, from event to event: closed forms, printed digits, refusals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hard_models import G
from test_found_contacts import RADIUS, WALL, found_box, marble, rolling, sliding

import inloop as il
from inloop.errors import SimulationError
from inloop.geometry import Mesh, Shape, Sphere
from inloop.model import Hard
from inloop.simulate import Result

METHOD = "event_driven"
LEAN = 0.3


def thing(
    base: Shape, shape: Shape, law: Hard, *, mass: float = 1.3, lean: float = 0.0, **start: object
) -> il.Model:
    """A free body on a shape that stands; inertia of the box around it, or of a ball."""
    m = il.Model("thing", gravity=(G * np.sin(lean), 0.0, -G * np.cos(lean)))
    if not isinstance(shape, Sphere):
        low, high = shape.bounds
        square = np.subtract(high, low) ** 2
        inertia = tuple(mass / 12.0 * (square.sum() - square))
    else:
        inertia = (0.4 * mass * float(shape.radius) ** 2,) * 3
    body = m.body("body", on=m.ground, joint=il.free(**start), mass=mass, inertia=inertia)
    m.contact(m.ground, base, body, shape, law=law, name="touch")
    return m


def terrain(height: Callable[[np.ndarray], np.ndarray]) -> Mesh:
    """Triangles whose height depends on x."""
    x, y = np.arange(-1.0, 4.0, 0.125), np.arange(-0.5, 0.5, 0.11)
    X, Y = np.meshgrid(x, y, indexing="ij")
    vertices = np.stack([X, Y, height(X)], axis=-1).reshape(-1, 3)
    number = np.arange(len(vertices)).reshape(X.shape)
    a, b = number[:-1, :-1].ravel(), number[1:, :-1].ravel()
    c, d = number[1:, 1:].ravel(), number[:-1, 1:].ravel()
    return Mesh(vertices, np.vstack([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]))


def run(m: il.Model, t_end: float, step: float = 0.05, **start: object) -> Result:
    result = m.compile().simulate(t_end=t_end, step=step, method=METHOD, **start)
    assert result.status == "OK" and not result.doubts
    return result


FLAT = terrain(np.zeros_like)
ROLLS = 5.0 / 7.0 * G * np.sin(LEAN)
SLIDES = G * (np.sin(LEAN) - 0.05 * np.cos(LEAN))
# slides on the level until it rolls, with 5/7 of its velocity
UNTIL = 2.0 / 7.0 * 2.0 / (0.3 * G)
THEN = 2.0 * UNTIL - 0.15 * G * UNTIL**2 + 10.0 / 7.0 * (1.0 - UNTIL)
BALL = il.sphere(0.1)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("base", [FLAT, il.box((12.0, 1.0, 0.0002))], ids=["triangles", "box"])
@pytest.mark.parametrize(
    ("lean", "mu", "speed", "way"),
    [(LEAN, 0.5, 0.0, 0.5 * ROLLS), (LEAN, 0.05, 0.0, 0.5 * SLIDES), (0.0, 0.3, 2.0, THEN)],
    ids=["rolls", "slides", "slides, then rolls"],
)
def test_a_sphere_on_an_incline(
    base: Shape, lean: float, mu: float, speed: float, way: float
) -> None:
    height = 0.1 if base is FLAT else 0.1001
    start = {"position": (0.0, 0.03, height), "velocity": (speed, 0.0, 0.0)}
    result = run(thing(base, BALL, il.hard(friction=mu), lean=lean, **start), 1.0)
    assert result["body_tx.q"][-1] == pytest.approx(way, abs=1e-12)
    assert result["body_tz.q"] == pytest.approx(height, abs=1e-14)


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("mu", "expected"), [(0.2, rolling()), (0.05, sliding(0.05))], ids=["rolls", "slides"]
)
def test_a_sphere_in_a_valley_of_triangles(mu: float, expected: tuple[float, float]) -> None:
    result = run(marble(mu), 1.0, q={"ball_tz": RADIUS / np.cos(WALL)})
    assert result["ball_tx.q"][-1] == pytest.approx(0.5 * expected[0], abs=1e-12)
    assert result["ball_wy.qd"][-1] == pytest.approx(expected[1], rel=1e-11)


def test_a_sphere_bounces_on_triangles_until_it_rests() -> None:
    e, fall = 0.7, np.sqrt(2.0 / G)
    start = {"position": (0.0, 0.03, 1.1), "velocity": (0.2, 0.0, 0.0)}
    result = run(thing(FLAT, BALL, il.hard(e, 0.0), **start), 3.0, 0.1)
    # between the second and the third impact
    since = 1.5 - fall * (1.0 + 2.0 * e)
    height = 0.1 + e**2 * G * fall * since - 0.5 * G * since**2
    assert result["body_tz.q"][15] == pytest.approx(height, abs=1e-13)
    # the last of infinitely many is at fall (1 + e) / (1 - e) = 2.5586 s
    assert result["body_tz.q"][26:] == pytest.approx(0.1, abs=1e-14)
    assert result["touch.force"][27:] == pytest.approx(1.3 * G, rel=1e-6)
    assert result["touch.force"][1:].mean() == pytest.approx(1.3 * G, rel=1e-9)


def test_a_sphere_rolls_over_a_ridge_without_loss() -> None:
    """It turns about the edge between two slopes: nothing hits, and friction does no work."""
    ridge = terrain(lambda x: -0.3 * np.maximum(x - 0.5, 0.0))
    start = {"position": (0.3, 0.03, 0.1), "velocity": (0.3, 0.0, 0.0), "rate": (0.0, 3.0, 0.0)}
    result = run(thing(ridge, BALL, il.hard(friction=5.0), **start), 1.2)
    energy = result.energy.sum(axis=1)
    assert np.abs(energy - energy[0]).max() < 1e-9
    # down the slope by now: the kinetic energy of rolling on it is what the height gave
    x = result["body_tx.q"][-1]
    slope = np.arctan(0.3)
    height = -0.3 * (x - 0.5) + 0.1 / np.cos(slope)
    assert result["body_tz.q"][-1] == pytest.approx(height, abs=1e-10)
    speed = np.sqrt(0.3**2 + 2.0 * G * (0.1 - height) * 5.0 / 7.0)
    assert result["body_tx.qd"][-1] == pytest.approx(speed * np.cos(slope), abs=1e-9)


def test_a_box_dropped_on_its_edge_meets_the_printed_digits() -> None:
    edge = 0.2 + 0.1 * np.sin(np.pi / 6) + 0.05 * np.cos(np.pi / 6)
    q = [0.0, 0.0, edge, 0.0, 0.0, 0.0, np.cos(np.pi / 12), 0.0, -np.sin(np.pi / 12), 0.0]
    start = {"q": q, "qd": [0.5, 0.0, 0.0, 0.0, 0.0, 0.0]}
    result = run(found_box((0.2, 0.3, 0.1), (0.2, 0.3)), 0.6, 0.1, **start)
    assert result.q[3, [0, 2]] == pytest.approx([0.1828522743, 0.05381480206], abs=1e-9)
    assert result.q[-1, :3] == pytest.approx([0.2391719124, 0.0, 0.05], abs=1e-9)


TALL = il.box((0.1, 0.16, 0.3))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("shape", [TALL, il.convex_hull(TALL.surface().vertices)], ids=str)
def test_a_tall_box_on_a_box_tips_over_as_printed(shape: Shape) -> None:
    lean = np.radians(25.0)
    start = {"mass": 2.0, "lean": lean, "position": (0.0, 0.1, 0.25)}
    base = il.box((4.0, 1.0, 0.2))
    result = run(thing(base, shape, il.hard(friction=0.6), **start), 0.9, 0.1)
    assert result.q[2, [0, 2]] == pytest.approx([0.018903109, 0.2550257507], abs=1e-9)
    assert result.q[4, [0, 2]] == pytest.approx([0.1157882661, 0.2437772723], abs=1e-9)
    assert result.q[-1, [0, 2]] == pytest.approx([0.3190585344, 0.15], abs=1e-9)


def test_a_ball_rolls_off_a_box_as_small_steps_say() -> None:
    start = {"position": (0.1, 0.02, 0.2), "velocity": (0.4, 0.0, 0.0), "rate": (0.0, 4.0, 0.0)}
    m = thing(il.box((0.5, 0.5, 0.2)), BALL, il.hard(friction=0.8), **start)
    result = run(m, 0.8)
    plant = m.compile()
    off = [
        np.abs(plant.simulate(t_end=0.8, step=h, method="moreau").q[-1] - result.q[-1]).max()
        for h in (2e-4, 5e-5)
    ]
    assert off[0] < 1e-4 and off[1] < 0.5 * off[0]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("base", [il.box((4.0, 1.0, 0.2)), il.cylinder(2.0, 0.2)], ids=str)
def test_a_can_falls_on_its_base_slides_and_stands(base: Shape) -> None:
    """It falls by 5 cm, loses 0.2 √(2 g 0.05) of its speed there, and slides 0.2 g slower."""
    start = {"position": (-0.3, 0.1, 0.2), "velocity": (0.7, 0.0, 0.0)}
    m = thing(base, il.cylinder(0.1, 0.1), il.hard(friction=0.2), **start)
    result = run(m, 0.5)
    fall = np.sqrt(2.0 * 0.05 / G)
    left = 0.7 - 0.2 * G * fall
    x = -0.3 + 0.7 * fall + left**2 / (0.4 * G)
    assert result.q[-1, :3] == pytest.approx([x, 0.1, 0.15], abs=1e-10)
    assert np.abs(result.qd[-1]).max() < 1e-10


def test_a_ball_rolls_off_a_can_without_loss() -> None:
    """Over its rim, which is round: it does not slip while it is there."""
    start = {"position": (0.2, 0.02, 0.2), "velocity": (0.4, 0.0, 0.0), "rate": (0.0, 4.0, 0.0)}
    result = run(thing(il.cylinder(0.25, 0.2), BALL, il.hard(friction=0.8), **start), 0.2)
    assert np.hypot(*result.q[-1, :2]) > 0.26
    energy = result.energy.sum(axis=1)
    assert np.abs(energy - energy[0]).max() < 1e-9


def test_what_is_fast_does_not_get_through_a_thin_wall() -> None:
    start = {"position": (-7.3, 0.02, 0.0), "velocity": (120.0, 0.0, 0.0)}
    wall, ball = il.box((0.02, 1.0, 1.0)), il.sphere(0.03)
    result = run(thing(wall, ball, il.hard(0.9, 0.0), **start), 0.5, 0.25)
    back = 0.9 * 120.0 * (0.5 - (7.3 - 0.04) / 120.0)
    assert result["body_tx.q"][-1] == pytest.approx(-0.04 - back, abs=1e-11)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("length", [1e-9, 1.0, 1e6])
def test_scales_do_not_matter(length: float) -> None:
    """A ball that falls, slips and rolls, in its own units of length and time."""
    unit = np.sqrt(length / G)
    start = {"position": (0.0, 0.0, 1.5 * length), "velocity": (0.5 * length / unit, 0.0, 0.0)}
    base, ball = il.box((40.0 * length, 10.0 * length, 2.0 * length)), il.sphere(0.1 * length)
    m = thing(base, ball, il.hard(0.6, 0.3), mass=1e3 * length**3, **start)
    result = run(m, 1.8 * unit, unit / 10.0)
    # it falls by 0.4, meets with √0.8, and friction lets it roll at once with 5/7 of its velocity
    fall = np.sqrt(0.8)
    since = 1.8 - fall
    x, z = 0.5 * fall + 5.0 / 14.0 * since, 1.1 + 0.6 * fall * since - 0.5 * since**2
    assert result.q[-1, [0, 2]] / length == pytest.approx([x, z], abs=1e-11)


def test_a_rim_that_slides_level_is_refused() -> None:
    """Which of its points carry is not told by points that are found."""
    m = il.Model("can")
    start = il.free(position=(0.0, 0.0, 0.1), velocity=(0.3, 0.1, 0.0))
    can = m.body("can", on=m.ground, joint=start, mass=1.0, inertia=(0.004, 0.004, 0.0012))
    law = il.hard(0.1, 0.4)
    m.contact(m.ground, il.plane(), can, il.cylinder(0.05, 0.2), law=law, name="touch")
    with pytest.raises(SimulationError, match=r"model 'can' .* Use method='moreau'"):
        m.compile().simulate(t_end=0.1, step=0.01, method=METHOD)
