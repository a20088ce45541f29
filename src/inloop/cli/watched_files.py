"""The source files of a mechanism: the one named, and the local modules it imports."""

from __future__ import annotations

import sys
from pathlib import Path

FOREIGN = {"site-packages", "dist-packages", "__pycache__"}  # folders of installed packages
# never the user's own, wherever they are
COMMON = sys.stdlib_module_names | {"inloop", "__main__"}
MOST = 500


def files_of(path: Path) -> tuple[Path, ...]:
    """A file that was just read, and for a Python file the imported modules of its folder."""
    found = dict.fromkeys((path.resolve(), *_modules_beside(path).values()))
    return tuple(found)[:MOST]


def forget_modules(path: Path) -> None:
    """Make a Python file's imports from its folder be read again together with the file."""
    for name in _modules_beside(path):
        sys.modules.pop(name, None)


def _modules_beside(path: Path) -> dict[str, Path]:
    """Imported modules of a Python file's folder, and their files."""
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
