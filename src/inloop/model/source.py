"""Location in the user's files where an element was written."""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import Any

from inloop.errors import source_line

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_GALLERY = _PACKAGE + "gallery" + os.sep


def is_internal(filename: str) -> bool:
    """Return whether a file is part of inloop. Gallery models count as user files."""
    return filename.startswith(_PACKAGE) and not filename.startswith(_GALLERY)


def caller_line() -> str:
    """Return "file:line" of the innermost frame outside inloop, or "" if there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        if not is_internal(frame.f_code.co_filename):
            return source_line(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back  # type: ignore[assignment]
    return ""


def definition_line(function: Any) -> str:
    """Return "file:line" where a user's function was defined, or "" if unknown."""
    code = getattr(function, "__code__", None)
    if code is None or is_internal(code.co_filename):
        return ""
    return source_line(code.co_filename, code.co_firstlineno)


def failing_line(traceback: TracebackType | None) -> str:
    """Return "file:line" of the innermost frame outside inloop that an exception passed."""
    line = ""
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        if not is_internal(filename):
            line = source_line(filename, traceback.tb_lineno)
        traceback = traceback.tb_next
    return line
