"""Scenarios of the car: cones, sine with dwell, the blind test, Stanley's driver."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import inloop as il
from inloop import gallery
from inloop.gallery.car import cones, roads, stanley
from inloop.gallery.car.course import Course
from inloop.gallery.car.experiments import blind, dwell, lane_change, lap, split
from inloop.gallery.car.experiments.caster import CASTERS, SPEED


@pytest.fixture(scope="module")
def plant() -> il.Plant:
    """The one of the obstacle: compiled once for all."""
    return gallery.get("car").build(pedals=True, bars_as_laws=True, speed=SPEED).compile()


# cones


def test_lanes_of_iso_3888() -> None:
    """Lengths and widths of the standard, for a car of 1.7 m."""
    one, two = cones.iso_3888_1(100.0), cones.iso_3888_2(0.0)
    assert [lane.end - lane.begin for lane in one.lanes] == pytest.approx([15.0, 25.0, 30.0])
    assert one.lanes[-1].end - one.lanes[0].begin == pytest.approx(125.0)
    assert one.lanes[1].right - one.lanes[0].right == pytest.approx(3.5)
    wide = [lane.left - lane.right for lane in one.lanes]
    assert wide == pytest.approx([k * 1.7 + 0.25 for k in (1.1, 1.2, 1.3)])
    assert [b.begin - a.end for a, b in pairwise(one.lanes)] == pytest.approx([30.0, 25.0])
    assert [lane.end - lane.begin for lane in two.lanes] == pytest.approx([12.0, 11.0, 12.0])
    assert [b.begin - a.end for a, b in pairwise(two.lanes)] == pytest.approx([13.5, 12.5])
    widths = [lane.left - lane.right for lane in two.lanes]
    assert widths == pytest.approx([1.1 * 1.7 + 0.25, 2.7, 3.0])
    assert two.lanes[-1].end == pytest.approx(61.0)
    assert two.lanes[1].right - two.lanes[0].left == pytest.approx(1.0)


def test_cones_count_where_the_car_touches_them() -> None:
    change = cones.iso_3888_2(20.0)
    x = np.linspace(0.0, 40.0, 400)
    first = change.cones[:, 0] <= change.lanes[0].end
    # in the middle of the first lane nothing is hit; 0.25 m aside its left cones are, all of them
    assert len(change.hit(x, 0.0 * x, 0.0 * x)) == 0
    found = change.hit(x, 0.0 * x + 0.25, 0.0 * x)
    assert set(found) == set(np.flatnonzero(first & (change.cones[:, 1] > 0.0)))
    # across the road with a tail that reaches 3.4 m back, and before its nose of 0.7 m
    cone = change.cones[0]
    across = np.array([0.5 * math.pi])
    for ahead, hit in ((-3.5, True), (-3.6, False), (0.8, True), (0.9, False)):
        at = np.array([cone[0]]), np.array([cone[1] - ahead])
        assert (0 in change.hit(*at, across)) == hit


def test_the_path_between_cones_keeps_off_them() -> None:
    for change in (cones.iso_3888_1(50.0), cones.iso_3888_2(50.0)):
        for lane in change.lanes:
            x = np.linspace(lane.begin + 3.0, lane.end - 3.0, 20)
            y = change.path(x)
            assert (y - cones.HALF > lane.right).all() and (y + cones.HALF < lane.left).all()


@pytest.mark.long
def test_slow_and_fast_through_iso_3888_2(plant: il.Plant) -> None:
    """Slowly no cone falls; far too fast some do."""
    change = cones.iso_3888_2(lane_change.RUN_UP)
    slow, fast = (lane_change.drive(plant, change, v / 3.6, lets_go=True) for v in (45.0, 75.0))
    assert slow.entry == pytest.approx(45.0 / 3.6, abs=0.3)
    assert slow.exit < slow.entry  # he took his foot off the pedal
    assert len(slow.hit) == 0 and len(fast.hit) >= 3


# sine with dwell


def test_the_sine_rests_at_its_second_peak() -> None:
    angle = dwell.steering(2.0)
    assert angle(dwell.BEGIN) == pytest.approx(0.0, abs=1e-12)
    assert angle(dwell.BEGIN + 0.25 / 0.7) == pytest.approx(2.0)
    rest = dwell.BEGIN + 0.75 / 0.7
    assert [angle(rest + t) for t in (0.0, 0.2, 0.5)] == pytest.approx([-2.0] * 3)
    assert angle(dwell.END) == pytest.approx(0.0, abs=1e-9)
    assert angle(dwell.END + 1.0) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.long
def test_a_small_sine_with_dwell_dies_away(plant: il.Plant) -> None:
    """The angle at 0.3 g is near that of the single track, and so is the way aside."""
    plant.parameters.reset()
    unit = dwell.slow_turn(plant)
    # wheel angle L g/V² + K times 0.3 g, by steering of 16:1 to 18:1 with roll steer and column
    wheels = 0.3 * 9.81 * (2.76 / SPEED**2 + 1.03e-3)
    assert wheels * 15.0 < unit < wheels * 24.0
    found = dwell.swerve(plant, 1.5 * unit)
    assert found.is_stable and abs(found.after[1]) < 0.02
    # bounded by what 0.45 g could do in that time: a/ω² (ωt - sin ωt) of a sine
    w, t, a = 2.0 * math.pi * 0.7, 1.07, 0.45 * 9.81
    assert 0.3 < found.aside / (a / w**2 * (w * t - math.sin(w * t))) < 1.0


# the blind test


def test_casters_are_hidden_in_an_order_of_the_seed() -> None:
    orders = {blind.Blind(seed).reveal() for seed in range(20)}
    assert len(orders) == 6 and all(sorted(order) == sorted(CASTERS) for order in orders)
    assert blind.Blind(3).reveal() == blind.Blind(3).reveal()


# Stanley


def test_stanley_holds_a_circle() -> None:
    """On a car that rolls without slip: heading and offset of the front axle die away."""
    angles = np.linspace(0.0, 2.0 * math.pi, 600)[:-1]
    course = Course(40.0 * np.column_stack([np.sin(angles), 1.0 - np.cos(angles)]),
                            closed=True)  # fmt: skip
    driver = stanley.Stanley(course)
    x, y, yaw, v, h = 0.0, -0.8, 0.2, 8.0, 0.01
    for _ in range(3000):
        told = {"chassis_tx.q": x, "chassis_ty.q": y, "chassis_rz.q": yaw,
                "chassis_tx.qd": v, "chassis_ty.qd": 0.0}  # fmt: skip
        turn = driver(told) * stanley.STEERING
        # the front axle goes where its wheels point
        x, y = x + h * v * math.cos(yaw + turn), y + h * v * math.sin(yaw + turn)
        yaw += h * v * math.sin(turn) / 2.76
    away = math.hypot(x, y - 40.0) - 40.0
    assert abs(away) < 0.02
    assert yaw > 4.0  # it went around, more than half of the circle


def test_a_course_along_a_lane_of_the_track() -> None:
    road = roads.road_of("track")
    course = lap.lane_course(road)
    # the car starts in the middle of its lane, at the origin, along x
    offset, heading = course.place(0.0, 0.0)
    assert (offset, heading) == pytest.approx((0.0, 0.0), abs=0.02)
    assert roads.standing(road) == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
    s, t = road.place(0.0, 0.0)
    assert (float(s), float(t)) == pytest.approx((10.0, -1.75), abs=1e-6)
    # a wet patch in the lane
    assert float(road.grip(200.0, -1.75)) == pytest.approx(0.5)


def test_on_a_slope_the_car_starts_with_it() -> None:
    raised, rolled, pitched = roads.standing(il.tyres.plane_road(uphill=0.1, banked=-0.05))
    assert (rolled, pitched) == pytest.approx((-math.atan(0.05), -math.atan(0.1)))
    assert raised == pytest.approx(0.0, abs=1e-9)


# ice on one side


@pytest.mark.long
def test_braking_on_split_friction() -> None:
    """Slower than on a dry road, turned to the dry side, kept straight by who steers."""
    road = split.split_road()
    graph = il.symbolic.Graph()
    x, y = graph.symbol("x"), graph.symbol("y")
    at = road.at(x, y)
    found = il.symbolic.evaluate([at.grip], {x: np.zeros(2), y: np.array([-0.7, 0.7])})[0]
    assert found == pytest.approx([1.0, 0.3], abs=1e-6)
    plant = (
        gallery.get("car").build(pedals=True, bars_as_laws=True, speed=SPEED, road=road).compile()
    )
    held, steered = (split.brake(plant, steers=s, seconds=2.0) for s in (False, True))
    late = held.t > 0.7
    assert held["chassis_rz.q"][-1] < -0.3  # to the right, which is dry
    assert abs(steered["chassis_rz.q"]).max() < 0.5 * abs(held["chassis_rz.q"]).max()
    assert np.abs(steered["steering.q"][late]).max() > 0.3
    # about half the track times the difference of the forces at the best slip
    load = 1648.5 * 9.81 / 2.0
    assert split.turning_moment(held) == pytest.approx(-0.75 * 0.7 * 1.036 * load, rel=0.25)
