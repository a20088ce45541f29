"""A z-buffered canvas for triangles, with antialiasing by supersampling."""

from __future__ import annotations

import functools
from importlib.resources import files
from typing import Any, TypeAlias

import numpy as np

from inloop.native import NativeLibrary
from inloop.native.building.build import build_library
from inloop.native.library import COUNT, POINTER, REAL

Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]
Bytes: TypeAlias = np.ndarray[Any, np.dtype[np.uint8]]

SMOOTH = 2  # supersampling factor, in both directions
FAR = -np.inf


class Canvas:
    """Pixels with a depth buffer.

    Args:
        width, height: size of the picture [pixels].
        color: background color, red, green and blue from 0 to 255.

    Attributes:
        width, height: size of the supersampled canvas: `SMOOTH` times as many pixels.
    """

    def __init__(self, width: int, height: int, color: tuple[float, float, float]) -> None:
        self._size = (width, height)
        self.width, self.height = SMOOTH * width, SMOOTH * height
        self._pixels: Bytes = np.empty((self.height, self.width, 3), dtype=np.uint8)
        self._pixels[:] = np.array(color, dtype=np.uint8)
        self._nearness: Floats = np.empty((self.height, self.width), dtype=np.float32)
        self._empty = self._pixels.copy()
        self.clear()

    def clear(self) -> None:
        """Reset to the kept background."""
        self._pixels[:] = self._empty
        self._nearness[:] = FAR

    def push_back(self) -> None:
        """Move everything drawn so far behind all that follows."""
        self._nearness[:] = FAR

    def keep(self) -> None:
        """Likewise, and make it the background that `clear` restores."""
        self._empty[:] = self._pixels
        self.push_back()

    def triangles(self, corners: Floats, opacity: float = 1.0) -> None:
        """Draw triangles.

        Args:
            corners: x, y [canvas pixels], nearness, red, green, blue, shape (count, 3, 6).
            opacity: from 0 to 1; translucent triangles hide nothing.
        """
        given = np.ascontiguousarray(corners, dtype=np.float32)
        _function("il_draw_triangles")(
            len(given), given.ctypes.data, opacity, self.width, self.height,
            self._nearness.ctypes.data, self._pixels.ctypes.data,
        )  # fmt: skip

    def picture(self) -> Bytes:
        """The downsampled picture, shape (height, width, 3)."""
        width, height = self._size
        found: Bytes = np.empty((height, width, 3), dtype=np.uint8)
        reduce = _function("il_reduce")
        reduce(SMOOTH, width, height, self._pixels.ctypes.data, found.ctypes.data)
        return found


_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "il_draw_triangles": (COUNT, POINTER, REAL, COUNT, COUNT, POINTER, POINTER),
    "il_reduce": (COUNT, COUNT, COUNT, POINTER, POINTER),
}


@functools.cache
def _function(name: str) -> Any:
    return _library().function(name, *_ARGUMENTS[name], returns=None)


@functools.cache
def _library() -> NativeLibrary:
    text = files("inloop.pictures").joinpath("raster.c").read_text(encoding="utf-8")
    return NativeLibrary(build_library({"raster.c": text}))
