"""Resolve the references of a mesh: files in its own folder, never from a network."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from inloop.geometry.mesh_files.given_file import inside, read_bytes

MOST_REFERENCES = 64
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


def read_mesh(path: Path) -> bytes:
    """Contents of a mesh file or of a file it refers to."""
    return read_bytes(path, "Reduce the number of triangles, or save it in a binary format.")


class References:
    """Resolver for files that a mesh refers to: materials, images, buffers in its own folder.

    This is a trimesh resolver. Readers may swallow the errors it raises, so it records them.

    Attributes:
        count: number of requests.
        refused: the first reference that leads out of the folder, or "".
        missing: names of files that do not exist.
    """

    def __init__(self, path: Path, folder: Path) -> None:
        self._path, self._folder = path, folder
        self.count = 0
        self.file_name = path.name
        self.refused = ""
        self.missing: list[str] = []

    def get(self, name: str) -> bytes:
        """The contents of a file next to the mesh."""
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
        return read_mesh(target)

    def __getitem__(self, name: str) -> bytes:
        return self.get(name)

    def __contains__(self, name: str) -> bool:
        return False

    def keys(self) -> list[str]:
        """Always empty: a mesh must name the files it needs."""
        return []

    def namespaced(self, namespace: str) -> Any:
        """Returns itself: there is only one folder."""
        return self

    def write(self, name: str, data: Any) -> None:
        """Writing is not supported."""
        raise PermissionError(name)
