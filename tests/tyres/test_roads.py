"""Roads under tyres, against closed forms: waves, banked turns, grip by place."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

import inloop as il
from inloop.symbolic.lines import Curve

MASS, G = 400.0, 9.81
STIFFNESS, RADIUS = 2e5, 0.3
REST = RADIUS - MASS * G / STIFFNESS  # height of the axle above a level road


@dataclass(frozen=True)
class Sliding:
    """Coulomb's friction of a wheel that is locked."""

    nominal_load: float = 4000.0
    side: None = None

    def forces(self, slip: il.tyres.Slip) -> il.tyres.TyreForces:
        return il.tyres.TyreForces(0.8 * slip.grip * slip.load * il.tanh(10.0 * slip.kappa), 0.0)


def wave(x, y):
    """Long and flat, and askew."""
    return 0.01 * np.sin(0.5 * x + 0.2 * y)


def grip(x, y):
    """Bilinear, so that nothing is lost between points of a grid."""
    return 0.5 + 0.02 * x - 0.01 * y + 0.004 * x * y


def dragged(road: il.tyres.Road) -> il.Model:
    """A locked wheel that is dragged over a road at 2 m/s along a line, with a mass on it."""
    m = il.Model("dragged", gravity=(0.0, 0.0, -G))
    x = m.body("x", on=m.ground, joint=il.prismatic("x"))
    y = m.body("y", on=x, joint=il.prismatic("y"))
    frame = m.body("z", on=y, joint=il.prismatic("z", initial=(REST, 0.0)), mass=MASS - 20.0)
    wheel = m.body("wheel", on=frame, joint=il.revolute("y"), mass=20.0, inertia=(0.5, 0.9, 0.5))
    m.drive("x", lambda t: 2.0 * t)
    m.drive("y", lambda t: -0.1 * t)
    m.drive("wheel", lambda: 0.0)
    m.tyre(wheel, Sliding(), name="tyre", stiffness=STIFFNESS, damping=2e4, radius=RADIUS,
           relaxation=0.0, road=road)  # fmt: skip
    return m


def test_a_wave_and_grip_on_a_grid() -> None:
    """Heights are felt as those of the wave; friction is that of the place."""
    xs, ys = np.linspace(-1.0, 12.0, 53), np.linspace(-2.0, 1.0, 7)
    places = np.meshgrid(xs, ys, indexing="ij")
    road = il.tyres.grid_road(xs, ys, wave(*places), grip=grip(*places))
    result = dragged(road).compile().simulate(t_end=5.0, step=1e-3)
    late = result.t > 0.5
    x, y = 2.0 * result.t[late], -0.1 * result.t[late]
    # the mass follows, deeper where it is lifted and where friction pulls it down the slope
    phase = 0.5 * x + 0.2 * y
    lifted = -0.01 * 0.98**2 * np.sin(phase) / G + 0.8 * grip(x, y) * 0.005 * np.cos(phase)
    expected = REST + wave(x, y) - MASS * G / STIFFNESS * lifted
    assert np.abs(result["z.q"][late] - expected).max() < 1e-5
    ratio = -result["tyre.longitudinal"][late] / result["tyre.load"][late]
    there = result["tyre.point_x"][late], result["tyre.point_y"][late]
    np.testing.assert_allclose(ratio, 0.8 * grip(*there), rtol=2e-4)
    assert np.ptp(ratio) > 0.1


def test_a_grid_is_the_function_between_its_points() -> None:
    xs, ys = np.linspace(-2.0, 3.0, 61), np.linspace(-1.0, 1.5, 31)
    _check_wave(il.tyres.grid_road(xs, ys, wave(*np.meshgrid(xs, ys, indexing="ij"))))


def test_terrain_is_a_road() -> None:
    _check_wave(il.tyres.terrain_road(il.terrain(wave, size=(6.0, 4.0), cell=0.1)))
    with pytest.raises(il.InputError, match="a height map"):
        il.tyres.terrain_road(il.box((1.0, 1.0, 1.0)))


