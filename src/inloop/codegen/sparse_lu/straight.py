"""Factor and solve a sparse matrix as straight-line C.

Each row is eliminated in local variables: for every k left of its pivot

    l = r_k * (1 / pivot k),   r_j -= l * U_kj

with one pointer per row of U, so that the offsets in the machine code are short: this code is
bound by its own length. The factors have the layout that the table-driven functions of
`il_sparse.c` use; only the pivots themselves are stored as reciprocals, once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from inloop.symbolic.elimination import Elimination

PART = 700  # operations of one function: compilers take more than twice as long for twice as many
PARTS_PER_FILE = 8
STRAIGHT = 24_000  # most operations of straight-line code, 300 kB of it; see docs/sparse.md
PREFIX = "lu"
_INDENT = " " * 4

_ARGUMENTS = {
    "factor": "const double *A, double *F, double *D",
    "solve": "const double *F, const double *D, const double *b, double *y, double *x",
}
_KEEP = """/* hold a pointer in a register, so that offsets from it are short */
#if defined(__GNUC__) && !defined(__TINYC__)
#define KEEP(pointer) __asm__("" : "+r"(pointer))
#else
#define KEEP(pointer) (void)(pointer)
#endif
"""


@dataclass(frozen=True)
class _Piece:
    """Statements that stay together, and how many operations they have."""

    lines: list[str]
    operations: int


def straight_calls(elimination: Elimination, prefix: str = PREFIX) -> list[str]:
    """Lines of C: static functions `factor` and `solve` that call all parts."""
    lines: list[str] = []
    for name, parts in _Writer(elimination).functions().items():
        heads, arguments = _heads(prefix, name, len(parts)), ", ".join(_names(name))
        lines += [*(f"{head};" for head in heads), f"static void {name}({_ARGUMENTS[name]})", "{"]
        lines += [f"{_INDENT}{prefix}_{name}_{k}({arguments});" for k in range(len(parts))] + [
            "}",
            "",
        ]
    return lines


def emit_straight(elimination: Elimination, prefix: str = PREFIX) -> dict[str, str]:
    """C files of straight-line code for one pattern, all but what calls it: name → text.

    Args:
        elimination: order of pivots and entries of the factors.
        prefix: first part of all names.
    """
    files: dict[str, str] = {}
    for name, parts in _Writer(elimination).functions().items():
        heads = _heads(prefix, name, len(parts))
        for first in range(0, len(parts), PARTS_PER_FILE):
            some = range(first, min(first + PARTS_PER_FILE, len(parts)))
            texts = [_function(heads[k], name, parts[k]) for k in some]
            text = "\n".join([_KEEP, *texts, "#undef KEEP", ""])
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
        self.given: list[dict[int, int]] = [{} for _ in range(elimination.n)]
        for number, (i, j) in enumerate(elimination.moved):
            self.given[i][j] = number

    def functions(self) -> dict[str, list[list[_Piece]]]:
        """Parts of each function."""
        pieces = {"factor": self.factored(), "solve": self.solved()}
        return {name: [*_parts(each)] for name, each in pieces.items()}

    def factored(self) -> list[_Piece]:
        """Row by row."""
        return [self._row(i) for i in range(self.e.n)]

    def _row(self, i: int) -> _Piece:
        given, known = self.given[i], set(self.given[i])
        pivot, count = self.index[i, i], 1
        lines = [f"double *f = F + {pivot};"]
        lines += [f"double r{j} = A[{given[j]}];" for j in sorted(given)]
        for k in self.lower[i]:
            count += 1 + len(self.upper[k])
            lines.append(f"const double *u{k} = F + {self.index[k, k]};")
            lines.append(f"KEEP(u{k});")
            lines.append(f"const double l{k} = r{k} * u{k}[0];")
            lines.append(f"f[{self.index[i, k] - pivot}] = l{k};")
            for at, j in enumerate(self.upper[k], start=1):
                if j in known:
                    lines.append(f"r{j} -= l{k} * u{k}[{at}];")
                else:
                    known.add(j)
                    lines.append(f"double r{j} = -l{k} * u{k}[{at}];")
        lines.append(f"f[0] = D[{i}] = 1.0 / r{i};")
        lines += [f"f[{at}] = r{j};" for at, j in enumerate(self.upper[i], start=1)]
        return _Piece([f"{{ /* row {i} */", *(f"    {line}" for line in lines), "}"], count)

    def solved(self) -> list[_Piece]:
        """Both substitutions with the factors that are there."""
        rows = range(self.e.n)
        return [*map(self._forward, rows), *map(self._backward, reversed(rows))]

    def _forward(self, i: int) -> _Piece:
        """Row i of L y = b."""
        begin = self.index[i, self.pattern.rows[i][0]]
        products = [f"f[{at}] * y[{k}]" for at, k in enumerate(self.lower[i])]
        pointer = [f"const double *f = F + {begin};", "KEEP(f);"] if products else []
        total = " - ".join([f"b[{self.e.order.rows[i]}]", *products])
        return _block([*pointer, f"y[{i}] = {total};"], 1 + len(products))

    def _backward(self, i: int) -> _Piece:
        """Row i of U x = y; x in the order of the matrix, what was found last comes last."""
        columns = self.e.order.columns
        products = [f"u[{at}] * x[{columns[j]}]" for at, j in enumerate(self.upper[i], start=1)]
        pointer = [f"const double *u = F + {self.index[i, i]};", "KEEP(u);"]
        total = " - ".join([f"y[{i}]", *reversed(products)])
        return _block([*pointer, f"x[{columns[i]}] = ({total}) * u[0];"], 1 + len(products))


def _block(lines: Iterable[str], operations: int) -> _Piece:
    return _Piece(["{", *(f"    {line}" for line in lines), "}"], operations)


def _names(name: str) -> list[str]:
    """Arguments of a function."""
    return [word.split()[-1].lstrip("*") for word in _ARGUMENTS[name].split(",")]


def _heads(prefix: str, name: str, count: int) -> list[str]:
    return [f"void {prefix}_{name}_{k}({_ARGUMENTS[name]})" for k in range(count)]


def _parts(pieces: Iterable[_Piece]) -> Iterator[list[_Piece]]:
    """Pieces of about PART operations; none is split."""
    part: list[_Piece] = []
    for piece in pieces:
        part.append(piece)
        if sum(each.operations for each in part) >= PART:
            yield part
            part = []
    if part:
        yield part


def _function(head: str, name: str, pieces: list[_Piece]) -> str:
    used = [f"{_INDENT}(void){argument};" for argument in _names(name)]
    lines = [f"{_INDENT}{line}" for piece in pieces for line in piece.lines]
    return "\n".join([f"{head};", head, "{", *used, *lines, "}", ""])
