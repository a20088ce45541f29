"""Prescribed motion of driven joints in the form that the rates call: an `il_motions`."""

from __future__ import annotations

from collections.abc import Sequence

from inloop.codegen.quoting import c_comment
from inloop.symbolic import Program


def emit_motions(programs: Sequence[Program], prefix: str, about: Sequence[str]) -> dict[str, str]:
    """C file with `<prefix>_<program>_motions`; prepared quantities are its first argument."""
    (program,) = programs
    name, count = f"{prefix}_{program.name}", len(program.outputs[0].exprs)
    known = {"pre": "self", "t": "&t", "u": "u", "z": "z"}
    arguments = [known[block.name] for block in program.inputs]
    arguments += [f"out + {count * row}" for row in range(3)]
    text = f"""{c_comment(about)}
#include "{prefix}.h"
#include "il_context.h"

IL_EXPORT void {name}_motions(const void *self, double t, const double *u, const double *z,
                              double *out)
{{
    (void)self; (void)t; (void)u; (void)z;
    {name}({", ".join(arguments)});
}}
"""
    return {f"{name}_motions.c": text}
