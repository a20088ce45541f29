"""Read structs, enums and integer constants from the text of C headers.

The reader supports the subset of C that our headers use, and rejects everything else. The layout is
computed by ctypes, by the rules of the platform, as by the compiler.
"""

from __future__ import annotations

import ctypes
import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from inloop.errors import BuildError

_Declared = TypeVar("_Declared")

_POINTER = ctypes.c_void_p
_SCALARS: dict[str, Any] = {
    "char": ctypes.c_char,
    "unsigned char": ctypes.c_ubyte,
    "int": ctypes.c_int,
    "int32_t": ctypes.c_int32,
    "uint32_t": ctypes.c_uint32,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
    "size_t": ctypes.c_size_t,
    "double": ctypes.c_double,
    "pthread_t": ctypes.c_ulong,
}
_QUALIFIERS = ("const", "volatile")

# comments and string literals: neither declares anything
_ASIDE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
# tag, fields, closing brace, what follows. Patterns that begin with a word are found fast
_STRUCT = re.compile(r"struct\b\s*(\w*)\s*\{([^{}]*)([{}])([^;]*)")
_FUNCTION_TYPE = re.compile(r"typedef\b[^;{}()]*\(\s*\*\s*(\w+)\s*\)\s*\(")
_FUNCTION = re.compile(r"[\w\s*]+\(\s*\*\s*(\w+)\s*\)\s*\([\w\s*,]*\)")
_TYPE = re.compile(r"([\w\s]+?)\s*(\*[^,]*|\b\w+\s*(?:\[[^,]*)?)(?:,(.*))?", re.DOTALL)
# stars, name, array sizes
_DECLARATOR = re.compile(
    r"\s*((?:\*\s*(?:const\b|volatile\b)?\s*)*)([A-Za-z_]\w*)\s*((?:\[\s*\w+\s*\]\s*)*)"
)
_ENUM = re.compile(r"enum\b\s*(\w*)\s*\{([^{}]*)\}")
_CONSTANT = re.compile(r"\s*(\w+)\s*(?:=\s*(\S+)\s*)?")
_DEFINE = re.compile(r"#[ \t]*define[ \t]+(\w+)[ \t]+(\S.*?)[ \t]*$", re.MULTILINE)
_NUMBER = r"(0[xX][0-9a-fA-F]+|[1-9][0-9]*|0)[uUlL]*"
_LITERAL = re.compile(rf"-?{_NUMBER}|U?INT64_C\(\s*{_NUMBER}\s*\)")
_SHIFT = re.compile(r"\(\s*(\S+)\s*<<\s*(\S+)\s*\)")


@dataclass(frozen=True)
class _Struct:
    """A struct as written.

    Attributes:
        line: line of the header where the fields begin.
        problem: why it cannot be mirrored, or "".
    """

    name: str
    header: str
    line: int
    fields: str
    problem: str

    def refuse(self, what: str, line: int) -> NoReturn:
        raise BuildError(
            f"struct '{self.name}' cannot be mirrored: {what}",
            where=f"{self.header}, line {line}",
            fix="Declare it in simpler words, or teach them to native/c_declarations.py.",
        )

    def declarations(self) -> Iterator[tuple[str, int]]:
        """The text of each declaration, and its line."""
        line = self.line
        *declarations, rest = self.fields.split(";")
        for text in declarations:
            blank = text[: len(text) - len(text.lstrip())]
            yield text.strip(), line + blank.count("\n")
            line += text.count("\n")
        if rest.strip():
            self.refuse(f"'{rest.strip()}' does not end", line)


