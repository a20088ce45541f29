"""Roads of OpenDRIVE, against closed forms of each geometry."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.special import fresnel

import inloop as il

LANES = """
<lanes>
 <laneOffset s="0" a="0.5" b="0" c="0" d="0"/>
 <laneSection s="0">
  <left><lane id="1" type="shoulder"><width sOffset="0" a="1" b="0.01"/>
   <roadMark sOffset="0" type="solid solid" color="yellow" width="0.1"/></lane></left>
  <center><lane id="0" type="none"><roadMark sOffset="0" type="broken" color="standard">
   <type name="broken"><line length="4" space="8" tOffset="0" sOffset="0"/></type>
   </roadMark></lane></center>
  <right>
   <lane id="-2" type="border"><width sOffset="0" a="2"/></lane>
   <lane id="-1" type="driving"><width sOffset="0" a="3.5"/>
    <roadMark sOffset="0" type="solid" color="standard"/><roadMark sOffset="60" type="none"/>
    <material sOffset="0" friction="0.9"/><material sOffset="40" friction="0.3"/></lane>
  </right>
 </laneSection>
</lanes>
<objects><object id="ice" s="20" t="-1" length="6" width="2"><material friction="0.1"/></object>
</objects>"""


def road(
    tmp_path: Path, geometry: str, length: float, *, profile: str = "", lanes: str = ""
) -> il.tyres.LineRoad:
    text = (
        f'<OpenDRIVE><header/><road id="7" length="{length!r}"><planView>{geometry}</planView>'
        f"{profile}{lanes}</road></OpenDRIVE>"
    )
    path = tmp_path / "my.xodr"
    path.write_text(text)
    return il.load_road(path)


def shape(inside: str, length: float, s: float = 0.0, at=(4.0, -3.0, 0.6)) -> str:
    x, y, heading = at
    return (
        f'<geometry s="{s!r}" x="{x!r}" y="{y!r}" hdg="{heading!r}" length="{length!r}">'
        f"{inside}</geometry>"
    )


def placed(points: np.ndarray, at=(4.0, -3.0, 0.6)) -> np.ndarray:
    c, s = math.cos(at[2]), math.sin(at[2])
    return np.array(at[:2]) + points @ np.array([[c, s], [-s, c]])


S = np.linspace(0.3, 79.0, 57)


def known_points(kind: str) -> np.ndarray:
    """Closed forms, from the origin along x."""
    if kind == "line":
        return np.column_stack([S, 0.0 * S])
    if kind == "arc":
        return 25.0 * np.column_stack([np.sin(S / 25.0), np.cos(S / 25.0) - 1.0])
    if kind == "spiral":  # curvature from 0 to 0.03 over 80 m: Fresnel's integrals
        scale = math.sqrt(math.pi * 80.0 / 0.03)
        sine, cosine = fresnel(S / scale)
        return scale * np.column_stack([cosine, sine])
    p = S / 80.0
    return np.column_stack([78.0 * p + 2.0 * p**3, 9.0 * p**2 - 4.0 * p**3])


LINE = '<geometry s="0" x="0" y="0" hdg="0" length="9"><line/></geometry>'
GEOMETRIES = {
    "line": "<line/>",
    "arc": '<arc curvature="-0.04"/>',
    "spiral": '<spiral curvStart="0" curvEnd="0.03"/>',
    "paramPoly3": '<paramPoly3 pRange="normalized" aU="0" bU="78" cU="0" dU="2" aV="0" bV="0" '
    'cV="9" dV="-4"/>',
}


@pytest.mark.parametrize("kind", GEOMETRIES)
def test_reference_lines(tmp_path: Path, kind: str) -> None:
    found = road(tmp_path, shape(GEOMETRIES[kind], 80.0), 80.0)
    points = placed(known_points(kind))
    np.testing.assert_allclose(found.position(S, 0.0)[:, :2], points, atol=2e-5)
    s, t = found.place(*points.T)
    np.testing.assert_allclose(s, S, atol=2e-5)
    np.testing.assert_allclose(t, 0.0, atol=2e-5)


def test_poly3_is_as_long_as_told(tmp_path: Path) -> None:
    """v = u²/200 until 80 m of the curve: its length in closed form."""
    found = road(tmp_path, shape('<poly3 a="0" b="0" c="0.005" d="0"/>', 80.0), 80.0)
    p = placed(np.zeros((1, 2)))[0]
    c, s = math.cos(0.6), math.sin(0.6)
    u, v = np.array([[c, s], [-s, c]]) @ (found.position(80.0, 0.0)[:2] - p)
    assert v == pytest.approx(0.005 * u**2, abs=1e-4)
    slope = 0.01 * u
    length = 50.0 * (slope * math.hypot(1.0, slope) + math.asinh(slope))
    assert length == pytest.approx(80.0, abs=1e-6)


def test_geometries_follow_each_other(tmp_path: Path) -> None:
    """A line, then an arc that begins where it ends."""
    at = (4.0 + 30.0 * math.cos(0.6), -3.0 + 30.0 * math.sin(0.6), 0.6)
    text = shape("<line/>", 30.0) + shape('<arc curvature="0.02"/>', 50.0, 30.0, at)
    found = road(tmp_path, text, 80.0)
    way = np.array([[50.0 * math.sin(0.4), 50.0 * (1.0 - math.cos(0.4))]])
    np.testing.assert_allclose(found.position(50.0, 0.0)[:2], placed(way, at)[0], atol=1e-5)
    # a curve of the wrong place is told
    with pytest.raises(
        il.FileFormatError, match=r"away from the end of the previous one.*my\.xodr:1"
    ):
        road(tmp_path, shape("<line/>", 30.0) + shape("<line/>", 50.0, 30.0), 80.0)


PROFILE = (
    '<elevationProfile><elevation s="0" a="1" b="0.02" c="0" d="0"/>'
    '<elevation s="40" a="1.8" b="0.02" c="-0.001" d="1e-5"/></elevationProfile>'
    '<lateralProfile><superelevation s="0" a="0.05" b="0.001" c="0" d="0"/></lateralProfile>'
)


def test_elevation_and_superelevation(tmp_path: Path) -> None:
    found = road(tmp_path, shape("<line/>", 80.0), 80.0, profile=PROFILE, lanes=LANES)
    s, t = np.array([10.0, 39.0, 55.0]), np.array([-2.0, 1.0, -3.0])
    x = s - 40.0
    middle = np.where(s < 40.0, 1.0 + 0.02 * s, 1.8 + 0.02 * x - 0.001 * x**2 + 1e-5 * x**3)
    np.testing.assert_allclose(
        found.height(s, t), middle + np.tan(0.05 + 0.001 * s) * t, rtol=1e-12
    )
    # beyond its ends it goes on level
    end = float(found.height(80.0, 0.0))
    assert found.height([95.0, -20.0], 0.0) == pytest.approx([end, 1.0])


def test_lanes_marks_and_friction(tmp_path: Path) -> None:
    found = road(tmp_path, shape("<line/>", 80.0), 80.0, lanes=LANES)
    lanes = {lane.number: lane for lane in found.strips}
    s = np.array([0.0, 50.0])
    assert {n: lane.kind for n, lane in lanes.items()} == {
        1: "shoulder",
        -1: "driving",
        -2: "border",
    }
    np.testing.assert_allclose(lanes[1].left(s), [1.5, 2.0])
    np.testing.assert_allclose(lanes[-1].right(s), [-3.0, -3.0])
    np.testing.assert_allclose(lanes[-2].right(s), [-5.0, -5.0])
    marks = found.marks()
    told = sorted((m.color, m.dash, round(m.width, 2), len(m.points)) for m in marks if m.dash)
    assert told == [("white", (4.0, 8.0), 0.12, 81)]
    solid = sorted((m.color, len(m.points)) for m in marks if m.dash is None)
    assert solid == [("white", 61), ("yellow", 81), ("yellow", 81)]  # the white one ends at 60 m
    (edge,) = (m for m in marks if m.color == "white" and m.dash is None)
    np.testing.assert_allclose(found.place(*edge.points[:, :2].T)[1], -3.0, atol=1e-6)
    # a lane, its slippery end, a patch of ice, and what tells nothing
    grip = found.grip([10.0, 50.0, 20.0, 50.0], [-2.5, -1.0, -1.0, 1.5])
    np.testing.assert_allclose(grip, [0.9, 0.3, 0.1, 1.0])


@pytest.mark.parametrize(
    ("geometry", "length", "message"),
    [
        ('<geometry s="0" x="0" y="0" hdg="0" length="-1"><line/></geometry>', 1.0, "more than 0"),
        (
            '<geometry s="0" x="0" y="nan" hdg="0" length="9"><line/></geometry>',
            9.0,
            "usable number",
        ),
        ('<geometry s="0" x="0" y="0" hdg="0"><line/></geometry>', 9.0, "no attribute 'length'"),
        ('<geometry s="0" x="0" y="0" hdg="0" length="9"><blob/></geometry>', 9.0, "must hold one"),
        (
            '<geometry s="0" x="0" y="0" hdg="0" length="9"><line/></geometry>',
            50.0,
            "geometry has 9",
        ),
        ('<geometry s="0" x="0" y="0" hdg="0" length="9e6"><line/></geometry>', 9e6, "too long"),
        ("", 9.0, "no <geometry>"),
    ],
)
def test_hostile_files(tmp_path: Path, geometry: str, length: float, message: str) -> None:
    with pytest.raises(
        il.FileFormatError, match=rf"(?s)my\.xodr:1.*{message}|{message}.*my\.xodr:1"
    ):
        road(tmp_path, geometry, length)


def test_lanes_that_make_no_sense(tmp_path: Path) -> None:
    for old, new, message in (
        ('a="3.5"', 'a="9e6"', "farther than 200 m aside"),
        ('id="-1"', 'id="1"', "lane 1 is on the right"),
        ('id="-1"', 'id="a"', "not a usable number"),
        ('<width sOffset="0" a="2"/>', "", "neither <width> nor <border>"),
        ('laneSection s="0"', 'laneSection s="90"', "the road is 80 m long"),
    ):
        assert old in LANES
        with pytest.raises(il.FileFormatError, match=message):
            road(tmp_path, shape("<line/>", 80.0), 80.0, lanes=LANES.replace(old, new))


def test_other_files(tmp_path: Path) -> None:
    path = tmp_path / "other"
    for text, message in (
        ("<robot/>", "not <OpenDRIVE>"),
        ("hello", "does not describe a road"),
        ("<a", "well-formed"),
    ):
        path.write_text(text)
        with pytest.raises(il.FileFormatError, match=message):
            il.load_road(path)
    with pytest.raises(il.FileFormatError, match="cannot be read"):
        il.load_road(tmp_path / "missing.xodr")
