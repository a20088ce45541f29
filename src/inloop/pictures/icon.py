"""A small still picture of a mechanism as the bytes of a .png file, to embed in other files."""

from __future__ import annotations

import struct
import warnings
import zlib

import numpy as np

from inloop.errors import InloopError
from inloop.pictures.canvas import Bytes
from inloop.pictures.palette import palette
from inloop.pictures.renderer import Renderer
from inloop.pictures.shown import Shown
from inloop.plant import Array, BarePlant

WIDTH, HEIGHT = 240, 180  # [pixels]
MOST_DRAWN = 300  # bodies


def icon(plant: BarePlant, q: Array | None = None) -> bytes:
    """The mechanism as a .png file, or b"" if it cannot be drawn.

    Args:
        plant: the compiled mechanism, with its current parameters.
        q: positions [rad or m]; default: initial positions of the joints.
    """
    if not 0 < len(plant.mechanism.bodies) <= MOST_DRAWN:
        return b""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            shown = Shown(plant.mechanism, dict(plant.parameters))
            X = shown.poses((shown.start if q is None else np.asarray(q))[None])
            size = {"width": WIDTH, "height": HEIGHT}
            renderer = Renderer(shown, X, **size, colors=palette("light"))
            return png(renderer.picture(X[0]))
    except InloopError:
        # an export must not fail because of its picture
        return b""


def png(pixels: Bytes) -> bytes:
    """A .png file of pixels, shape (height, width, 3)."""
    height, width, _ = pixels.shape
    # a leading zero in each row: no filter
    rows = np.zeros((height, 1 + 3 * width), dtype=np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits of red, green, blue
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