class Headers:
    """Declarations of a set of headers."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        """Parse the headers.

        Args:
            texts: name of a header → its text.
        """
        self._texts = {name: _ASIDE.sub(_blank, text) for name, text in texts.items()}
        self._made: dict[str, type[ctypes.Structure]] = {}
        self._structs: dict[str, list[_Struct]] = {}
        for header, text in self._texts.items():
            for found in _STRUCT.finditer(text):
                line = 1 + text.count("\n", 0, found.start(2))
                for name in {found[1], *re.findall(r"\w+", found[4])[-1:]} - {""}:
                    struct = _Struct(name, header, line, found[2], _problem(found))
                    self._structs.setdefault(name, []).append(struct)
        self._functions = {found[1] for _, found in self._find_all(_FUNCTION_TYPE)}

    @property
    def struct_names(self) -> tuple[str, ...]:
        """All structs, in the order of the headers."""
        return tuple(self._structs)

    def structure(self, name: str) -> type[ctypes.Structure]:
        """The mirror of a struct; always the same class.

        Raises:
            BuildError: no header declares it, or it contains something that cannot be mirrored.
        """
        if name not in self._made:
            struct = _only(self._structs.get(name, ()), f"struct '{name}'")
            if struct.problem:
                struct.refuse(struct.problem, struct.line)
            fields = [
                field
                for text, line in struct.declarations()
                for field in self._fields(struct, text, line)
            ]
            # without a __dict__, a misspelled field is an error
            members = {"__slots__": (), "_fields_": fields}
            # if another thread was faster, use its class
            self._made.setdefault(name, type(name, (ctypes.Structure,), members))
        return self._made[name]

    def enumeration(self, name: str) -> dict[str, int]:
        """The constants of an enum, in order.

        Raises:
            BuildError: no header declares it.
        """
        return dict(_only([e for tag, e in self._enums if tag == name], f"enum '{name}'"))

    def constant(self, name: str) -> int:
        """A constant of an enum, or an integer defined by #define.

        Raises:
            BuildError: no header declares it, or its value has an unsupported form.
        """
        found = [enum[name] for _, enum in self._enums if name in enum]
        for where, define in self._find_all(_DEFINE):
            if define[1] == name:
                found.append(_integer(define[2], where))
        return _only(found, f"integer '{name}'")

    @functools.cached_property
    def _enums(self) -> list[tuple[str, dict[str, int]]]:
        return [(found[1], _numbered(found[2], where)) for where, found in self._find_all(_ENUM)]

    def _find_all(self, pattern: re.Pattern[str]) -> Iterator[tuple[str, re.Match[str]]]:
        """All matches, with their location."""
        for header, text in self._texts.items():
            for found in pattern.finditer(text):
                yield f"{header}, line {1 + text.count(chr(10), 0, found.start())}", found

    def _fields(self, struct: _Struct, text: str, line: int) -> Iterator[tuple[str, Any]]:
        """Names and types of one declaration."""
        if function := _FUNCTION.fullmatch(text):
            yield function[1], _POINTER
            return
        if not (found := _TYPE.fullmatch(text)):
            struct.refuse(f"'{text}' is not a field that is known here", line)
        base = " ".join(word for word in found[1].split() if word not in _QUALIFIERS)
        for declarator in (found[2], *(found[3].split(",") if found[3] else ())):
            if not (parts := _DECLARATOR.fullmatch(declarator)):
                struct.refuse(f"'{text}' is not a field that is known here", line)
            kind = self._kind(struct, base, parts[1] != "", line)
            for size in reversed(re.findall(r"\w+", parts[3])):
                kind = kind * self._count(struct, size, line)
            yield parts[2], kind

    def _count(self, struct: _Struct, size: str, line: int) -> int:
        """Length of an array."""
        try:
            count = self.constant(size) if size.isidentifier() else _integer(size, "")
        except BuildError as error:
            struct.refuse(f"an array of '{size}': {error}", line)
        if count < 1:
            struct.refuse(f"an array of {count}", line)
        return count

    def _kind(self, struct: _Struct, base: str, pointer: bool, line: int) -> Any:
        """The type of a field; all pointers have the same one."""
        name = base.removeprefix("struct ")
        if base in self._functions or (pointer and (base == "void" or base in _SCALARS)):
            return _POINTER
        if pointer and (name != base or name in self._structs):
            return _POINTER  # also to a struct that is declared elsewhere
        if base in _SCALARS:
            return _SCALARS[base]
        if name in self._structs:
            return self.structure(name)
        return struct.refuse(f"type '{base}' is not known", line)


def _blank(aside: re.Match[str]) -> str:
    """The same number of lines, blank."""
    return " " + "\n" * aside[0].count("\n")


def _problem(found: re.Match[str]) -> str:
    """Syntax around the fields of a struct that would change its layout."""
    _, _, brace, rest = found.groups()
    if brace == "{":
        return "there is a struct, union or enum inside it"
    if re.search(r"#\s*pragma\s+pack\b", found.string):
        return "its header packs structs"
    is_type = found.string[: found.start()].rstrip().endswith("typedef")
    if not re.fullmatch(r"\s*[A-Za-z_]\w*\s*" if is_type else r"\s*", rest):
        return f"'{' '.join(rest.split())}' stands behind its fields"
    return ""


def _numbered(body: str, where: str) -> dict[str, int]:
    """The constants of an enum."""
    numbers: dict[str, int] = {}
    number = -1
    for text in body.rstrip().removesuffix(",").split(","):
        if not (found := _CONSTANT.fullmatch(text)):
            raise _no_integer(text, where)
        number = _integer(found[2], where) if found[2] else number + 1
        numbers[found[1]] = number
    return numbers


def _integer(text: str, where: str) -> int:
    """The value of an integer literal, or of a left shift of one."""
    if shift := _SHIFT.fullmatch(text):
        return _integer(shift[1], where) << _integer(shift[2], where)
    if not _LITERAL.fullmatch(text):
        raise _no_integer(text, where)
    return int(re.sub(r"U?INT64_C\(\s*|[uUlL]*\s*\)?$", "", text), 0)


def _no_integer(text: str, where: str) -> BuildError:
    return BuildError(
        f"'{' '.join(text.split())}' is not an integer that is known here",
        where=where,
        fix="Write a literal, or teach native/c_declarations.py this form.",
    )


def _only(found: Sequence[_Declared], what: str) -> _Declared:
    if len(found) != 1:
        raise BuildError(
            f"{what} is declared {len(found)} times in the headers",
            fix="Declare it once, in native/runtime or native/realtime.",
        )
    return found[0]
