"""Terrain: ground for wheels and feet from a file, a function, or a grid of heights."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from inloop.errors import FileFormatError, InputError
from inloop.geometry.heightfield import MOST_HEIGHTS, Heightfield
from inloop.geometry.mesh import Mesh
from inloop.geometry.mesh_files.given_file import read_bytes
from inloop.geometry.mesh_files.mesh_file import mesh
from inloop.geometry.mesh_files.picture import pillow
from inloop.geometry.sizes import Array, items, number, size

HEIGHTMAPS = {".png": ("PNG",), ".tif": ("TIFF",), ".tiff": ("TIFF",)}
PIXEL_SCALE = 33550  # GeoTIFF 1.1, ModelPixelScaleTag: edges of a pixel
MARK_OF_NOTHING = 42113  # GDAL_NODATA: the value of pixels without a height
USUAL_MARKS = (-9999.0, -32768.0)  # values with that meaning if the file does not declare one
KEYS = 34735  # GeoKeyDirectoryTag: four numbers each, first the key, last its value
MODEL_TYPE, DEGREES = 1024, 2  # GTModelTypeGeoKey of geographic coordinates
BELOW = 0.02  # relative to the larger edge: depth of the underside below the lowest height

Source = str | os.PathLike[str] | Callable[[Any, Any], Any] | Sequence[Sequence[float]] | Array


def terrain(
    source: Source,
    size: tuple[float, float] | None = None,
    *,
    cell: float | None = None,
    heights: tuple[float, float] | None = None,
    unit: str | None = None,
    up: str = "z",
) -> Heightfield | Mesh:
    """Ground about the origin of its frame, z upwards, for hard contacts and for drawing.

    Args:
        source: a mesh (OBJ, STL, ...; triangles counterclockwise seen from outside), a heightmap
            (PNG, TIFF, GeoTIFF; north, +y, is at the top), a function of x and y [m] that returns
            heights [m], or a grid heights[i][j] at the i-th x and the j-th y [m].
        size: edges along x and y [m]; not for meshes. A GeoTIFF in metres has its own.
        cell: edge of the grid cells at which a function is sampled [m].
        heights: heights of black and white of a PNG [m].
        unit: unit of a mesh: "m", "mm", ...
        up: axis of a mesh that points up and becomes z.

    Raises:
        InputError: an argument is wrong or missing, or Pillow or trimesh is not installed.
        FileFormatError: the file is missing, broken or too large.
    """
    if callable(source):
        return _field(_of_function(source, size, cell), size)
    if not isinstance(source, str | os.PathLike):
        return _field(source, size)
    path = Path(source)
    if path.suffix.lower() not in HEIGHTMAPS:
        return mesh(path, unit=unit, up=up)
    values, pixel = _read_heightmap(path)
    if path.suffix.lower() == ".png":
        low, high = (number(x, "a height") for x in items(heights, "heights of a PNG", 2))
        values = low + (high - low) * values
    if size is None and pixel is not None:
        # heights are given at pixel centers
        size = ((values.shape[1] - 1) * pixel[0], (values.shape[0] - 1) * pixel[1])
    # image rows go south, heightfield rows go east
    return _field(values[::-1].T, size)


def _field(heights: Any, size: tuple[float, float] | None) -> Heightfield:
    if size is None:
        raise InputError(
            "terrain has no size", fix="Give its edges along x and y: size=(20.0, 20.0)."
        )
    try:
        found = np.array(heights, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        found = np.zeros(0)
    lowest = found.min() if found.size and np.isfinite(found).all() else 0.0
    edges = [number(edge, "an edge of terrain") for edge in items(size, "the size of terrain", 2)]
    return Heightfield(found, tuple(edges), float(lowest) - BELOW * max(edges))  # type: ignore[arg-type]


def _of_function(
    height: Callable[[Any, Any], Any], edges: tuple[float, float] | None, cell: float | None
) -> Array:
    if edges is None or cell is None:
        raise InputError(
            "terrain from a function needs a size and a cell",
            fix="Write terrain(height, size=(20.0, 20.0), cell=0.1).",
        )
    step = number(size(cell, "the cell of terrain"), "the cell of terrain")
    sides = [number(edge, "an edge of terrain") for edge in items(edges, "the size of terrain", 2)]
    counts = [max(2, round(side / step) + 1) for side in sides]
    if counts[0] * counts[1] > MOST_HEIGHTS:
        raise InputError(
            f"terrain of {counts[0]} by {counts[1]} heights is too large",
            fix=f"Use larger cells: at most {MOST_HEIGHTS} heights.",
        )
    x, y = (
        np.linspace(-0.5 * side, 0.5 * side, count)
        for side, count in zip(sides, counts, strict=True)
    )
    return np.array([[_height(height(a, b)) for b in y.tolist()] for a in x.tolist()])


def _height(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(
            f"the function of terrain returned {str(value)[:60]}, which is not a height",
            fix="Return one number [m] for each x and y.",
        ) from None


def _read_heightmap(path: Path) -> tuple[Array, tuple[float, float] | None]:
    """Values by row and column, integers scaled to 0..1, and the pixel size if the file has one.

    Raises:
        FileFormatError: it cannot be read.
        InputError: the package Pillow is missing.
    """
    data = read_bytes(path, "Make the picture smaller.")
    Image = pillow("heightmaps")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # oversized images are rejected below
            image: Any = Image.open(io.BytesIO(data), formats=HEIGHTMAPS[path.suffix.lower()])
        if image.width * image.height > MOST_HEIGHTS:
            raise ValueError(f"more than {MOST_HEIGHTS} pixels")
        tags = getattr(image, "tag_v2", {})
        nothing = tags.get(MARK_OF_NOTHING)
        if image.mode not in ("L", "I", "F", "I;16", "I;16B"):
            image = _without_colors(image)
        values = np.array(image, dtype=np.float64)
        marks = [] if nothing is None else [float(str(nothing).strip("\0 "))]
        if np.isin(values, [*marks, *USUAL_MARKS]).any():
            raise ValueError("some pixels have no height")
    except Exception as error:  # readers may raise anything on a broken file
        cause = f"{type(error).__name__}: {str(error)[:200]}"
        raise FileFormatError(
            f"the heightmap cannot be read ({cause})", str(path), "Save it again as PNG or TIFF."
        ) from None
    if path.suffix.lower() == ".png":
        values /= 255.0 if image.mode == "L" else 65535.0
    return values, _pixel(tags)


def _without_colors(image: Any) -> Any:
    """Convert an image with only gray colors to 8 bits.

    Raises:
        ValueError: it has colors, transparent pixels, or more bits than would be read.
    """
    if ";16" in str(image.tile):
        raise ValueError("16-bit color is read as 8-bit: save it as grayscale without transparency")
    colors = np.array(image.convert("RGBA"))
    if (colors[..., :3] != colors[..., :1]).any():
        raise ValueError("it has colors, not heights: save it in grayscale")
    if (colors[..., 3] == 0).any():
        raise ValueError("some pixels have no height: they are transparent")
    return image.convert("L")


def _pixel(tags: Any) -> tuple[float, float] | None:
    """Pixel size [m], if the file has one."""
    scale, keys = tags.get(PIXEL_SCALE), tags.get(KEYS, ())
    in_degrees = (MODEL_TYPE, DEGREES) in zip(keys[4::4], keys[7::4], strict=False)
    if scale is None or len(scale) < 2 or in_degrees:
        return None
    return float(scale[0]), float(scale[1])
