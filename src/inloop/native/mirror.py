"""The structs and numbers of our own C headers, for Python: none of them is written down twice.

    run = mirror("il_run")(t0=0.0, stride=1)

The headers are read at the first use, not at import; so is the reader loaded.
"""

from __future__ import annotations

import ctypes
import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from inloop.native.runtime_library import (
    realtime_headers,
    runtime_headers,
    variation_headers,
)

if TYPE_CHECKING:
    from inloop.native.c_declarations import Headers

_read: dict[str, Headers] = {}


def own_headers() -> Headers:
    """All that the headers of the runtime, of the loop and of runs with derivatives declare."""
    if not _read:
        from inloop.native.c_declarations import Headers

        # if another thread was faster, its headers are the ones: a struct is one class
        texts = {**runtime_headers(), **realtime_headers(), **variation_headers()}
        _read.setdefault("own", Headers(texts))
    return _read["own"]


def mirror(name: str) -> type[ctypes.Structure]:
    """The structure of this name, such as "il_run"; always the same class.

    A name that is no field of it is an error, in its constructor and as an attribute.
    """
    return own_headers().structure(name)


def enumeration(name: str) -> dict[str, int]:
    """The constants of an enum, such as "il_status", in their order."""
    return own_headers().enumeration(name)


@functools.cache
def constant(name: str) -> int:
    """A number of an enum or a #define, such as "INLOOP_BINS"."""
    return own_headers().constant(name)


def field_offset(name: str, field: str) -> int:
    """Where a field of a structure begins [bytes]."""
    return int(getattr(mirror(name), field).offset)


@functools.cache
def row_type(name: str) -> np.dtype[Any]:
    """The structure of this name as a row of a NumPy array."""
    return np.dtype(mirror(name))
