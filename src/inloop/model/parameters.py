"""Parameters and inputs: named numbers that may change while the model runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from inloop.model.bounds import Bounded
from inloop.model.geometry import Scalar
from inloop.model.intake import Intake
from inloop.model.names import quoted
from inloop.model.units import is_absurd, is_known
from inloop.symbolic import Expr, evaluate


@dataclass(frozen=True)
class Parameter:
    """A constant of the equations that may change between steps.

    Attributes:
        name: name in the model and in generated code.
        default: value, used in the equations unchanged: SI.
        unit: label.
        range: minimum and maximum for sliders and sweeps, or None.
        doc: the user's description.
        symbol: its symbol in expressions.
        where: file and line.
    """

    name: str
    default: float
    unit: str
    range: tuple[float, float] | None
    doc: str
    symbol: Expr
    where: str


@dataclass(frozen=True)
class Input:
    """An external signal that force laws or drives use.

    Attributes:
        name: name in the model and in the vector u.
        unit: label.
        doc: the user's description.
        symbol: its symbol in expressions.
        where: file and line.
        default: value until something is connected.
    """

    name: str
    unit: str
    doc: str
    symbol: Expr
    where: str
    default: float = 0.0


def read_parameter(
    read: Intake, name: object, default: object, unit: object, bounds: object, doc: str
) -> Parameter:
    """Read a parameter as written and report its mistakes."""
    checked_name = read.name(name)
    checked_unit = read_unit(read, unit)
    limits = None if bounds is None else read.pair(bounds, "range", infinite=True)
    value = read.number(default, "default", fallback=limits[0] if limits else 1.0)
    low, high = limits or (value, value)
    if low > high:
        read.complain(f"range ({low:g}, {high:g}) is reversed", "Write (lowest, highest).")
    elif not low <= value <= high:
        read.complain(
            f"default {value:g} is outside the range ({low:g}, {high:g})",
            "Change the default or the range.",
        )
    absurd = [x for x in (value, low, high) if is_absurd(x, checked_unit)]
    if absurd:
        read.complain(
            f"{absurd[0]:g} {checked_unit} is outside any realistic range",
            "Check the unit: values are used unchanged, in SI units.",
        )
    symbol = read.graph.symbol(checked_name, static=True)
    return Parameter(checked_name, value, checked_unit, limits, doc, symbol, read.where)


def read_input(read: Intake, name: object, unit: object, doc: str) -> Input:
    """Read an input as written and report its mistakes."""
    owner, dot, own = name.partition(".") if isinstance(name, str) else (name, "", name)
    checked_name = f"{read.name(owner)}.{read.name(own)}" if dot else read.name(name)
    # arguments of laws are named "<law>.<argument>"
    symbol = read.graph.symbol(f"input.{checked_name}" if dot else checked_name)
    return Input(checked_name, read_unit(read, unit), doc, symbol, read.where)


def read_unit(read: Intake, unit: object) -> str:
    """Read a unit; an unknown one is reported and dropped."""
    if is_known(unit):
        return str(unit)
    read.complain(
        f"unknown unit {quoted(unit)}",
        'Use products, quotients and powers of SI units such as "N*m/rad" or "kg*m^2", '
        'or "" for a pure number.',
    )
    return ""


class Defaults:
    """Numeric values of expressions when every parameter has its default."""

    def __init__(self, parameters: Iterable[Parameter]) -> None:
        self._values: Mapping[Expr, float] = {p.symbol: p.default for p in parameters}

    def knows(self, symbol: Expr) -> bool:
        """Return whether a symbol is a parameter."""
        return symbol in self._values

    def of(self, scalars: Sequence[Scalar]) -> tuple[float, ...] | None:
        """Return the values of scalars, or None if they depend on more than parameters."""
        exprs = [x for x in scalars if isinstance(x, Expr)]
        if not exprs:
            return tuple(float(x) for x in scalars)
        if not all(self.knows(s) for s in exprs[0].graph.symbols_of(exprs)):
            return None
        with np.errstate(all="ignore"):
            values = dict(zip(exprs, evaluate(exprs, self._values), strict=True))
        return tuple(float(values[x] if isinstance(x, Expr) else x) for x in scalars)


def kept_to(parameters: Sequence[Parameter], bounded: Sequence[Bounded]) -> list[Parameter]:
    """Parameters with their ranges limited to the bounds of numbers that they are used for."""
    ranges = {p.symbol: p.range or (-math.inf, math.inf) for p in parameters}
    for item in bounded:
        if item.value in ranges:
            low, high = ranges[item.value]
            ranges[item.value] = max(low, item.bound.least), min(high, item.bound.most)
    free = (-math.inf, math.inf)
    return [
        p if ranges[p.symbol] in (p.range, free) else replace(p, range=ranges[p.symbol])
        for p in parameters
    ]
