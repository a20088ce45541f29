"""Wrap programs in the form that the runtime calls: events (il_formula), bounds (il_broken)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from inloop.codegen.c import emit_function, emit_grids
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


@dataclass(frozen=True)
class KeptText:
    """C text that checks all bounds on parameters.

    Attributes:
        function: name of the il_broken, or NULL.
        lines: its definition.
        grids: further files.
    """

    function: str
    lines: tuple[str, ...]
    grids: dict[str, str]


def emit_kept(programs: Sequence[Program], prefix: str) -> KeptText:
    """Text of programs that map all parameters to margins, none of which may be negative."""
    if not programs:
        return KeptText("NULL", (), {})
    named = [replace(p, name=f"{p.name}_{k}") for k, p in enumerate(programs)]
    functions = [emit_function(program, prefix) for program in named]
    lines = ['#include "il_scalar.h"', ""]
    for function in functions:
        lines += [f"{function.declaration};", function.text]
    lines += ["static int64_t broken(const double *parameters)", "{"]
    lines += [f"    double margin[{max(len(p.exprs) for p in programs)}];"]
    number = 1
    for program, function in zip(named, functions, strict=True):
        count = len(program.exprs)
        lines += [
            f"    {function.name}(parameters, margin);",
            f"    for (int k = 0; k < {count}; k++) {{",
            f"        if (!(margin[k] >= 0.0)) return k + {number};",
            "    }",
        ]
        number += count
    lines += ["    return 0;", "}", ""]
    return KeptText("broken", tuple(lines), emit_grids(named))
