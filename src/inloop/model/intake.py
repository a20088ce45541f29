"""Read the user's numbers, vectors and matrices, and collect all mistakes.

Nothing is raised here. An invalid value is reported and replaced by a harmless one, so that the
rest of the model is still checked and all mistakes are reported together.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable

from inloop.errors import Mistake
from inloop.model.bounds import Bound, Bounded
from inloop.model.geometry import NO_ROTATION, ZERO, Matrix3, Scalar, Vector3, folded, symmetric
from inloop.model.names import name_problem, quoted
from inloop.symbolic import Expr, Graph

# replaces an invalid inertia [kg·m²]
UNIT_INERTIA: Matrix3 = symmetric(1.0, 1.0, 1.0, 0.0, 0.0, 0.0)


def is_number(value: object) -> bool:
    """Return whether a value is a real number (Python or NumPy); True and False are not."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def as_tuple(value: object) -> tuple[object, ...] | None:
    """Return the items of a list, tuple or array; None for anything else."""
    if isinstance(value, str | bytes | dict | Expr) or not isinstance(value, Iterable):
        return None
    try:
        return tuple(value)
    except TypeError:  # a 0-dimensional array
        return None


class Intake:
    """Reads the values of one element and reports mistakes under its name.

    Attributes:
        graph: the graph of the model.
        label: name of the element in messages, such as "body 'shank'".
        where: file and line of the element.
    """

    def __init__(
        self,
        mistakes: list[Mistake],
        graph: Graph,
        label: str,
        where: str,
        bounded: list[Bounded],
    ) -> None:
        self._mistakes = mistakes
        self._bounded = bounded
        self.graph = graph
        self.label = label
        self.where = where

    def complain(self, problem: str, fix: str) -> None:
        """Record a mistake of this element."""
        self._mistakes.append(Mistake(f"{self.label}: {problem}", self.where, fix))

    def bound(self, value: Expr, quantity: str, bound: Bound) -> None:
        """Record a bound of an expression, to be checked when all parameters are known."""
        self._bounded.append(Bounded(value, bound, f"{self.label}: {quantity}", self.where))

    def name(self, value: object) -> str:
        """Read a name; an invalid one is reported but kept, so that references to it still work."""
        problem = name_problem(value)
        if problem is not None:
            self.complain(*problem)
        return value if isinstance(value, str) else "unnamed"

    def scalar(self, value: object, quantity: str, fallback: float = 0.0) -> Scalar:
        """Read a finite number or an expression of this model."""
        if isinstance(value, Expr):
            if value.graph is not self.graph:
                self.complain(
                    f"{quantity} uses an expression of another model",
                    "Use parameters of this model only.",
                )
                return fallback
            value = folded(value)
            if isinstance(value, Expr):
                return value
        return self.number(value, quantity, fallback)

    def number(
        self, value: object, quantity: str, fallback: float = 0.0, infinite: bool = False
    ) -> float:
        """Read a number; only limits and ranges may be infinite."""
        if isinstance(value, Expr):
            self.complain(
                f"{quantity} must be a plain number, got an expression", "Write the number itself."
            )
            return fallback
        if not is_number(value):
            self.complain(
                f"{quantity} must be a number, got {quoted(value)}",
                "Write an int, a float or an expression of parameters.",
            )
            return fallback
        try:
            result = float(value)  # type: ignore[arg-type]
        except OverflowError:
            result = math.inf
        if math.isnan(result) or (math.isinf(result) and not infinite):
            self.complain(f"{quantity} is {result}", "Every number must be finite.")
            return fallback
        return result

    def vector(self, value: object, quantity: str, fallback: Vector3 = ZERO) -> Vector3:
        """Read three scalars."""
        items = as_tuple(value)
        if items is None or len(items) != 3:
            got = quoted(value) if items is None else f"{len(items)} components"
            self.complain(f"{quantity} needs 3 components, got {got}", "Write it as (x, y, z).")
            return fallback
        x, y, z = (self.scalar(item, quantity) for item in items)
        return x, y, z

    def pair(self, value: object, quantity: str, infinite: bool = False) -> tuple[float, float]:
        """Read two plain numbers."""
        items = as_tuple(value)
        if items is None or len(items) != 2:
            self.complain(
                f"{quantity} needs 2 numbers, got {quoted(value)}", "Write it as (first, second)."
            )
            return 0.0, 0.0
        first, second = (self.number(item, quantity, infinite=infinite) for item in items)
        return first, second

    def matrix(self, value: object, quantity: str, fallback: Matrix3 = NO_ROTATION) -> Matrix3:
        """Read three rows of three scalars."""
        rows = [as_tuple(row) for row in as_tuple(value) or ()]
        if len(rows) != 3 or any(row is None or len(row) != 3 for row in rows):
            self.complain(f"{quantity} must be a 3x3 matrix", "Write three rows of three numbers.")
            return fallback
        before = len(self._mistakes)
        x, y, z = (self.vector(row, quantity) for row in rows)
        return (x, y, z) if len(self._mistakes) == before else fallback

    def inertia(self, value: object) -> Matrix3:
        """Read three moments, three moments and three products, or a symmetric matrix."""
        items = as_tuple(value)
        if items is None or len(items) not in (3, 6):
            self.complain(
                "inertia must have 3 or 6 components or be a 3x3 matrix",
                "Write (ixx, iyy, izz), (ixx, iyy, izz, ixy, ixz, iyz) or three rows.",
            )
            return UNIT_INERTIA
        if len(items) == 3 and any(as_tuple(item) is not None for item in items):
            return self._symmetric_matrix(value)
        before = len(self._mistakes)
        xx, yy, zz, *products = (self.scalar(item, "inertia") for item in items)
        xy, xz, yz = products or ZERO
        sound = len(self._mistakes) == before
        return symmetric(xx, yy, zz, xy, xz, yz) if sound else UNIT_INERTIA

    def _symmetric_matrix(self, value: object) -> Matrix3:
        I = self.matrix(value, "inertia", fallback=UNIT_INERTIA)
        size = max((abs(x) for row in I for x in row if not isinstance(x, Expr)), default=0.0)
        for row, column in ((0, 1), (0, 2), (1, 2)):
            upper, lower = I[row][column], I[column][row]
            if isinstance(upper, Expr) or isinstance(lower, Expr):
                equal = upper is lower
            else:
                equal = abs(upper - lower) <= 1e-9 * size
            if not equal:
                name = "xyz"[row] + "xyz"[column]
                self.complain(
                    f"inertia is not symmetric: i{name} = {upper}, i{name[::-1]} = {lower}",
                    "Both must be equal.",
                )
        return symmetric(I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2])
