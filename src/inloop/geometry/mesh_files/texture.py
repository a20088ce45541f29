"""Colors and textures of the parts that trimesh has read."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from inloop.geometry.mesh import Paint, Texture
from inloop.geometry.mesh_files.picture import written_anew
from inloop.geometry.sizes import Array, Indices


def paint_of(part: Any, triangles: Indices, R: Array, has_normals: bool) -> Paint:
    """Appearance of a part.

    Args:
        part: a trimesh mesh.
        triangles: its triangles, with the corners in our order.
        R: maps its axes to ours; may include scale.
        has_normals: whether its file format has normals; else they are computed later.
    """
    visual = part.visual
    colors: npt.NDArray[np.uint8] | None = None
    texture, uv = None, None
    if visual.kind == "texture":
        given = visual.uv
        if given is not None and len(given) == len(part.vertices):
            # kept without a texture, too: a model may put an image on the mesh
            uv = np.asarray(given, dtype=np.float32)[triangles]
            uv = uv if np.all(np.isfinite(uv)) else None
        texture = None if uv is None else _texture(visual.material)
        if texture is None:
            whole = np.asarray(visual.material.main_color, dtype=np.uint8).reshape(-1)[:4]
            colors = np.broadcast_to(whole, (*triangles.shape, 4))
    elif visual.kind == "vertex":
        colors = np.asarray(visual.vertex_colors, dtype=np.uint8)[triangles]
    elif visual.kind == "face":
        faces = np.asarray(visual.face_colors, dtype=np.uint8)
        colors = np.repeat(faces[:, None], 3, axis=1)
    normals = _normals(part, triangles, R) if has_normals else None
    return Paint((0, len(triangles)), normals, colors, uv, texture)


def _normals(part: Any, triangles: Indices, R: Array) -> npt.NDArray[np.float32] | None:
    """Normals from the file; None if they are invalid."""
    given = np.asarray(part.vertex_normals, dtype=np.float64)
    if given.shape != (len(part.vertices), 3):
        return None
    # normals transform with the inverse transpose
    turned = given @ np.linalg.inv(R)
    sizes = np.linalg.norm(turned, axis=1, keepdims=True)
    if not np.all(np.isfinite(sizes)) or not np.all(sizes > 0.0):
        return None
    found: npt.NDArray[np.float32] = (turned / sizes).astype(np.float32)[triangles]
    return found


def _texture(material: Any) -> Texture | None:
    """The texture image of a material."""
    picture = getattr(material, "image", None) or getattr(material, "baseColorTexture", None)
    return None if picture is None else written_anew(picture)
