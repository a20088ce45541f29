"""Tyres on wheels: geometry of the contact, standing and rolling, against closed forms."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np
import pytest

import inloop as il
from inloop.model.tyres.rolling import Wheel, contact_of

MASS, WHEEL = 400.0, {"mass": 20.0, "inertia": (0.5, 0.9, 0.5)}  # of all, and of the wheel
G = 9.81


@dataclass(frozen=True)
class Linear:
    """A tyre without a limit."""

    slope_x: float = 60e3
    slope_y: float = 50e3
    nominal_load: float = 4000.0
    side: None = None

    def forces(self, slip: il.tyres.Slip) -> il.tyres.TyreForces:
        part = slip.load / self.nominal_load
        return il.tyres.TyreForces(
            self.slope_x * slip.kappa * part, -self.slope_y * il.tan(slip.alpha) * part
        )


def quarter(formula: il.tyres.TyreFormula, gravity=(0.0, 0.0, -G), **options) -> il.Model:
    """A mass on one wheel that cannot tip over: along x, along y, up, and the wheel."""
    m = il.Model("quarter", gravity=gravity)
    x = m.body("x", on=m.ground, joint=il.prismatic("x"))
    y = m.body("y", on=x, joint=il.prismatic("y"))
    frame = m.body("z", on=y, joint=il.prismatic("z", initial=(0.3, 0.0)), mass=MASS - 20.0)
    wheel = m.body("wheel", on=frame, joint=il.revolute("y"), **WHEEL)
    options = {"stiffness": 2e5, "damping": 2e4, "radius": 0.3} | options
    m.tyre(wheel, formula, name="tyre", **options)
    return m


def test_where_an_inclined_wheel_touches_an_inclined_road() -> None:
    """Against vectors of NumPy, made from rotations instead of projections."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        uphill, banked = rng.uniform(-0.3, 0.3, 2)
        n = np.array([-uphill, -banked, 1.0]) / math.sqrt(1.0 + uphill**2 + banked**2)
        heading = np.cross(n, rng.normal(size=3))
        heading /= np.linalg.norm(heading)
        camber = rng.uniform(-0.4, 0.4)
        left = np.cross(n, heading)
        axis = math.cos(camber) * left + math.sin(camber) * n
        p, v, w = rng.normal(size=(3, 3))
        radius, road = 0.35, il.tyres.plane_road(uphill, banked)
        wheel = Wheel(tuple(p), tuple(v), tuple(w), tuple(axis))
        found = contact_of(wheel, road, radius)
        height = p @ n
        # the point of the middle plane of the wheel that is deepest along n, stretched to the road
        down = -(n - (n @ axis) * axis)
        p_WC = height / -(down @ n) * down
        np.testing.assert_allclose(found.p_WC, p_WC, atol=1e-12)
        np.testing.assert_allclose(found.e1, heading, atol=1e-12)
        assert found.depth == pytest.approx(radius * math.cos(camber) - height, abs=1e-12)
        assert found.sliding == pytest.approx((v + np.cross(w, p_WC)) @ heading, abs=1e-12)
        # the point of contact turns with the axis, by differences; the spin leaves it where it is
        before, after = (_down_to(n, axis + h * np.cross(w, axis)) for h in (-1e-6, 1e-6))
        v_place = v + p_WC @ _down_to(n, axis) * (after - before) / 2e-6
        assert found.rolling == pytest.approx(v_place @ heading, abs=1e-8)
        assert found.across == pytest.approx(v_place @ left, abs=1e-8)
        # the rim goes with all that is no turning about the axis
        v_rim = v + np.cross(w - (w @ axis) * axis, p_WC)
        found = contact_of(dataclasses.replace(wheel, as_rim=True), road, radius)
        assert found.rolling == pytest.approx(v_rim @ heading, abs=1e-12)


