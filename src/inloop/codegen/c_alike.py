"""Similar matrix columns as C: one formula evaluated for several columns at once in a vector.

The columns of the only output are aligned (symbolic/alike.py); their common formula becomes a
function of vectors, 8 or 4 columns wide, with the leaves of the columns as arguments. Columns that
differ, and compilers without vector types, use the program's ordinary function.
"""

from __future__ import annotations

from collections.abc import Sequence

from inloop.codegen.c import emit_function
from inloop.codegen.pieces import number
from inloop.codegen.quoting import c_comment
from inloop.symbolic import Alike, Expr, Input, Output, Program, align

WIDTHS = (8, 4)  # with and without AVX-512


def alike_declaration(program: Program, prefix: str) -> str:
    """Prototype: like the program's own, with plain numbers."""
    inputs = [f"const double *{block.name}" for block in program.inputs]
    arguments = ", ".join([*inputs, f"double *{program.outputs[0].name}"])
    return f"void {prefix}_{program.name}_alike({arguments})"


def emit_alike(program: Program, prefix: str, about: Sequence[str]) -> dict[str, str]:
    """C file with `<prefix>_<program>_alike`."""
    out = program.outputs[0]
    rows, columns = out.shape
    found = align([out.exprs[k::columns] for k in range(columns)])
    name = f"{prefix}_{program.name}_alike"
    if found is None:
        text = _one_by_one(program, prefix)
    else:
        lane = Input("lane", tuple(found.slots), "leaves of the columns")
        common = Output.vector("column", found.template)
        one = Program("one", (lane,), (common,), "The formula of all columns.", "")
        function = emit_function(one, name)
        body = function.text.replace(f"\nvoid {function.name}(", f"\nstatic void {function.name}(")
        text = [
            "#ifdef __GNUC__",
            "#ifdef __AVX512F__",
            f"#define IL_LANES {WIDTHS[0]}",
            "#else",
            f"#define IL_LANES {WIDTHS[1]}",
            "#endif",
            '#include "il_scalar.h"',
            "",
            body,
            alike_declaration(program, prefix),
            "{",
            f"    real lane[{len(found.slots)}], column[{rows}];",
            "    " + " ".join(f"(void){block.name};" for block in program.inputs),
            *_chunks(program, found, function.name),
            "}",
            "#else",
            *_one_by_one(program, prefix),
            "#endif",
            "",
        ]
    return {f"{name}.c": "\n".join([c_comment(about), *text])}


def _one_by_one(program: Program, prefix: str) -> list[str]:
    names = ", ".join([*(b.name for b in program.inputs), program.outputs[0].name])
    call = f"    {prefix}_{program.name}({names});"
    return [f'#include "{prefix}.h"', "", alike_declaration(program, prefix), "{", call, "}"]


def _chunks(program: Program, found: Alike, function: str) -> list[str]:
    """All columns in groups of the vector width; the last group repeats its last column."""
    out = program.outputs[0]
    rows, columns = out.shape
    places = {
        symbol: f"{block.name}[{k}]"
        for block in program.inputs
        for k, symbol in enumerate(block.symbols)
    }
    lines = []
    for width in WIDTHS:
        lines.append(f"#{'if' if width == WIDTHS[0] else 'elif'} IL_LANES == {width}")
        for begin in range(0, columns, width):
            chosen = [min(begin + k, columns - 1) for k in range(width)]
            for slot, leaves in enumerate(found.slots.values()):
                entries = ", ".join(_leaf(leaves[k], places) for k in chosen)
                lines.append(f"    lane[{slot}] = (real){{{entries}}};")
            lines.append(f"    {function}(lane, column);")
            size = f"{min(width, columns - begin)} * sizeof(double)"
            for row in range(rows):
                target = f"{out.name} + {row * columns + begin}"
                lines.append(f"    memcpy({target}, &column[{row}], {size});")
    return [*lines, "#endif"]


def _leaf(leaf: Expr, places: dict[Expr, str]) -> str:
    return number(leaf.value) if leaf.is_constant else places[leaf]
