"""Load a translated library and call it like a ctypes library."""

from __future__ import annotations

import ast
import ctypes
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from inloop.native.translated import c_library, memory


class TranslatedFunction:
    """A translated C function; same arguments and result as a ctypes function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.argtypes: list[Any] = []
        self.restype: Any = ctypes.c_int

    def __call__(self, *arguments: Any) -> Any:
        """Call it with numbers, addresses, arrays and ctypes structures."""
        found = self._function(*map(_plain, arguments), memory.stack())
        if self.restype is ctypes.c_void_p:
            return found or None
        if self.restype is ctypes.c_char_p:
            return ctypes.string_at(found) if found else None
        return None if self.restype is None else found

    @property
    def address(self) -> int:
        """Address to pass to other translated functions."""
        return memory.address(self._function)


class TranslatedHandle:
    """Replaces the ctypes handle: functions by name."""

    def __init__(self, path: Path) -> None:
        self._names = _module(path)

    def __getitem__(self, name: str) -> TranslatedFunction:
        found = self._names.get(f"c_{name}")
        if found is None:
            raise AttributeError(name)
        return TranslatedFunction(found)

    def __getattr__(self, name: str) -> TranslatedFunction:
        return self[name]


@cache
def _module(path: Path) -> dict[str, Any]:
    """The names of a module, after those of its linked modules."""
    text = path.read_text(encoding="utf-8")
    code = compile(text, str(path), "exec")
    linked = next(line for line in text.splitlines() if line.startswith("LINKED = "))
    names = {**memory.names(), **c_library.names()}
    for other in ast.literal_eval(linked.removeprefix("LINKED = ")):
        names.update(_exported(_module(path.parent.parent / other / path.name)))
    exec(code, names)
    return names


def _exported(names: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in names.items() if name[:2] in ("c_", "g_")}


def _plain(argument: Any) -> Any:
    """An argument as a number."""
    if isinstance(argument, int | float):
        return argument
    if argument is None:
        return 0
    if isinstance(argument, ctypes.Array | ctypes.Structure):
        return ctypes.addressof(argument)
    if hasattr(argument, "_obj"):  # by reference
        return ctypes.addressof(argument._obj)
    if hasattr(argument, "value"):
        return argument.value if argument.value is not None else 0
    return argument.__index__() if hasattr(argument, "__index__") else float(argument)
