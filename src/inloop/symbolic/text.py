"""Print expressions in infix notation with few parentheses, for people and generated code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from inloop.symbolic.expression import Expr

SUM, PRODUCT, UNARY, ATOM = 1, 2, 3, 4  # binding strength

Fragment = tuple[str, int]
Template = Callable[..., str]


@dataclass(frozen=True)
class Notation:
    """How one language writes numbers, names and function calls.

    Attributes:
        number: text of a float.
        functions: templates of the non-arithmetic operations, by name.
    """

    number: Callable[[float], str] = repr
    functions: Mapping[str, Template] = field(default_factory=dict)

    def function(self, node: Expr, args: list[str]) -> str:
        """Text of a function call."""
        template = self.functions.get(node.op)
        if template is not None:
            return template(*args) if node.payload is None else template(*args, node.payload)
        return f"{node.op}({', '.join(args)})"


def _plain_number(value: float) -> str:
    return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


TABLES: dict[str, Template] = {
    "table": lambda x, _table: f"table({x})",
    "table2": lambda x, y, chart: f"{chart.function}({x}, {y})",
}
PLAIN = Notation(number=_plain_number, functions=TABLES)


def to_text(expr: Expr, names: Mapping[Expr, str] | None = None, notation: Notation = PLAIN) -> str:
    """Infix text of an expression; nodes in `names` are replaced by their name."""
    return _fragment(expr, names or {}, notation, top=True)[0]


def abbreviated(expr: Expr, longest: int = 200) -> str:
    """Text of at most about `longest` operations; deeper nodes are written as `…`."""
    for depth in range(24, 0, -1):
        names, size = _cut_below(expr, depth, longest)
        if size <= longest or depth == 1:
            return to_text(expr, names)
    return "…"


def _cut_below(expr: Expr, depth: int, longest: int) -> tuple[dict[Expr, str], int]:
    """Nodes at a given depth, to be written as `…`, and the number of operations above them."""
    level: list[Expr] = [expr]
    size = 0
    for _ in range(depth):
        size += len(level)
        level = [a for node in level for a in node.args]
        if not level or size > longest:
            break
    return {node: "…" for node in level if node.args}, size


def _fragment(node: Expr, names: Mapping[Expr, str], n: Notation, top: bool = False) -> Fragment:
    if not top or not node.args:
        name = names.get(node)
        if name is not None:
            return name, ATOM
    if node.op == "const":
        text = n.number(node.value)
        return text, (UNARY if text.startswith("-") else ATOM)
    if node.op == "symbol":
        return node.name, ATOM
    parts = [_fragment(a, names, n) for a in node.args]
    if node.op == "neg":
        return "-" + _guard(parts[0], PRODUCT), UNARY
    # parentheses keep the order of evaluation: a + (b - c) is not (a + b) - c in floating point
    if node.op == "add" and node.args[1].op == "const" and node.args[1].value < 0.0:
        return f"{_guard(parts[0], SUM)} - {n.number(-node.args[1].value)}", SUM
    if node.op in ("add", "sub"):
        sign = "+" if node.op == "add" else "-"
        return f"{_guard(parts[0], SUM)} {sign} {_guard(parts[1], PRODUCT)}", SUM
    if node.op == "mul":
        return f"{_guard(parts[0], PRODUCT)}*{_guard(parts[1], UNARY)}", PRODUCT
    if node.op == "div":
        return f"{_guard(parts[0], PRODUCT)}/{_guard(parts[1], UNARY)}", PRODUCT
    return n.function(node, [text for text, _ in parts]), ATOM


def _guard(part: Fragment, strength: int) -> str:
    text, binding = part
    if binding < strength or text.startswith("-"):
        return f"({text})"
    return text
