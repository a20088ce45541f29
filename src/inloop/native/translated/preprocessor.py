"""Preprocessor: macros, conditions and includes; C text → tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass

from inloop.errors import BuildError
from inloop.native.translated.tokens import is_name, tokenize, without_comments

_DIRECTIVE = re.compile(r"\s*#\s*(\w+)\s*(.*)")
_DEFINE = re.compile(r"(\w+)(\(([^)]*)\))?\s*(.*)")
_DEFINED = re.compile(r"defined\s*\(?\s*(\w+)\s*\)?")


@dataclass(frozen=True)
class Macro:
    """A macro; `arguments` is None for object-like macros."""

    body: tuple[str, ...]
    arguments: tuple[str, ...] | None = None


Macros = MutableMapping[str, Macro]


def preprocess(text: str, macros: Macros, include: Callable[[str], None]) -> list[str]:
    """The tokens of a file.

    Args:
        text: contents of the file.
        macros: defined macros; extended in place.
        include: called with each quoted header where it is included.
    """
    tokens: list[str] = []
    waiting: list[str] = []  # lines without a directive
    states: list[tuple[bool, bool]] = []  # for each enclosing #if: active, was active before

    def flush() -> None:
        if waiting:
            tokens.extend(expand(tokenize("\n".join(waiting)), macros))
            waiting.clear()

    for line in without_comments(text).split("\n"):
        active = all(used for used, _ in states)
        found = _DIRECTIVE.match(line) if "#" in line else None
        if found is None:
            if active and line:
                waiting.append(line)
            continue
        flush()
        word, rest = found[1], found[2].strip()
        if word in ("ifdef", "ifndef", "if", "elif", "else", "endif"):
            _condition(word, rest, states, macros)
        elif active and word == "define":
            _define(rest, macros)
        elif active and word == "undef":
            macros.pop(rest, None)
        elif active and word == "include" and rest.startswith('"'):
            include(rest.strip('"'))
        elif active and word == "error":
            raise BuildError(f"C text cannot be read as Python: {rest}")
    flush()
    return tokens


def _condition(word: str, rest: str, states: list[tuple[bool, bool]], macros: Macros) -> None:
    if word in ("ifdef", "ifndef"):
        holds = (rest.split(maxsplit=1)[0] in macros) == (word == "ifdef")
        states.append((holds, holds))
    elif word == "if":
        # skipped text need not be valid
        holds = all(used for used, _ in states) and _holds(rest, macros)
        states.append((holds, holds))
    elif word == "endif":
        states.pop()
    else:
        _, before = states.pop()
        around = all(used for used, _ in states)
        holds = not before and (word == "else" or (around and _holds(rest, macros)))
        states.append((holds, before or holds))


def _holds(condition: str, macros: Macros) -> bool:
    """The value of an #if expression."""
    known = _DEFINED.sub(lambda found: str(int(found[1] in macros)), condition)
    words = ["0" if is_name(token) else token for token in expand(tokenize(known), macros)]
    spelled = {"&&": "and", "||": "or", "!": "not"}
    text = " ".join(spelled.get(word, word.rstrip("uUlL")) for word in words)
    if not re.fullmatch(r"[\d\s()<>=!+*/%xA-Fa-f-]*|(?:[\d\s()<>=!+*/%-]|and|or|not)*", text):
        raise BuildError(f"'#if {condition}' cannot be read as Python")
    return bool(eval(text, {"__builtins__": {}}))


def _define(rest: str, macros: Macros) -> None:
    found = _DEFINE.fullmatch(rest)
    if found is None:
        raise BuildError(f"'#define {rest}' cannot be read as Python")
    name, brackets, names, body = found.groups()
    arguments = None
    if brackets is not None:
        arguments = tuple(word.strip() for word in names.split(",")) if names.strip() else ()
    macros[name] = Macro(tuple(tokenize(body)), arguments)


def expand(
    tokens: list[str], macros: Mapping[str, Macro], hidden: frozenset[str] = frozenset()
) -> list[str]:
    """Tokens with all macros expanded; `hidden` ones are already being expanded."""
    out: list[str] = []
    k, count = 0, len(tokens)
    while k < count:
        token = tokens[k]
        k += 1
        macro = macros.get(token)
        if macro is None or token in hidden:
            out.append(token)
        elif macro.arguments is None:
            out += expand(list(macro.body), macros, hidden | {token})
        elif k < count and tokens[k] == "(":
            given, k = _arguments(tokens, k)
            out += expand(_filled(macro, given, macros, hidden), macros, hidden | {token})
        else:
            out.append(token)
    return out


def _arguments(tokens: list[str], k: int) -> tuple[list[list[str]], int]:
    """Arguments in the parentheses that begin at k, and their end."""
    given: list[list[str]] = [[]]
    depth = 0
    while True:
        token = tokens[k]
        k += 1
        if token in ("(", "[", "{"):
            depth += 1
            if depth == 1:
                continue
        elif token in (")", "]", "}"):
            depth -= 1
            if depth == 0:
                return given, k
        if token == "," and depth == 1:
            given.append([])
        else:
            given[-1].append(token)


def _filled(
    macro: Macro, given: list[list[str]], macros: Mapping[str, Macro], hidden: frozenset[str]
) -> list[str]:
    """The body of a macro with its arguments substituted; ## concatenates."""
    assert macro.arguments is not None
    values = dict(zip(macro.arguments, given, strict=False))
    out: list[str] = []
    joins = False
    for token, after in _with_next(macro.body):
        if token == "##":
            joins = True
            continue
        raw = joins or after == "##"
        found = values.get(token)
        words = [token] if found is None else found if raw else expand(found, macros, hidden)
        if joins:
            out[-1:] = [out[-1] + words[0], *words[1:]]
            joins = False
        else:
            out += words
    return out


def _with_next(body: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    return zip(body, (*body[1:], ""), strict=True)
