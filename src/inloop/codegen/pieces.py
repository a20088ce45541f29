"""Text fragments shared by several back ends: numbers, tables, results, long lines."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby

from inloop.symbolic import Expr, Notation, to_text
from inloop.symbolic.charts import ChartData
from inloop.symbolic.listing import Listing
from inloop.symbolic.tables import PiecewisePolynomial

Table = PiecewisePolynomial | ChartData

WIDTH = 100  # columns of generated text
SINES = "sines and cosines"


def number(value: float) -> str:
    """The shortest decimal text that reads back as the same number."""
    assert math.isfinite(value), "a program holds a number that is not finite"
    return repr(value)


def numbers(values: tuple[float, ...]) -> str:
    """Numbers separated by commas."""
    return ", ".join(map(number, values))


class TableNames:
    """The interpolation tables of a function, numbered in the order of first use."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._names: dict[Table, str] = {}

    def name(self, table: Table) -> str:
        """The name of a table: `<base>1`, `<base>2`, …."""
        return self._names.setdefault(table, f"{self._base}{len(self._names) + 1}")

    def __iter__(self) -> Iterator[tuple[str, Table]]:
        return iter((name, table) for table, name in self._names.items())


def sections(listing: Listing, notation: Notation) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Headings with the assignments below them as (name, text); sines and cosines come first."""
    leading = set(listing.angles)
    sines = [n for n in listing.names if n.op in ("sin", "cos") and n.args[0] in leading]
    # statements come after the sines, which therefore cannot use their names
    known = {node: load.name for node, load in listing.loads.items()} | listing.sums
    if sines or listing.sums:
        lines = [(name, to_text(node, known, notation)) for node, name in listing.sums.items()]
        lines += [(listing.names[node], to_text(node, known, notation)) for node in sines]
        yield SINES, lines
    names = {**listing.names, **listing.sums}
    for heading, group in groupby(listing.statements, key=lambda item: item.section):
        yield heading, [(names[s.expr], to_text(s.expr, names, notation)) for s in group]


def result_text(expr: Expr, listing: Listing, notation: Notation) -> str:
    """Text of an expression after all statements: its name if it has one."""
    return listing.names.get(expr) or to_text(expr, listing.names, notation)


def broken(text: str, width: int) -> list[str]:
    """Break a long line at blanks into pieces of at most `width` characters where possible."""
    pieces = [""]
    for word in text.split(" "):
        joined = f"{pieces[-1]} {word}" if pieces[-1] else word
        if len(joined) <= width or not pieces[-1]:
            pieces[-1] = joined
        else:
            pieces.append(word)
    return pieces
