"""Check the file that a result is read from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inloop.errors import FileFormatError, first_of, near_names
from inloop.plant.arguments import file_path
from inloop.simulate.results.saving import ENDINGS

READABLE = (".mcap", *ENDINGS)


def source_of_result(path: Any) -> Path:
    """An existing, non-empty file with a readable suffix.

    Args:
        path: given by the user.

    Raises:
        FileFormatError: not such a file; the message says what was found instead.
    """
    source = file_path(path, "the file of a result")
    name, endings = ascii(str(source)), ", ".join(READABLE)
    if source.is_dir():
        raise FileFormatError(
            f"{name} is a folder, not a file with a result",
            fix=f"Give one of its files: {_listed(source)}.",
        )
    if not source.exists():
        raise FileFormatError(f"there is no file {name}", fix=_meant(source))
    if source.suffix not in READABLE or not source.is_file():
        raise FileFormatError(
            f"{name} is not a file with a result", fix=f"Give a file that ends in {endings}."
        )
    if source.stat().st_size == 0:
        raise FileFormatError(
            f"{name} is empty", fix="Record or save the run again, or give another file."
        )
    return source


def _meant(source: Path) -> str:
    """A hint for a missing file: similar names, or the contents of its folder."""
    folder = source.resolve().parent
    if not folder.is_dir():
        return f"There is no folder {str(folder)!a} either: check the path."
    near = near_names(source.name, _results_in(folder), most=3)
    if near:
        return f"Did you mean {' or '.join(near)}?"
    return f"Folder {str(folder)!a} contains {_listed(folder)}."


def _results_in(folder: Path) -> list[str]:
    try:
        return sorted(each.name for each in folder.iterdir() if each.suffix in READABLE)
    except OSError:  # no permission to read
        return []


def _listed(folder: Path, most: int = 5) -> str:
    names = _results_in(folder)
    return first_of(names, most) if names else f"none that ends in {', '.join(READABLE)}"
