"""The tables of `il_sparse_lu.h` for one pattern."""

from __future__ import annotations

from bisect import bisect_left

from inloop.codegen.sparse_lu.fused import NAME, fused_calls
from inloop.codegen.sparse_lu.index_tables import rows_table, table
from inloop.codegen.sparse_lu.layout import Layout
from inloop.codegen.sparse_lu.rolled import rolled_calls
from inloop.codegen.sparse_lu.straight import PREFIX, straight_calls
from inloop.symbolic.elimination import Elimination


def emit_tables(e: Elimination, code: bool | Layout, fused: bool = False) -> str:
    """C text of the `il_sparse_lu` of one pattern; the function `sparse_lu` returns its address.

    Args:
        e: order of pivots and entries of the factors.
        code: whether the code of `emit_straight` is used; or the layout for that of `emit_rolled`.
        fused: whether there is straight-line code of `emit_fused`, too.
    """
    return "\n".join(
        [
            *table_lines(e, code, fused=fused),
            "IL_EXPORT const il_sparse_lu *sparse_lu(void);",
            "IL_EXPORT const il_sparse_lu *sparse_lu(void)",
            "{",
            "    return &lu;",
            "}",
            "",
        ]
    )


def table_lines(
    e: Elimination, code: bool | Layout, prefix: str = PREFIX, fused: bool = False
) -> list[str]:
    """Lines of C that end with the constant `lu`, an il_sparse_lu.

    Args:
        e: order of pivots and entries of the factors.
        code: as for `emit_tables`.
        prefix: prefix of the names of that code.
        fused: as for `emit_tables`.
    """
    by_row: list[list[tuple[int, int]]] = [[] for _ in range(e.n)]
    for number, (i, j) in enumerate(e.places):
        by_row[i].append((j, number))
    matrix, matrix_text = rows_table("matrix", [[j for j, _ in sorted(row)] for row in by_row])
    lower, upper = e.bound_with_new_pivots()
    lines, by_column = _lines(e)
    factors, factors_text = _no_factors() if isinstance(code, Layout) else _factors(e)
    calls, numbers, scratch, functions = _functions(e, code, prefix)
    if fused:
        calls += fused_calls(e, prefix)
    both = NAME if fused or isinstance(code, Layout) else "0"
    return [
        '#include "il_export.h"',
        '#include "il_prefetch.h"',
        '#include "il_sparse_lu.h"',
        "",
        table("row", e.order.rows),
        table("column", e.order.columns),
        *matrix,
        table("entry", (number for row in by_row for _, number in sorted(row))),
        *([table("line_begin", lines)] if lines else []),
        *factors,
        "",
        *calls,
        "static const il_sparse_lu lu = {",
        f"    {e.n}, {len(e.places)}, row, column, {{{matrix_text}, entry}},",
        f"    {factors_text},",
        f"    {'line_begin' if lines else '0'}, {int(by_column)}, {lower}, {upper},",
        f"    {numbers}, {scratch}, {int(code is True and bool(e.constants))}, {functions}, {both}",
        "};",
        "",
    ]


def _lines(e: Elimination) -> tuple[list[int], bool]:
    """Starts of compressed columns or rows, and whether they are columns; empty if neither."""
    rows, columns = ([place[k] for place in e.places] for k in (0, 1))
    for line, by_column in ((columns, True), (rows, False)):
        if line == sorted(line):
            return [bisect_left(line, k) for k in range(e.n + 1)], by_column
    return [], False


def _factors(e: Elimination) -> tuple[list[str], str]:
    """Tables of the factors, row by row, and their initializer."""
    index = e.pattern.index
    lines, text = rows_table("factors", e.pattern.rows)
    lines += [
        table("diagonal", (index[i, i] for i in range(e.n))),
        table("into", (index[place] for place in e.moved)),
    ]
    return lines, f"{{{text}, diagonal, {e.pattern.size}, {len(e.places)}, into}}"


def _no_factors() -> tuple[list[str], str]:
    """Code with its own layout needs no tables of the factors."""
    return [], "{{0, 0, 0}, 0, 0, 0, 0}"


def _functions(e: Elimination, code: bool | Layout, prefix: str) -> tuple[list[str], int, int, str]:
    """Static functions, lengths of factors and right sides, names of the functions."""
    if isinstance(code, Layout):
        functions = "factor, solve, solve_transposed"
        return rolled_calls(code, prefix), code.numbers, code.scratch, functions
    calls = straight_calls(e, prefix) if code else []
    return calls, e.pattern.size, e.n, "factor, solve, 0" if code else "0, 0, 0"
