"""Small motions of a mechanism: how q changes while one joint moves.

Of most joints q is an angle or a length, and changes by what the joint moves. A ball joint changes
its quaternion p by N(p) δ for a small turn δ about the axes of its body.
"""

from __future__ import annotations

from inloop.formalisms.laws.ports import Tangent
from inloop.formalisms.symbols import Symbols
from inloop.joints import quaternion
from inloop.model import Mechanism
from inloop.symbolic import Expr


def tangents(mechanism: Mechanism, symbols: Symbols) -> list[Tangent]:
    """By coordinate, the derivatives of the entries of q by a motion of its joint."""
    graph = symbols.graph
    found: list[dict[Expr, Expr]] = [{q: graph.one} for q in symbols.q[: len(symbols.qd)]]
    for number, attitude in enumerate(mechanism.attitudes):
        p = symbols.quaternion(number)
        for axis, body in enumerate(attitude.bodies):
            turn = [graph.one if k == axis else graph.zero for k in range(3)]
            found[body] |= dict(zip(p, quaternion.rate(p, turn), strict=True))
    return list(found)


def attitude_rates(mechanism: Mechanism, symbols: Symbols, qd: list[Expr]) -> list[Expr]:
    """Rates of the components of all quaternions, for velocities qd of the joints."""
    rates: list[Expr] = []
    for number, attitude in enumerate(mechanism.attitudes):
        om = [qd[body] for body in attitude.bodies]
        rates += quaternion.rate(symbols.quaternion(number), om)
    return rates
