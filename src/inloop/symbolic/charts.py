"""Base class of functions of two variables that are defined by arrays of numbers.

A chart is the payload of the operation "table2". Its numbers are constant data in generated code.
The function that evaluates it is in `il_chart.h` for C and next to its class for Python, under
the same name.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

if TYPE_CHECKING:
    from inloop.symbolic.expression import Expr

Reals = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, eq=False, repr=False)
class ChartData:
    """Numbers of a chart, shared by all its derivatives; immutable.

    Attributes:
        array: all numbers in one row, in the order in which the function reads them.
        doc: one-line description.
    """

    array: Reals
    doc: str

    def __post_init__(self) -> None:
        self.array.flags.writeable = False

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The numbers as Python floats."""
        return tuple(self.array.tolist())

    @cached_property
    def digest(self) -> str:
        """A hash that identifies the numbers."""
        found = hashlib.sha256(self.doc.encode())
        found.update(np.ascontiguousarray(self.array).tobytes())
        return found.hexdigest()[:24]

    def __hash__(self) -> int:
        return hash(self.digest)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, ChartData) and self.digest == other.digest)

    def __repr__(self) -> str:
        return f"ChartData({self.digest})"


class Chart(ABC):
    """A function z(x, y) defined by numbers; hashable, equal charts are interchangeable."""

    function: ClassVar[str]
    """Name of the function in C (after "il_"), on tapes and in Python."""

    data: ChartData

    @property
    @abstractmethod
    def settings(self) -> tuple[int, ...]:
        """Integer arguments of the function after x, y and the numbers; at most four."""

    @abstractmethod
    def slopes(self, node: Expr, x: Expr, y: Expr) -> tuple[Expr, Expr]:
        """Derivatives with respect to x and y of the node that evaluates this chart."""

    @abstractmethod
    def __call__(self, x: Any, y: Any) -> Any:
        """Evaluate at numbers or arrays."""
