"""Factor and solve a sparse matrix as straight-line C.

Each row is eliminated in local variables: for every k left of its pivot

    l = r_k * (1 / pivot k),   r_j -= l * U_kj

with one pointer per row of U, so that the offsets in the machine code are short: this code is
bound by its own length. The factors have the layout that the table-driven functions of
`il_sparse.c` use; only the pivots themselves are stored as reciprocals, once more.

Given values that never change are numbers in the code, and so is all that follows from them alone:
pivots and factors of ±1 cost nothing. Such entries are not stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from inloop.codegen.pieces import number
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
        # entries of L and U, and reciprocals of pivots, that are the same for all values
        self.fixed: dict[tuple[int, int], float] = {}
        self.given: list[dict[int, int]] = [{} for _ in range(elimination.n)]
        for k, (i, j) in enumerate(elimination.moved):
            self.given[i][j] = k

    def functions(self) -> dict[str, list[list[_Piece]]]:
        """Parts of each function."""
        pieces = {"factor": self.factored(), "solve": self.solved()}
        return {name: [*_parts(each)] for name, each in pieces.items()}

    def factored(self) -> list[_Piece]:
        """Row by row."""
        return [self._row(i) for i in range(self.e.n)]

    def _row(self, i: int) -> _Piece:
        """Eliminate one row; what is known of it beforehand goes into `fixed`."""
        pivot, row = self.index[i, i], _Row(self, i)
        row.lines.append(f"double *f = F + {pivot};")
        for j in sorted(self.given[i]):
            row.take(j, self.given[i][j])
        for k in self.lower[i]:
            row.subtract(k, pivot)
        row.finish(pivot)
        return _Piece([f"{{ /* row {i} */", *(f"    {line}" for line in row.lines), "}"], row.count)

    def solved(self) -> list[_Piece]:
        """Both substitutions with the factors that are there."""
        rows = range(self.e.n)
        return [*map(self._forward, rows), *map(self._backward, reversed(rows))]

    def _forward(self, i: int) -> _Piece:
        """Row i of L y = b."""
        begin = self.index[i, self.pattern.rows[i][0]]
        terms = [self._term(i, k, f"f[{at}]", f"y[{k}]") for at, k in enumerate(self.lower[i])]
        pointer = [f"const double *f = F + {begin};", "KEEP(f);"] if "f[" in "".join(terms) else []
        total = f"b[{self.e.order.rows[i]}]{''.join(terms)}"
        return _block([*pointer, f"y[{i}] = {total};"], 1 + len(terms))

    def _backward(self, i: int) -> _Piece:
        """Row i of U x = y; x in the order of the matrix, what was found last comes last."""
        columns = self.e.order.columns
        terms = [
            self._term(i, j, f"u[{at}]", f"x[{columns[j]}]")
            for at, j in enumerate(self.upper[i], start=1)
        ]
        total = f"y[{i}]{''.join(reversed(terms))}"
        known = self.fixed.get((i, i))
        total = _times(f"({total})", known) if known is not None else f"({total}) * u[0]"
        pointer = (
            [f"const double *u = F + {self.index[i, i]};", "KEEP(u);"] if "u[" in total else []
        )
        return _block([*pointer, f"x[{columns[i]}] = {total};"], 1 + len(terms))

    def _term(self, i: int, j: int, entry: str, x: str) -> str:
        """Minus an entry of the factors times x, as the rest of a sum."""
        known = self.fixed.get((i, j))
        if known is None:
            return f" - {entry} * {x}"
        return "" if known == 0.0 else f" + {_times(x, -known)}"


class _Row:
    """One row while it is eliminated: each entry is a number or a variable."""

    def __init__(self, writer: _Writer, i: int) -> None:
        self.writer, self.i = writer, i
        self.value: dict[int, float | None] = {}  # of each entry there is; None for a variable
        self.lines: list[str] = []
        self.count = 1

    def take(self, j: int, given: int) -> None:
        """A given value."""
        self.value[j] = self.writer.e.constants.get(given)
        if self.value[j] is None:
            self.lines.append(f"double r{j} = A[{given}];")

    def subtract(self, k: int, pivot: int) -> None:
        """Row k of U, times the factor that removes the entry in column k."""
        w, i = self.writer, self.i
        value, reciprocal = self.value.get(k, 0.0), w.fixed.get((k, k))
        self.count += 1 + len(w.upper[k])
        if value == 0.0 or (value is not None and reciprocal is not None):
            factor = 0.0 if value == 0.0 else value * (reciprocal or 0.0)
            w.fixed[i, k] = factor
            if factor != 0.0:
                self.lines += [f"const double *u{k} = F + {w.index[k, k]};", f"KEEP(u{k});"]
                self._add(k, [(-factor, "")] * len(w.upper[k]))
            return
        self.lines += [f"const double *u{k} = F + {w.index[k, k]};", f"KEEP(u{k});"]
        entry = f"r{k}" if value is None else number(value)
        text = f"{entry} * u{k}[0]" if reciprocal is None else _times(entry, reciprocal)
        self.lines.append(f"const double l{k} = {text};")
        self.lines.append(f"f[{w.index[i, k] - pivot}] = l{k};")
        self._add(k, [(None, f"l{k}")] * len(w.upper[k]))

    def _add(self, k: int, factors: Iterable[tuple[float | None, str]]) -> None:
        """Minus a factor, or the number before it, times each entry of row k of U."""
        w = self.writer
        for at, (j, (number_before, name)) in enumerate(zip(w.upper[k], factors, strict=True), 1):
            u = w.fixed.get((k, j))
            if u == 0.0:
                self.value.setdefault(j, 0.0)
            elif number_before is not None and u is not None:
                self._add_number(j, number_before * u)
            elif number_before is not None:
                self._add_text(j, _times(f"u{k}[{at}]", number_before), "+")
            elif u is not None:
                self._add_text(j, _times(name, -u), "+")
            else:
                self._add_text(j, f"{name} * u{k}[{at}]", "-")

    def _add_number(self, j: int, change: float) -> None:
        before = self.value.get(j, 0.0)
        if before is None:
            self.lines.append(f"r{j} += {number(change)};")
        else:
            self.value[j] = before + change

    def _add_text(self, j: int, text: str, sign: str) -> None:
        before = self.value.get(j, 0.0)
        if before is None:
            self.lines.append(f"r{j} {sign}= {text};")
        else:
            begin = "" if before == 0.0 else f"{number(before)} "
            plus = "-" if sign == "-" else "+" if begin else ""
            self.lines.append(f"double r{j} = {begin}{plus}{text};")
        self.value[j] = None

    def finish(self, pivot: int) -> None:
        """The reciprocal of the pivot, and the row of U."""
        w, i = self.writer, self.i
        own = self.value.get(i, 0.0)
        if own:
            w.fixed[i, i] = 1.0 / own
            self.lines.append(f"D[{i}] = {number(1.0 / own)};")
        else:
            entry = f"r{i}" if own is None else "0.0"
            self.lines.append(f"f[0] = D[{i}] = 1.0 / {entry};")
        for at, j in enumerate(w.upper[i], start=1):
            value = self.value.get(j, 0.0)
            if value is None:
                self.lines.append(f"f[{at}] = r{j};")
            else:
                w.fixed[i, j] = value


def _times(text: str, factor: float) -> str:
    """A product with a number; that with ±1 is none."""
    if abs(factor) == 1.0:
        return text if factor > 0.0 else f"-{text}"
    return f"{text} * {number(factor)}" if factor > 0.0 else f"-{text} * {number(-factor)}"


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
