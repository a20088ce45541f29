"""Rolling without slip and knife edges: zero relative velocity of two bodies at their contact.

With the material points of both bodies at the contact P, their relative velocity V and its rate,

    V  = v_b - v_a,   Vd = acc_b - acc_a + om_b × (Pd - v_b) - om_a × (Pd - v_a)

where P itself moves over both bodies with the velocity Pd. A row is t · V = 0 for a direction t: J
has t · ∂V/∂qd, and gamma = t · Vd + td · V at zero accelerations. Along the normal of the plane V
is the rate of the gap, so this row also closes positions; the others are nonholonomic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inloop.formalisms.loops.rows import Cut, End, Row, difference
from inloop.formalisms.vectors import (
    Vector,
    add,
    cross,
    dot,
    matrix_times,
    scale,
    sub,
    transpose,
    zero_vector,
)
from inloop.model import Loop
from inloop.symbolic import Expr


@dataclass(frozen=True)
class Way:
    """A direction without slip.

    Attributes:
        name: name of the row and its multiplier.
        unit: the unit vector t.
        rate: its rate td.
        h: the gap, if V is its rate.
    """

    name: str
    unit: Vector
    rate: Vector
    h: Expr | None = None


def rolling_rows(loop: Loop, plane: End, wheel: End, radius: Expr) -> list[Row]:
    """A disc or sphere that rolls on the x, y plane of a frame, on its positive z side."""
    x, y, n = transpose(plane.R)
    n_rate = cross(plane.om, n)
    if loop.kind == "sphere":
        up, up_rate = n, n_rate
        ways = [Way(name, e, cross(plane.om, e)) for name, e in (("x", x), ("y", y))]
    else:
        axis = _direction(wheel, loop)
        axis_rate = cross(wheel.om, axis)
        ahead, ahead_rate = _unit_cross(axis, axis_rate, n, n_rate)
        # from the contact to the center, in the plane of the disc
        up, up_rate = cross(ahead, axis), _cross_rate(ahead, ahead_rate, axis, axis_rate)
        aside, aside_rate = cross(n, ahead), _cross_rate(n, n_rate, ahead, ahead_rate)
        ways = [Way("longitudinal", ahead, ahead_rate), Way("lateral", aside, aside_rate)]
    gap = dot(n, sub(wheel.p, plane.p)) - radius * dot(n, up)
    contact = sub(wheel.p, scale(radius, up))
    contact_rate = sub(wheel.v, scale(radius, up_rate))
    ways = [Way("normal", n, n_rate, gap), *ways]
    return _rows(loop, plane.at(contact), wheel.at(contact), contact_rate, ways)


def knife_edge_rows(loop: Loop, a: End, b: End) -> list[Row]:
    """The point of b has no velocity along an axis of b, relative to a."""
    axis = _direction(b, loop)
    way = Way("lateral", axis, cross(b.om, axis))
    return _rows(loop, a.at(b.p), b, b.v, [way])


def _rows(loop: Loop, a: End, b: End, contact_rate: Vector, ways: Sequence[Way]) -> list[Row]:
    graph = b.p[0].graph
    V = sub(b.v, a.v)
    drift = sub(cross(b.om, sub(contact_rate, b.v)), cross(a.om, sub(contact_rate, a.v)))
    Vd = add(sub(b.acc, a.acc), drift)
    columns = difference(b.moving(), a.moving())
    rows = []
    for way in ways:
        J = {k: dot(way.unit, column) for k, column in columns.items()}
        rows.append(
            Row(
                element=loop.name,
                direction=way.name,
                unit="m",
                h=graph.zero if way.h is None else way.h,
                J={k: entry for k, entry in J.items() if entry is not graph.zero},
                nu=graph.zero,
                gamma=dot(way.unit, Vd) + dot(way.rate, V),
                cut=Cut(a, b, _minus(way.unit), zero_vector(graph)),
                holonomic=way.h is not None,
                speed=dot(way.unit, V),
            )
        )
    return rows


def _direction(end: End, loop: Loop) -> Vector:
    x, y, z = (end.p[0].graph.constant(component) for component in loop.axis)
    return matrix_times(end.R, (x, y, z))


def _unit_cross(a: Vector, a_rate: Vector, b: Vector, b_rate: Vector) -> tuple[Vector, Vector]:
    """a × b / |a × b|, and its rate."""
    graph = a[0].graph
    product, product_rate = cross(a, b), _cross_rate(a, a_rate, b, b_rate)
    over = graph.one / graph.call("sqrt", dot(product, product))
    unit = scale(over, product)
    return unit, scale(over, sub(product_rate, scale(dot(unit, product_rate), unit)))


def _cross_rate(a: Vector, a_rate: Vector, b: Vector, b_rate: Vector) -> Vector:
    """d(a × b)/dt."""
    return add(cross(a_rate, b), cross(a, b_rate))


def _minus(v: Vector) -> Vector:
    return -v[0], -v[1], -v[2]
