"""Names: validity in generated C, quoting, and suggestions for misspelled names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from inloop.errors import first_of, near_names

GROUND_NAME = "ground"
RESERVED_POINTS = ("origin", "com")  # every body has these two
RESERVED_SYMBOLS = ("t",)  # the time argument of force laws
RESERVED_SIGNALS = ("t", "mode", "events")  # used by results for other signals
RESERVED_STATES = ("q", "qd", "qdd", "tau", "t")  # used by results for quantities of joints

# C99 5.2.4.1: a compiler must tell apart the first 63 characters of an internal name
LONGEST_NAME = 63
_SHOWN = 40

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_C_KEYWORDS = {
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
    "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register",
    "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef",
    "union", "unsigned", "void", "volatile", "while", "_Bool", "_Complex", "_Imaginary",
    "_Alignas", "_Alignof", "_Atomic", "_Generic", "_Noreturn", "_Static_assert", "_Thread_local",
}  # fmt: skip


def quoted(name: object) -> str:
    """Return a name in quotes on one line, escaped and truncated if it is long."""
    text = name if isinstance(name, str) else repr(name)
    if len(text) > _SHOWN:
        text = text[: _SHOWN - 3] + "..."
    return ascii(text)


def name_problem(name: object) -> tuple[str, str] | None:
    """Return (what is wrong, what to do) if generated C cannot use this name, else None."""
    if not isinstance(name, str):
        return f"a name must be a string, got {type(name).__name__}", "Give it a name in quotes."
    if not name:
        return "the name is empty", "Give it a name of letters, digits and underscores."
    if not _IDENTIFIER.fullmatch(name):
        return "the name is not an identifier in C", f"Write it as {quoted(_as_identifier(name))}."
    if name in _C_KEYWORDS:
        return "the name is a keyword of C", f"Write it as {quoted(name + '_')}."
    if len(name) > LONGEST_NAME:
        return (
            f"the name has {len(name)} characters, but C distinguishes only the first "
            f"{LONGEST_NAME}",
            "Use a shorter name.",
        )
    return None


def _as_identifier(name: str) -> str:
    """Return the nearest C identifier, as a suggestion."""
    letters = re.sub(r"[^A-Za-z0-9_]+", "_", name, flags=re.ASCII).strip("_") or "part"
    letters = letters if not letters[0].isdigit() else f"_{letters}"
    return letters + "_" if letters in _C_KEYWORDS else letters


def suggestion(wrong: str, known: Iterable[str]) -> str:
    """Return a hint for an unknown name: a similar name, or the known ones."""
    candidates = sorted(set(known))
    near = near_names(wrong, candidates)
    if near:
        return f"Did you mean {quoted(near[0])}?"
    if not candidates:
        return "None has been declared yet."
    return f"Known names: {first_of([quoted(name) for name in candidates], 8)}."
