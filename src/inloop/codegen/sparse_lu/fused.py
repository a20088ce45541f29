"""Factor a sparse matrix and solve in one pass, as straight-line C.

The right side is one more column of the matrix, so L is never stored. Entries of U that equal given
values are not stored either: they are read from the input. The others have their own layout, row by
row in the order in which they are written. For each row, either U is divided by the pivot or the
entries of L below it are, whichever are fewer. Divided rows are also faster in back substitution.
"""

from __future__ import annotations

from inloop.codegen.pieces import number
from inloop.codegen.sparse_lu.folding import Fixed, Row, minus_product, product, times
from inloop.codegen.sparse_lu.parts import KEEP, Piece, block, function, parts
from inloop.codegen.sparse_lu.prefetch import TOGETHER, prefetch_macro, together
from inloop.symbolic.elimination import Elimination

NAME = "solve_with"
ARGUMENTS = "const double *A, const double *b, double *F, double *D, double *y, double *x"
FETCHED = 2_000  # operations; above this, cold code is fetched as a whole
_SHORT = 16  # doubles before and after a pointer that short offsets reach


def emit_fused(elimination: Elimination, prefix: str) -> dict[str, str]:
    """A C file: name → text.

    Args:
        elimination: order of pivots and entries of the factors.
        prefix: first part of all names.
    """
    heads = _heads(elimination, prefix)
    texts = [function(head, ARGUMENTS, part, TOGETHER) for head, part in heads]
    ends = ["#undef KEEP", f"#undef {TOGETHER}", ""]
    return {f"{prefix}_{NAME}.c": "\n".join([KEEP, together(prefix), *texts, *ends])}


def fused_calls(elimination: Elimination, prefix: str) -> list[str]:
    """Lines of C: a static function that calls all parts."""
    heads = _heads(elimination, prefix)
    n, given = elimination.n, len(elimination.places)
    # about half of the factors are in use
    touched = {"A": 8 * given, "b": 8 * n, "F": 4 * elimination.pattern.size, "x": 8 * n}
    return [
        *(f"{head};" for head, _ in heads),
        *prefetch_macro(prefix, touched, {} if elimination.operations > FETCHED else None),
        f"static void {NAME}({ARGUMENTS})",
        "{",
        "    PREFETCH(F);",
        *(f"    {prefix}_{NAME}_{k}(A, b, F, D, y, x);" for k in range(len(heads))),
        "}",
        "#undef PREFETCH",
        "",
    ]


def _heads(elimination: Elimination, prefix: str) -> list[tuple[str, list[Piece]]]:
    """Declaration and contents of each part."""
    found = [*parts(_Writer(elimination).pieces())]
    return [(f"void {prefix}_{NAME}_{k}({ARGUMENTS})", part) for k, part in enumerate(found)]


