"""Scalar expressions: immutable nodes of one graph, with Python's operators on them.

Nodes are hash-consed: two expressions with the same operation and the same arguments are the
same object, so common sub-expressions are shared the moment they are written. `==` is therefore
identity, and an `Expr` can be a dictionary key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Union

from inloop.errors import ExpressionError

if TYPE_CHECKING:
    import numpy as np

    from inloop.symbolic.graph import Graph

Scalar = Union[float, "Expr"]


class Expr:
    """One node: an operation applied to argument nodes.

    Attributes:
        graph: the graph that owns the node.
        op: name of the operation ("add", "mul", "sin", …; "const" and "symbol" for leaves).
        args: argument nodes.
        id: serial number in the graph; arguments always have smaller numbers.
        payload: value of a constant, name of a symbol, data of a table; else None.
        static: True if the value depends on constants and parameters only.
        section: heading under which generated code shows the node (usually a body's name).
    """

    __slots__ = ("args", "graph", "id", "op", "payload", "section", "static")

    def __init__(
        self,
        graph: Graph,
        op: str,
        args: tuple[Expr, ...],
        serial: int,
        payload: object,
        static: bool,
        section: str,
    ) -> None:
        self.graph = graph
        self.op = op
        self.args = args
        self.id = serial
        self.payload = payload
        self.static = static
        self.section = section

    @property
    def is_constant(self) -> bool:
        """True for a number."""
        return self.op == "const"

    @property
    def is_symbol(self) -> bool:
        """True for a named unknown (parameter, coordinate, input)."""
        return self.op == "symbol"

    @property
    def value(self) -> float:
        """The number of a constant."""
        if self.op != "const":
            raise ExpressionError(
                f"expression {self} has no fixed value", fix="Evaluate it with numbers instead."
            )
        assert isinstance(self.payload, float)
        return self.payload

    @property
    def name(self) -> str:
        """The name of a symbol."""
        if self.op != "symbol":
            raise ExpressionError(
                f"expression {self} has no name", fix="Only symbols are named; see Graph.label."
            )
        assert isinstance(self.payload, str)
        return self.payload

    def __add__(self, other: Scalar) -> Expr:
        return self.graph.add(self, self.graph.wrap(other))

    def __radd__(self, other: Scalar) -> Expr:
        return self.graph.add(self.graph.wrap(other), self)

    def __sub__(self, other: Scalar) -> Expr:
        return self.graph.sub(self, self.graph.wrap(other))

    def __rsub__(self, other: Scalar) -> Expr:
        return self.graph.sub(self.graph.wrap(other), self)

    def __mul__(self, other: Scalar) -> Expr:
        return self.graph.mul(self, self.graph.wrap(other))

    def __rmul__(self, other: Scalar) -> Expr:
        return self.graph.mul(self.graph.wrap(other), self)

    def __truediv__(self, other: Scalar) -> Expr:
        return self.graph.div(self, self.graph.wrap(other))

    def __rtruediv__(self, other: Scalar) -> Expr:
        return self.graph.div(self.graph.wrap(other), self)

    def __pow__(self, other: Scalar) -> Expr:
        return self.graph.power(self, self.graph.wrap(other))

    def __rpow__(self, other: Scalar) -> Expr:
        return self.graph.power(self.graph.wrap(other), self)

    def __neg__(self) -> Expr:
        return self.graph.neg(self)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return self.graph.call("abs", self)

    def __lt__(self, other: Scalar) -> Expr:
        return self.graph.call("lt", self, self.graph.wrap(other))

    def __le__(self, other: Scalar) -> Expr:
        return self.graph.call("le", self, self.graph.wrap(other))

    def __gt__(self, other: Scalar) -> Expr:
        return self.graph.call("lt", self.graph.wrap(other), self)

    def __ge__(self, other: Scalar) -> Expr:
        return self.graph.call("le", self.graph.wrap(other), self)

    def __and__(self, other: Scalar) -> Expr:
        return self.graph.call("where", self, self.graph.wrap(other), self.graph.constant(0.0))

    def __or__(self, other: Scalar) -> Expr:
        return self.graph.call("where", self, self.graph.constant(1.0), self.graph.wrap(other))

    def __invert__(self) -> Expr:
        return self.graph.sub(self.graph.constant(1.0), self)

    def __eq__(self, other: object) -> bool:
        # a model may test whether its own number is literally 0; other symbols cannot be compared
        if not self.static and isinstance(other, (int, float)):
            raise ExpressionError(
                f"{self} == {other:g} cannot be decided while a law is traced",
                fix="Compare with <, <=, > or >=, such as il.where(il.absolute(x) < 1e-9, a, b).",
            )
        return self is other

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise ExpressionError(
            "a symbolic expression has no truth value while a law is traced",
            fix="Use where(condition, a, b), minimum, maximum or max0 instead of if, and, or; "
            "write a < x < b as (a < x) & (x < b).",
        )

    def __float__(self) -> float:
        if self.op != "const":
            raise ExpressionError(
                f"expression {self} has no fixed value, which float() and the functions of math "
                "need",
                fix="In a law use il.sin, il.sqrt, ... or NumPy's functions; elsewhere evaluate it "
                "with numbers.",
            )
        return self.value

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        from inloop.symbolic.ufuncs import apply_ufunc

        return apply_ufunc(ufunc, method, inputs, options)

    def __repr__(self) -> str:
        from inloop.symbolic.text import abbreviated

        return abbreviated(self)
