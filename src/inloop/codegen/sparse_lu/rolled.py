"""Factor and solve a sparse matrix with repeated structure: steps of one shape share their code.

A kernel is straight-line code for one shape of `symbolic/repeated/steps.py`. It reads the locations
of its numbers from a row of a table, which is short where the matrix is regular (`slots.py`).
Independent steps run in the lanes of a vector (`symbolic/repeated/batches.py`).

In the elimination the right side is one more column. L is needed only for further right sides; if
there are none, all steps write it to the same place. Rows of U are divided by their pivots where
that is less work than dividing the entries of L.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from inloop.codegen.pieces import number
from inloop.codegen.sparse_lu.folding import Fixed, Row, minus_product, product, times
from inloop.codegen.sparse_lu.index_tables import table
from inloop.codegen.sparse_lu.layout import Layout
from inloop.codegen.sparse_lu.prefetch import TOGETHER, Sizes, prefetch_macro, together
from inloop.codegen.sparse_lu.step_kernel import StepKernel, forget_lanes, lanes_text

PREFIX = "lu"
_DOWN = (
    "const double *restrict A, const double *restrict b, double *restrict F, double *restrict D, "
    "double *restrict y, double *restrict g"
)
_SOLVED = "const double *F, const double *D, const double *b, double *y, double *x"
# file → its functions, each with its parameters after the table row
_FILES = {
    "down": {"down": _DOWN},
    "solve": {"forward": _SOLVED, "backward": _SOLVED},
    "transposed": {"forward_transposed": _SOLVED, "backward_transposed": _SOLVED},
}


def emit_rolled(layout: Layout, prefix: str = PREFIX) -> dict[str, str]:
    """C files with the kernels: name → text.

    Args:
        layout: memory layout of all steps.
        prefix: first part of all names.
    """
    kernels = _kernels(layout)
    written = [_Steps(each).functions() for each in kernels]
    files = {}
    for file, functions in _FILES.items():
        parts = [f"#include <stdint.h>\n\n#define PLACE {_place(layout)}"]
        parts += [lanes_text(), together(prefix)]
        for name, arguments in functions.items():
            parts += [each[name] for each in written]
            names = ", ".join(f"{name}_{each.number}" for each in kernels)
            parts += [f"{_declaration(name, arguments, prefix, len(kernels))} = {{{names}}};\n"]
        ends = [forget_lanes(), "#undef PLACE", f"#undef {TOGETHER}\n"]
        files[f"{prefix}_{file}.c"] = "\n".join([*parts, *ends])
    return files


def rolled_calls(layout: Layout, prefix: str = PREFIX) -> list[str]:
    """Lines of C: the tables of all steps and static functions that iterate over them."""
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
        f"#define PLACE {_place(layout)}",
        *lines,
        "",
        table("step_kernel", (batch.kernel for batch in layout.plan.batches)),
        table("step_begin", begins.tolist()),
        table("step_numbers", (each for row in in_order for each in row), "PLACE"),
        *_prefetch(layout, prefix),
        _CALLS.format(
            count=len(rows),
            prefix=prefix,
            lower=layout.first_lower[0],
            spare=layout.spare,
        ),
    ]


def _prefetch(layout: Layout, prefix: str) -> list[str]:
    """The macro `PREFETCH`.

    Four lanes gather values from four places at once, which hardware prefetchers do not follow: A
    is fetched, too, unless its values are arranged.
    """
    n = len(layout.rows)
    values: Sizes = {"A": 8 * layout.given}
    touched: Sizes = {
        "F": 8 * layout.first_lower[0],
        "b": 8 * n,
        "y": 8 * layout.scratch,
        "x": 8 * n,
    }
    steps: Sizes = {
        name: f"sizeof {name}" for name in ("step_numbers", "step_begin", "step_kernel")
    }
    apart = any(not kernel.given_side_by_side for kernel in _kernels(layout) if kernel.lanes > 2)
    return prefetch_macro(prefix, {**values, **touched}, {**steps, **values} if apart else steps)


def _place(layout: Layout) -> str:
    """Integer type of an array index."""
    most = max(layout.numbers, layout.scratch, layout.given)
    return "int16_t" if most < 2**15 else "int32_t"


def _kernels(layout: Layout) -> list[StepKernel]:
    return [StepKernel(layout, k) for k in range(len(layout.plan.kernels))]


def _declaration(name: str, arguments: str, prefix: str, count: int) -> str:
    return f"void (*const {prefix}_{name}_of[{count}])(const PLACE *t, {arguments})"


class _Steps:
    """Writes the functions of one shape. For names see `Names`."""

    def __init__(self, kernel: StepKernel) -> None:
        self.kernel, self.shape, self.real = kernel, kernel.shape, kernel.real
        self.entry, self.factor = kernel.entry, kernel.factor
        self.fixed: Fixed = {}
        self.divided: set[int] = set()

    def functions(self) -> dict[str, str]:
        """Name → text."""
        k = self.kernel
        down = self._down()  # also determines the constants
        written = {
            "down": (_DOWN, [k.given, k.cells, k.rows, k.row_cells], down),
            "forward": (_SOLVED, [k.rows, k.row_cells], self._forward()),
            "backward": (_SOLVED, [k.all_columns], self._backward()),
            "forward_transposed": (
                _SOLVED,
                [k.columns, k.column_cells],
                self._forward_transposed(),
            ),
            "backward_transposed": (_SOLVED, [k.all_rows], self._backward_transposed()),
        }
        return {name: k.function(name, *each) for name, each in written.items()}

    def _down(self) -> list[str]:
        """Row by row; updates to rows of other steps come last."""
        kernel, shape, lines = self.kernel, self.shape, list[str]()
        sums, right_sums, pairs = kernel.sums(), kernel.right_sums(paired=True), kernel.pairs()
        for i in range(len(shape.rows)):
            row = Row(i, self, self.fixed, self.divided)
            row.lines += pairs.get(i, [])
            for j, value in sums[i]:
                row.take(j, value)
            minus = ""
            for k in shape.lower(i):
                row.subtract(k, shape.upper(k))
                minus += minus_product(self.fixed.get((i, k)), self.factor(i, k), f"y{k}")
            if i < shape.pivots:
                self._own(row, right_sums[i] + minus)
            else:  # cells are read by other steps: all of them are stored
                stored = ((j, kernel.cell(row, j)) for j in shape.upper(i))
                row.lines += [f"{kernel.stored(i, j)} = {text};" for j, text in stored]
                right = kernel.at("c", i - shape.pivots)
                row.lines.append(f"{right} = {kernel.only(minus)};")
            lines += row.lines
        return lines

    def _own(self, row: Row, right: str) -> None:
        """A row of U, and its right side."""
        kernel, i = self.kernel, row.i
        divisor = self._pivot(row)
        for j in self.shape.upper(i):
            value = row.value.get(j, 0.0)
            if value == 0.0:
                self.fixed[i, j] = 0.0
            elif value is not None and not isinstance(divisor, str):
                self.fixed[i, j] = value if divisor is None else value * divisor
            else:
                text = self.entry(i, j) if value is None else number(value)
                row.lines.append(f"{kernel.stored(i, j)} = {product(text, divisor)};")
        row.lines.append(f"const {self.real} y{i} = {product(f'({right})', divisor)};")
        row.lines.append(f"{kernel.at('z', i)} = y{i};")

    def _pivot(self, row: Row) -> float | str | None:
        """The factor by which the row of U is multiplied, if any."""
        reciprocal, i = row.reciprocal(), row.i
        pivot = self.kernel.at("d", i)
        if isinstance(reciprocal, str):
            row.lines += [f"const {self.real} d{i} = {reciprocal};", f"{pivot} = d{i};"]
        else:
            row.lines.append(f"{pivot} = {self.kernel.constant(reciprocal)};")
            if abs(reciprocal) == 1.0:
                return None
        if len(self.shape.upper(i)) > len(self.shape.below.get(i, [])):
            return None
        self.divided.add(i)
        return f"d{i}" if isinstance(reciprocal, str) else reciprocal

    def upper(self, k: int, j: int) -> str:
        """See `Names`."""
        return f"d{k}" if j == k else self.kernel.stored(k, j)

    def keep_lower(self, i: int, k: int, value: str) -> str:
        """See `Names`."""
        return f"{self._lower(i, k)} = {value};"

    def _lower(self, i: int, k: int) -> str:
        return self.kernel.at("g", self.shape.lower_entries[i, k])

    def _minus_lower(self, places: Iterable[tuple[int, int]], x: Iterable[str]) -> str:
        """Subtract entries of L times x from a sum."""
        return "".join(
            minus_product(self.fixed.get(place), self._lower(*place), name)
            for place, name in zip(places, x, strict=True)
        )

    def _minus_upper(self, rows: list[int], j: int) -> str:
        """Subtract entries of a column of U times y from a sum."""
        return "".join(
            minus_product(self.fixed.get((i, j)), self.kernel.stored(i, j), f"y{i}") for i in rows
        )

    def _per_pivot(self, total: str, k: int, divided: bool) -> str:
        """Divide a sum by a pivot, depending on whether its row of U is already divided."""
        if (k in self.divided) != divided:
            return total
        known = self.fixed.get((k, k))
        if known is None:
            return f"({total}) * {self.kernel.at('d', k)}"
        return times(f"({total})", known)

    def _forward(self) -> list[str]:
        """L y = b."""
        kernel, shape, lines = self.kernel, self.shape, list[str]()
        sums = kernel.right_sums()
        for i in range(len(shape.rows)):
            left = shape.lower(i)
            minus = self._minus_lower(((i, k) for k in left), (f"y{k}" for k in left))
            if i >= shape.pivots:
                lines.append(f"{kernel.at('c', i - shape.pivots)} = {kernel.only(minus)};")
                continue
            total = self._per_pivot(f"{sums[i]}{minus}", i, divided=True)
            lines.append(f"const {self.real} y{i} = {total};")
            lines.append(f"{kernel.at('z', i)} = y{i};")
        return lines

    def _backward(self) -> list[str]:
        """U x = y; the most recent results are used last."""
        kernel, shape = self.kernel, self.shape
        outer = sorted(j for j in shape.above if j >= shape.pivots)
        slots, lines = kernel.all_columns, list[str]()
        pairs = slots.pairs(outer)
        alone = [j for j in outer if not any(j in pair for pair in pairs)]
        lines += [slots.read_pair(i, (f"x{i}", f"x{j}")) for i, j in pairs]
        lines += [f"const {self.real} x{j} = {slots.read(j)};" for j in alone]
        written = {min(pair): pair for pair in slots.pairs(range(shape.pivots))}
        waiting = {max(pair) for pair in written.values()}
        for i in reversed(range(shape.pivots)):
            minus = "".join(
                minus_product(self.fixed.get((i, j)), kernel.stored(i, j), f"x{j}")
                for j in shape.upper(i)[::-1]
            )
            total = self._per_pivot(kernel.at("z", i) + minus, i, divided=False)
            lines.append(f"const {self.real} x{i} = {total};")
            if i in written:
                first, second = written[i]
                lines.append(slots.write_pair(first, (f"x{first}", f"x{second}")))
            elif i not in waiting:
                lines.append(slots.write(i, f"x{i}"))
        return lines + [f"(void)x{j};" for j in outer]  # unused when constants are zero

    def _forward_transposed(self) -> list[str]:
        """U^T y = b."""
        kernel, shape, lines, at = self.kernel, self.shape, list[str](), 0
        for j in range(shape.pivots):
            count = shape.column_cells[j]
            cells = (kernel.column_cells.read(at + k) for k in range(count))
            sums = " + ".join([kernel.columns.read(j), *cells])
            at += count
            sums += self._minus_upper(shape.above.get(j, []), j)
            total = self._per_pivot(sums, j, divided=False)
            lines.append(f"const {self.real} y{j} = {total};")
            lines.append(f"{kernel.at('z', j)} = y{j};")
        for cell, j in enumerate(shape.outer_columns):
            minus = self._minus_upper(shape.above[j], j)
            lines.append(f"{kernel.at('c', cell)} = {kernel.only(minus)};")
        return lines

    def _backward_transposed(self) -> list[str]:
        """L^T x = y."""
        kernel, shape = self.kernel, self.shape
        lines = [f"const {self.real} x{i} = {kernel.all_rows.read(i)};" for i in shape.outer_rows]
        for k in reversed(range(shape.pivots)):
            under = shape.below.get(k, [])[::-1]
            minus = self._minus_lower(((i, k) for i in under), (f"x{i}" for i in under))
            total = self._per_pivot(kernel.at("z", k) + minus, k, divided=True)
            lines.append(f"const {self.real} x{k} = {total};")
            lines.append(kernel.all_rows.write(k, f"x{k}"))
        return lines + [f"(void)x{i};" for i in shape.outer_rows]


_CALLS = """
enum {{ STEPS = {count} }};
#define ROW(k) (step_numbers + step_begin[k])
#define STEP(name) {prefix}_##name##_of[step_kernel[k]]

