"""Visuals as plain data for the page; meshes by name, each packed once."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from inloop.errors import InloopError
from inloop.geometry import ConvexHull, Heightfield, Mesh, MeshFile, Shape, Visual, shape_from
from inloop.geometry.mesh_files.picture import Picture
from inloop.plant import Array
from inloop.studio.drawing.mesh_packing import PackedMesh, name_of, pack
from inloop.studio.drawing.mesh_store import packed_file

NO_SCALE = (1.0, 1.0, 1.0)
SHORTEST = 1e-9  # [m]


class MeshShelf:
    """Meshes and pictures that the page may request.

    Attributes:
        blocks: packed meshes, and pictures unchanged, by name.
    """

    def __init__(self) -> None:
        self.blocks: dict[str, bytes] = {}
        self._packed: dict[object, PackedMesh | None] = {}
        self._pictures: dict[Picture, str | None] = {}

    def data(self, visual: Visual) -> dict[str, Any] | None:
        """Plain data of a visual with a numeric position; None if it cannot be drawn."""
        found = self._bare(visual)
        name = None if found is None or visual.picture is None else self._picture(visual.picture)
        return found if found is None or name is None else {**found, "picture": name}

    def _picture(self, picture: Picture) -> str | None:
        """Name of a picture; None, with a warning, if it cannot be read."""
        if picture not in self._pictures:
            try:
                content = picture.texture().image
                self._pictures[picture] = name = name_of(content)
                self.blocks[name] = content
            except InloopError as error:
                warnings.warn(f"a picture is not drawn: {error}", stacklevel=2)
                self._pictures[picture] = None
        return self._pictures[picture]

    def _bare(self, visual: Visual) -> dict[str, Any] | None:
        shape = visual.shape
        if not isinstance(shape, Mesh | MeshFile | ConvexHull | Heightfield):
            return visual.data()
        packed = self._pack(shape)
        if packed is None:
            return None
        scale = shape.scale if isinstance(shape, MeshFile) else NO_SCALE
        told = {"kind": "packed", "name": packed.name, "scale": scale, "bounds": packed.bounds}
        return {**visual.placement(), "shape": told}

    def _pack(self, shape: Shape) -> PackedMesh | None:
        """Pack a mesh once; None, with a warning, if it cannot be read."""
        # the same file may be used at several scales
        key = (shape.path, shape.unit, shape.up) if isinstance(shape, MeshFile) else shape
        if key not in self._packed:
            try:
                packed = packed_file(shape) if isinstance(shape, MeshFile) else pack(shape)
                self.blocks[packed.name] = packed.content
                self._packed[key] = packed
            except InloopError as error:
                warnings.warn(f"a mesh is not drawn: {error}", stacklevel=2)
                self._packed[key] = None
        return self._packed[key]


def placed_look(look: Mapping[str, Any], points: Array) -> dict[str, Any]:
    """A look placed at its points: at the first one, or from the first to the second.

    Args:
        look: plain data, with the numbers of its points or of the corners of its outline, if any.
        points: points by number, in body axes [m].
    """
    told = dict(look)
    numbers, outline = told.pop("points", None), told.pop("outline", None)
    if outline is not None:
        flat = points[list(outline)][:, ["xyz".index(x) for x in told["shape"]["plane"]]]
        return {**told, "shape": {**told["shape"], "corners": flat.tolist()}}
    if numbers is None:
        return told
    p, *others = points[list(numbers)]
    if not others:
        return {**told, "position": p.tolist()}
    along = others[0] - p
    length = float(np.linalg.norm(along))
    axis = (along / length).tolist() if length > 0.0 else [0.0, 0.0, 1.0]
    # a cylinder must have a length
    shape = {**told["shape"], "length": max(length, SHORTEST), "axis": axis}
    return {**told, "position": (p + 0.5 * along).tolist(), "shape": shape}


def corners_of(look: Mapping[str, Any]) -> Array:
    """Corners of a bounding box of a look, in body axes [m]; none for a plane."""
    shape, told = look["shape"], look
    if shape["kind"] == "plane":
        return np.zeros((0, 3))
    if shape["kind"] == "packed":
        low, high = np.sort(np.array(shape["bounds"]) * np.array(shape["scale"]), axis=0)
    else:
        low, high = shape_from(shape).bounds
    corners = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T
    return np.asarray(np.array(told["position"]) + corners @ np.array(told["rotation"]).T)
