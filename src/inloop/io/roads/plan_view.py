"""The plan view of OpenDRIVE: lines, arcs, spirals and polynomials, sampled as points."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import scipy

from inloop.io.roads.numbers import number, positive
from inloop.io.xml import Element
from inloop.symbolic.charts import Reals
from inloop.symbolic.lines import Curve

LONGEST_STEP, SHORTEST_STEP = 2.0, 0.1  # between points [m]
PER_RADIUS = 0.1  # step / radius of curvature: cubics then miss an arc by 3e-7 of its radius
MOST_POINTS = 50_000
APART = 0.1  # maximum gap between consecutive geometries [m]
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(6)

Pieces = tuple[Reals, Reals, Reals]  # s from 0, points, tangents


def read_curve(road: Element) -> Curve:
    """The reference line of a road."""
    view = road.need("planView")
    shapes = sorted(view.all("geometry"), key=lambda shape: number(shape, "s"))
    if not shapes:
        view.fail("<planView> has no <geometry>", "Add one.")
    parts: list[Pieces] = []
    begin, count = number(shapes[0], "s"), 0
    for shape in shapes:
        s, points, tangents = _sampled(shape)
        count += len(s)
        if count > MOST_POINTS:
            shape.fail(f"the reference line needs more than {MOST_POINTS} points",
                       "Leave out parts of it, or read fewer roads.")  # fmt: skip
        s = s + number(shape, "s") - begin
        if parts:
            _check_joint(shape, parts[-1], s, points)
            s, points, tangents = s[1:], points[1:], tangents[1:]
        parts.append((s, points, tangents))
    return Curve(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _check_joint(shape: Element, before: Pieces, s: Reals, points: Reals) -> None:
    """Check that a geometry follows the previous one without gap or overlap."""
    gap = float(np.linalg.norm(points[0] - before[1][-1]))
    if gap > APART or abs(s[0] - before[0][-1]) > APART:
        shape.fail(
            f"this geometry starts {gap:.3g} m away from the end of the previous one, at "
            f"s = {s[0]:g} m instead of {before[0][-1]:g} m",
            "Correct its x, y or s, or the length of the previous one.",
        )
    if len(s) < 2 or s[1] <= before[0][-1]:
        shape.fail("this geometry lies within the previous one", "Correct its s.")


def _sampled(shape: Element) -> Pieces:
    """Points of one geometry in world axes."""
    length = positive(shape, "length")
    x, y, heading = (number(shape, name) for name in ("x", "y", "hdg"))
    kinds = {"line": _line, "arc": _arc, "spiral": _spiral, "poly3": _poly3,
             "paramPoly3": _parametric}  # fmt: skip
    children = [child for child in shape.children if child.tag in kinds]
    if len(children) != 1:
        shape.fail(
            "<geometry> must hold one of: " + ", ".join(f"<{name}>" for name in kinds),
            "Add the one it is.",
        )
    s, points, tangents = kinds[children[0].tag](children[0], length)
    c, q = math.cos(heading), math.sin(heading)
    R = np.array([[c, -q], [q, c]])
    return s, np.array([x, y]) + points @ R.T, tangents @ R.T


def _stations(element: Element, length: float, curvature: float) -> Reals:
    """Evenly spaced stations, fine enough for the largest curvature [1/m]."""
    step = min(LONGEST_STEP, max(PER_RADIUS / max(abs(curvature), 1e-9), SHORTEST_STEP))
    count = max(2, math.ceil(length / step) + 1)
    if count > MOST_POINTS:
        element.fail(f"{length:g} m are too long for {element.label}", "Divide it.")
    return np.linspace(0.0, length, count)


def _line(element: Element, length: float) -> Pieces:
    return _bent(element, length, 0.0, 0.0)


def _arc(element: Element, length: float) -> Pieces:
    curvature = number(element, "curvature")
    return _bent(element, length, curvature, curvature)


def _spiral(element: Element, length: float) -> Pieces:
    return _bent(element, length, number(element, "curvStart"), number(element, "curvEnd"))


def _bent(element: Element, length: float, first: float, last: float) -> Pieces:
    """A curve with linearly changing curvature (clothoid), by Gauss quadrature between points."""
    s = _stations(element, length, max(abs(first), abs(last)))

    def heading(at: Reals) -> Reals:
        return np.asarray(at * (first + 0.5 * (last - first) * at / length))

    half = 0.5 * np.diff(s)[:, None]
    angles = heading(s[:-1, None] + half * (1.0 + _NODES))
    ways = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    steps = (half[..., None] * ways * _WEIGHTS[:, None]).sum(axis=1)
    points = np.vstack([[0.0, 0.0], np.cumsum(steps, axis=0)])
    ends = heading(s)
    return s, points, np.column_stack([np.cos(ends), np.sin(ends)])


def _poly3(element: Element, length: float) -> Pieces:
    """v = a + b u + c u² + d u³, up to the length of the curve."""
    a, b, c, d = _coefficients(element, "abcd")
    u = np.linspace(0.0, length, len(_stations(element, length, _sharpest(length, c, d))))
    # u over arc length, whose derivative is known
    way = np.concatenate([[0.0], np.cumsum(_lengths(u, b, c, d))])
    along = 1.0 / np.sqrt(1.0 + (b + u * (2.0 * c + u * 3.0 * d)) ** 2)
    s = np.linspace(0.0, length, len(u))
    u = scipy.interpolate.CubicHermiteSpline(way, u, along)(s)
    slope = b + u * (2.0 * c + u * 3.0 * d)
    size = np.sqrt(1.0 + slope**2)
    points = np.column_stack([u, a + u * (b + u * (c + u * d))])
    return s, points, np.column_stack([1.0 / size, slope / size])


def _lengths(u: Reals, b: float, c: float, d: float) -> Reals:
    half = 0.5 * np.diff(u)[:, None]
    at = u[:-1, None] + half * (1.0 + _NODES)
    return np.asarray(
        (half * np.sqrt(1.0 + (b + at * (2.0 * c + at * 3.0 * d)) ** 2) * _WEIGHTS).sum(axis=1)
    )


def _sharpest(length: float, c: float, d: float) -> float:
    return 2.0 * abs(c) + 6.0 * abs(d) * length


def _parametric(element: Element, length: float) -> Pieces:
    """u(p) and v(p), p from 0 to 1 or to the length; stations are proportional to p."""
    u, v = (_coefficients(element, names) for names in (("aU", "bU", "cU", "dU"),
                                                       ("aV", "bV", "cV", "dV")))  # fmt: skip
    range_kind = element.attributes.get("pRange", "normalized")
    if range_kind not in ("arcLength", "normalized"):
        element.fail(
            f"pRange = {range_kind[:20]!r} is not known", 'Use "arcLength" or "normalized".'
        )
    most = length if range_kind == "arcLength" else 1.0
    by_s = most / length
    size = max(math.hypot(u[1], v[1]) * by_s, 0.1)
    bent = max(_sharpest(most, u[2], u[3]), _sharpest(most, v[2], v[3])) * by_s**2 / size**2
    s = _stations(element, length, bent)
    p = s * by_s
    columns = [np.polynomial.polynomial.polyval(p, coefficients) for coefficients in (u, v)]
    slopes = [
        by_s * np.polynomial.polynomial.polyval(p, np.polynomial.polynomial.polyder(c))
        for c in (u, v)
    ]
    if np.min(np.hypot(*slopes)) < 0.05:
        element.fail("the curve stands still: its derivative is 0", "Correct its coefficients.")
    return s, np.column_stack(columns), np.column_stack(slopes)


def _coefficients(element: Element, names: str | tuple[str, ...]) -> tuple[float, ...]:
    def each() -> Iterator[float]:
        for name in names:
            yield number(element, name, 0.0)

    return tuple(each())
