"""Programs as MATLAB text, one function file each; runs in MATLAB and in GNU Octave.

A generated function takes one vector per input block and returns its outputs: vectors as columns,
    matrices and higher arrays by their subscripts. As in the other languages, a function without a
    real value returns NaN, not a complex number, and minimum and maximum propagate NaN.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from inloop.codegen.header import comment_lines
from inloop.codegen.pieces import (
    WIDTH,
    Table,
    TableNames,
    broken,
    number,
    numbers,
    result_text,
    sections,
)
from inloop.codegen.quoting import identifier, matlab_comment, matlab_heading
from inloop.errors import InputError
from inloop.symbolic import Notation, Output, Program
from inloop.symbolic.charts import Chart, ChartData
from inloop.symbolic.listing import Listing, layout
from inloop.symbolic.text import Template

INDENT = "    "
LONGEST_NAME = 63  # characters that MATLAB distinguishes

LOCAL_FUNCTIONS = {
    "il_where": """
function y = il_where(condition, a, b)
    if condition ~= 0
        y = a;
    else
        y = b;
    end
end
""",
    "il_min": """
function y = il_min(a, b)
    if a < b || isnan(a)
        y = a;
    else
        y = b;
    end
end
""",
    "il_max": """
function y = il_max(a, b)
    if a > b || isnan(a)
        y = a;
    else
        y = b;
    end
end
""",
    "il_real": """
function y = il_real(x)
    % NaN in place of a complex number
    if isreal(x)
        y = x;
    else
        y = NaN;
    end
end
""",
    "il_lookup": """
function y = il_lookup(x, breaks, rows, below, above)
    % a piecewise cubic, constant beyond the ends
    if isnan(x)
        y = x;
    elseif x < breaks(1)
        y = below;
    elseif x >= breaks(end)
        y = above;
    else
        k = find(breaks <= x, 1, 'last');
        d = x - breaks(k);
        y = rows(k, 1) + d*(rows(k, 2) + d*(rows(k, 3) + d*rows(k, 4)));
    end
end
""",
    "il_lookup2": """
