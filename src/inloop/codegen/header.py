"""Header comments of generated files: reproducible, without dates."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from inloop.symbolic import Program


def comment_block(lines: Sequence[str]) -> str:
    """Lines as a C comment, which nothing in them can end."""
    safe = [line.replace("*/", "* /").replace("/*", "/ *") for line in lines]
    return "\n".join(["/*", *(f"   {line}".rstrip() for line in safe), "*/"])


def comment_lines(program: Program) -> list[str]:
    """What a reader of a generated function wants to know."""
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
    return [" ".join(line.splitlines()) for line in lines]
