"""Station of the nearest point on curved lines, computed in bounded time.

Lines are cubics x(s), y(s) between points with known tangents. A grid of cells lists, for each
cell, the pieces on which the nearest point can lie. Newton's method starts from these and finds
the feet of the perpendiculars; the nearest one is returned. Several lines follow each other on
the axis of stations with gaps in between. A line is extended straight by half a gap at each end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from inloop.symbolic.charts import Chart, ChartData, Reals
from inloop.symbolic.tables import PiecewisePolynomial

if TYPE_CHECKING:
    from inloop.symbolic.expression import Expr

GAP = 200.0
"""Gap between two lines on the axis of stations [m]."""

MOST_CELLS = 20_000
MOST_NEAR = 4  # pieces from which a search starts
SMALLEST_CELL = 4.0  # [m]


@dataclass(frozen=True)
class Curve:
    """One line, given by consecutive points.

    Attributes:
        s: arc length along the line, from 0, increasing [m].
        points: x and y at these stations, (n, 2) [m].
        tangents: derivatives with respect to s at these points, length close to 1, (n, 2).
    """

    s: Reals
    points: Reals
    tangents: Reals


@dataclass(frozen=True)
class Line(Chart):
    """Station of the point on the line nearest to (x, y).

    Attributes:
        data: origin of the grid, cell size, number of cells along both axes, number of pieces;
            start of the list of each cell; lists of pieces; for each piece its first station,
            length, first and last piece of its line, coefficients of x and of y.
    """

    function = "station"
    data: ChartData

    @classmethod
    def along(cls, curves: Sequence[Curve], reach: float) -> Line:
        """Build the chart of one or several lines through points.

        Args:
            curves: the lines, each with at least two points.
            reach: distance up to which the nearest of several parts is found reliably [m].
        """
        pieces = np.concatenate(list(_pieces(curves)))
        head, starts, lists = _cells(pieces, reach)
        array = np.concatenate([head, [len(pieces)], starts, lists, pieces.ravel()])
        doc = f"{len(pieces)} pieces of lines in {len(starts) - 1} cells"
        return cls(ChartData(array, doc))

    @property
    def settings(self) -> tuple[int, ...]:
        """None."""
        return ()

    @cached_property
    def pieces(self) -> Reals:
        """One row per piece: station, length, first and last piece of its line, 4 of x, 4 of y."""
        count = int(self.data.array[5])
        return self.data.array[-12 * count :].reshape(count, 12)

    @cached_property
    def spans(self) -> tuple[tuple[float, float], ...]:
        """First and last station of each line [m]."""
        firsts = np.flatnonzero(self.pieces[:, 2] == np.arange(len(self.pieces)))
        lasts = self.pieces[firsts, 3].astype(int)
        ends = self.pieces[lasts, 0] + self.pieces[lasts, 1]
        return tuple(zip(self.pieces[firsts, 0].tolist(), ends.tolist(), strict=True))

    @cached_property
    def curves(self) -> tuple[PiecewisePolynomial, PiecewisePolynomial]:
        """x and y as functions of the station; extended straight before and after each line."""
        breaks: list[float] = []
        rows: list[list[tuple[float, ...]]] = [[], []]
        for k, piece in enumerate(self.pieces.tolist()):
            begin, length, first, last, *c = piece
            if k == first:
                breaks.append(begin - 0.5 * GAP)
                for row, (c0, c1) in zip(rows, (c[0:2], c[4:6]), strict=True):
                    row.append((c0 - 0.5 * GAP * c1, c1, 0.0, 0.0))
            breaks.append(begin)
            for row, own in zip(rows, (c[:4], c[4:]), strict=True):
                row.append(tuple(own))
            if k == last:
                breaks.append(begin + length)
                for row in rows:
                    row.append(_at_end(row[-1], length))
        breaks.append(breaks[-1] + 0.5 * GAP)
        return _polynomial(breaks, rows[0]), _polynomial(breaks, rows[1])

    def slopes(self, node: Expr, x: Expr, y: Expr) -> tuple[Expr, Expr]:
        """ds = P' · dp / (P' · P' - (p - P) · P''), as (p - P) · P' = 0."""
        graph = node.graph
        parts = []
        for curve, p in zip(self.curves, (x, y), strict=True):
            first = curve.derivative()
            place, along, bent = (
                graph.call("table", node, payload=table)
                for table in (curve, first, first.derivative())
            )
            parts.append((along, along * along - (p - place) * bent))
        size = parts[0][1] + parts[1][1]
        return parts[0][0] / size, parts[1][0] / size

    def __call__(self, x: Any, y: Any) -> Any:
        """Evaluate at numbers or arrays."""
        return station(x, y, self.data.array)


def _at_end(row: tuple[float, ...], d: float) -> tuple[float, float, float, float]:
    """A straight piece that continues the end of a cubic."""
    c0, c1, c2, c3 = row
    return c0 + d * (c1 + d * (c2 + d * c3)), c1 + d * (2.0 * c2 + 3.0 * d * c3), 0.0, 0.0


def _polynomial(breaks: list[float], rows: list[tuple[float, ...]]) -> PiecewisePolynomial:
    below, above = rows[0][0], _at_end(rows[-1], breaks[-1] - breaks[-2])[0]
    return PiecewisePolynomial(tuple(breaks), tuple(rows), below, above)  # type: ignore[arg-type]


def _pieces(curves: Sequence[Curve]) -> Iterator[Reals]:
    """Rows of `Line.pieces`, line by line."""
    count, station = 0, 0.0
    for curve in curves:
        spline = scipy.interpolate.CubicHermiteSpline(curve.s, curve.points, curve.tangents)
        c = np.transpose(spline.c[::-1], (1, 2, 0))  # piece, axis, power
        n = len(c)
        bounds = np.broadcast_to([count, count + n - 1], (n, 2))
        lengths = np.diff(curve.s)
        begins = station + curve.s[:-1]
        yield np.column_stack([begins, lengths, bounds, c[:, 0], c[:, 1]])
        count, station = count + n, station + float(curve.s[-1]) + GAP


def _cells(pieces: Reals, reach: float) -> tuple[Reals, Reals, Reals]:
    """The grid: its head, the start of each list, and the lists of pieces."""
    # each piece is represented by its midpoint
    half = 0.5 * pieces[:, 1]
    powers = np.stack([half**k for k in range(4)])
    middles = np.column_stack([(c.T * powers).sum(0) for c in (pieces[:, 4:8], pieces[:, 8:])])
    low, high = middles.min(0) - reach, middles.max(0) + reach
    cell = max(SMALLEST_CELL, 0.5 * reach, math.sqrt(np.prod(high - low) / MOST_CELLS))
    nx, ny = (math.ceil(side / cell) for side in high - low)
    X, Y = np.meshgrid(low[0] + cell * (np.arange(nx) + 0.5), low[1] + cell * (np.arange(ny) + 0.5),
                       indexing="ij")  # fmt: skip
    centers = np.column_stack([X.ravel(), Y.ravel()])
    tree = scipy.spatial.cKDTree(middles)
    nearest, first = tree.query(centers)
    # the nearest piece to any point of a cell is at most this much farther from the cell's center
    slack = math.sqrt(2.0) * cell + pieces[:, 1].max()
    radii = np.where(nearest <= reach + slack, nearest + slack, 0.0)
    near = tree.query_ball_point(centers, radii)
    lists = [
        _told_apart(sorted(found), pieces[:, 2], middles, center) or [int(one)]
        for found, center, one in zip(near, centers, first, strict=True)
    ]
    starts = np.concatenate([[0], np.cumsum([len(found) for found in lists])])
    head = np.array([low[0], low[1], cell, nx, ny])
    return head, starts.astype(float), np.concatenate(lists).astype(float)


def _told_apart(found: list[int], lines: Reals, middles: Reals, center: Reals) -> list[int]:
    """The nearest piece of each run of neighbors on one line; the nearest runs first."""
    if not found:
        return []
    numbers = np.array(found)
    away = np.linalg.norm(middles[numbers] - center, axis=1)
    runs = np.split(
        np.arange(len(numbers)),
        np.flatnonzero((np.diff(numbers) > 1) | (np.diff(lines[numbers]) != 0)) + 1,
    )
    best = [run[int(np.argmin(away[run]))] for run in runs]
    best.sort(key=lambda k: (float(away[k]), k))
    return [int(numbers[k]) for k in best[:MOST_NEAR]]


def station(x: Any, y: Any, numbers: Any) -> Any:
    """The station of the nearest point of lines; as `il_station`."""
    x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
    shape, missing = x.shape, np.isnan(x + y).ravel()
    x, y = np.nan_to_num(x).ravel(), np.nan_to_num(y).ravel()
    nx, ny, count = (int(value) for value in numbers[3:6])
    starts = numbers[6 : 6 + nx * ny + 1].astype(int)
    pieces = numbers[-12 * count :].reshape(count, 12)
    lists = numbers[6 + nx * ny + 1 : len(numbers) - 12 * count].astype(int)
    i = np.clip((x - numbers[0]) / numbers[2], 0.0, nx - 1.0).astype(int)
    j = np.clip((y - numbers[1]) / numbers[2], 0.0, ny - 1.0).astype(int)
    begin, end = starts[i * ny + j], starts[i * ny + j + 1]
    best, result = np.full(x.shape, np.inf), np.zeros(x.shape)
    for slot in range(int((end - begin).max(initial=0))):
        there = begin + slot < end
        k = lists[np.where(there, begin + slot, begin)]
        d = 0.5 * pieces[k, 1]
        for _ in range(12):
            c = pieces[k, 4:].T
            px, tx, bx = _cubic_3(c[:4], d)
            py, ty, by = _cubic_3(c[4:], d)
            size = tx * tx + ty * ty
            bent = size - (x - px) * bx - (y - py) * by
            step = ((x - px) * tx + (y - py) * ty) / np.maximum(bent, 0.25 * size)
            d = d + step
            for _ in range(32):
                forth = (d > pieces[k, 1]) & (k < pieces[k, 3])
                back = (d < 0.0) & (k > pieces[k, 2])
                d = np.where(forth, d - pieces[k, 1], d)
                k = np.where(forth, k + 1, np.where(back, k - 1, k))
                d = np.where(back, d + pieces[k, 1], d)
                if not np.any(forth | back):
                    break
            d = np.clip(d, 0.0, pieces[k, 1])
            if np.all(np.abs(step) <= 1e-9 * pieces[k, 1]):
                break
        c = pieces[k, 4:].T
        (px, tx, _), (py, ty, _) = _cubic_3(c[:4], d), _cubic_3(c[4:], d)
        away = (x - px) ** 2 + (y - py) ** 2
        nearer = there & (away < best)
        best = np.where(nearer, away, best)
        # extend straight beyond the ends of a line
        over = ((x - px) * tx + (y - py) * ty) / (tx * tx + ty * ty)
        before = (d <= 0.0) & (k == pieces[k, 2])
        behind = (d >= pieces[k, 1]) & (k == pieces[k, 3])
        d = d + np.where(before, np.clip(over, -99.0, 0.0), 0.0)
        d = d + np.where(behind, np.clip(over, 0.0, 99.0), 0.0)
        result = np.where(nearer, pieces[k, 0] + d, result)
    return np.where(missing, np.nan, result).reshape(shape)


def _cubic_3(c: Any, d: Any) -> Any:
    """A cubic and its first two derivatives."""
    value = c[0] + d * (c[1] + d * (c[2] + d * c[3]))
    return value, c[1] + d * (2.0 * c[2] + 3.0 * d * c[3]), 2.0 * c[2] + 6.0 * d * c[3]
