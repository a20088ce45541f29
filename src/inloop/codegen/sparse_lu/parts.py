"""Long straight-line code as several C functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

PART = 700  # operations of one function: compilers take more than twice as long for twice as many
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
    """Statements that stay together, and how many operations they have."""

    lines: list[str]
    operations: int


def block(lines: Iterable[str], operations: int) -> Piece:
    """Statements with variables of their own."""
    return Piece(["{", *(f"    {line}" for line in lines), "}"], operations)


def parts(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Pieces of about PART operations; none is split."""
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
        head: its declaration.
        arguments: as they are in it.
        pieces: what it consists of.
        where: an attribute that tells where it lies.
    """
    used = [f"{_INDENT}(void){argument};" for argument in argument_names(arguments)]
    lines = [f"{_INDENT}{line}" for piece in pieces for line in piece.lines]
    return "\n".join([f"{head};", f"{where} {head}".lstrip(), "{", *used, *lines, "}", ""])


def argument_names(arguments: str) -> list[str]:
    """Names of the arguments of a declaration."""
    return [word.split()[-1].lstrip("*") for word in arguments.split(",")]
