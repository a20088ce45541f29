"""Functions of two variables by many numbers: what all kinds of them have in common.

A chart is the payload of the operation "table2". Its numbers are constant data of generated code,
its function is one of `il_chart.h`, and in Python that of the same name beside its class.
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
    """The numbers of charts, which all derivatives share; never changed.

    Attributes:
        array: all in a row, in the order of the function that reads them.
        doc: what they are, in a line.
    """

    array: Reals
    doc: str

    def __post_init__(self) -> None:
        self.array.flags.writeable = False

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """As Python's numbers."""
        return tuple(self.array.tolist())

    @cached_property
    def digest(self) -> str:
        """A name that other numbers do not have."""
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
    """z(x, y) by numbers; hashable, as two equal ones are the same."""

    function: ClassVar[str]
    """Of C (with "il_" before it), of tapes and of Python."""

    data: ChartData

    @property
    @abstractmethod
    def settings(self) -> tuple[int, ...]:
        """Whole numbers that the function is given behind x, y and the numbers; at most four."""

    @abstractmethod
    def slopes(self, node: Expr, x: Expr, y: Expr) -> tuple[Expr, Expr]:
        """Derivatives of the node that is this chart at x and y."""

    @abstractmethod
    def __call__(self, x: Any, y: Any) -> Any:
        """Evaluate at numbers or arrays."""