def _down_to(n: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Unit vector down to a road of a normal, in the plane of a wheel of an axis."""
    down = -(n - (n @ axis) * axis / (axis @ axis))
    return down / np.linalg.norm(down)


def test_a_tyre_that_stands_is_a_spring() -> None:
    """Pushed with a small force F a braked wheel gives way by F sigma / K."""
    model = quarter(Linear(), relaxation=0.4)
    model.drive("wheel", lambda: 0.0)
    push = model.input("push", "N")
    model.joint_force("x", lambda: push)
    result = model.compile().simulate(t_end=6.0, step=1e-3, inputs={"push": 3.0})
    part = MASS * G / 4000.0
    assert result["x.q"][-1] == pytest.approx(3.0 * 0.4 / (60e3 * part), rel=1e-3)
    assert result["tyre.longitudinal"][-1] == pytest.approx(-3.0, rel=1e-6)
    assert result["tyre.load"][-1] == pytest.approx(MASS * G, rel=1e-9)


def test_lateral_force_is_there_after_the_relaxation_length() -> None:
    """A wheel that is dragged at a constant slip angle: F (1 - exp(-s / sigma))."""
    sigma, speed, across = 0.5, 10.0, 0.2
    model = quarter(Linear(), relaxation=sigma)
    model.drive("x", lambda t: speed * t)
    model.drive("y", lambda t: across * t)
    result = model.compile().simulate(t_end=0.3, step=1e-4, qd={"wheel": speed / 0.28})
    load = result["tyre.load"]
    expected = -50e3 * load / 4000.0 * across / speed * (1.0 - np.exp(-speed * result.t / sigma))
    np.testing.assert_allclose(result["tyre.lateral"], expected, rtol=1e-6, atol=1e-3)


@pytest.mark.parametrize("speed", [12.0, -3.0])
def test_steady_slip_is_the_formula(tyre_a: il.tyres.Pac2002, speed: float) -> None:
    model = quarter(tyre_a, side="left")
    model.drive("x", lambda t: speed * t)
    model.drive("y", lambda t: 0.06 * abs(speed) * t)
    model.drive("wheel", lambda t: 1.05 * speed / 0.28 * t)
    result = model.compile().simulate(t_end=3.0, step=1e-3)
    end = {name: result[f"tyre.{name}"][-1] for name in ("kappa", "alpha", "load", "depth")}
    arm = 0.3 - end["depth"]
    assert math.tan(end["alpha"]) == pytest.approx(0.06, rel=1e-6)
    slip = (1.05 * arm / 0.28 - 1.0) * math.copysign(1.0, speed)
    assert end["kappa"] == pytest.approx(slip, rel=1e-5)
    known = tyre_a.forces(il.tyres.Slip(end["load"], end["kappa"], end["alpha"], 0.0, speed))
    assert result["tyre.longitudinal"][-1] == pytest.approx(known.longitudinal, rel=1e-6)
    assert result["tyre.aligning"][-1] == pytest.approx(known.aligning, rel=1e-6)


def test_a_braked_wheel_stands_on_a_slope_for_good(tyre_a: il.tyres.Pac2002) -> None:
    """20 %: the road carries the weight along the slope, and nothing creeps."""
    model = quarter(tyre_a, road=il.tyres.plane_road(0.2))
    model.drive("wheel", lambda: 0.0)
    result = model.compile().simulate(t_end=60.0, step=1e-3, sample=0.01)
    x, late = result["x.q"], result.t > 20.0
    assert np.ptp(x[late]) < 1e-6
    across = MASS * G / math.sqrt(1.04)
    assert result["tyre.longitudinal"][-1] == pytest.approx(0.2 * across, rel=1e-6)
    assert result["tyre.load"][-1] == pytest.approx(across, rel=1e-6)


def test_a_wheel_that_spins_on_the_spot_has_bounded_deflections(tyre_a: il.tyres.Pac2002) -> None:
    model = quarter(tyre_a)
    model.drive("x", lambda: 0.0)
    model.drive("y", lambda: 0.0)
    model.drive("wheel", lambda t: 60.0 * t)
    result = model.compile().simulate(t_end=5.0, step=1e-3)
    assert 1.0 < result["tyre.kappa"][-1] < 2.01
    assert np.isfinite(result["tyre.longitudinal"]).all()


def test_turning_on_the_spot_takes_goughs_moment() -> None:
    m = il.Model("turning", gravity=(0.0, 0.0, -G))
    frame = m.body("z", on=m.ground, joint=il.prismatic("z", initial=(0.3, 0.0)), mass=MASS - 20.0)
    fork = m.body("fork", on=frame, joint=il.revolute("z"))
    wheel = m.body("wheel", on=fork, joint=il.revolute("y"), **WHEEL)
    m.tyre(wheel, Linear(), stiffness=2e5, damping=2e4, radius=0.3, relaxation=0.4,
           pressure=220e3, name="tyre")  # fmt: skip
    m.drive("fork", lambda t: 0.5 * t)
    result = m.compile().simulate(t_end=3.0, step=1e-3)
    slipping = math.sqrt((MASS * G) ** 3 / 220e3) / 3.0
    assert result["tyre.aligning"][-1] == pytest.approx(-slipping, rel=1e-3)


def test_a_belt_moves_under_a_wheel_that_is_held() -> None:
    """Held on a belt or driven over a road: the same forces."""
    found = []
    for belt in (True, False):
        road = il.tyres.plane_road(velocity=(-8.0, 0.4, 0.0)) if belt else il.tyres.plane_road()
        model = quarter(Linear(), relaxation=0.4, road=road)
        model.drive("x", lambda t, belt=belt: 0.0 if belt else 8.0 * t)
        model.drive("y", lambda t, belt=belt: 0.0 if belt else -0.4 * t)
        result = model.compile().simulate(t_end=1.0, step=1e-3)
        found.append([result[f"tyre.{name}"] for name in ("longitudinal", "lateral", "load")])
    np.testing.assert_allclose(*found, rtol=1e-9, atol=1e-6)


def test_a_road_by_a_function_is_the_plane_that_it_describes() -> None:
    found = []
    for road in (
        il.tyres.plane_road(0.1, -0.05, grip=0.7),
        il.tyres.height_road(lambda x, y: 0.1 * x - 0.05 * y, grip=0.7),
    ):
        result = quarter(Linear(), relaxation=0.4, road=road).compile().simulate(t_end=1.0)
        found.append(np.column_stack([result.q, result["tyre.lateral"]]))
    np.testing.assert_allclose(*found, rtol=1e-9, atol=1e-9)


def test_a_wave_is_felt_as_its_height(tyre_a: il.tyres.Pac2002) -> None:
    """A long flat wave, driven over slowly: the mass follows it."""
    road = il.tyres.height_road(lambda x, y: 0.01 * il.sin(0.2 * x))
    model = quarter(tyre_a, road=road)
    model.drive("x", lambda t: 2.0 * t)
    model.drive("y", lambda: 0.0)
    model.drive("wheel", lambda t: 2.0 * t / 0.28)
    result = model.compile().simulate(t_end=20.0, step=1e-3)
    late = result.t > 2.0
    rest = 0.3 - MASS * G / 2e5
    wave = 0.01 * np.sin(0.4 * result.t)
    assert np.abs(result["z.q"] - rest - wave)[late].max() < 3e-5


def test_a_wheel_in_the_air_is_free(tyre_a: il.tyres.Pac2002) -> None:
    model = quarter(tyre_a)
    result = model.compile().simulate(t_end=0.3, q={"z": 1.0}, qd={"x": 3.0, "wheel": 50.0})
    assert result["x.qd"][-1] == pytest.approx(3.0, abs=1e-12)
    assert result["wheel.qd"][-1] == pytest.approx(50.0, abs=1e-12)
    assert result["z.q"][-1] == pytest.approx(1.0 - 0.5 * G * 0.09, rel=1e-9)


def test_mistakes(tyre_a: il.tyres.Pac2002) -> None:
    m = il.Model("wrong")
    slider = m.body("slider", on=m.ground, joint=il.prismatic("x"), mass=1.0)
    wheel = m.body("wheel", on=slider, joint=il.revolute("y"), **WHEEL)
    m.tyre(slider, tyre_a, name="a")
    m.tyre(wheel, "tyre.tir", name="b")
    m.tyre(wheel, Linear(), name="c", stiffness=1e5, radius=0.3)
    m.tyre(wheel, Linear(), name="d")
    m.tyre(wheel, tyre_a, name="e", side="middle")
    m.tyre(wheel, tyre_a, name="f", stiffness=-1.0)
    with pytest.raises(il.ModelError) as error:
        m.build()
    text = str(error.value)
    for part in (
        "tyre 'a': 'slider' is not a wheel on a revolute joint",
        "tyre 'b': formula must be the formula of a tyre",
        "tyre 'c': the formula returns no relaxation length",
        "tyre 'd': the formula returns no stiffness",
        "tyre 'e': side = 'middle' is not known",
        "tyre 'f': stiffness",
    ):
        assert part in text
