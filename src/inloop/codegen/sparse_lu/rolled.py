"""Factor and solve a sparse matrix that repeats itself: steps of one shape share their code.

A kernel is straight-line code for one shape of `symbolic/repeated/steps.py`. Where its numbers lie
it reads from a row of a table, which is short where the matrix is regular (`slots.py`). Steps that
do not wait for each other run in the lanes of a vector (`lanes.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from inloop.codegen.pieces import number
from inloop.codegen.sparse_lu.folding import Fixed, Row, minus_product, times
from inloop.codegen.sparse_lu.index_tables import table
from inloop.codegen.sparse_lu.lanes import LANES, Layout
from inloop.codegen.sparse_lu.slots import Slots
from inloop.symbolic.repeated.steps import Cell, Placed

PREFIX = "lu"
_SOLVED = "const double *F, const double *D, const double *b, double *y, double *x"
# file → its functions, each with what it takes after its row of the table
_FILES = {
    "factor": {"factor": "const double *A, double *F, double *D"},
    "solve": {"forward": _SOLVED, "backward": _SOLVED},
    "transposed": {"forward_transposed": _SOLVED, "backward_transposed": _SOLVED},
}
_POINTERS = {
    "factor": ["double *f = F + t[0], *d = D + t[1];"],
    "forward": ["const double *f = F + t[0];", "double *z = y + t[1], *c = y + t[2];"],
    "backward": ["const double *f = F + t[0], *d = D + t[1], *z = y + t[1];"],
    "forward_transposed": [
        "const double *f = F + t[0], *d = D + t[1];",
        "double *z = y + t[1], *c = y + t[2];",
    ],
    "backward_transposed": ["const double *f = F + t[0], *z = y + t[1];"],
}


def emit_rolled(layout: Layout, prefix: str = PREFIX) -> dict[str, str]:
    """C files with the kernels: name → text.

    Args:
        layout: of all steps.
        prefix: first part of all names.
    """
    kernels = _kernels(layout)
    files = {}
    for file, functions in _FILES.items():
        parts = ["#include <stdint.h>\n", _lanes_text()]
        for name, arguments in functions.items():
            parts += [each.function(name, arguments) for each in kernels]
            names = ", ".join(f"{name}_{each.number}" for each in kernels)
            parts += [f"{_declaration(name, arguments, prefix, len(kernels))} = {{{names}}};\n"]
        files[f"{prefix}_{file}.c"] = "\n".join([*parts, _FORGET])
    return files


def rolled_calls(layout: Layout, prefix: str = PREFIX) -> list[str]:
    """Lines of C: the tables of all steps and static functions that walk through them."""
    kernels = _kernels(layout)
    lines = [
        f"extern {_declaration(name, arguments, prefix, len(kernels))};"
        for functions in _FILES.values()
        for name, arguments in functions.items()
    ]
    rows = {at: row for each in kernels for at, row in zip(each.batches, each.table, strict=True)}
    in_order = [rows[at].tolist() for at in range(len(rows))]
    begins = np.cumsum([0, *map(len, in_order)])[:-1]
    return [
        *lines,
        "",
        table("step_kernel", (batch.kernel for batch in layout.plan.batches)),
        table("step_begin", begins.tolist()),
        table("step_numbers", (each for row in in_order for each in row)),
        _CALLS.format(count=len(rows), prefix=prefix),
    ]


def _kernels(layout: Layout) -> list[_Kernel]:
    return [_Kernel(layout, k) for k in range(len(layout.plan.kernels))]


def _declaration(name: str, arguments: str, prefix: str, count: int) -> str:
    return f"void (*const {prefix}_{name}_of[{count}])(const int32_t *t, {arguments})"


class _Kernel:
    """Writes the functions of one shape."""

    def __init__(self, layout: Layout, kernel: int) -> None:
        plan = layout.plan
        self.number = kernel
        self.shape, self.lanes = plan.kernels[kernel]
        self.real = "double" if self.lanes == 1 else "lanes"
        self.batches = [at for at, batch in enumerate(plan.batches) if batch.kernel == kernel]
        members = [[plan.placed[k] for k in plan.batches[at].steps] for at in self.batches]

        def slots(name: str, array: str, of: Callable[[Placed], Iterable[int]]) -> Slots:
            index = np.array([[[*of(step)] for step in lanes] for lanes in members], dtype=np.int64)
            return Slots(name, array, index.reshape(len(members), self.lanes, -1))

        def rights(cells: list[Cell]) -> Iterable[int]:
            return map(layout.right_cell, cells)

        own = self.shape.pivots
        self.given = slots("a", "A", lambda s: s.given)
        self.cells = slots("w", "F", lambda s: map(layout.factor_cell, s.cells))
        self.rows = slots("p", "b", lambda s: s.rows[:own])
        self.columns = slots("p", "b", lambda s: s.columns[:own])
        self.row_cells = slots("v", "y", lambda s: rights(s.row_cells))
        self.column_cells = slots("v", "y", lambda s: rights(s.column_cells))
        self.all_rows = slots("q", "x", lambda s: s.rows)
        self.all_columns = slots("q", "x", lambda s: s.columns)
        columns = [
            np.array([first[at] for at in self.batches])
            for first in (layout.first_factor, layout.first_pivot, layout.first_right)
        ]
        for each in (self.given, self.cells, self.rows, self.row_cells, self.all_columns,
                     self.columns, self.column_cells, self.all_rows):  # fmt: skip
            each.first = len(columns)
            columns += each.columns()
        self.table = np.array(columns).T
        self._entry = self.shape.entries
        self._constants = self._common(layout.constants)
        self.fixed: Fixed = {}
        self._factored = self._factor()  # finds what is fixed

    def _common(self, constants: Mapping[int, float]) -> dict[int, float]:
        """Given values that are the same number in all steps, by their slots."""
        found = {}
        for k in range(self.given.index.shape[2]):
            values = {constants.get(int(at)) for at in self.given.index[:, :, k].flat}
            value = values.pop()
            if value is not None and not values:
                found[k] = value
        return found

    def function(self, name: str, arguments: str) -> str:
        """A whole function."""
        write: dict[str, Callable[[], list[str]]] = {
            "factor": lambda: self._factored,
            "forward": self._forward,
            "backward": self._backward,
            "forward_transposed": self._forward_transposed,
            "backward_transposed": self._backward_transposed,
        }
        given = [word.split()[-1].lstrip("*") for word in arguments.split(",")]
        own = [
            word[1:].rstrip(",;")
            for line in _POINTERS[name]
            for word in line.split()
            if word[0] == "*"
        ]
        unused = [f"(void){each};" for each in (*given, *own)]
        lines = [*_POINTERS[name], *unused, *write[name]()]
        head = f"static void {name}_{self.number}(const int32_t *t, {arguments})"
        return "\n".join([head, "{", *(f"    {line}" for line in lines), "}", ""])

    def _block(self, lines: Iterable[str]) -> list[str]:
        """What all lanes do."""
        return ["EACH_LANE {" if self.lanes > 1 else "{", *(f"    {line}" for line in lines), "}"]

    def _at(self, pointer: str, number: int) -> str:
        """Number of the batch itself."""
        if self.lanes == 1:
            return f"{pointer}[{number}]"
        return f"LANES({pointer} + {self.lanes * number})"

    def _factor(self) -> list[str]:
        """Row by row; what is subtracted from rows of others comes last."""
        shape, lines = self.shape, list[str]()
        sums = self._sums()
        for i in range(len(shape.rows)):
            row = Row(i, self, self.fixed)
            for j, value in sums[i]:
                row.take(j, value)
            for k in shape.lower(i):
                row.subtract(k, shape.upper(k))
            if i < shape.pivots:
                reciprocal = row.reciprocal()
                if isinstance(reciprocal, str):
                    row.lines.append(f"const {self.real} d{i} = {reciprocal};")
                    row.lines.append(f"{self._at('d', i)} = d{i};")
                else:
                    row.lines.append(f"{self._at('d', i)} = {self._constant(reciprocal)};")
                stored = row.variables(shape.upper(i))
            else:  # cells are read by others: all of them are stored
                columns = shape.upper(i)
                stored = [(j, self._value(row, j)) for j in columns]
            row.lines += [f"{self._at('f', self._entry[i, j])} = {text};" for j, text in stored]
            lines += row.lines
        return [*self.given.pointers(), *self.cells.pointers(), *self._block(lines)]

    def _sums(self) -> dict[int, list[tuple[int, float | str]]]:
        """What each entry is before the elimination, by rows."""
        sums: dict[int, list[tuple[int, float | str]]] = {}
        given = cells = 0
        for (i, j), (values, summed) in self.shape.sums:
            known = self._constants.get(given) if values else None
            terms = [self.given.read(given)] if values and known is None else []
            terms += [number(known)] if known and summed else []
            terms += [self.cells.read(cells + k) for k in range(summed)]
            alone = known is not None and not summed
            sums.setdefault(i, []).append((j, float(known or 0.0) if alone else " + ".join(terms)))
            given, cells = given + values, cells + summed
        return sums

    def _constant(self, value: float) -> str:
        """A number in all lanes."""
        return number(value) if self.lanes == 1 else f"(lanes){{0}} + {number(value)}"

    def _value(self, row: Row, j: int) -> str:
        value = row.value.get(j, 0.0)
        return self.entry(row.i, j) if value is None else self._constant(value)

    def entry(self, i: int, j: int) -> str:
        """See `Names`."""
        return f"r{i}_{j}"

    def factor(self, i: int, k: int) -> str:
        """See `Names`."""
        return f"l{i}_{k}"

    def upper(self, k: int, j: int) -> str:
        """See `Names`."""
        return f"d{k}" if j == k else self._at("f", self._entry[k, j])

    def keep_lower(self, i: int, k: int, value: str) -> str:
        """See `Names`."""
        return f"{self._at('f', self._entry[i, k])} = {value};"

    def _minus(self, places: Iterable[tuple[int, int]], x: Iterable[str]) -> str:
        """Entries of the factors times x, taken off a sum."""
        return "".join(
            minus_product(self.fixed.get(place), self._at("f", self._entry[place]), name)
            for place, name in zip(places, x, strict=True)
        )

    def _per_pivot(self, total: str, k: int) -> str:
        known = self.fixed.get((k, k))
        return f"({total}) * {self._at('d', k)}" if known is None else times(f"({total})", known)

    def _cell(self, total: str) -> str:
        """A sum without its first term."""
        return total.removeprefix(" +").strip() or self._constant(0.0)

    def _forward(self) -> list[str]:
        """L y = b."""
        shape, lines, at = self.shape, list[str](), 0
        for i in range(len(shape.rows)):
            left = shape.lower(i)
            minus = self._minus(((i, k) for k in left), (f"y{k}" for k in left))
            if i >= shape.pivots:
                lines.append(f"{self._at('c', i - shape.pivots)} = {self._cell(minus)};")
                continue
            count = shape.row_cells[i]
            sums = [self.rows.read(i), *(self.row_cells.read(at + k) for k in range(count))]
            at += count
            lines.append(f"const {self.real} y{i} = {' + '.join(sums)}{minus};")
            lines.append(f"{self._at('z', i)} = y{i};")
        return [*self.rows.pointers(), *self.row_cells.pointers(), *self._block(lines)]

    def _backward(self) -> list[str]:
        """U x = y; what was found last comes last."""
        shape, lines = self.shape, list[str]()
        outer = sorted(j for j in shape.above if j >= shape.pivots)
        lines += [f"const {self.real} x{j} = {self.all_columns.read(j)};" for j in outer]
        for i in reversed(range(shape.pivots)):
            right = shape.upper(i)[::-1]
            minus = self._minus(((i, j) for j in right), (f"x{j}" for j in right))
            total = self._per_pivot(f"{self._at('z', i)}{minus}", i)
            lines.append(f"const {self.real} x{i} = {total};")
            lines.append(self.all_columns.write(i, f"x{i}"))
        lines += [f"(void)x{j};" for j in outer]  # of constants that are zero
        return [*self.all_columns.pointers("double"), *self._block(lines)]

    def _forward_transposed(self) -> list[str]:
        """U^T y = b."""
        shape, lines, at = self.shape, list[str](), 0
        for j in range(shape.pivots):
            over = shape.above.get(j, [])
            minus = self._minus(((i, j) for i in over), (f"y{i}" for i in over))
            count = shape.column_cells[j]
            sums = [self.columns.read(j), *(self.column_cells.read(at + k) for k in range(count))]
            at += count
            total = self._per_pivot(f"{' + '.join(sums)}{minus}", j)
            lines.append(f"const {self.real} y{j} = {total};")
            lines.append(f"{self._at('z', j)} = y{j};")
        for cell, j in enumerate(shape.outer_columns):
            over = shape.above[j]
            minus = self._minus(((i, j) for i in over), (f"y{i}" for i in over))
            lines.append(f"{self._at('c', cell)} = {self._cell(minus)};")
        return [*self.columns.pointers(), *self.column_cells.pointers(), *self._block(lines)]

    def _backward_transposed(self) -> list[str]:
        """L^T x = y."""
        shape = self.shape
        lines = [f"const {self.real} x{i} = {self.all_rows.read(i)};" for i in shape.outer_rows]
        for k in reversed(range(shape.pivots)):
            under = shape.below.get(k, [])[::-1]
            minus = self._minus(((i, k) for i in under), (f"x{i}" for i in under))
            lines.append(f"const {self.real} x{k} = {self._at('z', k)}{minus};")
            lines.append(self.all_rows.write(k, f"x{k}"))
        lines += [f"(void)x{i};" for i in shape.outer_rows]
        return [*self.all_rows.pointers("double"), *self._block(lines)]


def _lanes_text() -> str:
    """The type of a vector, and a loop over its lanes where the compiler has none."""
    lanes = range(LANES)
    gathered = ", ".join(f"p##_{k}[at]" for k in lanes)
    scattered = ", ".join(f"p##_{k}[at] = (v)[{k}]" for k in lanes)
    chosen = "".join(f"lane == {k} ? p##_{k} : " for k in lanes[:-1]) + f"p##_{LANES - 1}"
    return f"""#if defined(__GNUC__) && !defined(IL_NO_VECTORS)
