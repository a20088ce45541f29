"""Roads from OpenDRIVE files (.xodr): plan view, elevation, superelevation, lanes, marks, friction.

All roads of a file are concatenated on one axis of stations (`symbolic/lines.py`). Where several
overlap, as in junctions, the one with the nearest reference line counts.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from inloop.errors import FileFormatError
from inloop.io.roads.lanes import Section, read_sections, slippery_of, stripes_of, strips_of
from inloop.io.roads.numbers import Cubics, number, read_cubics
from inloop.io.roads.plan_view import MOST_POINTS, read_curve
from inloop.io.xml import Element, parse_file
from inloop.model.geometry import Scalar
from inloop.model.names import quoted
from inloop.model.tyres.line_roads import Across, LineRoad
from inloop.model.tyres.roads import Height
from inloop.symbolic import Expr
from inloop.symbolic import functions as sf
from inloop.symbolic.charts import Reals
from inloop.symbolic.lines import GAP, Curve
from inloop.symbolic.spline_surfaces import SplineSurface
from inloop.symbolic.tables import PiecewisePolynomial

BESIDE = 3.0  # extension of the surface beyond the outermost lane [m]
STEEPEST = 1.2  # maximum superelevation [rad]
WIDEST = 200.0  # from the reference line to the outermost edge [m]
ALONG, ACROSS = 1.0, 0.25  # steps of the friction grid [m]
MOST_OF_FRICTION = 200_000  # points of that grid
UNREAD = {
    "shape": "shapes across the road",
    "crossfall": "crossfall",
    "height": "heights of lanes",
    "CRG": "surfaces of OpenCRG",
}


@dataclass(frozen=True, eq=False)
class _Part:
    """One road of the file; stations are those of the plant.

    Attributes:
        begin: start station [m].
        curve: reference line.
        elevation: elevation of the reference line [m].
        bank: superelevation [rad], left side up.
        sections: lane sections.
        element: element of the file.
    """

    begin: float
    curve: Curve
    elevation: Cubics
    bank: Cubics
    sections: tuple[Section, ...]
    element: Element

    @property
    def end(self) -> float:
        return self.begin + float(self.curve.s[-1])


def read_xodr(
    path: str | os.PathLike[str],
    *,
    grip: Scalar | Height = 1.0,
    roads: Sequence[str] | None = None,
) -> LineRoad:
    """Read roads; see `il.load_road`."""
    root = parse_file(path)
    if root.tag != "OpenDRIVE":
        root.fail(f"the file contains {root.label}, not <OpenDRIVE>", "Give a file of OpenDRIVE.")
    parts, begin = [], 0.0
    count = 0
    for element in _chosen(root, roads):
        parts.append(_read_part(element, begin))
        begin = parts[-1].end + GAP
        count += len(parts[-1].curve.s)
        if count > MOST_POINTS:
            element.fail(f"up to here the reference lines need more than {MOST_POINTS} points",
                         "Read some of the roads: roads=(id, ...).")  # fmt: skip
    sections = [section for part in parts for section in part.sections]
    edges = _edge(parts, -1), _edge(parts, 1)
    friction = _friction(parts, grip)
    return LineRoad(
        curves=tuple(part.curve for part in parts),
        profile=_profile(parts, edges),
        edges=edges,
        friction=grip if friction is None else friction,
        stripes=tuple(stripe for section in sections for stripe in stripes_of(section)),
        strips=tuple(strip for section in sections for strip in strips_of(section)),
        notes=tuple(_notes(root)),
        name=Path(path).name,
    )


def _chosen(root: Element, names: Sequence[str] | None) -> list[Element]:
    roads = list(root.all("road"))
    if not roads:
        root.fail("the file has no <road>", "Give a file with roads.")
    if names is None:
        return roads
    by_name = {road.attributes.get("id", ""): road for road in roads}
    for name in names:
        if str(name) not in by_name:
            fix = f"Known roads: {', '.join(list(by_name)[:20])}."
            raise FileFormatError(f"there is no road {quoted(name)}", root.where, fix)
    return [by_name[str(name)] for name in names]


def _read_part(road: Element, begin: float) -> _Part:
    curve = read_curve(road)
    length = float(curve.s[-1])
    stated = number(road, "length", length)
    if abs(stated - length) > 0.1 + 1e-3 * length:
        road.fail(
            f"length = {stated:g} m, but its geometry has {length:g} m", "Correct one of them."
        )
    profile, across = road.child("elevationProfile"), road.child("lateralProfile")
    elevation = read_cubics(profile.all("elevation") if profile else (), begin=begin)
    bank = read_cubics(across.all("superelevation") if across else (), begin=begin)
    if np.max(np.abs(bank(begin + curve.s))) > STEEPEST:
        road.fail(f"superelevation of more than {STEEPEST:g} rad", "Give it in radians.")

    def shrink(s: Reals) -> Reals:
        return np.asarray(np.cos(bank(s)))

    sections = read_sections(road, begin, length, shrink)
    for section in sections:
        s = np.linspace(section.begin, np.nextafter(section.end, -math.inf), 200)
        if max(float(np.abs(section.edge(side)(s)).max()) for side in (-1, 1)) > WIDEST:
            road.fail(f"its lanes reach farther than {WIDEST:g} m aside", "Correct their widths.")
    return _Part(begin, curve, elevation, bank, sections, road)


def _edge(parts: list[_Part], side: int) -> Across:
    """The outermost edge on one side, sampled."""
    stations, values = [], []
    for part in parts:
        for section in part.sections or (Section(part.begin, part.end, None, ()),):
            count = max(2, round(section.end - section.begin) + 1)
            s = np.linspace(section.begin, section.end, count)
            # a section ends just before the start of the next one
            s[-1] = np.nextafter(s[-1], -math.inf)
            stations.append(s)
            values.append(section.edge(side)(s) + (0.0 if part.sections else side * BESIDE))
    xs, ts = np.concatenate(stations), np.concatenate(values)
    return lambda s: np.interp(s, xs, ts)


def _profile(parts: list[_Part], edges: tuple[Across, Across]) -> Height:
    """Height over s and t: elevation, and superelevation within the extent of the surface."""
    elevation = _table(parts, lambda part: part.elevation)
    bank = _table(parts, lambda part: part.bank)
    every = np.concatenate([np.linspace(part.begin, part.end, 500) for part in parts])
    low = float(edges[0](every).min()) - BESIDE
    high = float(edges[1](every).max()) + BESIDE

    def height(s: Scalar, t: Scalar) -> Scalar:
        z = _look_up(elevation, s)
        if bank is None:
            return z
        aside = sf.maximum(low, sf.minimum(t, high))
        return z + sf.tan(_look_up(bank, s)) * aside

    return height


def _look_up(table: PiecewisePolynomial | None, s: Scalar) -> Scalar:
    if table is None:
        return 0.0
    return s.graph.call("table", s, payload=table) if isinstance(s, Expr) else float(table(s))


def _table(parts: list[_Part], of: Callable[[_Part], Cubics]) -> PiecewisePolynomial | None:
    """A quantity along all roads; constant beyond the ends of each."""
    if all(of(part).is_zero for part in parts):
        return None
    breaks: list[float] = []
    rows: list[tuple[float, float, float, float]] = []
    for part in parts:
        cubics = of(part)
        first, last = (float(cubics(np.array(s))) for s in (part.begin, part.end))
        breaks.append(part.begin - 0.5 * GAP)
        rows.append((first, 0.0, 0.0, 0.0))
        inside = [s for s in cubics.begins if part.begin < s < part.end]
        for s in (part.begin, *inside):
            breaks.append(s)
            rows.append(_shifted(cubics, s))
        breaks.append(part.end)
        rows.append((last, 0.0, 0.0, 0.0))
    breaks.append(parts[-1].end + 0.5 * GAP)
    return PiecewisePolynomial(tuple(breaks), tuple(rows), rows[0][0], rows[-1][0])


def _shifted(cubics: Cubics, s: float) -> tuple[float, float, float, float]:
    """The cubic that is valid from a station on, about that station."""
    k = int(np.searchsorted(cubics.begins, s, side="right")) - 1
    if k < 0:
        return 0.0, 0.0, 0.0, 0.0
    (a, b, c, d), x = cubics.rows[k], s - cubics.begins[k]
    return a + x * (b + x * (c + x * d)), b + x * (2.0 * c + 3.0 * x * d), c + 3.0 * x * d, d


def _friction(parts: list[_Part], grip: Scalar | Height) -> Height | None:
    """Friction of lanes and patches on a grid; None if the file gives none."""
    areas = [area for part in parts for section in part.sections for area in slippery_of(section)]
    areas += [area for part in parts for area in _patches(part)]
    if all(friction == 1.0 for *_, friction in areas):
        return None
    low = min(float(right(np.linspace(a, b, 50)).min()) for a, b, right, _, _ in areas) - ACROSS
    high = max(float(left(np.linspace(a, b, 50)).max()) for a, b, _, left, _ in areas) + ACROSS
    columns = math.ceil((high - low) / ACROSS) + 1
    end = parts[-1].end
    step = max(ALONG, end * columns / MOST_OF_FRICTION)
    s = step * np.arange(math.ceil(end / step) + 1, dtype=float)
    t = low + ACROSS * np.arange(columns, dtype=float)
    values = np.ones((len(s), len(t)))
    for begin, stop, right, left, friction in areas:
        rows = np.flatnonzero((s >= begin) & (s <= stop))
        inside = (t >= right(s[rows])[:, None]) & (t <= left(s[rows])[:, None])
        values[rows] = np.where(inside, friction, values[rows])
    surface = SplineSurface.through((0.0, step), (low, ACROSS), values, 1)

    def at(a: Scalar, b: Scalar) -> Scalar:
        assert isinstance(a, Expr)
        own = grip(a, b) if callable(grip) else grip
        return a.graph.call("table2", a, a.graph.wrap(b), payload=surface) * own

    return at


def _patches(part: _Part) -> list[tuple[float, float, Across, Across, float]]:
    """Rectangular objects with given friction."""
    objects = part.element.child("objects")
    areas = []
    for element in objects.all("object") if objects else ():
        material = element.child("material")
        if material is None or not {"length", "width"} <= set(element.attributes):
            continue
        s, t = part.begin + number(element, "s"), number(element, "t")
        half, aside = 0.5 * number(element, "length"), 0.5 * number(element, "width")
        right, left = (_constant(t - aside), _constant(t + aside))
        areas.append((s - half, s + half, right, left, number(material, "friction", 1.0)))
    return areas


def _constant(value: float) -> Across:
    return lambda s: np.full(np.shape(s), value)


def _notes(root: Element) -> list[str]:
    """Notes on content of the file that is not used."""
    tags: set[str] = set()
    waiting = list(root.all("road"))
    while waiting:
        element = waiting.pop()
        tags |= {element.tag} & set(UNREAD)
        waiting += element.children
    return [f"not used: {UNREAD[name]}" for name in UNREAD if name in tags]
