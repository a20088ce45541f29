"""Roads along curved lines: s along the reference line, t to the left of it [m].

The plant finds s and t of a place in bounded time (`symbolic/lines.py`); heights and grip are
functions of s and t.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from inloop.model.geometry import Scalar
from inloop.model.tyres.road_drawing import (
    Reals,
    RoadLane,
    RoadMark,
    RoadMesh,
    joined,
    mesh_of_rows,
)
from inloop.model.tyres.roads import Height, RoadPoint
from inloop.symbolic import Expr, Graph, evaluate, forward, rebuild
from inloop.symbolic import functions as sf
from inloop.symbolic.lines import GAP, Curve, Line

Across = Callable[[Reals], Reals]
"""t over s [m], for arrays."""


@dataclass(frozen=True, eq=False)
class Stripe:
    """A line painted along a road.

    Attributes:
        begin: station where it begins [m].
        end: where it ends [m].
        across: t of its middle over s.
        look: width, color and dashes; its points are not used.
    """

    begin: float
    end: float
    across: Across
    look: RoadMark


@dataclass(frozen=True, eq=False)
class Strip:
    """A lane along a road: station of its begin and end, its edges, and what it is."""

    begin: float
    end: float
    right: Across
    left: Across
    number: int
    kind: str


@dataclass(frozen=True, eq=False)
class LineRoad:
    """A road along curved lines; made by `il.load_road` and `line_road`.

    Attributes:
        curves: reference lines; stations of the second begin where the first ends, and a gap.
        profile: height over s and t [m].
        edges: right and left edge of the surface, t over s.
        friction: by which coefficients of friction are multiplied, or a function of s and t.
        stripes: what is painted on it.
        strips: its lanes.
        notes: what was left out when it was read.
        name: of the file.
        height_shift: by which it was moved up [m].
    """

    curves: tuple[Curve, ...]
    profile: Height
    edges: tuple[Across, Across]
    friction: Scalar | Height = 1.0
    stripes: tuple[Stripe, ...] = ()
    strips: tuple[Strip, ...] = ()
    notes: tuple[str, ...] = ()
    name: str = "road"
    height_shift: float = 0.0
    is_plane: bool = False

    @cached_property
    def line(self) -> Line:
        """Where along the reference lines a place is."""
        return Line.along(self.curves, self.reach)

    @cached_property
    def reach(self) -> float:
        """How far the surface reaches from the reference line [m]."""
        widest = 0.0
        for begin, end in self._spans:
            s = np.linspace(begin, end, 200)
            widest = max(widest, *(float(np.abs(edge(s)).max()) for edge in self.edges))
        return widest

    @cached_property
    def _spans(self) -> tuple[tuple[float, float], ...]:
        spans, begin = [], 0.0
        for curve in self.curves:
            spans.append((begin, begin + float(curve.s[-1])))
            begin = spans[-1][1] + GAP
        return tuple(spans)

    @property
    def length(self) -> float:
        """Of all its lines [m]."""
        return sum(end - begin for begin, end in self._spans)

    def at(self, x: Expr, y: Expr) -> RoadPoint:
        """The road at a place."""
        graph = x.graph
        s = graph.call("table2", x, graph.wrap(y), payload=self.line)
        curves = self.line.curves
        (px, tx, bx), (py, ty, by) = (
            [
                graph.call("table", s, payload=table)
                for table in (curve, curve.derivative(), curve.derivative().derivative())
            ]
            for curve in curves
        )
        size = sf.sqrt(tx * tx + ty * ty)
        cos, sin = tx / size, ty / size
        t = (y - py) * cos - (x - px) * sin
        # dt = -sin dx + cos dy; ds = (cos dx + sin dy) |P'| / (|P'|² - (p - P) · P'')
        stretch = size / (size * size - (x - px) * bx - (y - py) * by)
        z, by_s, by_t, grip = self._profile(graph, s, t)
        along = by_s * stretch
        slope = along * cos - by_t * sin, along * sin + by_t * cos
        return RoadPoint(z + self.height_shift, slope, grip)

    def _profile(self, graph: Graph, s: Expr, t: Expr) -> tuple[Expr, Expr, Expr, Expr]:
        """Height, its slopes along s and t, and grip."""
        a, b = graph.symbol("road.s"), graph.symbol("road.t")
        z = graph.wrap(self.profile(a, b))
        slopes = forward([z], a)[0], forward([z], b)[0]
        grip = graph.wrap(self.friction(a, b) if callable(self.friction) else self.friction)
        w, by_s, by_t, g = rebuild((z, *slopes, grip), graph, {a: s, b: t})
        return w, by_s, by_t, g

    def place(self, x: Any, y: Any) -> tuple[Reals, Reals]:
        """s and t of places [m]."""
        x, y = np.asarray(x, float), np.asarray(y, float)
        s = self.line(x, y)
        (px, py), (cos, sin) = self._frame(s)
        return s, (y - py) * cos - (x - px) * sin

    def position(self, s: Any, t: Any) -> Reals:
        """Places in world axes by s and t, (..., 3) [m]."""
        s, t = np.broadcast_arrays(np.asarray(s, float), np.asarray(t, float))
        (px, py), (cos, sin) = self._frame(s)
        return np.stack([px - t * sin, py + t * cos, self.height(s, t)], axis=-1)

    def heading(self, s: Any) -> Reals:
        """Of the reference line [rad]."""
        _, (cos, sin) = self._frame(np.asarray(s, float))
        return np.asarray(np.arctan2(sin, cos))

    def height(self, s: Any, t: Any) -> Reals:
        """Of the surface by s and t [m]."""
        return self._numbers[0](s, t) + self.height_shift

    def grip(self, s: Any, t: Any) -> Reals:
        """By which coefficients of friction are multiplied, by s and t."""
        return self._numbers[1](s, t)

    @cached_property
    def _numbers(self) -> tuple[Callable[..., Reals], Callable[..., Reals]]:
        graph = Graph()
        a, b = graph.symbol("s"), graph.symbol("t")
        z, _, _, grip = self._profile(graph, a, b)

        def value(expr: Expr) -> Callable[..., Reals]:
            def of(s: Any, t: Any) -> Reals:
                s, t = np.broadcast_arrays(np.asarray(s, float), np.asarray(t, float))
                return np.broadcast_to(evaluate([expr], {a: s, b: t})[0], s.shape)

            return of

        return value(z), value(grip)

    def _frame(self, s: Reals) -> tuple[tuple[Reals, Reals], tuple[Reals, Reals]]:
        """Point of the reference line, cosine and sine of its heading."""
        x, y = self.line.curves
        tx, ty = x.derivative()(s), y.derivative()(s)
        size = np.hypot(tx, ty)
        return (x(s), y(s)), (tx / size, ty / size)

    def moved(self, s: float = 0.0, t: float = 0.0) -> LineRoad:
        """The same road with a point of it at the origin, where it points along x.

        Args:
            s: station of the point [m].
            t: how far to the left of the reference line [m].
        """
        p, angle = self.position(s, t), float(self.heading(s))
        c, q = math.cos(-angle), math.sin(-angle)
        R = np.array([[c, -q], [q, c]])
        curves = tuple(
            Curve(curve.s, (curve.points - p[:2]) @ R.T, curve.tangents @ R.T)
            for curve in self.curves
        )
        return replace(self, curves=curves, height_shift=self.height_shift - float(p[2]))

    def marks(self, step: float = 1.0) -> tuple[RoadMark, ...]:
        """What is painted on it, with a point about every so many meters."""
        return tuple(
            replace(stripe.look, points=self._along(stripe.begin, stripe.end, stripe.across, step))
            for stripe in self.stripes
        )

    def lanes(self, step: float = 1.0) -> tuple[RoadLane, ...]:
        """Its lanes, with a point of each edge about every so many meters."""
        return tuple(
            RoadLane(
                strip.number,
                strip.kind,
                self._along(strip.begin, strip.end, strip.left, step),
                self._along(strip.begin, strip.end, strip.right, step),
            )
            for strip in self.strips
        )

    def surface_mesh(self, step: float = 1.0, across: int = 9) -> RoadMesh:
        """Its surface as triangles.

        Args:
            step: between rows along the road, about [m].
            across: points of a row.
        """
        meshes = []
        for begin, end in self._spans:
            s = np.linspace(begin, end, max(2, round((end - begin) / step) + 1))
            right, left = (edge(s) for edge in self.edges)
            share = np.linspace(0.0, 1.0, max(2, across))
            t = right[:, None] + (left - right)[:, None] * share
            meshes.append(mesh_of_rows(self.position(s[:, None], t)))
        return joined(meshes)

    def _along(self, begin: float, end: float, across: Across, step: float) -> Reals:
        s = np.linspace(begin, end, max(2, round((end - begin) / step) + 1))
        return self.position(s, across(s))
