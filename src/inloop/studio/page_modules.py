"""The JavaScript modules of the page as text, for files that work without a server."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from inloop.studio.server.vendor_files import VENDOR, check_vendor

IMPORT = re.compile(r'(\b(?:from|import)\s*)"(?:\./|/vendor/)([\w.]+)"')


def page_modules(*first: str) -> dict[str, str]:
    """Some modules and everything they import, by name, in order of dependency.

    Imports are rewritten to names such as "inloop/draw.js", which the loader must resolve.

    Raises:
        InputError: the package was built without three.js and uPlot.
    """
    check_vendor()
    found: dict[str, str] = {}
    for name in first:
        _add(name, found, ())
    return found


def _add(name: str, found: dict[str, str], way: Sequence[str]) -> None:
    """Add a module after the modules it imports."""
    assert name not in way, f"modules import each other: {[*way, name]}"
    if f"inloop/{name}" in found:
        return
    page = files("inloop.studio").joinpath("page")
    place: Any = VENDOR if (VENDOR / name).is_file() else page
    text = place.joinpath(name).read_text(encoding="utf-8")
    for match in IMPORT.findall(text):
        _add(match[1], found, (*way, name))
    found[f"inloop/{name}"] = IMPORT.sub(r'\1"inloop/\2"', text)
