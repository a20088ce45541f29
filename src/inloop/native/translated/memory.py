"""The memory of this process as arrays, and functions by number: the targets of C pointers.

A pointer is its address. `M_d[address >> 3]` is the double at that address; as in C, addresses are
not checked: translated C is as safe as the original.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

_SPACE = 1 << 47  # upper limit of process addresses [bytes]
_STACK = 64 << 20  # per thread [bytes]; unused parts take no memory
_WRITABLE = 0x200
_FIRST, _APART = 1 << 20, 16  # function numbers look like unmapped addresses


def _whole_memory() -> memoryview:
    view = ctypes.pythonapi.PyMemoryView_FromMemory
    view.restype = ctypes.py_object
    view.argtypes = [ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int]
    found = view(0, _SPACE, _WRITABLE)
    assert isinstance(found, memoryview)
    return found


_MEMORY = _whole_memory()
# by type code: array and number of address bits within one entry
VIEWS = {code: f"M_{code}" for code in "bBhHiIqQfd"}
SHIFTS = {"b": 0, "B": 0, "h": 1, "H": 1, "i": 2, "I": 2, "f": 2, "q": 3, "Q": 3, "d": 3}

_functions: dict[int, Callable[..., Any]] = {}
_numbers: dict[Callable[..., Any], int] = {}
_guard = threading.Lock()
_local = threading.local()


def address(function: Callable[..., Any]) -> int:
    """Value of a pointer to a function; always the same."""
    number = _numbers.get(function)
    if number is None:
        with _guard:
            number = _numbers.setdefault(function, _FIRST + _APART * len(_numbers))
            _functions[number] = function
    return number


def stack() -> int:
    """Stack base of this thread."""
    found = getattr(_local, "address", None)
    if found is None:
        _local.memory = np.empty(_STACK, dtype=np.uint8)
        found = _local.address = -(-_local.memory.ctypes.data // 64) * 64
    return int(found)


def room(size: int) -> int:
    """Address of zeroed memory that lives as long as the process."""
    memory = np.zeros(size + 64, dtype=np.uint8)
    _kept.append(memory)
    return int(-(-memory.ctypes.data // 64) * 64)


def text(value: bytes) -> int:
    """Address of a string that lives as long as the process."""
    found = _texts.get(value)
    if found is None:
        found = _texts[value] = room(len(value) + 1)
        ctypes.memmove(found, value, len(value))
    return found


_kept: list[Any] = []
_texts: dict[bytes, int] = {}


def copy(to: int, source: int, size: int) -> int:
    """Copy an object; returns its new address."""
    ctypes.memmove(to, source, size)
    return to


def put(view: Any, at: int, value: Any) -> Any:
    """Write a number within an expression."""
    view[at] = value
    return value


def bump(view: Any, at: int, by: int) -> Any:
    """Add to a number within an expression; returns the old value."""
    value = view[at]
    view[at] = value + by
    return value


def names() -> dict[str, Any]:
    """All names that translated code uses."""
    views: dict[str, Any] = {VIEWS["B"]: _MEMORY}
    views |= {name: _MEMORY.cast(code) for code, name in VIEWS.items() if code != "B"}  # type: ignore[call-overload]
    functions = (address, room, text, copy, put, bump)
    return {**views, "F": _functions, **{f"m_{f.__name__}": f for f in functions}}
