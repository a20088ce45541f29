"""Kinks of force laws: expressions whose sign change switches the slope of a force."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from inloop.formalisms.variation.balance import Balance
from inloop.symbolic import Expr, reachable

CORNERS = ("abs", "min", "max")


@dataclass(frozen=True)
class Corners:
    """Kinks of the force laws.

    Attributes:
        laws: names of the laws with kinks.
        owners: for each kink, the index of its law.
        values: for each kink, the expression that changes its sign.
    """

    laws: tuple[str, ...]
    owners: tuple[int, ...]
    values: tuple[Expr, ...]


def corners_of(balance: Balance) -> Corners:
    """Absolute values, minima and maxima in the efforts and rates of laws."""
    laws: list[str] = []
    owners: list[int] = []
    values: list[Expr] = []
    symbols, reactions = balance.derivation.symbols, balance.reactions
    for port in balance.ports:
        outputs = [*port.efforts, *(state.rate for state in port.states)]
        nodes = [
            e for e in reachable([e for e in outputs if isinstance(e, Expr)]) if e.op in CORNERS
        ]
        if not nodes:
            continue
        args = [e.args[0] if e.op == "abs" else e.args[0] - e.args[1] for e in nodes]
        kinks = [e for e in symbols.substitute(args, port.known) if _known(e, reactions)]
        owners += [len(laws)] * len(kinks)
        laws.append(port.name)
        values += kinks
    return Corners(tuple(laws), tuple(owners), tuple(balance.with_solution(values)))


def _known(value: Expr, reactions: Collection[Expr]) -> bool:
    """Kinks of quantities known only with the accelerations are omitted."""
    return not any(node in reactions for node in reachable([value]))
