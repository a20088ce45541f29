"""Turned and lofted parts against closed forms; materials and places of visuals."""

from __future__ import annotations

import math

import numpy as np
import pytest

import inloop as il
from inloop.geometry import MATERIALS

AROUND = 20
POLYGON = 0.5 * AROUND * math.sin(2.0 * math.pi / AROUND)  # area of the polygon in a unit circle


def test_a_turned_cylinder_is_a_prism_about_its_axis() -> None:
    r, low, high = 0.3, -0.1, 0.45
    part = il.lathe([(0.0, low), (r, low), (r, high), (0.0, high)], "x", AROUND)
    found = part.mass_properties(1000.0)
    assert part.is_closed
    assert found.mass == pytest.approx(1000.0 * POLYGON * r**2 * (high - low))
    assert found.com == pytest.approx((0.5 * (low + high), 0.0, 0.0))
    assert part.bounds[:, 0] == pytest.approx((low, high))


def test_a_turned_ring_has_the_volume_that_pappus_tells() -> None:
    # a triangle whose centroid is 0.5 from the axis
    profile = [(0.4, 0.0), (0.6, 0.0), (0.5, 0.3)]
    ring = il.lathe(profile, around=AROUND)
    area, centroid = 0.5 * 0.2 * 0.3, 0.5
    # of a polygon, the circle's 2 π r becomes 2 · POLYGON · r; slices shrink towards their chords
    assert ring.is_closed
    assert ring.volume == pytest.approx(2.0 * POLYGON * centroid * area)


@pytest.mark.parametrize("way", [1, -1])
def test_a_loft_is_right_side_out_whichever_way_its_sections_go(way: int) -> None:
    square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], dtype=float)[::way]
    # a truncated pyramid: h (A + B + √(A B)) / 3
    sections = [[(*(size * p), z) for p in square] for size, z in ((0.5, 0.0), (0.2, 0.9))]
    part = il.loft(sections)
    assert part.is_closed
    assert part.volume == pytest.approx(0.9 * (1.0 + 0.16 + 0.4) / 3.0)


def test_a_straight_tube_is_a_prism_and_a_bent_one_keeps_its_section() -> None:
    straight = il.tube([(0.1, 0.2, 0.3), (0.5, 0.2, 0.3), (0.9, 0.2, 0.3)], 0.05, AROUND)
    assert straight.volume == pytest.approx(POLYGON * 0.05**2 * 0.8)
    turns = np.linspace(0.0, 1.5 * math.pi, 200)
    bent = il.tube([(math.cos(a), math.sin(a), 0.2 * a) for a in turns], 0.05, AROUND)
    assert bent.is_closed
    length = 1.5 * math.pi * math.hypot(1.0, 0.2)
    assert bent.volume == pytest.approx(POLYGON * 0.05**2 * length, rel=2e-3)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: il.lathe([(0.1, 0.0), (-0.1, 0.1), (0.1, 0.2)]), "radius .* is negative"),
        (lambda: il.lathe([(0.1, 0.0)]), "profile of a lathe must be at least 3 rows"),
        (lambda: il.loft([[(0, 0, 0), (1, 0, 0), (0, 1, 0)]]), "at least two sections"),
        (
            lambda: il.tube([(0, 0, 0), (0, 0, 0), (1, 0, 0)], 0.1),
            "consecutive points .* are equal",
        ),
        (lambda: il.tube([(0, 0, 0), (1, 0, 0)], -0.1), "radius of a tube must be > 0"),
        (lambda: il.visual(il.sphere(1.0), material="tin"), "unknown material 'tin'.*'metal'"),
        (lambda: il.rod((0, 0, 0), (1, 0, 0), 0.1, material=3), "unknown material 3"),
    ],
)
def test_what_makes_no_sense_is_told(make: object, complaint: str) -> None:
    with pytest.raises(il.InputError, match=complaint):
        make()  # type: ignore[operator]


@pytest.mark.parametrize("material", MATERIALS)
def test_a_material_survives_a_file(material: str) -> None:
    look = il.visual(il.box((0.1, 0.2, 0.3)), (0.4, 0.5, 0.6), "#102030", material=material)
    assert il.Visual.read(look.data()) == look


def test_a_rod_between_named_points_is_where_they_are() -> None:
    places = {"pin": (0.1, 0.2, 0.3), "end": (0.1, 0.2, 1.5)}
    rod = il.rod("pin", "end", 0.02, "#445566", material="metal")
    assert not rod.is_numeric
    found = rod.placed(places.__getitem__)
    assert found == il.rod(*places.values(), 0.02, "#445566", material="metal")
    half = il.rod((0.0, 0.0, 0.0), "end", 0.02).placed(places.__getitem__)
    assert half == il.rod((0.0, 0.0, 0.0), places["end"], 0.02)
    with pytest.raises(il.InputError, match="point 'pin'"):
        _ = il.visual(il.sphere(0.1), "pin").origin
