"""Constant tables of integers as C text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inloop.codegen.closed_pattern import starts

PER_LINE = 20


def table(name: str, values: Iterable[int], word: str = "int32_t") -> str:
    """A static array.

    Args:
        name: name of the array.
        values: its contents.
        word: integer type.
    """
    return f"static const {word} {name}[] = {{\n    {_numbers(values)}}};"


def rows_table(name: str, rows: Sequence[Sequence[int]]) -> tuple[list[str], str]:
    """Tables of one `il_rows` and its initializer."""
    tables = [
        table(f"{name}_begin", starts(rows)),
        table(f"{name}_column", (column for row in rows for column in row)),
    ]
    return tables, f"{{{len(rows)}, {name}_begin, {name}_column}}"


def _numbers(values: Iterable[int]) -> str:
    texts = [str(value) for value in values] or ["0"]  # C99 has no empty array
    lines = [", ".join(texts[k : k + PER_LINE]) for k in range(0, len(texts), PER_LINE)]
    return ",\n    ".join(lines)
