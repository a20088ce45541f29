"""Split long straight-line code into several C functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

PART = 700  # operations per function: compile time is superlinear in this
KEEP = """/* hold a pointer in a register, so that offsets from it are short */
#if defined(__GNUC__) && !defined(__TINYC__)
#define KEEP(pointer) __asm__("" : "+r"(pointer))
#else
#define KEEP(pointer) (void)(pointer)
#endif
"""
_INDENT = " " * 4


@dataclass(frozen=True)
class Piece:
    """Statements that stay together, and their number of operations."""

    lines: list[str]
    operations: int


def block(lines: Iterable[str], operations: int) -> Piece:
    """Statements in a scope of their own."""
    return Piece(["{", *(f"    {line}" for line in lines), "}"], operations)


def parts(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Groups of about PART operations; pieces are never split."""
    part: list[Piece] = []
    for piece in pieces:
        part.append(piece)
        if sum(each.operations for each in part) >= PART:
            yield part
            part = []
    if part:
        yield part


def function(head: str, arguments: str, pieces: Sequence[Piece], where: str = "") -> str:
    """A whole function with its prototype.

    Args:
        head: declaration of the function.
        arguments: its parameter list.
        pieces: its contents.
        where: attribute that puts it into a section, or "".
    """
    used = [f"{_INDENT}(void){argument};" for argument in argument_names(arguments)]
    lines = [f"{_INDENT}{line}" for piece in pieces for line in piece.lines]
    return "\n".join([f"{head};", f"{where} {head}".lstrip(), "{", *used, *lines, "}", ""])


def argument_names(arguments: str) -> list[str]:
    """Parameter names of a declaration."""
    return [word.split()[-1].lstrip("*") for word in arguments.split(",")]
