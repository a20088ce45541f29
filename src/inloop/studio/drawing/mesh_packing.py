"""Packs meshes for the page: positions, normals, indices, colors, textures, in one block.

A block is little-endian: the magic "ILM1", the length of a JSON header, the header, and arrays
aligned to four bytes. The header has the bounds, whether only the outside can be seen (`closed`),
and the offset and length of the arrays of each part, counted from the end of the header: positions
(f4, 3 per vertex), normals (i2, 4 per vertex, the last one unused), indices (u4), and optionally
colors (u1, 4 per vertex, sRGB), uv (f4, 2 per vertex) and image with its media type. The name of a
block is the hash of its content.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from inloop.geometry import Mesh, Paint, Shape, Surface, Texture
from inloop.geometry.surface import corner_normals

MARK = b"ILM1"
MOST_CHECKED = 20_000  # triangles
NAME = 32  # hexadecimal digits of a hash that name a block


@dataclass(frozen=True)
class PackedMesh:
    """A block for the page.

    Attributes:
        name: hash of its content.
        content: the block.
        bounds: minimum and maximum coordinates [m].
    """

    name: str
    content: bytes
    bounds: list[list[float]]


def pack(shape: Shape) -> PackedMesh:
    """The block of a mesh, a convex hull or a heightfield."""
    surface = shape.surface()
    paint = shape.paint if isinstance(shape, Mesh) else ()
    bounds = np.asarray(shape.bounds).tolist()
    told: list[dict[str, Any]] = []
    arrays: list[bytes] = []
    length = 0
    for part in _parts(surface, paint or (Paint((0, len(surface.triangles))),)):
        entry: dict[str, Any] = {}
        for name, value in part.items():
            if isinstance(value, str):
                entry[name] = value
                continue
            data = value if isinstance(value, bytes) else value.tobytes()
            entry[name] = [length, len(data)]
            padded = data + b"\0" * (-len(data) % 4)
            arrays.append(padded)
            length += len(padded)
        told.append(entry)
    header = json.dumps({"bounds": bounds, "closed": _is_closed(shape), "parts": told}).encode()
    header += b" " * (-len(header) % 4)
    content = b"".join([MARK, struct.pack("<I", len(header)), header, *arrays])
    return PackedMesh(name_of(content), content, bounds)


def _is_closed(shape: Shape) -> bool:
    """Whether only its outside can be seen; False for large meshes, which are not checked."""
    if not isinstance(shape, Mesh):
        return True
    if len(shape.triangles) > MOST_CHECKED or not shape.is_closed:
        return False
    v = shape.vertices[shape.triangles]
    return bool(np.einsum("ij,ij->", v[:, 0], np.cross(v[:, 1], v[:, 2])) > 0.0)


def unpack(content: bytes) -> PackedMesh | None:
    """A block from the cache; None if it is damaged."""
    try:
        length = struct.unpack_from("<4xI", content)[0]
        bounds = json.loads(content[8 : 8 + length])["bounds"]
    except (struct.error, ValueError, KeyError, TypeError):
        return None
    return PackedMesh(name_of(content), content, bounds) if content[:4] == MARK else None


def name_of(content: bytes) -> str:
    """The name of a block."""
    return hashlib.sha256(content).hexdigest()[:NAME]


def _parts(surface: Surface, paint: tuple[Paint, ...]) -> Iterator[dict[str, Any]]:
    """Arrays of parts that are drawn at once: one for each texture, few for the rest."""
    groups: dict[tuple[Texture | None, bool, bool], list[Paint]] = {}
    for look in paint:
        key = (look.texture, look.colors is not None, look.uv is not None)
        groups.setdefault(key, []).append(look)
    bare = any(look.normals is None for look in paint)
    smooth = corner_normals(surface.joined_corners()) if bare else np.zeros((0, 3, 3))
    for (texture, _, placed), looks in groups.items():
        rows = np.concatenate([np.arange(*look.triangles) for look in looks])
        corners = [surface.vertices[surface.triangles[rows]].astype("<f4").reshape(-1, 3)]
        normals = [
            smooth[slice(*look.triangles)] if look.normals is None else look.normals
            for look in looks
        ]
        corners.append(_as_short(np.concatenate(normals).reshape(-1, 3)))
        names = ["positions", "normals"]
        if looks[0].colors is not None:
            corners.append(np.concatenate([x.colors for x in looks if x.colors is not None]))
            names.append("colors")
        if placed:
            corners.append(np.concatenate([x.uv for x in looks if x.uv is not None]).astype("<f4"))
            names.append("uv")
        flat = [array.reshape(len(rows) * 3, -1) for array in corners]
        unique, indices = _shared(flat)
        part: dict[str, Any] = dict(zip(names, unique, strict=True))
        part["indices"] = indices
        if texture is not None:
            part |= {"image": texture.image, "media_type": texture.media_type}
        yield part


def _as_short(normals: Any) -> Any:
    short = np.zeros((len(normals), 4), dtype="<i2")
    short[:, :3] = np.round(32767.0 * np.clip(normals, -1.0, 1.0))
    return short


def _shared(arrays: list[Any]) -> tuple[list[Any], Any]:
    """Merge corners with equal attributes into one vertex."""
    rows = np.concatenate([np.ascontiguousarray(a).view(np.uint8) for a in arrays], axis=1)
    whole = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1]))).ravel()
    _, first, numbers = np.unique(whole, return_index=True, return_inverse=True)
    return [np.ascontiguousarray(a[first]) for a in arrays], numbers.astype("<u4")
