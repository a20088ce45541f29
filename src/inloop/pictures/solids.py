"""Visuals of a scene as triangles and lines, each fixed to its body."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from inloop.errors import InputError
from inloop.geometry import Surface, shape_from
from inloop.geometry.surface import corner_normals
from inloop.pictures.palette import Palette, rgb
from inloop.pictures.shown import GROUND
from inloop.plant import Array

CREASE = math.cos(math.radians(30.0))  # cosine of the crease angle: sharper edges are outlined
ROUND = 24  # segments of a circle of a solid
AROUND = 48  # segments of a circle drawn as a line


@dataclass(frozen=True)
class Solid:
    """A part of a body.

    Attributes:
        body: number of the body, GROUND for the ground.
        vertices: in body axes [m], shape (n, 3).
        triangles: indices of vertices, shape (m, 3).
        normals: at the corners of the triangles, shape (m, 3, 3).
        colors: red, green, blue at these corners, 0 to 255, shape (m, 3, 3) or (3,).
        opacity: from 0 to 1.
        lines: outlines, or the whole shape if it is a line [m], shape (k, 2, 3).
        line_color: color of the lines.
        both_sides: whether the surface may be seen from behind.
    """

    body: int
    vertices: Array
    triangles: Any
    normals: Array
    colors: Array
    opacity: float
    lines: Array
    line_color: Array
    both_sides: bool = False


def solids(scene: Mapping[str, Any], meshes: Mapping[str, bytes], colors: Palette) -> list[Solid]:
    """All solids of a scene, those of the ground first."""
    found: list[Solid] = []
    groups = [(GROUND, scene["ground"], colors["ground"])]
    groups += [(k, body["shapes"], colors.body(k)) for k, body in enumerate(scene["bodies"])]
    for body, looks, color in groups:
        for look in looks:
            found += _solids(body, look, color, meshes, colors)
    return found


def _solids(
    body: int, look: Mapping[str, Any], color: str, meshes: Mapping[str, bytes], colors: Palette
) -> Iterator[Solid]:
    given = look["color"]
    base = np.array(rgb(color)) if given is None else 255.0 * np.array(given[:3])
    opacity = 1.0 if given is None else float(given[3])
    ink = 0.5 * (base + np.array(colors.rgb("ink")))
    p, R = np.array(look["position"]), np.array(look["rotation"])
    shape = look["shape"]
    none = np.zeros((0, 2, 3))
    if shape["kind"] == "packed":
        scale = np.array(shape["scale"])
        for vertices, triangles, normals, own in _packed(meshes[shape["name"]]):
            turned = normals / scale @ R.T
            turned /= np.maximum(np.linalg.norm(turned, axis=-1, keepdims=True), 1e-30)
            where = p + (vertices * scale) @ R.T
            yield Solid(
                body,
                where,
                triangles,
                turned,
                base if own is None else own,
                opacity,
                none,
                ink,
                True,
            )
        return
    lines = _polyline(shape)
    if lines is not None:
        pairs = p + np.stack([lines[:-1], lines[1:]], axis=1) @ R.T
        empty = np.zeros((0, 3))
        yield Solid(
            body,
            empty,
            np.zeros((0, 3), dtype=np.int64),
            np.zeros((0, 3, 3)),
            base,
            1.0,
            pairs,
            base,
        )
        return
    try:
        surface = shape_from(shape).surface(ROUND)
    except InputError:  # an unbounded plane
        return
    normals = corner_normals(surface) @ R.T
    edges = p + _edges(surface) @ R.T
    where = p + surface.vertices @ R.T
    yield Solid(body, where, surface.triangles, normals, base, opacity, edges, ink)


def _polyline(shape: Mapping[str, Any]) -> Array | None:
    """Points of a shape that is a line; None for others."""
    kind = shape["kind"]
    if kind == "line":
        return np.array(shape["points"], dtype=np.float64)
    if kind == "segment":
        half = 0.5 * shape["length"] * np.array(shape["along"])
        return np.array([-half, half])
    if kind not in ("circle", "rim"):
        return None
    axis = np.array(shape["axis"], dtype=np.float64)
    aside = np.cross(axis, (0.0, 1.0, 0.0) if abs(axis[1]) < 0.9 else (1.0, 0.0, 0.0))
    aside /= np.linalg.norm(aside)
    turn = np.linspace(0.0, 2.0 * math.pi, AROUND + 1)[:, None]
    return np.asarray(
        shape["radius"] * (np.cos(turn) * aside + np.sin(turn) * np.cross(axis, aside))
    )


def _edges(surface: Surface) -> Array:
    """Crease edges between triangles, shape (k, 2, 3) [m]."""
    whole = surface.joined_corners()
    v, triangles = whole.vertices, whole.triangles
    across = np.cross(
        v[triangles[:, 1]] - v[triangles[:, 0]], v[triangles[:, 2]] - v[triangles[:, 0]]
    )
    sizes = np.linalg.norm(across, axis=1, keepdims=True)
    flat = across / np.maximum(sizes, 1e-300)
    sides = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    faces = np.repeat(np.arange(len(triangles)), 3)
    order = np.lexsort(sides.T[::-1])
    sides, faces = sides[order], faces[order]
    same = (sides[1:] == sides[:-1]).all(axis=1)
    first = np.flatnonzero(same)
    bent = np.einsum("ni,ni->n", flat[faces[first]], flat[faces[first + 1]]) < CREASE
    return np.asarray(v[sides[first[bent]]])


def _packed(content: bytes) -> Iterator[tuple[Array, Any, Array, Array | None]]:
    """Vertices, triangles, normals and colors at corners of a block; see `mesh_packing`."""
    (length,) = struct.unpack_from("<4xI", content)
    start = 8 + length
    for part in json.loads(content[8:start])["parts"]:

        def array(name: str, kind: str, width: int, told: Any = part) -> Any:
            begin, size = told[name]
            data = content[start + begin : start + begin + size]
            return np.frombuffer(data, kind).reshape(-1, width)

        triangles = array("indices", "<u4", 3).astype(np.int64)
        normals = array("normals", "<i2", 4)[:, :3].astype(np.float64)[triangles] / 32767.0
        own = None
        if "colors" in part:
            own = array("colors", "u1", 4)[:, :3].astype(np.float64)[triangles]
        yield array("positions", "<f4", 3).astype(np.float64), triangles, normals, own
