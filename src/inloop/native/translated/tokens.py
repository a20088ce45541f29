"""Tokenizer: C text → plain strings, distinguished by their first characters."""

from __future__ import annotations

import re

from inloop.errors import BuildError

_TOKEN = re.compile(
    r"""[A-Za-z_]\w*
      | \.?[0-9](?:[eEpP][+-]|[\w.])*
      | "(?:\\.|[^"\\\n])*"
      | '(?:\\.|[^'\\\n])+'
      | \.\.\.|<<=|>>=
      | ->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||\#\#
      | [-+*/%&|^]=
      | [-+*/%&|^~!<>=?:;,.(){}\[\]\#]""",
    re.VERBOSE,
)
_COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|("(?:\\.|[^"\\\n])*")', re.DOTALL)


def without_comments(text: str) -> str:
    """Text with comments replaced by blanks, and continued lines joined."""
    joined = text.replace("\\\n", " ")
    return _COMMENT.sub(lambda found: found[1] or " " + "\n" * found[0].count("\n"), joined)


def tokenize(text: str) -> list[str]:
    """The tokens of text without comments.

    Raises:
        BuildError: a character that begins no token.
    """
    tokens = _TOKEN.findall(text)
    if left := _TOKEN.sub("", text).strip():
        raise BuildError(f"C text cannot be read as Python: {left[:60]!r}")
    return tokens


def is_name(token: str) -> bool:
    """True for identifiers and keywords."""
    return token[0].isalpha() or token[0] == "_"