function z = il_lookup2(x, y, numbers, n, m, by_x, by_y)
    % patches of cubics or their derivatives, constant beyond the edges
    x_breaks = numbers(1:n + 1);
    y_breaks = numbers(n + 2:n + m + 2);
    if isnan(x) || isnan(y)
        z = NaN;
        return
    end
    beyond_x = x < x_breaks(1) || x >= x_breaks(end);
    beyond_y = y < y_breaks(1) || y >= y_breaks(end);
    if (by_x > 0 && beyond_x) || (by_y > 0 && beyond_y)
        z = 0;
        return
    end
    x = min(max(x, x_breaks(1)), x_breaks(end));
    y = min(max(y, y_breaks(1)), y_breaks(end));
    k = min(sum(x >= x_breaks), numel(x_breaks) - 1);
    l = min(sum(y >= y_breaks), numel(y_breaks) - 1);
    d = x - x_breaks(k);
    e = y - y_breaks(l);
    c = reshape(numbers(n + m + 2 + 16 * ((k - 1) * m + l - 1) + (1:16)), 4, 4);
    z = il_cubic(il_cubic(c, e, by_y).', d, by_x);
end

function y = il_cubic(c, d, order)
    % c1 + c2 d + c3 d^2 + c4 d^3 of each column, or a derivative of it
    for k = 1:order
        c = [c(2, :); 2 * c(3, :); 3 * c(4, :); 0 * c(4, :)];
    end
    y = c(1, :) + d * (c(2, :) + d * (c(3, :) + d * c(4, :)));
end
""",
}


def emit_files(
    programs: Sequence[Program], prefix: str, header_lines: Sequence[str]
) -> dict[str, str]:
    """The function files of several programs.

    Args:
        programs: what to print.
        prefix: start of all function names.
        header_lines: comment at the top of each file, without comment signs.

    Returns:
        File name → text.
    """
    top = "".join(f"{line}\n" for line in matlab_comment(header_lines))
    texts = {f"{_file_name(p, prefix)}.m": emit_function(p, prefix) for p in programs}
    return {name: (f"{top}\n{text}" if top else text) for name, text in texts.items()}


def emit_function(program: Program, prefix: str) -> str:
    """Text of one function file: the function, its tables and what it calls."""
    listing = layout(program)
    tables = TableNames("il_table")
    notation = Notation(number=number, functions=_functions(tables))
    lines = [
        *_signature(program, _file_name(program, prefix)),
        *matlab_comment(comment_lines(program)),
        *_loads(listing),
        *_statements(listing, notation),
        *_results(listing, notation),
        "end",
    ]
    for name, table in tables:
        lines += _table_function(name, table)
    text = "\n".join(lines) + "\n"
    return text + "".join(body for name, body in LOCAL_FUNCTIONS.items() if f"{name}(" in text)


def _file_name(program: Program, prefix: str) -> str:
    name = identifier(f"{prefix}_{program.name}")
    assert len(name) <= LONGEST_NAME, f"the name {name} is too long for MATLAB"
    return name


def _functions(tables: TableNames) -> dict[str, Template]:
    def real(name: str) -> Template:
        return lambda *args: f"il_real({name}({', '.join(args)}))"

    return {
        # sin, cos, tan, atan, atan2, exp, tanh, abs and sign have the same name in MATLAB
        **{op: real(op) for op in ("sqrt", "log", "asin", "acos")},
        "pow": real("power"),
        "min": lambda a, b: f"il_min({a}, {b})",
        "max": lambda a, b: f"il_max({a}, {b})",
        "lt": lambda a, b: f"double({a} < {b})",
        "le": lambda a, b: f"double({a} <= {b})",
        "where": lambda c, a, b: f"il_where({c}, {a}, {b})",
        "table": lambda x, table: f"{tables.name(table)}({x})",
        "table2": lambda x, y, chart: _chart(x, y, chart, tables),
    }


def _signature(program: Program, name: str) -> list[str]:
    outputs = ", ".join(out.name for out in program.outputs)
    inputs = ", ".join(block.name for block in program.inputs)
    return _continued("", f"function [{outputs}] = {name}({inputs})")


def _continued(indent: str, text: str) -> list[str]:
    """Lines of one statement, with `...` where it continues."""
    first, *rest = broken(text, WIDTH - len(indent) - len(INDENT) - len(" ..."))
    lines = [indent + first, *(indent + INDENT + piece for piece in rest)]
    return [*(f"{line} ..." for line in lines[:-1]), lines[-1]]


def _loads(listing: Listing) -> list[str]:
    return [
        f"{INDENT}{load.name} = {load.block}({load.index + 1});" for load in listing.loads.values()
    ]


def _statements(listing: Listing, notation: Notation) -> list[str]:
    lines = []
    for heading, assignments in sections(listing, notation):
        lines.append(f"{INDENT}{matlab_heading(heading)}" if heading else "")
        for name, text in assignments:
            lines += _continued(INDENT, f"{name} = {text};")
    return lines


def _results(listing: Listing, notation: Notation) -> list[str]:
    lines = ["", f"{INDENT}% ---- results ----"]
    for out in listing.program.outputs:
        lines.append(f"{INDENT}{out.name} = zeros({', '.join(map(str, _size(out)))});")
        for subscript, expr in zip(_subscripts(out), out.exprs, strict=True):
            text = result_text(expr, listing, notation)
            lines += _continued(INDENT, f"{out.name}({subscript}) = {text};")
    return lines


def _size(out: Output) -> tuple[int, ...]:
    """Scalars and vectors are matrices too: 1×1 and n×1."""
    return (*out.shape, 1, 1)[: max(2, len(out.shape))]


def _subscripts(out: Output) -> Iterator[str]:
    """Subscripts of the entries in row-major order."""
    ranges = (range(1, n + 1) for n in out.shape or (1,))
    return (", ".join(map(str, index)) for index in product(*ranges))


def _table_function(name: str, table: Table) -> list[str]:
    if isinstance(table, ChartData):
        return _chart_function(name, table)
    rows = [f"{2 * INDENT}{numbers(row)}" for row in table.coefficients]
    return [
        "",
        f"function y = {name}(x)",
        *_continued(INDENT, f"breaks = [{numbers(table.breaks)}];"),
        f"{INDENT}rows = [ ...",
        *(f"{row}; ..." for row in rows),
        f"{INDENT}];",
        f"{INDENT}y = il_lookup(x, breaks, rows, {number(table.below)}, {number(table.above)});",
        "end",
    ]


def _chart_function(name: str, data: ChartData) -> list[str]:
    return [
        "",
        f"function z = {name}(x, y, n, m, by_x, by_y)",
        f"{INDENT}% {data.doc}",
        *_continued(INDENT, f"numbers = [{numbers(data.numbers)}];"),
        f"{INDENT}z = il_lookup2(x, y, numbers, n, m, by_x, by_y);",
        "end",
    ]


def _chart(x: str, y: str, chart: Chart, tables: TableNames) -> str:
    if chart.function != "table2":
        raise InputError(
            "a road along a line, or one of many points, cannot be written in MATLAB",
            fix="Export C, or use a road by a function or by heights on a grid.",
        )
    return f"{tables.name(chart.data)}({', '.join([x, y, *map(str, chart.settings)])})"
