"""The hash-consed expression graph and the rewrite rules applied during construction.

Rules (each tested in tests/symbolic/test_rules.py):

- numbers are folded; zeros and ones vanish;
- signs are pulled out of products and quotients and absorbed by sums and differences;
- operands of commutative operations are ordered, so `a*b` and `b*a` are one node, and `b - a` is
  the negative of an existing `a - b`;
- equal terms of opposite sign cancel, also one level down: `a + (b - a)` is `b`;
- factors and terms that depend on parameters only are collected, so that they can be hoisted out of
  the step: `p*(r*x)` becomes `(p*r)*x`;
- `sin` and `cos` of negated angles and of angles shifted by quarter turns are reduced; products
  such as `C1*C2 - S1*S2` become the cosine of the sum (see trigonometry.py);
- nothing is ever expanded.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from operator import attrgetter

from inloop.errors import ExpressionError
from inloop.symbolic.expression import Expr, Scalar
from inloop.symbolic.operations import COMMUTATIVE, OPERATIONS
from inloop.symbolic.trigonometry import merge_products, reduce_angle

Key = tuple[object, ...]
BY_AGE = attrgetter("id")  # arguments before users


class Graph:
    """Owner of expressions; creates nodes and applies the rewrite rules."""

    def __init__(self) -> None:
        self._table: dict[Key, Expr] = {}
        self._count = 0
        self.labels: dict[Expr, str] = {}
        self.section = ""
        self.zero = self.constant(0.0)
        self.one = self.constant(1.0)

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"Graph({self._count} nodes, {len(self.labels)} labels)"

    # leaves

    def constant(self, value: float) -> Expr:
        """The node of a finite number; -0.0 becomes 0.0."""
        number = float(value) + 0.0
        key = ("const", number)
        node = self._table.get(key)
        if node is None:
            if not math.isfinite(number):
                raise ExpressionError(
                    f"the number {number} appears in an expression",
                    fix="Look for an overflow, a missing value or a division by zero.",
                )
            node = self._new("const", (), number, True, key)
        return node

    def symbol(self, name: str, *, static: bool = False) -> Expr:
        """The node of a named unknown; `static` marks parameters, which change rarely."""
        key = ("symbol", name)
        node = self._table.get(key)
        if node is None:
            node = self._new("symbol", (), name, static, key)
        return node

    def wrap(self, value: Scalar) -> Expr:
        """Turn a number into a node; check that an expression belongs to this graph."""
        if isinstance(value, Expr):
            if value.graph is not self:
                raise ExpressionError(
                    f"expression {value} belongs to another model",
                    fix="Use parameters and inputs only in the model that declared them.",
                )
            return value
        return self.constant(float(value))

    # arithmetic

    def neg(self, a: Expr) -> Expr:
        """-a."""
        if a.op == "neg":
            return a.args[0]
        if a.op == "const":
            return self.constant(-a.value)
        return self._node("neg", (a,))

    def add(self, a: Expr, b: Expr) -> Expr:
        """a + b."""
        if a is self.zero:
            return b
        if b is self.zero:
            return a
        # signs: a + (-y) = a - y
        if b.op == "neg":
            return self.sub(a, b.args[0])
        if a.op == "neg":
            return self.sub(b, a.args[0])
        if a.op == "const" and b.op == "const":
            return self.constant(a.value + b.value)
        if a is b:
            return self.mul(self.constant(2.0), a)
        # cancellation: (x - y) + y = x
        if a.op == "sub" and a.args[1] is b:
            return a.args[0]
        if b.op == "sub" and b.args[1] is a:
            return b.args[0]
        if a.op == "mul" and b.op == "mul":
            merged = merge_products(self, a, b, 1.0)
            if merged is not None:
                return merged
        # collect static terms: s + (t + x) = (s + t) + x
        if a.static is not b.static:
            s, x = (a, b) if a.static else (b, a)
            if x.op in ("add", "sub") and x.args[0].static:
                return self._combine(x.op, self.add(s, x.args[0]), x.args[1])
            if x.op == "sub" and x.args[1].static:
                return self.add(x.args[0], self.sub(s, x.args[1]))
            if x.op == "add" and x.args[1].static:
                return self.add(x.args[0], self.add(s, x.args[1]))
        if a.id > b.id:
            a, b = b, a
        return self._node("add", (a, b))

    def sub(self, a: Expr, b: Expr) -> Expr:
        """a - b."""
        if b is self.zero:
            return a
        if a is b:
            return self.zero
        if b.op == "neg":
            return self.add(a, b.args[0])
        if a is self.zero:
            return self.neg(b)
        if a.op == "neg":
            return self.neg(self.add(a.args[0], b))
        if b.op == "const":
            return self.add(a, self.constant(-b.value))
        # cancellation: (x + b) - b = x,  (b - y) - b = -y,  a - (a + y) = -y,  a - (a - y) = y
        if a.op == "add" and b in a.args:
            return a.args[0] if a.args[1] is b else a.args[1]
        if a.op == "sub" and a.args[0] is b:
            return self.neg(a.args[1])
        if b.op == "add" and a in b.args:
            return self.neg(b.args[0] if b.args[1] is a else b.args[1])
        if b.op == "sub" and b.args[0] is a:
            return b.args[1]
        if a.op == "mul" and b.op == "mul":
            merged = merge_products(self, a, b, -1.0)
            if merged is not None:
                return merged
        # collect static terms: (s + x) - t = (s - t) + x
        if b.static and not a.static and a.op in ("add", "sub"):
            if a.args[0].static:
                return self._combine(a.op, self.sub(a.args[0], b), a.args[1])
            if a.args[1].static:
                rest = self._combine("add" if a.op == "sub" else "sub", b, a.args[1])
                return self.sub(a.args[0], rest)
        # collect static terms: p - (s + x) = (p - s) - x,  p - (s - x) = (p - s) + x
        if a.static and not b.static and b.op in ("add", "sub"):
            if b.args[0].static:
                rest = self.sub(a, b.args[0])
                return self._combine("sub" if b.op == "add" else "add", rest, b.args[1])
            if b.args[1].static:
                rest = self._combine("sub" if b.op == "add" else "add", a, b.args[1])
                return self.sub(rest, b.args[0])
        # one node serves both directions of a difference
        reverse = self._table.get(("sub", b.id, a.id))
        if reverse is not None:
            return self.neg(reverse)
        return self._node("sub", (a, b))

    def mul(self, a: Expr, b: Expr) -> Expr:
        """a * b."""
        if a is self.one:
            return b
        if b is self.one:
            return a
        if a is self.zero or b is self.zero:
            return self.zero
        # signs are pulled out
        if a.op == "neg":
            return self.neg(self.mul(a.args[0], b))
        if b.op == "neg":
            return self.neg(self.mul(a, b.args[0]))
        if a.op == "const":
            if b.op == "const":
                return self.constant(a.value * b.value)
            if a.value < 0.0:
                return self.neg(self.mul(self.constant(-a.value), b))
        elif b.op == "const" and b.value < 0.0:
            return self.neg(self.mul(a, self.constant(-b.value)))
        # collect static factors: s * (t * x) = (s * t) * x
        if a.static is not b.static:
            s, x = (a, b) if a.static else (b, a)
            if x.op == "mul" and x.args[0].static is not x.args[1].static:
                t, y = x.args if x.args[0].static else (x.args[1], x.args[0])
                return self.mul(self.mul(s, t), y)
        elif a.static and a.op == "const" and b.op == "mul" and b.args[0].op == "const":
            return self.mul(self.mul(a, b.args[0]), b.args[1])
        elif a.static and b.op == "const" and a.op == "mul" and a.args[0].op == "const":
            return self.mul(self.mul(b, a.args[0]), a.args[1])
        if b.op == "const" or (a.op != "const" and a.id > b.id):
            a, b = b, a
        return self._node("mul", (a, b))

    def div(self, a: Expr, b: Expr) -> Expr:
        """a / b; division by a static quantity becomes a product with its reciprocal."""
        if b is self.zero:
            raise ExpressionError("division by zero", fix="Check the law or the parameter.")
        if a is self.zero or b is self.one:
            return a
        if a is b:
            return self.one
        if a.op == "neg":
            return self.neg(self.div(a.args[0], b))
        if b.op == "neg":
            return self.neg(self.div(a, b.args[0]))
        if b.op == "const":
            if a.op == "const":
                return self.constant(a.value / b.value)
            return self.mul(self.constant(1.0 / b.value), a)
        if b.static and not a.static:
            return self.mul(self.div(self.one, b), a)
        if a.op == "const" and a.value < 0.0:
            return self.neg(self.div(self.constant(-a.value), b))
        return self._node("div", (a, b))

    def power(self, a: Expr, b: Expr) -> Expr:
        """a ** b; small integer powers become products."""
        if b.op == "const":
            exponent = b.value
            if exponent == 0.5:
                return self.call("sqrt", a)
            if exponent.is_integer() and abs(exponent) <= 8.0:
                product = self._whole_power(a, int(abs(exponent)))
                return product if exponent >= 0 else self.div(self.one, product)
        return self.call("pow", a, b)

    def _whole_power(self, a: Expr, exponent: int) -> Expr:
        if exponent == 0:
            return self.one
        half = self._whole_power(a, exponent // 2)
        square = self.mul(half, half)
        return self.mul(square, a) if exponent % 2 else square

    def _combine(self, op: str, a: Expr, b: Expr) -> Expr:
        return self.add(a, b) if op == "add" else self.sub(a, b)

    # functions

    def call(self, op: str, *args: Expr, payload: object = None) -> Expr:
        """A function node, folded when all arguments are numbers."""
        if op in ("sin", "cos"):
            reduced = reduce_angle(self, op, args[0])
            if reduced is not None:
                return reduced
        if op == "where":
            if args[1] is args[2]:
                return args[1]
            if args[0].op == "const":
                return args[1] if args[0].value != 0.0 else args[2]
        if op in ("min", "max") and args[0] is args[1]:
            return args[0]
        if op == "abs" and args[0].op in ("abs", "neg"):
            return self.call("abs", args[0].args[0])
        if payload is None and all(a.op == "const" for a in args):
            return self._folded(op, args)
        if op in COMMUTATIVE and args[0].id > args[1].id:
            args = (args[1], args[0])
        return self._node(op, args, payload)

    def _folded(self, op: str, args: tuple[Expr, ...]) -> Expr:
        try:
            return self.constant(float(OPERATIONS[op].scalar(*(a.value for a in args))))
        except (ValueError, OverflowError, ZeroDivisionError) as error:
            shown = ", ".join(f"{a.value:g}" for a in args)
            raise ExpressionError(
                f"{op}({shown}) has no real value", fix="Check the law or the parameter."
            ) from error

    # nodes and names

    def _node(self, op: str, args: tuple[Expr, ...], payload: object = None) -> Expr:
        # most nodes have two arguments
        key: Key
        if payload is None and len(args) == 2:
            key = (op, args[0].id, args[1].id)
        else:
            key = (op, *[a.id for a in args])
            if payload is not None:
                key = (*key, payload)
        node = self._table.get(key)
        if node is None:
            static = True
            for a in args:
                static = static and a.static
            node = self._new(op, args, payload, static, key)
        return node

    def _new(
        self, op: str, args: tuple[Expr, ...], payload: object, static: bool, key: Key
    ) -> Expr:
        node = Expr(self, op, args, self._count, payload, static, self.section)
        self._count += 1
        self._table[key] = node
        return node

    def label(self, expr: Expr, name: str) -> Expr:
        """Name an intermediate result for generated code; the first name given is kept.

        The node below a minus sign is labelled `<name>_n` (the negated quantity).
        """
        node, text = (expr.args[0], f"{name}_n") if expr.op == "neg" else (expr, name)
        if node.args:
            self.labels.setdefault(node, text)
        return expr

    def symbols_of(self, exprs: Iterable[Expr]) -> list[Expr]:
        """The symbols that occur in the expressions, in the order of their creation."""
        return [node for node in reachable(exprs) if node.op == "symbol"]


def reachable(exprs: Iterable[Expr]) -> list[Expr]:
    """All nodes below the expressions, arguments before users."""
    seen = set(exprs)
    stack = list(seen)
    while stack:
        for arg in stack.pop().args:
            if arg not in seen:
                seen.add(arg)
                stack.append(arg)
    return sorted(seen, key=BY_AGE)


def rebuild(
    exprs: Iterable[Expr], target: Graph, replace: Mapping[Expr, Expr] | None = None
) -> list[Expr]:
    """Build the expressions again in `target`, with some nodes replaced.

    Args:
        exprs: expressions of one graph.
        target: the graph to build in (may be the same).
        replace: nodes of the old graph with their replacements in the new one.

    Symbols that are not replaced keep their names and static flags.
    """
    wanted = list(exprs)
    new: dict[Expr, Expr] = dict(replace or {})
    before = target.section
    for node in _reachable_around(wanted, new):
        if node in new:
            continue
        args = tuple(new[a] for a in node.args)
        if node.graph is target and args == node.args:
            new[node] = node
            continue
        target.section = node.section or before
        new[node] = apply(target, node, args)
        if node in node.graph.labels:
            target.label(new[node], node.graph.labels[node])
    target.section = before
    return [new[e] for e in wanted]


def apply(target: Graph, node: Expr, args: tuple[Expr, ...]) -> Expr:
    """Apply the node's operation to other arguments through the rewrite rules."""
    op = node.op
    if op == "const":
        return target.constant(node.value)
    if op == "symbol":
        return target.symbol(node.name, static=node.static)
    if op == "add":
        return target.add(*args)
    if op == "sub":
        return target.sub(*args)
    if op == "mul":
        return target.mul(*args)
    if op == "div":
        return target.div(*args)
    if op == "neg":
        return target.neg(*args)
    return target.call(op, *args, payload=node.payload)


def _reachable_around(exprs: list[Expr], stop: Mapping[Expr, Expr]) -> list[Expr]:
    seen = set(exprs)
    stack = [node for node in seen if node not in stop]
    while stack:
        for arg in stack.pop().args:
            if arg not in seen:
                seen.add(arg)
                if arg not in stop:
                    stack.append(arg)
    return sorted(seen, key=BY_AGE)
