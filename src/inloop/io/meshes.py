"""Where the meshes of a file lie."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from inloop.model import Visual

_SCHEME = "package://"


def resolved(visual: Visual, package_directories: Sequence[str | os.PathLike[str]]) -> Visual:
    """Return a visual whose package://name/file is the path of that file, if it is found.

    Args:
        visual: what to draw.
        package_directories: directories that hold packages; the first that has the file wins.
    """
    if not visual.reference.startswith(_SCHEME):
        return visual
    place = visual.reference.removeprefix(_SCHEME)
    # a file may not lead out of the directories the user named
    if ".." in place.split("/") or "\0" in place:
        return visual
    for directory in package_directories:
        path = Path(directory) / place.lstrip("/")
        if path.is_file():
            return replace(visual, reference=str(path))
    return visual