/* some right side comes along, for which the array of the factors has room */
static void factor(const double *A, double *F, double *D)
{{
    for (int k = 0; k < STEPS; k++) STEP(down)(ROW(k), A, A, F, D, F + {spare}, F + ROW(k)[3]);
}}

static void solve(const double *F, const double *D, const double *b, double *y, double *x)
{{
    for (int k = 0; k < STEPS; k++) STEP(forward)(ROW(k), F, D, b, y, x);
    for (int k = STEPS - 1; k >= 0; k--) STEP(backward)(ROW(k), F, D, b, y, x);
}}

static void solve_transposed(const double *F, const double *D, const double *b, double *y,
    double *x)
{{
    for (int k = 0; k < STEPS; k++) STEP(forward_transposed)(ROW(k), F, D, b, y, x);
    for (int k = STEPS - 1; k >= 0; k--) STEP(backward_transposed)(ROW(k), F, D, b, y, x);
}}

static void solve_with(const double *A, const double *b, double *F, double *D, double *y, double *x)
{{
    PREFETCH(F);
    for (int k = 0; k < STEPS; k++) STEP(down)(ROW(k), A, b, F, D, y, F + {lower});
    for (int k = STEPS - 1; k >= 0; k--) STEP(backward)(ROW(k), F, D, b, y, x);
}}
#undef STEP
#undef ROW
#undef PREFETCH
#undef PLACE
"""
