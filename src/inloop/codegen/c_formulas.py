"""Programs in the form that events call: one view of the mode in, all outputs in a row out."""

from __future__ import annotations

from collections.abc import Sequence

from inloop.codegen.quoting import c_comment
from inloop.symbolic import Program


def emit_formulas(programs: Sequence[Program], prefix: str, about: Sequence[str]) -> dict[str, str]:
    """C file with an il_formula `<prefix>_<program>_formula` for each program."""
    text = [c_comment(about), f'#include "{prefix}.h"', '#include "il_formula.h"', ""]
    text += [_formula(program, prefix) for program in programs]
    return {f"{prefix}_formulas.c": "\n".join(text)}


def _formula(program: Program, prefix: str) -> str:
    fields = {"t": "&view->t"}
    arguments = [fields.get(block.name, f"view->{block.name}") for block in program.inputs]
    offset = 0
    for out in program.outputs:
        arguments.append(f"out + {offset}")
        offset += len(out.exprs)
    name = f"{prefix}_{program.name}"
    return "\n".join(
        [
            f"IL_EXPORT void {name}_formula(const il_view *view, double *out)",
            "{",
            f"    {name}({', '.join(arguments)});",
            "}",
            "",
        ]
    )
