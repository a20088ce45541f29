"""Tangents of a mechanism: how q changes when one joint moves.

For most joints q is an angle or a length, and changes with the joint motion itself. A ball joint
changes its quaternion p by N(p) δ for a small rotation δ about its body axes.
"""

from __future__ import annotations

from inloop.formalisms.laws.ports import Tangent
from inloop.formalisms.symbols import Symbols
from inloop.joints import quaternion
from inloop.model import Mechanism
from inloop.symbolic import Expr


def tangents(mechanism: Mechanism, symbols: Symbols) -> list[Tangent]:
    """By coordinate, the derivatives of the entries of q along the motion of its joint."""
    graph = symbols.graph
    found: list[dict[Expr, Expr]] = [{q: graph.one} for q in symbols.q[: len(symbols.qd)]]
    for number, attitude in enumerate(mechanism.attitudes):
        p = symbols.quaternion(number)
        for axis, body in enumerate(attitude.bodies):
            turn = [graph.one if k == axis else graph.zero for k in range(3)]
            found[body] |= dict(zip(p, quaternion.rate(p, turn), strict=True))
    return list(found)


def attitude_rates(mechanism: Mechanism, symbols: Symbols, qd: list[Expr]) -> list[Expr]:
    """Rates of all quaternion components, for joint velocities qd."""
    rates: list[Expr] = []
    for number, attitude in enumerate(mechanism.attitudes):
        om = [qd[body] for body in attitude.bodies]
        rates += quaternion.rate(symbols.quaternion(number), om)
    return rates
