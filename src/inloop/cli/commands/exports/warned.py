"""Collects warnings of `inloop export` for JSON output."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from inloop.errors import ExportWarning


@contextmanager
def warned() -> Iterator[list[str]]:
    """Collect all export warnings in a list; they are shown as well."""
    told: list[str] = []
    with warnings.catch_warnings():
        shown = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, ExportWarning):
                told.append(str(message))
            shown(message, category, *place, **more)

        warnings.showwarning = show
        yield told
