"""Cache of packed mesh files."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from pathlib import Path

from inloop.geometry import MeshFile
from inloop.geometry.mesh_files.mesh_source import read_mesh
from inloop.native.building.cache_directory import cache_directory
from inloop.studio.drawing.mesh_packing import PackedMesh, name_of, pack, unpack

LAYOUT = b"2"  # increase it when reading or packing changes
UNUSED = 90 * 86400.0  # [s]


def packed_file(mesh: MeshFile) -> PackedMesh:
    """The block of a mesh before its scale, from the cache if the file was packed before.

    Raises:
        FileFormatError: the file cannot be read.
    """
    path = Path(mesh.path)
    content = read_mesh(path)
    words = (LAYOUT, path.suffix.lower().encode(), mesh.unit.encode(), mesh.up.encode(), content)
    key = hashlib.sha256(b"\0".join(words)).hexdigest()
    room = cache_directory() / "meshes"
    kept = _kept(room / key)
    if kept is not None:
        return kept
    found = pack(mesh.unscaled)
    # referenced files may change while this one does not
    if not mesh.unscaled.has_references:
        with contextlib.suppress(OSError):
            _keep(room, key, found.content)
    return found


def _kept(path: Path) -> PackedMesh | None:
    """A block from the cache, if it is intact: its name precedes it."""
    try:
        data = path.read_bytes()
        os.utime(path)  # the time of last use
    except OSError:
        return None
    found = unpack(data[32:])
    return found if found is not None and data[:32] == found.name.encode() else None


def _keep(room: Path, key: str, content: bytes) -> None:
    room.mkdir(mode=0o700, exist_ok=True)
    for old in room.iterdir():
        if time.time() - old.stat().st_mtime > UNUSED:
            old.unlink(missing_ok=True)
    number, name = tempfile.mkstemp(dir=room)
    with os.fdopen(number, "wb") as file:
        file.write(name_of(content).encode() + content)
    os.replace(name, room / key)
