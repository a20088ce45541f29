"""Bounded formulas of live parameters: masses, moments of inertia, coefficients of laws.

A parameter that directly is such a number has a range (`model.parameters`), to which its ends
belong. A formula of parameters, and a parameter whose bound has an open end such as "> 0", is
checked whenever one of them changes: its margin, the distance to its bound, must not be negative.
Inertias must also be physical: with s half the sum of the moments, s 1 - I is the second moment of
mass, which is positive semidefinite if none of its principal minors is negative.
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
    """A quantity with a bound that depends on live parameters.

    Attributes:
        what: element, quantity and condition, in words.
        margins: expressions that must not be negative.
    """

    what: str
    margins: tuple[Expr, ...]


@dataclass(frozen=True)
class KeptFormulas:
    """All bounded formulas of a mechanism.

    Attributes:
        formulas: each with at least one margin that depends on parameters.
        symbols: symbols of all live parameters, in order.
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
    """Find the formulas to check when live parameters change.

    Formulas already out of bounds at the defaults, as in models that are not strict about
    inertias, are omitted.
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
        """A formula as written by the user; the range of a plain parameter suffices if closed."""
        bound = item.bound
        what = f"{item.what} must be {bound.words}"
        least, most = bound.inner
        closed = (least, most) == (bound.least, bound.most)
        if (closed and item.value in self._known) or not self._knows(item.value):
            return KeptFormula(what, ())
        value = self._scalar(item.value, "")
        margins = [value - least] if math.isfinite(least) else []
        margins += [most - value] if math.isfinite(most) else []
        return KeptFormula(what, self._varying(margins))

    def inertia(self, body: Body) -> KeptFormula:
        """The second moment of mass of a body, from its inertia."""
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
        """As in `Symbols.scalar`: a live number is a parameter of the same name."""
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
    """All seven principal minors of the symmetric matrix (a, d, e), (d, b, f), (e, f, c)."""
    (a, b, c), (d, e, f) = diagonal, off
    yield from (a, b, c, a * b - d * d, a * c - e * e, b * c - f * f)
    yield a * (b * c - f * f) - d * (d * c - e * f) + e * (d * f - b * e)
