"""The comment above a generated function: reproducible, without dates."""

from __future__ import annotations

import textwrap

from inloop.symbolic import Program


def comment_lines(program: Program) -> list[str]:
    """Lines of the comment: description, origin and operation counts."""
    counts = program.operations()
    kinds = [kind for kind in counts if kind != "total" and counts[kind]]
    shown = ", ".join(f"{counts[kind]} {kind}" for kind in kinds)
    lines = textwrap.wrap(program.doc, 92) or [program.name]
    if program.formalism:
        lines.append(f"formalism: {program.formalism}")
    lines.append(f"operations: {counts['total']}" + (f" ({shown})" if shown else ""))
    for block in program.inputs:
        lines.append(f"in  {block.name}[{len(block.symbols)}]: {block.doc}".rstrip(": "))
    for out in program.outputs:
        size = "][".join(str(k) for k in out.shape)
        lines.append(f"out {out.name}[{size}]: {out.doc}".rstrip(": "))
    return lines