typedef double lanes __attribute__((vector_size({8 * LANES}), aligned(8), may_alias));
#define EACH_LANE
#define LANES(place) (*(lanes *)(place))
#define GATHER(p, at) ((lanes){{{gathered}}})
#define SCATTER(p, at, v) {scattered}
#else
typedef double lanes;
#define EACH_LANE for (int lane = 0; lane < {LANES}; lane++)
#define LANES(place) ((place)[lane])
#define GATHER(p, at) (({chosen})[at])
#define SCATTER(p, at, v) (({chosen})[at] = (v))
#endif
"""


_FORGET = """#undef EACH_LANE
#undef LANES
#undef GATHER
#undef SCATTER
"""

_CALLS = """
enum {{ STEPS = {count} }};
#define EACH(name) {prefix}_##name##_of[step_kernel[k]](step_numbers + step_begin[k], F, D, b, y, x)

static void factor(const double *A, double *F, double *D)
{{
    for (int k = 0; k < STEPS; k++) {{
        {prefix}_factor_of[step_kernel[k]](step_numbers + step_begin[k], A, F, D);
    }}
}}

static void solve(const double *F, const double *D, const double *b, double *y, double *x)
{{
    for (int k = 0; k < STEPS; k++) EACH(forward);
    for (int k = STEPS - 1; k >= 0; k--) EACH(backward);
}}

static void solve_transposed(const double *F, const double *D, const double *b, double *y,
    double *x)
{{
    for (int k = 0; k < STEPS; k++) EACH(forward_transposed);
    for (int k = STEPS - 1; k >= 0; k--) EACH(backward_transposed);
}}
#undef EACH
"""
