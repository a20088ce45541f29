"""The tables of `il_sparse_lu.h` for one pattern."""

from __future__ import annotations

from bisect import bisect_left

from inloop.codegen.sparse_lu.index_tables import rows_table, table
from inloop.codegen.sparse_lu.straight import PREFIX, straight_calls
from inloop.symbolic.elimination import Elimination


def emit_tables(e: Elimination, straight: bool) -> str:
    """C text of the `il_sparse_lu` of one pattern; the function `sparse_lu` gives its address.

    Args:
        e: order of pivots and entries of the factors.
        straight: use the code of `emit_straight`.
    """
    return "\n".join(
        [
            *table_lines(e, straight),
            "IL_EXPORT const il_sparse_lu *sparse_lu(void);",
            "IL_EXPORT const il_sparse_lu *sparse_lu(void)",
            "{",
            "    return &lu;",
            "}",
            "",
        ]
    )


def table_lines(e: Elimination, straight: bool, prefix: str = PREFIX) -> list[str]:
    """Lines of C that end with the constant `lu`, an il_sparse_lu; arguments as above.

    Args:
        e: order of pivots and entries of the factors.
        straight: use the code of `emit_straight`.
        prefix: what its names begin with.
    """
    factors, factors_text = rows_table("factors", e.pattern.rows)
    by_row: list[list[tuple[int, int]]] = [[] for _ in range(e.n)]
    for number, (i, j) in enumerate(e.places):
        by_row[i].append((j, number))
    matrix, matrix_text = rows_table("matrix", [[j for j, _ in sorted(row)] for row in by_row])
    lower, upper = e.bound_with_new_pivots()
    index = e.pattern.index
    by_column = [j for _, j in e.places] == sorted(j for _, j in e.places)
    line = [j if by_column else i for i, j in e.places]
    functions = "factor, solve" if straight else "0, 0"
    return [
        '#include "il_export.h"',
        '#include "il_sparse_lu.h"',
        "",
        table("row", e.order.rows),
        table("column", e.order.columns),
        *matrix,
        table("entry", (number for row in by_row for _, number in sorted(row))),
        table("line_begin", (bisect_left(line, k) for k in range(e.n + 1))),
        *factors,
        table("diagonal", (index[i, i] for i in range(e.n))),
        table("into", (index[place] for place in e.moved)),
        "",
        *(straight_calls(e, prefix) if straight else []),
        "static const il_sparse_lu lu = {",
        f"    {e.n}, {len(e.places)}, row, column, {{{matrix_text}, entry}},",
        f"    {{{factors_text}, diagonal, {e.pattern.size}, {len(e.places)}, into}},",
        f"    line_begin, {int(by_column)}, {lower}, {upper}, {functions}",
        "};",
        "",
    ]
