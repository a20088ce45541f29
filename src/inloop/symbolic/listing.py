"""Lay a program out as an ordered list of named assignments, the form that back ends print.

An intermediate gets a line of its own when it has a label or is used more than once; everything
else is written inside the line that uses it. Sines and cosines of angles that depend on inputs only
are gathered, so that a back end can compute them together.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from inloop.symbolic.expression import Expr
from inloop.symbolic.program import Program
from inloop.symbolic.schedule import schedule

MAX_INLINE = 40  # nodes written inside one line before it is broken
LONGEST_NAME = 63  # characters that C99 and MATLAB distinguish
# keywords of C, Python, MATLAB and Octave, C macros, and names that generated code calls
RESERVED = frozenset(
    """
    auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch typedef
    union unsigned void volatile while asm linux unix NAN INFINITY HUGE_VAL INT64_MAX INT64_MIN
    real near far

    False None True and as assert async await class def del elif except finally from global import
    in is lambda nonlocal not or pass raise try with yield np

    function end elseif otherwise catch classdef parfor persistent spmd until unwind_protect
    unwind_protect_cleanup endif endfor endwhile endfunction endswitch end_try_catch endclassdef
    end_unwind_protect endparfor endmethods endproperties endevents endenumeration endspmd
    endarguments pi inf nan NaN Inf eps i j
    sin cos tan asin acos atan atan2 sqrt exp log tanh power abs sign zeros

    sine cosine angle shared
    """.split()  # noqa: SIM905
)


@dataclass(frozen=True)
class Load:
    """A name for one entry of an input array."""

    name: str
    block: str
    index: int


@dataclass(frozen=True)
class Statement:
    """An assignment `name = expr` under a heading."""

    name: str
    expr: Expr
    section: str


@dataclass(frozen=True)
class Store:
    """An assignment of an expression to one entry of an output array."""

    block: str
    index: int
    expr: Expr


@dataclass(frozen=True)
class Listing:
    """A program laid out for printing.

    Attributes:
        program: what is laid out.
        names: the name of every node that has one (loads, angles and statements).
        loads: by symbol, the array entry it stands for.
        angles: angles whose sine and cosine are computed together at the start.
        sums: names of those angles that longer sums build on; a back end may use them.
        statements: the assignments in order.
        stores: the results in order.
    """

    program: Program
    names: dict[Expr, str]
    loads: dict[Expr, Load]
    angles: tuple[Expr, ...]
    sums: dict[Expr, str]
    statements: tuple[Statement, ...]
    stores: tuple[Store, ...]


def layout(program: Program) -> Listing:
    """Lay a program out in the order that keeps the fewest values alive."""
    exprs = program.exprs
    nodes = schedule(exprs)
    used = set(nodes)
    namer = _Namer()
    names: dict[Expr, str] = {}
    loads: dict[Expr, Load] = {}
    for block in program.inputs:
        namer.take(block.name)
    for out in program.outputs:
        namer.take(out.name)
    for block in program.inputs:
        for k, symbol in enumerate(block.symbols):
            if symbol in used:
                text = symbol.name.removeprefix(f"{block.name}.")
                loads[symbol] = Load(namer.unique(text), block.name, k)
                names[symbol] = loads[symbol].name
    angles = _leading_angles(nodes)
    _name_sines(nodes, angles, namer, names)
    inner = {a for angle in angles for a in angle.args if a.args}
    sums = {angle: namer.unique("angle") for angle in angles if angle in inner}
    statements = _statements(nodes, exprs, namer, names)
    stores = tuple(
        Store(out.name, k, expr) for out in program.outputs for k, expr in enumerate(out.exprs)
    )
    return Listing(program, names, loads, tuple(angles), sums, statements, stores)


def leading_angles(program: Program) -> list[Expr]:
    """The angles of a program's layout, without computing the rest of it."""
    return _leading_angles(program.nodes)


def _leading_angles(nodes: list[Expr]) -> list[Expr]:
    """Arguments of sin and cos that are sums of inputs and numbers, in the order of the inputs."""
    plain: set[Expr] = set()
    found: set[Expr] = set()
    # arguments come before their users
    for node in nodes:
        if node.op in ("symbol", "const") or (
            node.op in ("add", "sub") and plain.issuperset(node.args)
        ):
            plain.add(node)
        elif node.op in ("sin", "cos") and node.args[0] in plain:
            found.add(node.args[0])
    return sorted(found, key=lambda angle: angle.id)


def _name_sines(
    nodes: list[Expr], angles: list[Expr], namer: _Namer, names: dict[Expr, str]
) -> None:
    leading = set(angles)
    number = {angle: k for k, angle in enumerate(angles, start=1)}
    for node in nodes:
        if node.op in ("sin", "cos") and node.args[0] in leading:
            label = node.graph.labels.get(node)
            letter = "S" if node.op == "sin" else "C"
            names[node] = namer.unique(label or f"{letter}_{number[node.args[0]]}")


def _statements(
    nodes: list[Expr], exprs: list[Expr], namer: _Namer, names: dict[Expr, str]
) -> tuple[Statement, ...]:
    uses = _use_counts(exprs, names)
    size: dict[Expr, int] = dict.fromkeys(names, 1)
    result = []
    for node in nodes:
        if node in names or node not in uses:
            continue
        if not node.args:
            size[node] = 1
            continue
        size[node] = 1 + sum([size[a] for a in node.args])
        label = node.graph.labels.get(node)
        alone = uses[node] > 1 or label is not None or size[node] > MAX_INLINE
        if alone and node.op != "neg":
            names[node] = namer.unique(label or "t")
            size[node] = 1
            result.append(Statement(names[node], node, node.section))
    return tuple(result)


def _use_counts(exprs: list[Expr], names: dict[Expr, str]) -> dict[Expr, int]:
    """Number of uses of each node; nodes below a named node are not counted."""
    counts: dict[Expr, int] = Counter(exprs)
    stack = list(counts)
    while stack:
        node = stack.pop()
        if node in names:
            continue
        for arg in node.args:
            if arg in counts:
                counts[arg] += 1
            else:
                counts[arg] = 1
                stack.append(arg)
    return counts


class _Namer:
    """Hands out unique names that are valid identifiers in all languages."""

    def __init__(self) -> None:
        self._used: dict[str, int] = {}

    def take(self, name: str) -> None:
        """Reserve a name."""
        self._used[name] = 1

    def unique(self, wanted: str) -> str:
        """The requested name, made valid, with a number appended if it is taken."""
        base = re.sub(r"[^A-Za-z0-9_]", "_", wanted).strip("_") or "x"
        if base[0].isdigit() or base in RESERVED or base.lower().startswith("il_"):
            base = f"x_{base}"
        base = base[: LONGEST_NAME - len("_1000000")]
        count = self._used.get(base)
        if count is None and base != "t":
            self._used[base] = 1
            return base
        while True:
            count = (count or 0) + 1
            name = f"{base}{count}" if base == "t" else f"{base}_{count}"
            if name not in self._used:
                self._used[base] = count
                self._used[name] = 1
                return name
