"""A controller of a mechanism: what it reads, leads, keeps, and how its answer is computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inloop.errors import InputError
from inloop.model.geometry import Scalar
from inloop.model.names import quoted
from inloop.symbolic import Expr

PREFIX = "controller"  # its gains are parameters "controller.<gain>"


class Gain(float):
    """A number with a unit and a range: the default of a gain of a controller.

    It is a float, so that the function can be called as it is.

    Attributes:
        unit: label.
        range: lowest and highest value, or None.
    """

    unit: str
    range: tuple[float, float] | None

    def __new__(
        cls, value: float, unit: str = "", range: tuple[float, float] | None = None
    ) -> Gain:
        """A gain; see `gain`."""
        made = super().__new__(cls, value)
        made.unit, made.range = unit, range
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return float(self), self.unit, self.range


def gain(value: float, unit: str = "", range: tuple[float, float] | None = None) -> Gain:
    """The default of a gain, with what a slider needs to know.

        def pd(t, outputs, kp=il.gain(90.0, "N/m", (0.0, 400.0)), kd=14.0): ...

    Args:
        value: the default.
        unit: label such as "N/m".
        range: lowest and highest value.
    """
    return Gain(value, unit, range)


@dataclass(frozen=True)
class ControllerState:
    """A number that a controller keeps from sample to sample.

    Attributes:
        name: of the attribute.
        first: value at the start.
        symbol: what stands for it in expressions.
        following: value from this sample on.
    """

    name: str
    first: float
    symbol: Expr
    following: Scalar


@dataclass(frozen=True)
class CFunction:
    """A controller written in C.

    Attributes:
        text: of the file.
        function: name in C.
        outputs: names of what it reads, in the order in which it gets them.
        inputs: names of what it leads, in the order in which it writes them.
        states: values at the start.
        parameters: numbers by name, in the order in which it gets them.
        where: the file.
    """

    text: str
    function: str
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    states: tuple[float, ...]
    parameters: Mapping[str, float]
    where: str

    @property
    def __name__(self) -> str:  # what runs call a controller
        return self.function

    def __call__(self, t: float, outputs: object) -> Mapping[str, float]:
        """C is compiled into a plant, and cannot be called from Python."""
        raise InputError(
            f"controller {quoted(self.function)} is written in C",
            self.where,
            "Declare it in the model: m.controller(..., period=...).",
        )


@dataclass(frozen=True)
class Controller:
    """The controller of a mechanism.

    Attributes:
        name: of the function or class.
        period: between two samples [s].
        reads: names of outputs and inputs.
        leads: names of inputs.
        gains: names of its parameters.
        where: file and line.
        symbols: of one that was traced, what stands for `reads` in the expressions.
        values: of one that was traced, those of `leads` from a sample on.
        states: of one that was traced, what it keeps from sample to sample.
        code: of one that is written in C, the function.
    """

    name: str
    period: float
    reads: tuple[str, ...]
    leads: tuple[str, ...]
    gains: tuple[str, ...]
    where: str
    symbols: tuple[Expr, ...] = ()
    values: tuple[Scalar, ...] = ()
    states: tuple[ControllerState, ...] = ()
    code: CFunction | None = None

    @property
    def first(self) -> tuple[float, ...]:
        """States at the start."""
        return self.code.states if self.code else tuple(state.first for state in self.states)
