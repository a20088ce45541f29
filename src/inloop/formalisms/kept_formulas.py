"""Formulas of live parameters that have a bound: masses, moments of inertia, coefficients of laws.

A parameter that is itself such a number has a range (`model.parameters`). A formula of parameters
is looked at whenever one of them changes: its margin, how far it is within its bound, must not be
negative. So must inertias be those of a body: with s half the sum of the moments, s 1 - I is the
second moment of mass, which has no negative eigenvalue if no principal minor of it is negative.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inloop.formalisms.symbols import LiveParameter
from inloop.model import Body, Mechanism
from inloop.model.bounds import Bounded
from inloop.model.checks.inertia import TOLERANCE
from inloop.symbolic import Expr, Graph, Input, Output, Program, Scalar, evaluate, rebuild

AXES = ("xx", "yy", "zz", "xy", "xz", "yz")
ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


@dataclass(frozen=True)
class KeptFormula:
    """Something that follows from live parameters and has a bound.

    Attributes:
        what: element and quantity, and what it must be, in words.
        margins: none of these may be negative.
    """

    what: str
    margins: tuple[Expr, ...]


@dataclass(frozen=True)
class KeptFormulas:
    """All of a mechanism.

    Attributes:
        formulas: each with at least one margin that depends on parameters.
        symbols: of all live parameters, in their order.
    """

    formulas: tuple[KeptFormula, ...]
    symbols: tuple[Expr, ...]

    def program(self) -> Program:
        """All margins from all parameters."""
        margins = Output.vector("margin", (m for item in self.formulas for m in item.margins))
        parameters = Input("par", self.symbols, "parameters")
        doc = "How far formulas of parameters are within their bounds; none may be negative."
        return Program("margins", (parameters,), (margins,), doc)


def kept_formulas(mechanism: Mechanism, live: Sequence[LiveParameter]) -> KeptFormulas:
    """Find what must be looked at when live parameters change.

    What is out of bounds at the defaults, as in models that are not strict about inertias, is left
    out.
    """
    numbers = _Numbers(mechanism, live)
    found = [*map(numbers.bounded, mechanism.bounded), *map(numbers.inertia, mechanism.bodies)]
    kept = tuple(item for item in found if item.margins)
    return KeptFormulas(kept, tuple(numbers.symbols.values()))


class _Numbers:
    """Numbers and formulas of a mechanism in a graph of their own."""

    def __init__(self, mechanism: Mechanism, live: Sequence[LiveParameter]) -> None:
        self._graph = Graph()
        self._defaults = {parameter.name: parameter.default for parameter in live}
        self.symbols = {p.name: self._graph.symbol(f"par.{p.name}", static=True) for p in live}
        own = (p for p in mechanism.parameters if p.name in self.symbols)
        self._known = {p.symbol: self.symbols[p.name] for p in own}

    def bounded(self, item: Bounded) -> KeptFormula:
        """A formula as the user wrote it; a parameter by itself has a range instead."""
        bound = item.bound
        what = f"{item.what} must be {bound.words}"
        if item.value in self._known or not self._knows(item.value):
            return KeptFormula(what, ())
        value = self._scalar(item.value, "")
        margins = [value - bound.least] if math.isfinite(bound.least) else []
        margins += [bound.most - value] if math.isfinite(bound.most) else []
        return KeptFormula(what, self._varying(margins))

    def inertia(self, body: Body) -> KeptFormula:
        """The second moment of mass of a body, as its inertia tells it."""
        what = f"body '{body.name}': inertia must be that of a body (triangle inequality)"
        entries = [body.inertia[i][j] for i, j in ENTRIES]
        if not all(self._knows(entry) for entry in entries):
            return KeptFormula(what, ())
        named = zip(entries, AXES, strict=True)
        xx, yy, zz, xy, xz, yz = (
            self._scalar(entry, f"{body.name}.inertia.{axes}") for entry, axes in named
        )
        half = 0.5 * (1.0 + TOLERANCE) * (xx + yy + zz)
        minors = _principal_minors((half - xx, half - yy, half - zz), (-xy, -xz, -yz))
        return KeptFormula(what, self._varying(list(minors)))

    def _knows(self, value: Scalar) -> bool:
        if not isinstance(value, Expr):
            return True
        return all(symbol in self._known for symbol in value.graph.symbols_of([value]))

    def _scalar(self, value: Scalar, name: str) -> Expr:
        """As `Symbols.scalar` gives it: a number that is live is a parameter of its name."""
        if isinstance(value, Expr):
            return rebuild([value], self._graph, self._known)[0]
        if float(value) != 0.0 and self._defaults.get(name) == float(value):
            return self.symbols[name]
        return self._graph.constant(float(value))

    def _varying(self, margins: list[Expr]) -> tuple[Expr, ...]:
        """Margins that depend on parameters; none if one is negative at the defaults."""
        found = [margin for margin in margins if self._graph.symbols_of([margin])]
        defaults = {symbol: self._defaults[name] for name, symbol in self.symbols.items()}
        good = all(value >= 0.0 for value in evaluate(found, defaults))
        return tuple(found) if good else ()


def _principal_minors(
    diagonal: tuple[Expr, Expr, Expr], off: tuple[Expr, Expr, Expr]
) -> Iterator[Expr]:
    """All seven of a symmetric matrix with rows (a, d, e), (d, b, f), (e, f, c)."""
    (a, b, c), (d, e, f) = diagonal, off
    yield from (a, b, c, a * b - d * d, a * c - e * e, b * c - f * f)
    yield a * (b * c - f * f) - d * (d * c - e * f) + e * (d * f - b * e)
