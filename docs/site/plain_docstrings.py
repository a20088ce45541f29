"""Docstrings are plain text: what would be markup in them is taken literally, but for `code`."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

CODE = re.compile(r"(`[^`]*`)")
MARKUP = re.compile(r"([*|\\])|(?<=\w)(_)(?!\w)")


def literal(line: str) -> str:
    """A line whose text outside of backticks holds no markup."""
    parts = CODE.split(line)
    for k, part in enumerate(parts):
        if part.startswith("`") and part.endswith("`") and len(part) > 2:
            parts[k] = f"``{part[1:-1].strip()}``"
        else:
            parts[k] = MARKUP.sub(lambda found: "\\" + found.group(0), part)
    return "".join(parts)


def formulas_as_blocks(lines: list[str]) -> list[str]:
    """Indented blocks after an empty line are literal: formulas, examples."""
    found: list[str] = []
    in_section = False
    for k, line in enumerate(lines):
        if re.match(r"(Args|Returns|Raises|Attributes|Yields):$", line):
            in_section = True
        elif line and not line.startswith(" "):
            in_section = False
        begins = line.startswith("    ") and k > 0 and not lines[k - 1].strip()
        if begins and not in_section:
            found += ["::", "", line]
        elif line.startswith("    ") and not in_section:
            found.append(line)
        else:
            found.append(literal(line))
    return found


def process(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Before napoleon reads the sections."""
    lines[:] = formulas_as_blocks(lines)


def setup(app: Sphinx) -> dict[str, Any]:
    """Let Sphinx know."""
    app.connect("autodoc-process-docstring", process, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
