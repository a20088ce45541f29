"""Python mirrors of the structs and constants in our C headers, so that none is defined twice.

    run = mirror("il_run")(t0=0.0, stride=1)

The headers are read on first use, not at import.
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
    """All declarations in the headers of the runtime, the loop and runs with derivatives."""
    if not _read:
        from inloop.native.c_declarations import Headers

        # if another thread was faster, use its headers: each struct must be one class
        texts = {**runtime_headers(), **realtime_headers(), **variation_headers()}
        _read.setdefault("own", Headers(texts))
    return _read["own"]


def mirror(name: str) -> type[ctypes.Structure]:
    """The structure of this name, such as "il_run"; always the same class.

    Unknown field names are errors, in its constructor and as attributes.
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
    """Offset of a field of a structure [bytes]."""
    return int(getattr(mirror(name), field).offset)


@functools.cache
def row_type(name: str) -> np.dtype[Any]:
    """The structure of this name as a dtype for rows of a NumPy array."""
    return np.dtype(mirror(name))