def _check_wave(road: il.tyres.Road) -> None:
    """Heights and slopes between the points of a grid."""
    graph = il.symbolic.Graph()
    x, y = graph.symbol("x"), graph.symbol("y")
    at = road.at(x, y)
    places = {x: np.linspace(-1.5, 2.7, 40), y: np.linspace(1.2, -0.8, 40)}
    found = il.symbolic.evaluate([at.height, *at.slope], places)
    phase = 0.5 * places[x] + 0.2 * places[y]
    known = [0.01 * np.sin(phase), 0.005 * np.cos(phase), 0.002 * np.cos(phase)]
    np.testing.assert_allclose(found, known, atol=1e-7)
    assert at.grip.value == 1.0


BANK, TURN = 0.3, 40.0  # [rad], [m]


def bank(x, y):
    """Height of a turn about the origin."""
    return math.tan(BANK) * (il.sqrt(x * x + y * y) - TURN)


def circle() -> il.tyres.LineRoad:
    """The same along its middle, from the place where the wheel starts."""
    angles = np.linspace(-0.5 * math.pi, 1.5 * math.pi, 300)
    ways = np.column_stack([np.cos(angles), np.sin(angles)])
    curve = Curve(
        TURN * (angles - angles[0]), TURN * ways, ways @ np.array([[0.0, 1.0], [-1.0, 0.0]])
    )
    edges = (lambda s: 0.0 * s - 5.0, lambda s: 0.0 * s + 5.0)
    return il.tyres.LineRoad((curve,), lambda s, t: -math.tan(BANK) * t, edges)


@pytest.mark.parametrize(
    ("speed", "road", "close"),
    [
        (math.sqrt(G * TURN * math.tan(BANK)), il.tyres.height_road(bank), 1e-9),
        (6.0, il.tyres.height_road(bank), 1e-9),
        pytest.param(6.0, circle(), 1e-6, marks=pytest.mark.long),
    ],
)
def test_a_banked_turn(speed: float, road: il.tyres.Road, close: float) -> None:
    """What holds the mass on its circle: nothing at the speed of the bank, else the difference.

    The wheel stands upright on the bank and rolls without lateral slip, so that the road pushes
    along its normal only: N cos(bank) = m g.
    """
    m = il.Model("turn", gravity=(0.0, 0.0, -G))
    arm = m.body("arm", on=m.ground, joint=il.revolute("z"))
    out = m.body("out", on=arm, joint=il.prismatic("y", initial=(-TURN, 0.0)))
    up = m.body("up", on=out, joint=il.prismatic("z", initial=(RADIUS, 0.0)), mass=MASS - 20.0)
    lean = m.body("lean", on=up, joint=il.revolute("x"))
    wheel = m.body("wheel", on=lean, joint=il.revolute("y"), mass=20.0, inertia=(0.5, 0.9, 0.5))
    m.drive("arm", lambda t: speed / TURN * t)
    m.drive("out", lambda: -TURN)
    m.drive("lean", lambda: -BANK)
    m.tyre(wheel, Sliding(), name="tyre", stiffness=STIFFNESS, damping=2e4, radius=RADIUS,
           relaxation=0.0, road=road)  # fmt: skip
    result = m.compile().simulate(t_end=3.0, step=1e-3, qd={"wheel": speed / RADIUS})
    load = MASS * G / math.cos(BANK)
    assert result["tyre.load"][-1] == pytest.approx(load, rel=close)
    assert result["tyre.camber"][-1] == pytest.approx(0.0, abs=close)
    # inwards is +y of the arm; the drive gives what the road does not
    force = MASS * speed**2 / TURN - load * math.sin(BANK)
    assert result["out.effort"][-1] == pytest.approx(force, rel=close, abs=1e-5)


@pytest.mark.parametrize(
    ("heights", "options", "message"),
    [
        ([[0.0, 1.0], [2.0, 3.0]], {}, "heights of a road: .* at least 3 points"),
        (np.zeros((3, 2)), {}, "heights of a road: .* a value for each pair"),
        (np.zeros((3, 3)), {"grip": np.ones((2, 3))}, "grip of a road: .* a value for each pair"),
        (np.zeros((3, 3)), {"grip": -np.ones((3, 3))}, "grip of a road is negative"),
        (np.zeros((3, 3)), {"kind": "round"}, "kind 'round'"),
        (np.full((3, 3), np.nan), {}, "NaN or infinity"),
    ],
)
def test_mistakes(heights, options, message: str) -> None:
    points = range(2) if np.shape(heights) == (2, 2) else range(3)
    with pytest.raises(il.InputError, match=message):
        il.tyres.grid_road(points, points, heights, **options)
