"""The files of a mesh: inside their folder, not larger than allowed, never from a network."""

from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from inloop.errors import FileFormatError

LARGEST_FILE = 64 * 2**20  # bytes, of a mesh and of what it refers to
MOST_REFERENCES = 64
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


def read_bytes(path: Path) -> bytes:
    """Return all of a regular file that is not too large."""
    try:
        # a pipe or a device would never end
        if not stat.S_ISREG(path.stat().st_mode):
            raise FileFormatError("not a regular file", str(path), "Give the path of a file.")
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise FileFormatError(
            f"cannot open the file: {reason}", str(path), "Check the path and your rights."
        ) from None
    if len(data) > LARGEST_FILE:
        raise FileFormatError(
            f"the file is larger than {LARGEST_FILE // 2**20} MB",
            str(path),
            "Reduce the number of triangles, or save it in a binary format.",
        )
    return data


def inside(path: Path, folder: Path) -> bool:
    """Whether a path, symbolic links followed, lies in a folder."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):
        return False


class References:
    """Hands out what a mesh refers to: materials, pictures, buffers of its own folder.

    It is what trimesh calls a resolver. Readers may swallow what it raises, so that it keeps it.

    Attributes:
        count: how many were asked for.
        refused: the first reference that leads out of the folder, or "".
        missing: names of files that are not there.
    """

    def __init__(self, path: Path, folder: Path) -> None:
        self._path, self._folder = path, folder
        self.count = 0
        self.file_name = path.name
        self.refused = ""
        self.missing: list[str] = []

    def get(self, name: str) -> bytes:
        """The content of a file next to the mesh."""
        name = str(name)
        place = unquote(name).replace("\\", "/").removeprefix("file://")
        target = self._path.parent / place
        self.count += 1
        if (
            _SCHEME.match(place)
            or "\0" in place
            or not inside(target, self._folder)
            or self.count > MOST_REFERENCES
        ):
            self.refused = self.refused or name[:200]
            raise FileNotFoundError(name[:200])
        if not target.is_file():
            self.missing.append(name[:200])
            raise FileNotFoundError(name[:200])
        return read_bytes(target)

    def __getitem__(self, name: str) -> bytes:
        return self.get(name)

    def __contains__(self, name: str) -> bool:
        return False

    def keys(self) -> list[str]:
        """Nothing is offered: a mesh must name what it wants."""
        return []

    def namespaced(self, namespace: str) -> Any:
        """There is one folder only."""
        return self

    def write(self, name: str, data: Any) -> None:
        """Nothing is written."""
        raise PermissionError(name)
