"""Lanes of OpenDRIVE: their edges, road marks and friction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from inloop.io.roads.numbers import Cubics, number, read_cubics
from inloop.io.xml import Element
from inloop.model.tyres.line_roads import Across, Strip, Stripe
from inloop.model.tyres.road_drawing import RoadMark
from inloop.symbolic.charts import Reals

MOST_LANES = 60  # on one side
DASH = (3.0, 6.0)  # length and gap of broken lines, if not given [m]
WIDTH = 0.12  # of lines, likewise
NO_POINTS = np.zeros((0, 3))


@dataclass(frozen=True, eq=False)
class Lane:
    """A lane in one section; stations are those of the plant.

    Attributes:
        number: negative to the right.
        kind: as in the file.
        inner: its edge toward the reference line, t over s.
        outer: its other edge.
        element: element of the file.
    """

    number: int
    kind: str
    inner: Across
    outer: Across
    element: Element


@dataclass(frozen=True, eq=False)
class Section:
    """Lanes between two stations of the plant [m]; the center lane has no width."""

    begin: float
    end: float
    center: Lane | None
    lanes: tuple[Lane, ...]

    def edge(self, side: int) -> Across:
        """The outermost edge on the left (1) or right (-1)."""
        own = [lane for lane in self.lanes if lane.number * side > 0]
        if own:
            return max(own, key=lambda lane: abs(lane.number)).outer
        return self.center.outer if self.center else _zero


def read_sections(
    road: Element, begin: float, length: float, shrink: Callable[[Reals], Reals]
) -> tuple[Section, ...]:
    """The sections of a road.

    Args:
        road: element of the file.
        begin: station of the plant where it starts [m].
        length: length of the road [m].
        shrink: factor that projects t of the banked road to the plan view, over station.
    """
    lanes = road.child("lanes")
    if lanes is None:
        return ()
    offset = read_cubics(lanes.all("laneOffset"), begin=begin)
    elements = sorted(lanes.all("laneSection"), key=lambda section: number(section, "s"))
    ends = [number(section, "s") for section in elements[1:]] + [length]
    sections = []
    for element, end in zip(elements, ends, strict=True):
        first = number(element, "s")
        if not 0.0 <= first < length or end <= first:
            element.fail(f"a lane section begins at s = {first:g} m, the road is {length:g} m long",
                         "Correct its s.")  # fmt: skip
        sections.append(_section(element, begin + first, begin + end, offset, shrink))
    return tuple(sections)


def _section(
    element: Element, begin: float, end: float, offset: Cubics, shrink: Callable[[Reals], Reals]
) -> Section:
    def line(s: Reals) -> Reals:
        return np.asarray(shrink(s) * offset(s))

    lanes: list[Lane] = []
    for side, sign in (("left", 1), ("right", -1)):
        group = element.child(side)
        if group is None:
            continue
        own = sorted(group.all("lane"), key=lambda lane: abs(_number(lane)))
        if len(own) > MOST_LANES:
            group.fail(f"{len(own)} lanes on one side", f"Use at most {MOST_LANES}.")
        inner: Across = line
        for lane in own:
            if _number(lane) * sign <= 0:
                lane.fail(f"lane {_number(lane)} is on the {side}", "Correct its id.")
            outer = _outer(lane, inner, sign, (begin, offset, shrink))
            kind = lane.attributes.get("type", "none")[:40]
            lanes.append(Lane(_number(lane), kind, inner, outer, lane))
            inner = outer
    middle = element.child("center")
    centers = list(middle.all("lane")) if middle else []
    center = Lane(0, "none", line, line, centers[0]) if centers else None
    return Section(begin, end, center, tuple(lanes))


def _number(lane: Element) -> int:
    value = number(lane, "id")
    if value != int(value):
        lane.fail(f"id = {value:g} is not a whole number", "Write a whole number.")
    return int(value)


def _outer(
    lane: Element,
    inner: Across,
    sign: int,
    placing: tuple[float, Cubics, Callable[[Reals], Reals]],
) -> Across:
    begin, offset, shrink = placing
    widths = read_cubics(lane.all("width"), "sOffset", begin)
    if widths.rows:
        return lambda s: inner(s) + sign * shrink(s) * np.maximum(widths(s), 0.0)
    borders = read_cubics(lane.all("border"), "sOffset", begin)
    if not borders.rows:
        lane.fail("a lane has neither <width> nor <border>", "Add one of them.")
    return lambda s: shrink(s) * (offset(s) + borders(s))


def _zero(s: Reals) -> Reals:
    return np.zeros(np.shape(s))


def strips_of(section: Section) -> Iterator[Strip]:
    """Lanes as drawn strips."""
    for lane in section.lanes:
        right, left = (lane.inner, lane.outer) if lane.number > 0 else (lane.outer, lane.inner)
        yield Strip(section.begin, section.end, right, left, lane.number, lane.kind)


def stripes_of(section: Section) -> Iterator[Stripe]:
    """Road marks on the outer edges of lanes, and in the center."""
    for lane in (*section.lanes, *((section.center,) if section.center else ())):
        marks = sorted(lane.element.all("roadMark"), key=lambda m: number(m, "sOffset", 0.0))
        begins = [section.begin + number(mark, "sOffset", 0.0) for mark in marks]
        for mark, (begin, end) in zip(marks, pairwise([*begins, section.end]), strict=True):
            if begin < end <= section.end:
                yield from _painted(mark, lane.outer, begin, end)


def _painted(mark: Element, edge: Across, begin: float, end: float) -> Iterator[Stripe]:
    kind = mark.attributes.get("type", "none").lower()[:40]
    color = mark.attributes.get("color", "standard").lower()[:20]
    color = "white" if color == "standard" else color
    width = number(mark, "width", WIDTH) or WIDTH
    details = mark.child("type")
    lines = list(details.all("line")) if details is not None else []
    if lines:
        for line in lines:
            dash = number(line, "length", 0.0), number(line, "space", 0.0)
            aside = number(line, "tOffset", 0.0)
            own = number(line, "width", width) or width
            look = RoadMark(NO_POINTS, own, color, dash if dash[0] > 0.0 < dash[1] else None)
            yield Stripe(begin, end, _beside(edge, aside), look)
        return
    parts = [word for word in kind.split() if word in ("solid", "broken")]
    for k, part in enumerate(parts):
        aside = 2.0 * width * (0.5 * (len(parts) - 1) - k)  # the first line is on the left
        look = RoadMark(NO_POINTS, width, color, DASH if part == "broken" else None)
        yield Stripe(begin, end, _beside(edge, aside), look)


def _beside(edge: Across, aside: float) -> Across:
    return lambda s: edge(s) + aside


def slippery_of(section: Section) -> Iterator[tuple[float, float, Across, Across, float]]:
    """Parts of lanes with given friction: begin, end, right, left, coefficient."""
    for strip, lane in zip(strips_of(section), section.lanes, strict=True):
        materials = sorted(lane.element.all("material"), key=lambda m: number(m, "sOffset", 0.0))
        begins = [section.begin + number(m, "sOffset", 0.0) for m in materials]
        for one, (begin, end) in zip(materials, pairwise([*begins, section.end]), strict=True):
            yield begin, end, strip.right, strip.left, number(one, "friction", 1.0)
