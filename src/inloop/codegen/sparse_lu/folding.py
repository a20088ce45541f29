"""Eliminate one row of a matrix as C; each entry is a constant or a variable.

Entries known beforehand, and all that follows from these alone, become constants in the code;
products with ±1 disappear.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Protocol

from inloop.codegen.pieces import number

Fixed = dict[tuple[int, int], float]  # entries of L and U, and reciprocals of pivots, by place


class Names(Protocol):
    """Names of variables in the code."""

    real: str  # type of a variable

    def entry(self, i: int, j: int) -> str:
        """Variable of an entry while its row is eliminated."""

    def factor(self, i: int, k: int) -> str:
        """Variable of an entry of L."""

    def upper(self, k: int, j: int) -> str:
        """A finished entry of U; for j = k the reciprocal of a pivot."""

    def keep_lower(self, i: int, k: int, value: str) -> str:
        """Statement that stores an entry of L; empty if it is not needed again."""


class Row:
    """Eliminates one row.

    Args:
        i: row index.
        names: names of variables.
        fixed: known constants; those of this row are added.
        divided: rows of U that are divided by their pivots; otherwise L is divided.
    """

    def __init__(self, i: int, names: Names, fixed: Fixed, divided: Set[int] = frozenset()) -> None:
        self.i, self.names, self.fixed, self.divided = i, names, fixed, divided
        self.value: dict[int, float | None] = {}  # value of each entry; None for a variable
        self.changed: set[int] = set()  # entries that have been updated
        self.lines: list[str] = []

    def take(self, j: int, value: float | str) -> None:
        """Set an entry before elimination: a number, or C text."""
        self.value[j] = value if isinstance(value, float) else None
        if isinstance(value, str):
            self.lines.append(f"{self.names.real} {self.names.entry(self.i, j)} = {value};")

    def subtract(self, k: int, upper: Sequence[int]) -> None:
        """Subtract row k of U times the factor that eliminates the entry in column k."""
        value = self.value.get(k, 0.0)
        reciprocal = 1.0 if k in self.divided else self.fixed.get((k, k))
        if value == 0.0:
            self.fixed[self.i, k] = 0.0
            for j in upper:
                self.value.setdefault(j, 0.0)
            return
        if value is not None and reciprocal is not None:
            self.fixed[self.i, k] = value * reciprocal
            for j in upper:
                self._subtract_number(k, j, value * reciprocal)
            return
        entry = self.names.entry(self.i, k) if value is None else number(value)
        if reciprocal is not None:
            text = times(entry, reciprocal)
        else:
            text = f"{entry} * {self.names.upper(k, k)}"
        factor = self.names.factor(self.i, k)
        self.lines.append(f"const {self.names.real} {factor} = {text};")
        kept = self.names.keep_lower(self.i, k, factor)
        self.lines += [kept] if kept else []
        for j in upper:
            self._subtract_text(k, j, factor)

    def _subtract_number(self, k: int, j: int, factor: float) -> None:
        u, before = self.fixed.get((k, j)), self.value.get(j, 0.0)
        if u is None:
            self._change(j, times(self.names.upper(k, j), -factor), "+")
        elif before is None:
            self._change(j, number(-factor * u), "+")
        else:
            self.value[j] = before - factor * u

    def _subtract_text(self, k: int, j: int, factor: str) -> None:
        u = self.fixed.get((k, j))
        if u is None:
            self._change(j, f"{factor} * {self.names.upper(k, j)}", "-")
        elif u == 0.0:
            self.value.setdefault(j, 0.0)
        else:
            self._change(j, times(factor, -u), "+")

    def _change(self, j: int, text: str, sign: str) -> None:
        before, name = self.value.get(j, 0.0), self.names.entry(self.i, j)
        self.changed.add(j)
        if before is None:
            self.lines.append(f"{name} {sign}= {text};")
        else:
            begin = "" if before == 0.0 else f"{number(before)} "
            shown = sign if sign == "-" or begin else ""
            self.lines.append(f"{self.names.real} {name} = {begin}{shown}{text};")
        self.value[j] = None

    def reciprocal(self) -> float | str:
        """1 / pivot: a number, or C text."""
        own = self.value.get(self.i, 0.0)
        if own:
            self.fixed[self.i, self.i] = 1.0 / own
            return 1.0 / own
        return f"1.0 / {self.names.entry(self.i, self.i) if own is None else number(0.0)}"

    def variables(self, columns: Sequence[int]) -> list[tuple[int, str]]:
        """Entries in the given columns that must be stored; the others are constants."""
        found = []
        for j in columns:
            value = self.value.get(j, 0.0)
            if value is None:
                found.append((j, self.names.entry(self.i, j)))
            else:
                self.fixed[self.i, j] = value
        return found


def times(text: str, factor: float) -> str:
    """A product with a number; factors of ±1 are omitted."""
    if abs(factor) == 1.0:
        return text if factor > 0.0 else f"-{text}"
    return f"{text} * {number(factor)}" if factor > 0.0 else f"-{text} * {number(-factor)}"


def minus_product(fixed: float | None, entry: str, x: str) -> str:
    """A term of a sum: minus an entry, which may be a number, times x."""
    if fixed is None:
        return f" - {entry} * {x}"
    return "" if fixed == 0.0 else f" + {times(x, -fixed)}"


def product(text: str, factor: float | str | None) -> str:
    """A product with a number, a variable, or nothing."""
    if factor is None:
        return text
    return f"{text} * {factor}" if isinstance(factor, str) else times(text, factor)
