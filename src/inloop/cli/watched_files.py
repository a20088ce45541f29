"""The files that a mechanism was made from: the one named, and what it imports beside it."""

from __future__ import annotations

import sys
from pathlib import Path

FOREIGN = {"site-packages", "dist-packages", "__pycache__"}  # folders of installed packages
MOST = 500


def files_of(path: Path) -> tuple[Path, ...]:
    """A file that was just read; of a Python file also the modules of its folder in use."""
    named = path.resolve()
    found = {named: None}
    if path.suffix.lower() == ".py":
        for module in list(sys.modules.values()):
            origin = getattr(module, "__file__", None)
            if not isinstance(origin, str) or not origin.endswith(".py"):
                continue
            place = Path(origin).resolve()
            beside = place.is_relative_to(named.parent)
            if beside and not FOREIGN & set(place.relative_to(named.parent).parts):
                found[place] = None
    return tuple(found)[:MOST]