class _Writer:
    """Writes all rows. For the names within a row see `folding.Names`."""

    real = "double"

    def __init__(self, elimination: Elimination) -> None:
        self.e = elimination
        pattern = elimination.pattern
        self.right = [pattern.upper(i) for i in range(elimination.n)]
        self.left = [pattern.lower(i) for i in range(elimination.n)]
        self.below = [0] * elimination.n  # entries of L in each column
        for row in self.left:
            for k in row:
                self.below[k] += 1
        self.fixed: Fixed = {}
        self.divided: set[int] = set()
        self.begin: list[int] = []  # target of the pointer to each row of U
        self.place: dict[tuple[int, int], int | str] = {}  # index in F, or the given value itself
        self.count = 0
        self.x = [f"x[{column}]" for column in elimination.order.columns]
        self.given: list[dict[int, int]] = [{} for _ in range(elimination.n)]
        for k, (i, j) in enumerate(elimination.moved):
            self.given[i][j] = k
        self._lines: list[str] = []  # lines of the current row
        self._read: set[int] = set()

    def pieces(self) -> list[Piece]:
        """All rows down (elimination), then up (back substitution)."""
        rows = range(self.e.n)
        return [*map(self._down, rows), *map(self._up, reversed(rows))]

    def _down(self, i: int) -> Piece:
        """Eliminate one row and its right side."""
        row = Row(i, self, self.fixed, self.divided)
        self._lines, self._read = row.lines, set()
        for j, given in sorted(self.given[i].items()):
            row.take(j, self.e.constants.get(given, f"A[{given}]"))
        row.lines.append(f"double s = b[{self.e.order.rows[i]}];")
        for k in self.left[i]:
            row.subtract(k, self.right[k])
            term = minus_product(self.fixed.get((i, k)), self.factor(i, k), self.x[k])
            row.lines += [f"s = s{term};"] if term else []
        divisor = self._pivot(row)
        # rows that benefit from short negative offsets
        self.begin.append(self.count + (_SHORT if len(self.right[i]) > _SHORT else 0))
        for j in self.right[i]:
            self._keep(row, j, divisor)
        total = product("s", divisor)
        row.lines.append(f"{self.x[i]} = {total};")
        return block(row.lines, 2 + sum(2 + len(self.right[k]) for k in self.left[i]))

    def _pivot(self, row: Row) -> float | str | None:
        """The factor by which the row of U is multiplied, if any."""
        reciprocal = row.reciprocal()
        if isinstance(reciprocal, str):
            row.lines += [f"const double d = {reciprocal};", f"D[{row.i}] = d;"]
        elif abs(reciprocal) == 1.0:
            return None
        if len(self.right[row.i]) > self.below[row.i]:
            return None
        self.divided.add(row.i)
        return "d" if isinstance(reciprocal, str) else reciprocal

    def _keep(self, row: Row, j: int, divisor: float | str | None) -> None:
        """An entry of U: a constant, a given value, or a stored one."""
        value = row.value.get(j, 0.0)
        if value == 0.0:
            self.fixed[row.i, j] = 0.0
        elif value is not None and not isinstance(divisor, str):
            self.fixed[row.i, j] = value if divisor is None else value * divisor
        elif value is None and divisor is None and j not in row.changed:
            place = self.place[row.i, j] = f"A[{self.given[row.i][j]}]"
            row.lines.remove(f"double {self.entry(row.i, j)} = {place};")  # no copy needed
        else:
            text = self.entry(row.i, j) if value is None else number(value)
            text = product(text, divisor)
            self.place[row.i, j] = self.count
            row.lines.append(f"F[{self.count}] = {text};")
            self.count += 1

    def _up(self, i: int) -> Piece:
        """Row i of U x = y; the most recent results are used last."""
        self._lines, self._read = [], set()
        total = "".join(
            minus_product(self.fixed.get((i, j)), entry, self.x[j])
            for j in reversed(self.right[i])
            for entry in ["" if (i, j) in self.fixed else self.upper(i, j)]
        )
        known = 1.0 if i in self.divided else self.fixed.get((i, i))
        if known != 1.0 or total:
            whole = f"({self.x[i]}{total})"
            whole = times(whole, known) if known is not None else f"{whole} * D[{i}]"
            self._lines.append(f"{self.x[i]} = {whole};")
        return block(self._lines, 1 + len(self.right[i]))

    def entry(self, i: int, j: int) -> str:
        """See `Names`."""
        return f"r{j}"

    def factor(self, i: int, k: int) -> str:
        """See `Names`."""
        return f"l{k}"

    def upper(self, k: int, j: int) -> str:
        """See `Names`; a pointer to each row of U is declared before its first use."""
        if j == k:
            return f"D[{k}]"
        place = self.place[k, j]
        if isinstance(place, str):
            return place
        if k not in self._read:
            self._read.add(k)
            self._lines += [f"const double *u{k} = F + {self.begin[k]};", f"KEEP(u{k});"]
        return f"u{k}[{place - self.begin[k]}]"

    def keep_lower(self, i: int, k: int, value: str) -> str:
        """See `Names`."""
        return ""
