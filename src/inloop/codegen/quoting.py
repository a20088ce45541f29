"""Quote user-written text in generated files: one function for each context.

Docs, units and names come from the author of the model. Whatever they contain, they must not break
out of the comment or string that holds them, in any language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from inloop.errors import BuildError

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
ENCODING = re.compile(r"coding(?=[:=])")  # PEP 263: such a comment changes the encoding of a file
TRIGRAPH = re.compile(r"\?(?=\?)")  # ??/ is a backslash
PIECE = 60  # characters of a long C string in one line
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def printable(text: str) -> str:
    """The text on one line: white space becomes blanks, unprintable characters a placeholder.

    Unprintable are control characters, lone surrogates and marks that change the direction of the
    text.
    """
    if text.isprintable():
        return text.rstrip()
    return "".join(
        c if c.isprintable() else " " if c.isspace() else REPLACEMENT for c in text
    ).rstrip()


def identifier(name: str) -> str:
    """The name, checked for use in identifiers of generated code and in file names.

    Raises:
        BuildError: the name is not an identifier.
    """
    if IDENTIFIER.fullmatch(name) is None:
        raise BuildError(
            f"generated code cannot be named {name[:40]!a}",
            fix="Use letters, digits and underscores.",
        )
    return name


def c_comment(texts: Iterable[str]) -> str:
    """A C comment of several lines."""
    return "\n".join(["/*", *(f"   {_within_c(line)}".rstrip() for line in _lines(texts)), "*/"])


def c_heading(text: str) -> str:
    """A C comment within one line."""
    return f"/* ---- {_within_c(text)} ---- */"


def c_string(text: str, indent: str = "") -> str:
    """A C string literal, in pieces of one line each.

    Bytes outside printable ASCII are octal escapes, which end after three digits.
    """
    data = text.encode(errors="replace")
    pieces = [data[k : k + PIECE] for k in range(0, len(data), PIECE)] or [b""]
    return "\n".join(f'{indent}"{"".join(map(_c_character, piece))}"' for piece in pieces)


def python_comment(texts: Iterable[str]) -> list[str]:
    """Lines of a Python comment."""
    return [f"# {_within_python(line)}".rstrip() for line in _lines(texts)]


def python_heading(text: str) -> str:
    """A Python comment within one line."""
    return f"# ---- {_within_python(text)} ----"


def python_docstring(texts: Iterable[str], indent: str) -> list[str]:
    """Lines of a Python docstring."""
    first, *rest = (line.replace("\\", "\\\\").replace('"""', r"\"\"\"") for line in _lines(texts))
    return [f'{indent}"""{first}', "", *(f"{indent}{line}" for line in rest), f'{indent}"""']


def matlab_comment(texts: Iterable[str]) -> list[str]:
    """Lines of a MATLAB comment; the blank keeps `%{` from beginning a block."""
    return [f"% {line}".rstrip() for line in _lines(texts)]


def matlab_heading(text: str) -> str:
    """A MATLAB comment within one line."""
    return f"% ---- {printable(text)} ----"


def _lines(texts: Iterable[str]) -> list[str]:
    """All lines of all texts, each of them printable."""
    return [printable(line) for text in texts for line in text.splitlines() or [""]]


def _within_c(text: str) -> str:
    """A text that cannot end a comment, begin one, or join its line to the next."""
    line = TRIGRAPH.sub("? ", printable(text))
    return line.replace("*/", "* /").replace("/*", "/ *").rstrip(" \\")


def _within_python(text: str) -> str:
    """A text that cannot declare the encoding of the file."""
    return ENCODING.sub("coding ", printable(text))


def _c_character(byte: int) -> str:
    character = chr(byte)
    if character in '"\\?':  # a question mark may begin a trigraph
        return f"\\{character}"
    return character if 32 <= byte < 127 else f"\\{byte:03o}"
