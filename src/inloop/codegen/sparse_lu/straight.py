"""Factor and solve a sparse matrix as straight-line C.

Each row is eliminated in local variables: for every k left of its pivot

    l = r_k * (1 / pivot k),   r_j -= l * U_kj

with one pointer per row of U, so that the offsets in the machine code are short: the speed of this
    code is limited by its length. The factors have the layout that the table-driven functions of
    `il_sparse.c` use; in addition, the reciprocals of the pivots are stored.

Given values that never change are constants in the code, and so is all that follows from them
alone: pivots and factors of ±1 cost nothing. Such entries are not stored.
"""

from __future__ import annotations

from inloop.codegen.pieces import number
from inloop.codegen.sparse_lu.folding import Fixed, Row, minus_product, times
from inloop.codegen.sparse_lu.parts import KEEP, Piece, argument_names, block, function, parts
from inloop.symbolic.elimination import Elimination

PARTS_PER_FILE = 8
STRAIGHT = 24_000  # maximum number of operations, 250 kB of machine code; see docs/sparse.md
PREFIX = "lu"
_INDENT = " " * 4

_ARGUMENTS = {
    "factor": "const double *A, double *F, double *D",
    "solve": "const double *F, const double *D, const double *b, double *y, double *x",
}


def straight_calls(elimination: Elimination, prefix: str = PREFIX) -> list[str]:
    """Lines of C: static functions `factor` and `solve` that call all parts."""
    lines: list[str] = []
    for name, found in _Writer(elimination).functions().items():
        heads, arguments = (
            _heads(prefix, name, len(found)),
            ", ".join(argument_names(_ARGUMENTS[name])),
        )
        lines += [*(f"{head};" for head in heads), f"static void {name}({_ARGUMENTS[name]})", "{"]
        lines += [f"{_INDENT}{prefix}_{name}_{k}({arguments});" for k in range(len(found))] + [
            "}",
            "",
        ]
    return lines


def emit_straight(elimination: Elimination, prefix: str = PREFIX) -> dict[str, str]:
    """C files of straight-line code for one pattern, without the calls: name → text.

    Args:
        elimination: order of pivots and entries of the factors.
        prefix: first part of all names.
    """
    files: dict[str, str] = {}
    for name, found in _Writer(elimination).functions().items():
        heads = _heads(prefix, name, len(found))
        for first in range(0, len(found), PARTS_PER_FILE):
            some = range(first, min(first + PARTS_PER_FILE, len(found)))
            texts = [function(heads[k], _ARGUMENTS[name], found[k]) for k in some]
            text = "\n".join([KEEP, *texts, "#undef KEEP", ""])
            files[f"{prefix}_{name}_{first // PARTS_PER_FILE}.c"] = text
    return files


class _Writer:
    """Writes the pieces of each function."""

    def __init__(self, elimination: Elimination) -> None:
        self.e = elimination
        self.pattern = elimination.pattern
        self.index = self.pattern.index
        self.upper = [self.pattern.upper(i) for i in range(elimination.n)]
        self.lower = [self.pattern.lower(i) for i in range(elimination.n)]
        # entries of L and U, and reciprocals of pivots, that are constant
        self.fixed: Fixed = {}
        self.given: list[dict[int, int]] = [{} for _ in range(elimination.n)]
        for k, (i, j) in enumerate(elimination.moved):
            self.given[i][j] = k

    def functions(self) -> dict[str, list[list[Piece]]]:
        """Parts of each function."""
        pieces = {"factor": self.factored(), "solve": self.solved()}
        return {name: [*parts(each)] for name, each in pieces.items()}

    def factored(self) -> list[Piece]:
        """Row by row."""
        return [self._row(i) for i in range(self.e.n)]

    def _row(self, i: int) -> Piece:
        """Eliminate one row; its constants are added to `fixed`."""
        names = _Names(self, i)
        row = Row(i, names, self.fixed)
        names.lines = row.lines
        for j, given in sorted(self.given[i].items()):
            row.take(j, self.e.constants.get(given, f"A[{given}]"))
        for k in self.lower[i]:
            row.subtract(k, self.upper[k])
        reciprocal = row.reciprocal()
        if isinstance(reciprocal, float):
            row.lines.append(f"D[{i}] = {number(reciprocal)};")
        else:
            row.lines.append(f"f[0] = D[{i}] = {reciprocal};")
        place = {j: at for at, j in enumerate(self.upper[i], start=1)}
        row.lines += [f"f[{place[j]}] = {name};" for j, name in row.variables(self.upper[i])]
        lines = [f"double *f = F + {self.index[i, i]};", "(void)f;", *row.lines]
        count = 1 + sum(1 + len(self.upper[k]) for k in self.lower[i])
        return Piece([f"{{ /* row {i} */", *(f"    {line}" for line in lines), "}"], count)

    def solved(self) -> list[Piece]:
        """Forward and back substitution with existing factors."""
        rows = range(self.e.n)
        return [*map(self._forward, rows), *map(self._backward, reversed(rows))]

    def _forward(self, i: int) -> Piece:
        """Row i of L y = b."""
        begin = self.index[i, self.pattern.rows[i][0]]
        terms = [self._term(i, k, f"f[{at}]", f"y[{k}]") for at, k in enumerate(self.lower[i])]
        pointer = [f"const double *f = F + {begin};", "KEEP(f);"] if "f[" in "".join(terms) else []
        total = f"b[{self.e.order.rows[i]}]{''.join(terms)}"
        return block([*pointer, f"y[{i}] = {total};"], 1 + len(terms))

    def _backward(self, i: int) -> Piece:
        """Row i of U x = y; x in matrix order, the most recent results are used last."""
        columns = self.e.order.columns
        terms = [
            self._term(i, j, f"u[{at}]", f"x[{columns[j]}]")
            for at, j in enumerate(self.upper[i], start=1)
        ]
        total = f"y[{i}]{''.join(reversed(terms))}"
        known = self.fixed.get((i, i))
        total = times(f"({total})", known) if known is not None else f"({total}) * u[0]"
        pointer = (
            [f"const double *u = F + {self.index[i, i]};", "KEEP(u);"] if "u[" in total else []
        )
        return block([*pointer, f"x[{columns[i]}] = {total};"], 1 + len(terms))

    def _term(self, i: int, j: int, entry: str, x: str) -> str:
        return minus_product(self.fixed.get((i, j)), entry, x)


class _Names:
    """Names of one row; a pointer to each row of U is declared before its first use."""

    real = "double"

    def __init__(self, writer: _Writer, i: int) -> None:
        self.index, self.pivot = writer.index, writer.index[i, i]
        self._place = [{j: at for at, j in enumerate(upper, start=1)} for upper in writer.upper]
        self._read: set[int] = set()
        self.lines: list[str] = []

    def entry(self, i: int, j: int) -> str:
        return f"r{j}"

    def factor(self, i: int, k: int) -> str:
        return f"l{k}"

    def upper(self, k: int, j: int) -> str:
        if k not in self._read:
            self._read.add(k)
            self.lines += [f"const double *u{k} = F + {self.index[k, k]};", f"KEEP(u{k});"]
        return f"u{k}[{0 if j == k else self._place[k][j]}]"

    def keep_lower(self, i: int, k: int, value: str) -> str:
        return f"f[{self.index[i, k] - self.pivot}] = {value};"


def _heads(prefix: str, name: str, count: int) -> list[str]:
    return [f"void {prefix}_{name}_{k}({_ARGUMENTS[name]})" for k in range(count)]
