"""Translate the files of a C library to the text of one Python module."""

from __future__ import annotations

import hashlib
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

from inloop.errors import BuildError
from inloop.native.translated import syntax as s
from inloop.native.translated.c_library import CONSTANTS
from inloop.native.translated.c_types import CType, Function, Number
from inloop.native.translated.parser import Parser
from inloop.native.translated.preprocessor import Macro, Macros, preprocess
from inloop.native.translated.scope import Object, Scope
from inloop.native.translated.tokens import tokenize
from inloop.native.translated.values import Place
from inloop.native.translated.walk import addressed, nodes
from inloop.native.translated.write_statements import StatementWriter

_ALIGNMENT = 64  # alignment of file-scope variables [bytes]


def translate(sources: Mapping[str, str], linked: Sequence[str] = ()) -> str:
    """The text of a module equivalent to the C files.

    Args:
        sources: file name → text, .c and .h.
        linked: names of the modules whose functions it may call.

    Raises:
        BuildError: the C text contains unsupported syntax.
    """
    return _Translation(sources).module(linked)


@cache
def version() -> str:
    """Changes whenever the translation of the same C would change."""
    folder = files("inloop.native.translated")
    texts = (item.read_text(encoding="utf-8") for item in sorted(folder.iterdir(), key=str)
             if item.name.endswith(".py"))  # fmt: skip
    return hashlib.sha256("".join(texts).encode()).hexdigest()[:16]


class _Translation:
    """One library; headers are read once, for all files."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources
        self._macros: Macros = {
            name: Macro(tuple(tokenize(text))) for name, text in CONSTANTS.items()
        }
        self._scope = Scope()
        self._included: set[str] = set()
        self._offered: dict[str, s.Definition] = {}  # functions of headers, until they are called
        self._functions: list[str] = []
        self._variables: list[str] = []  # lines that assign their addresses
        self._beginnings: list[str] = []  # lines that write their initial values
        self._size = 0
        self._number = 0  # index of the current file

    def module(self, linked: Sequence[str]) -> str:
        """The complete text."""
        for name in self._sources:
            if name.endswith(".c"):
                self._number += 1
                self._file(name)
        head = ["# C as Python, for want of a compiler; see inloop.native.translated", ""]
        head += [f"LINKED = {list(linked)!r}", f"base = m_room({max(self._size, 1)})"]
        return "\n".join([*head, *self._variables, "", *self._functions, "", *self._beginnings, ""])

    # files

    def _file(self, name: str) -> None:
        scope = Scope(self._scope)
        own: dict[str, Macro] = {}
        macros: Macros = ChainMap(own, self._macros)

        def include(header: str) -> None:
            if own:
                raise BuildError(
                    f"'{name}' includes '{header}' behind macros of its own",
                    fix="A C compiler takes that: pip install inloop[cc].",
                )
            self._include(header)

        tokens = preprocess(self._sources[name], macros, include)
        items = Parser(tokens, scope, name).file_items()
        self._declare_all(items, scope, f"_{self._number}")
        for item in items:
            if isinstance(item, s.Definition):
                self._write(item, scope)

    def _include(self, name: str) -> None:
        """Read a header, unless already done."""
        if name in self._included:
            return
        self._included.add(name)
        if name not in self._sources:
            raise BuildError(f"there is no header '{name}'")
        tokens = preprocess(self._sources[name], self._macros, self._include)
        items = Parser(tokens, self._scope, name).file_items()
        for item in items:
            if isinstance(item, s.Definition):
                self._offered[item.name] = item
        self._declare_all(items, self._scope, "")

    def _declare_all(
        self, items: list[s.Definition | s.Declaration], scope: Scope, ending: str
    ) -> None:
        """Declare all names, and initialize variables."""
        static = {item.name for item in items if isinstance(item, s.Definition) and item.static}
        in_memory = addressed(items)
        for item in items:
            if isinstance(item, s.Definition):
                kinds = tuple(kind for _, kind in item.arguments)
                self._declare_function(
                    item.name, Function(item.returns, kinds), scope, static, ending
                )
                continue
            for variable in item.variables:
                if isinstance(variable.type, Function):
                    self._declare_function(variable.name, variable.type, scope, static, ending)
                elif variable.external:
                    self._announce(variable, scope)
                else:
                    own = ending if variable.static else ""
                    made = self._variable(variable, scope, own, variable.name in in_memory)
                    scope.objects[variable.name] = made

    @staticmethod
    def _declare_function(
        name: str, kind: Function, scope: Scope, static: set[str], ending: str
    ) -> None:
        text = f"c_{name}{ending if name in static else ''}"
        target = scope if name in static else _outermost(scope)
        target.objects[name] = Object(kind, text, False)

    @staticmethod
    def _announce(variable: s.Variable, scope: Scope) -> None:
        """An external variable."""
        found = scope.find(variable.name)
        if found is None:
            scope.objects[variable.name] = Object(variable.type, f"g_{variable.name}", True)

    # variables

    def _variable(self, variable: s.Variable, scope: Scope, ending: str, in_memory: bool) -> Object:
        text = f"g_{variable.name}{ending}"
        writer = StatementWriter(scope, self._static)
        kind, value = variable.type, variable.value
        plain = variable.constant and variable.static and isinstance(kind, Number)
        if plain and not in_memory and value is not None and not isinstance(value, s.Items):
            self._beginnings.append(f"{text} = {writer.number(value, kind)}")
            return Object(kind, text, False)
        self._place(text, kind)
        made = Object(kind, text, True)
        scope.objects[variable.name] = made
        if value is not None:
            self._beginnings += writer.initialized(Place(kind, text), value, clear=False)
        if writer.lines or writer.frame:
            raise BuildError(f"'{variable.name}' begins with an object without a name")
        return made

    def _static(self, variable: s.Variable, scope: Scope) -> Object:
        """A static local variable."""
        ending = f"_{self._number}_{len(self._variables)}_{len(self._beginnings)}"
        return self._variable(variable, scope, ending, True)

    def _place(self, text: str, kind: CType) -> None:
        at = -(-self._size // _ALIGNMENT) * _ALIGNMENT
        self._size = at + kind.size
        self._variables.append(f"{text} = base + {at}")

    # functions

    def _write(self, definition: s.Definition, scope: Scope) -> None:
        found = scope.find(definition.name)
        assert found is not None
        self._functions += [
            *StatementWriter(scope, self._static).function(found.text, definition),
            "",
        ]
        self._write_called(definition)

    def _write_called(self, definition: s.Definition) -> None:
        """Write header functions that are called for the first time."""
        for name in list(_names(definition)):
            offered = self._offered.pop(name, None)
            if offered is not None:
                self._write(offered, self._scope)


def _names(definition: s.Definition) -> Iterator[str]:
    return (node.name for node in nodes(definition.body) if isinstance(node, s.Name))


def _outermost(scope: Scope) -> Scope:
    return scope if scope.around is None else _outermost(scope.around)
