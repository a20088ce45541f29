"""Collision shapes as C: constant tables of il_meeting.h."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from inloop.codegen.pieces import number

Array = Callable[[str, Sequence[str]], str]


@dataclass(frozen=True, kw_only=True)
class MeetingRow:
    """An il_meeting.

    Attributes:
        a: shape in frame A: an object with the fields of il_shape.
        b: shape in frame B.
        margin: larger gaps are ignored [m].
        first: index of its first contact.
        count: number of its contacts.
        rows: rows of each contact.
        turning: number of contacts, at the end, that resist rolling and drilling.
    """

    a: Any
    b: Any
    margin: float
    first: int
    count: int
    rows: int
    turning: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class PileRow:
    """An il_pile.

    Attributes:
        shapes: shapes of the members: objects with the fields of il_shape.
        trees: index of the tree of each member, -1 for those on the ground.
        velocities: coordinate indices of each tree.
        margin: larger gaps are ignored [m].
        slots: maximum number of active contacts.
        turns: whether contacts resist rolling or drilling.
        place: index of its first state in x.
    """

    shapes: Sequence[Any]
    trees: tuple[int, ...]
    velocities: tuple[tuple[int, ...], ...]
    margin: float
    slots: int
    turns: bool
    place: int


def pile_entry(pile: PileRow, array: Array) -> str:
    """A pile as an entry of a table; `array` as for meetings."""
    grounds: dict[int, str] = {}
    first = (0, *accumulate(len(tree) for tree in pile.velocities))
    flat = [k for tree in pile.velocities for k in tree]
    shapes = array("il_shape", [_shape(shape, array, grounds) for shape in pile.shapes])
    trees, starts, velocities = (
        array("int64_t", list(map(str, numbers))) for numbers in (pile.trees, first, flat)
    )
    return _row(
        [
            *(shapes, trees, str(len(pile.trees))),
            *(starts, velocities, str(len(pile.velocities))),
            *(number(pile.margin), str(pile.slots), str(int(pile.turns)), str(pile.place)),
        ]
    )


def meeting_entries(meetings: Sequence[MeetingRow], array: Array) -> list[str]:
    """Table entries of meetings.

    Args:
        meetings: in their order.
        array: writes a constant array of a type and returns its name.
    """
    grounds: dict[int, str] = {}
    return [
        _row(
            [
                _shape(row.a, array, grounds),
                _shape(row.b, array, grounds),
                number(row.margin),
                *(str(k) for k in (row.first, row.count, row.rows, *row.turning)),
            ]
        )
        for row in meetings
    ]


def _shape(shape: Any, array: Array, grounds: dict[int, str]) -> str:
    corners, count = "NULL", 0
    if shape.corners is not None:
        corners, count = array("double", _reals(shape.corners)), len(shape.corners)
    ground = "NULL"
    if shape.ground is not None:
        # ground shared by several shapes is written once
        ground = grounds.get(id(shape.ground)) or _ground(shape.ground, array)
        grounds[id(shape.ground)] = ground
    sizes = (number(x) for x in (shape.radius, shape.half, shape.tube))
    parts = [f"IL_{shape.kind.upper()}", _row(_reals(shape.axis)), *sizes, corners, str(count)]
    return _row([*parts, _row(_reals(shape.edges)), ground])


def _ground(ground: Any, array: Array) -> str:
    frame = [_row(_reals(ground.origin)), _row(_reals(ground.cell)), _row(_integers(ground.cells))]
    heights = array("double", _reals(ground.heights))
    vertices = array("double", _reals(ground.vertices))
    tables = (
        array("int32_t", _integers(x))
        for x in (ground.triangles, ground.starts, ground.members, ground.firsts)
    )
    return array("il_terrain", [_row([*frame, heights, vertices, *tables])])


def _row(parts: Sequence[str]) -> str:
    return "{" + ", ".join(parts) + "}"


def _reals(values: Any) -> list[str]:
    return [number(float(x)) for x in _flat(values)]


def _integers(values: Any) -> list[str]:
    return [str(int(x)) for x in _flat(values)]


def _flat(values: Any) -> Any:
    return values if isinstance(values, tuple) else values.ravel().tolist()
