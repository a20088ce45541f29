"""Surroundings of a drivable exhibit: roads, marks, verges, cones, obstacles.

They are only drawn and exert no forces: wheels roll on a road of the model (`il.tyres`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from inloop.errors import InputError
from inloop.gallery.exhibition.device import Point

Surface = Literal["asphalt", "gravel", "verge", "white", "yellow"]
MILLIMETER = 3  # digits of drawn coordinates
STEP = 5.0  # maximum distance of points along a road [m]
ARC = math.radians(3.0)  # maximum angle of a piece of a bend
MARK = 0.15  # width of a mark [m]
DASH = (4.0, 8.0)  # length of a dash and of a gap [m]


@dataclass(frozen=True)
class Ribbon:
    """A strip of ground between two lines.

    Attributes:
        surface: what it is made of.
        left, right: its edges, seen along it, with equally many points [m].
        dash: length of a dash and of the gap after it [m]; None: a solid line.
    """

    surface: Surface
    left: tuple[Point, ...]
    right: tuple[Point, ...]
    dash: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if len(self.left) != len(self.right) or len(self.left) < 2:
            raise InputError(
                f"a ribbon of {self.surface} has {len(self.left)} points on its left and "
                f"{len(self.right)} on its right edge",
                fix="Give both edges equally many points, at least two.",
            )
        if self.dash is not None and not (self.dash[0] > 0.0 and self.dash[1] >= 0.0):
            raise InputError(
                f"a ribbon of {self.surface} has dashes of {self.dash[0]:g} m with gaps of "
                f"{self.dash[1]:g} m",
                fix="Give dashes > 0 and gaps >= 0.",
            )


@dataclass(frozen=True)
class Obstacle:
    """A box that stands on the ground.

    Attributes:
        at: center of its base [m].
        size: length along x, width along y and height [m].
        color: as "#rrggbb".
    """

    at: Point
    size: Point
    color: str = "#c2410c"


@dataclass(frozen=True)
class Surprise:
    """A box that appears on the road ahead at a random time, if the user asks for it.

    Attributes:
        ahead: distance from the origin of the vehicle to its near end, along the road [m].
        speed: minimum speed of the vehicle at which it appears [m/s].
        earliest, latest: range of the time after the vehicle has reached that speed [s].
        size: length along the road, width and height [m].
        color: as "#rrggbb".
    """

    ahead: float
    speed: float
    earliest: float
    latest: float
    size: Point
    color: str = "#c2410c"

    def __post_init__(self) -> None:
        if not 0.0 <= self.earliest <= self.latest:
            raise InputError(
                f"a surprise appears between {self.earliest:g} s and {self.latest:g} s",
                fix="Give 0 <= earliest <= latest.",
            )


@dataclass(frozen=True)
class Outline:
    """Part of the ground that a body covers; it casts a shadow there, and cones fall.

    Attributes:
        body: its name.
        rear, front: extent along its x axis [m].
        half: half of its width [m].
        below: distance of the ground below its origin [m].
    """

    body: str
    rear: float
    front: float
    half: float
    below: float


@dataclass(frozen=True)
class Scenery:
    """Ground to the horizon, and the objects on it.

    Attributes:
        ground: height of the ground around [m].
        ribbons: strips of ground, the lowest layer first.
        cones: positions of cones [m]; they fall when `outline` passes over them.
        obstacles: boxes.
        outline: outline of the vehicle.
        surprise: obstacle that may appear ahead of the vehicle; None: nothing.
        trees: number of trees along the ribbons of asphalt.
        posts: distance between posts along them [m]; 0: no posts.
    """

    ground: float = 0.0
    ribbons: tuple[Ribbon, ...] = ()
    cones: tuple[Point, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    outline: Outline | None = None
    surprise: Surprise | None = None
    trees: int = 0
    posts: float = 0.0

    def data(self) -> dict[str, Any]:
        """Data for the page."""
        outline = self.outline or Outline("", 0.0, 0.0, 0.0, 0.0)
        ribbons = [
            {"surface": r.surface, "left": _rounded(r.left), "right": _rounded(r.right),
             "dash": r.dash}
            for r in self.ribbons
        ]  # fmt: skip
        return {
            "ground": self.ground,
            "ribbons": ribbons,
            "cones": _rounded(self.cones),
            "obstacles": [asdict(box) for box in self.obstacles],
            "outline": asdict(outline),
            "surprise": asdict(self.surprise) if self.surprise is not None else None,
            "trees": self.trees,
            "posts": self.posts,
        }


def road_ribbons(
    middle: Sequence[Point], width: float, *, lanes: int = 2, verge: float = 1.5
) -> tuple[Ribbon, ...]:
    """Verge, asphalt, edge lines and dashed lines between lanes along a line.

    Args:
        middle: points of the center line [m]; a closed road repeats the first one at its end.
        width: width of the asphalt [m].
        lanes: number of lanes, all of the same width.
        verge: width of the verge on either side [m].
    """
    across = _across(middle)
    half, inset = 0.5 * width, 0.5 * width - 0.25

    def strip(surface: Surface, left: float, right: float,
              dash: tuple[float, float] | None = None) -> Ribbon:  # fmt: skip
        places = list(zip(middle, across, strict=True))

        def edge(d: float) -> tuple[Point, ...]:
            return tuple((x + d * u, y + d * v, z) for (x, y, z), (u, v) in places)

        return Ribbon(surface, edge(left), edge(right), dash)

    between = [half - width * k / lanes for k in range(1, lanes)]
    return (
        strip("verge", half + verge, -half - verge),
        strip("asphalt", half, -half),
        *(strip("white", d + MARK, d) for d in (inset, -inset - MARK)),
        *(strip("white", d + 0.5 * MARK, d - 0.5 * MARK, DASH) for d in between),
    )


def rounded_polygon(corners: Sequence[tuple[float, float, float]]) -> tuple[Point, ...]:
    """A closed line of straights and arcs that begins in the middle of its first side.

    Args:
        corners: x, y and radius of each bend [m].

    Raises:
        InputError: two bends are too close.
    """
    count = len(corners)
    bends = [_bend(corners[k - 1], corners[k], corners[(k + 1) % count]) for k in range(count)]
    points: list[Point] = []
    for k in range(count):
        here, after = bends[k], bends[(k + 1) % count]
        side = math.dist(corners[k][:2], corners[(k + 1) % count][:2])
        if here.cut + after.cut > side:
            raise InputError(
                f"bends {k} and {(k + 1) % count} of a road overlap: they need "
                f"{here.cut + after.cut:.0f} m of a side of {side:.0f} m",
                fix="Give smaller radii, or move the corners apart.",
            )
        points += here.points()
        points += _straight(points[-1], after.begin)
    shift = len(bends[0].points())
    # begin in the middle of the first side
    shift += len(_straight(points[shift - 1], bends[1].begin)) // 2
    turned = points[shift:] + points[:shift]
    return (*turned, turned[0])


@dataclass(frozen=True)
class _Bend:
    """An arc from `begin` [m] with an initial heading [rad]."""

    begin: Point
    heading: float
    turn: float
    radius: float
    cut: float

    def points(self) -> list[Point]:
        pieces = max(math.ceil(abs(self.turn) / ARC), 1)
        way = math.copysign(1.0, self.turn)
        x, y, _ = self.begin
        nx, ny = -way * math.sin(self.heading), way * math.cos(self.heading)
        points = []
        for k in range(pieces + 1):
            a = self.heading + self.turn * k / pieces
            points.append((x + self.radius * (nx + way * math.sin(a)),
                          y + self.radius * (ny - way * math.cos(a)), 0.0))  # fmt: skip
        return points


def _bend(before: tuple[float, ...], here: tuple[float, ...], after: tuple[float, ...]) -> _Bend:
    """The arc that rounds a corner."""
    x, y, radius = here
    into = math.atan2(y - before[1], x - before[0])
    out = math.atan2(after[1] - y, after[0] - x)
    turn = math.remainder(out - into, 2.0 * math.pi)
    cut = radius * math.tan(0.5 * abs(turn))
    begin = (x - cut * math.cos(into), y - cut * math.sin(into), 0.0)
    return _Bend(begin, into, turn, radius, cut)


def _straight(start: Point, end: Point) -> list[Point]:
    """Points between two points, both excluded."""
    pieces = max(math.ceil(math.dist(start, end) / STEP), 1)
    return [
        (start[0] + (end[0] - start[0]) * k / pieces, start[1] + (end[1] - start[1]) * k / pieces,
         start[2] + (end[2] - start[2]) * k / pieces)
        for k in range(1, pieces)
    ]  # fmt: skip


def _across(line: Sequence[Point]) -> list[tuple[float, float]]:
    """Unit vectors to the left of a line, at its points."""
    closed = math.dist(line[0], line[-1]) < 1e-9
    return list(_lefts(line, closed))


def _lefts(line: Sequence[Point], closed: bool) -> Iterator[tuple[float, float]]:
    last = len(line) - 1
    for k in range(len(line)):
        before = line[k - 1] if k > 0 else line[-2] if closed else line[0]
        after = line[k + 1] if k < last else line[1] if closed else line[-1]
        dx, dy = after[0] - before[0], after[1] - before[1]
        size = math.hypot(dx, dy)
        yield -dy / size, dx / size


def _rounded(points: Sequence[Point]) -> list[list[float]]:
    return [[round(x, MILLIMETER) for x in point] for point in points]
