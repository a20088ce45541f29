"""Output of the commands: strict JSON for machines, formatted text for people."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

Row = Sequence[str]


def print_json(data: Mapping[str, Any]) -> None:
    """Print one object as strict JSON: non-finite numbers become null."""
    print(json.dumps(_strict(data), indent=2, allow_nan=False, ensure_ascii=False))


def _strict(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _strict(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(item) for item in value]
    if isinstance(value, (str, bool, int)) or value is None:
        return value
    number = float(value)  # including NumPy numbers
    return number if math.isfinite(number) else None


def heading(text: str) -> None:
    """Print a heading with a blank line above it."""
    rich = _rich_console()
    if rich is None:
        print(f"\n{text}\n{'=' * len(text)}")
    else:
        from rich.markup import escape

        rich.print()
        rich.rule(f"[bold]{escape(text)}", align="left", style="cyan")


def paragraph(text: str = "") -> None:
    """Print indented text."""
    print("\n".join(f"  {line}".rstrip() for line in text.splitlines()) if text else "")


def table(header: Row, rows: Sequence[Row], *, left: int = 1) -> None:
    """Print an aligned table.

    Args:
        header: titles of the columns.
        rows: cells of each row.
        left: number of left-aligned text columns; the others contain numbers.
    """
    rich = _rich_console()
    lines = plain_table(header, rows, left=left)
    if rich is None:
        print("\n".join(lines))
        return
    # tables of rich squeeze columns in a narrow terminal; these lines keep all digits
    rich.print(lines[0], style="bold cyan", markup=False, soft_wrap=True)
    rich.print(lines[1], style="dim", markup=False, soft_wrap=True)
    for line in lines[2:]:
        rich.print(line, markup=False, soft_wrap=True)


def plain_table(header: Row, rows: Sequence[Row], *, left: int = 1) -> list[str]:
    """Lines of an aligned table."""
    widths = [max(len(row[k]) for row in (header, *rows)) for k in range(len(header))]

    def line(row: Row) -> str:
        cells = [
            cell.ljust(width) if k < left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        return ("  " + "  ".join(cells)).rstrip()

    rule = "  " + "  ".join("-" * width for width in widths)
    return [line(header), rule, *(line(row) for row in rows)]


def _rich_console() -> Any:
    """A console with colors if there is a terminal and `rich` is installed, else None."""
    if not sys.stdout.isatty():
        return None
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console(highlight=False)


def duration(seconds: float) -> str:
    """A human-readable time: "3.2 ms"."""
    for limit, factor, unit in ((1e-6, 1e9, "ns"), (1e-3, 1e6, "µs"), (1.0, 1e3, "ms")):
        if seconds < limit:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s"


def tell_interrupted(kept: str) -> None:
    """Print one line: Ctrl-C has ended the command, and what is kept."""
    after_the_echo = "\n" if sys.stderr.isatty() else ""
    print(f"{after_the_echo}interrupted: {kept}", file=sys.stderr)
