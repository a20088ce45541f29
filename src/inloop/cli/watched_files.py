"""The files that a mechanism was made from: the one named, and what it imports beside it."""

from __future__ import annotations

import sys
from pathlib import Path

FOREIGN = {"site-packages", "dist-packages", "__pycache__"}  # folders of installed packages
# what is never a person's own, wherever it lies
COMMON = sys.stdlib_module_names | {"inloop", "__main__"}
MOST = 500


def files_of(path: Path) -> tuple[Path, ...]:
    """A file that was just read; of a Python file also the modules of its folder in use."""
    found = dict.fromkeys((path.resolve(), *_modules_beside(path).values()))
    return tuple(found)[:MOST]


def forget_modules(path: Path) -> None:
    """Let what a Python file imports from its folder be read again when the file is."""
    for name in _modules_beside(path):
        sys.modules.pop(name, None)


def _modules_beside(path: Path) -> dict[str, Path]:
    """Modules of a Python file's folder that are in use, and their files."""
    found: dict[str, Path] = {}
    if path.suffix.lower() != ".py":
        return found
    folder = path.resolve().parent
    for name, module in list(sys.modules.items()):
        origin = getattr(module, "__file__", None)
        if not isinstance(origin, str) or not origin.endswith(".py"):
            continue
        if name.partition(".")[0] in COMMON:
            continue
        place = Path(origin).resolve()
        beside = place.is_relative_to(folder)
        if beside and not FOREIGN & set(place.relative_to(folder).parts):
            found[name] = place
    return found
