"""Factor and solve a sparse matrix as straight-line C, and the tables of `il_sparse_lu.h`.

Each row is eliminated in local variables: for every k left of its pivot

    l = r_k * (1 / pivot k),   r_j -= l * U_kj

with one pointer per row of U, so that the offsets in the machine code are short: this code is
bound by its own length. The factors have the layout that the table-driven functions of
`il_sparse.c` use; only the pivots themselves are stored as reciprocals, once more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from inloop.codegen.c_tables import rows_table, table
from inloop.symbolic.elimination import Elimination

PART = 700  # operations of one function: compilers take more than twice as long for twice as many
PARTS_PER_FILE = 8
_INDENT = " " * 4

_ARGUMENTS = {
    "factor": "const double *A, double *F, double *D",
    "solve": "const double *F, const double *D, const double *b, double *y, double *x",
    "factor_and_solve": "const double *A, const double *b, double *F, double *D, double *y,"
    " double *x",
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


def emit_lu(elimination: Elimination, straight: bool) -> dict[str, str]:
    """The C files of one pattern: name → text. `sparse_lu()` gives the `il_sparse_lu`.

    Args:
        elimination: order of pivots and entries of the factors.
        straight: write straight-line code; else the tables are all.
    """
    writer = _Writer(elimination)
    functions = {
        "factor": lambda: writer.factored(fused=False),
        "solve": writer.solved,
        "factor_and_solve": lambda: [*writer.factored(fused=True), *writer.backward()],
    }
    files, calls = _files(functions) if straight else ({}, "")
    return {**files, "sparse_lu.c": _main(elimination, calls)}


# straight-line code


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

    def factored(self, fused: bool) -> list[_Piece]:
        """Row by row; `fused` takes the right side along as one more column."""
        return [self._row(i, fused) for i in range(self.e.n)]

    def _row(self, i: int, fused: bool) -> _Piece:
        given, known = self.given[i], set(self.given[i])
        pivot, count = self.index[i, i], 2 + len(self.upper[i]) * fused
        lines = [f"double *f = F + {pivot};"]
        lines += [f"double r{j} = A[{given[j]}];" for j in sorted(given)]
        if fused:
            lines.append(f"double s = b[{self.e.order.rows[i]}];")
        for k in self.lower[i]:
            count += 1 + fused + len(self.upper[k])
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
            if fused:
                lines.append(f"s -= l{k} * y[{k}];")
        lines.append(f"f[0] = D[{i}] = 1.0 / r{i};")
        lines += [f"f[{at}] = r{j};" for at, j in enumerate(self.upper[i], start=1)]
        if fused:
            lines.append(f"y[{i}] = s;")
        return _Piece([f"{{ /* row {i} */", *(f"    {line}" for line in lines), "}"], count)

    def solved(self) -> list[_Piece]:
        """Both substitutions with the factors that are there."""
        return [*(self._forward(i) for i in range(self.e.n)), *self.backward()]

    def _forward(self, i: int) -> _Piece:
        begin = self.index[i, self.pattern.rows[i][0]]
        products = [f"f[{at}] * y[{k}]" for at, k in enumerate(self.lower[i])]
        pointer = [f"const double *f = F + {begin};", "KEEP(f);"] if products else []
        total = " - ".join([f"b[{self.e.order.rows[i]}]", *products])
        return _block([*pointer, f"y[{i}] = {total};"], 1 + len(products))

    def backward(self) -> list[_Piece]:
        """U x = y, from the last row to the first; x in the order of the matrix."""
        columns, pieces = self.e.order.columns, []
        for i in reversed(range(self.e.n)):
            products = [f"u[{at}] * x[{columns[j]}]" for at, j in enumerate(self.upper[i], start=1)]
            pointer = [f"const double *u = F + {self.index[i, i]};", "KEEP(u);"]
            total = " - ".join([f"y[{i}]", *products])
            pieces.append(
                _block([*pointer, f"x[{columns[i]}] = ({total}) * u[0];"], 1 + len(products))
            )
        return pieces


def _block(lines: Iterable[str], operations: int) -> _Piece:
    return _Piece(["{", *(f"    {line}" for line in lines), "}"], operations)


def _files(functions: dict[str, Callable[[], list[_Piece]]]) -> tuple[dict[str, str], str]:
    """Files with all parts, and the functions that call them."""
    files: dict[str, str] = {}
    calls: list[str] = []
    for name, pieces in functions.items():
        arguments = _ARGUMENTS[name]
        names = ", ".join(word.split()[-1].lstrip("*") for word in arguments.split(","))
        parts = [*_parts(pieces())]
        heads = [f"void lu_{name}_{k}({arguments})" for k in range(len(parts))]
        for first in range(0, len(parts), PARTS_PER_FILE):
            some = range(first, min(first + PARTS_PER_FILE, len(parts)))
            texts = [_function(heads[k], arguments, parts[k]) for k in some]
            body = "\n".join([_KEEP, *texts])
            files[f"lu_{name}_{first // PARTS_PER_FILE}.c"] = f"{body}\n#undef KEEP\n"
        calls += [f"{head};" for head in heads]
        calls += [f"static void {name}({arguments})", "{"]
        calls += [f"{_INDENT}lu_{name}_{k}({names});" for k in range(len(parts))] + ["}", ""]
    return files, "\n".join(calls)


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


def _function(head: str, arguments: str, pieces: list[_Piece]) -> str:
    names = [word.split()[-1].lstrip("*") for word in arguments.split(",")]
    used = [f"{_INDENT}(void){name};" for name in names]
    lines = [f"{_INDENT}{line}" for piece in pieces for line in piece.lines]
    return "\n".join([f"{head};", head, "{", *used, *lines, "}", ""])


# tables


def _main(e: Elimination, calls: str) -> str:
    factors, factors_text = rows_table("factors", e.pattern.rows)
    by_row: list[list[tuple[int, int]]] = [[] for _ in range(e.n)]
    for number, (i, j) in enumerate(e.places):
        by_row[i].append((j, number))
    matrix, matrix_text = rows_table("matrix", [[j for j, _ in sorted(row)] for row in by_row])
    lower, upper = e.bound_with_new_pivots()
    index = e.pattern.index
    functions = "factor, solve, factor_and_solve" if calls else "0, 0, 0"
    return "\n".join(
        [
            '#include "il_export.h"',
            '#include "il_sparse_lu.h"',
            "",
            table("row", e.order.rows),
            table("column", e.order.columns),
            *matrix,
            table("entry", (number for row in by_row for _, number in sorted(row))),
            *factors,
            table("diagonal", (index[i, i] for i in range(e.n))),
            table("into", (index[place] for place in e.moved)),
            "",
            calls,
            "static const il_sparse_lu lu = {",
            f"    {e.n}, {len(e.places)}, row, column, {{{matrix_text}, entry}},",
            f"    {{{factors_text}, diagonal, {e.pattern.size}, {len(e.places)}, into}},",
            f"    {lower}, {upper}, {functions}",
            "};",
            "",
            "IL_EXPORT const il_sparse_lu *sparse_lu(void);",
            "IL_EXPORT const il_sparse_lu *sparse_lu(void)",
            "{",
            "    return &lu;",
            "}",
            "",
        ]
    )
