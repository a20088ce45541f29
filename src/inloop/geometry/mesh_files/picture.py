"""An image on a shape, read from its file when it is drawn."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inloop.errors import FileFormatError, InputError
from inloop.geometry.mesh import Texture
from inloop.geometry.mesh_files.given_file import inside, read_bytes

LARGEST_PICTURE = 2048  # pixels along an edge; larger images are reduced
MOST_PIXELS = 64_000_000  # pixels of an image that is opened at all
QUALITY = 88  # JPEG quality
FORMATS = ("BMP", "GIF", "JPEG", "PNG", "TIFF", "WEBP")


def pillow(what: str) -> Any:
    """Import Pillow.

    Args:
        what: what needs it, in the plural.

    Raises:
        InputError: the package Pillow is missing.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise InputError(
            f"{what} need the package Pillow", fix="Install it: pip install inloop[meshes]"
        ) from error
    return Image


@dataclass(frozen=True)
class Picture:
    """An image file.

    Attributes:
        path: path of the file.
        folder: the folder in which it must lie.
    """

    path: str
    folder: str

    def texture(self) -> Texture:
        """The image, re-encoded.

        Raises:
            FileFormatError: the file is missing, broken or too large, or lies elsewhere.
            InputError: the package Pillow is missing.
        """
        path = Path(self.path)
        if not inside(path, Path(self.folder)):
            raise FileFormatError(
                f"the picture is outside the folder {self.folder!a}",
                self.path,
                "Move it into the folder.",
            )
        data = read_bytes(path, "Make the picture smaller.")
        Image = pillow("pictures")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # oversized images are rejected below
                found = written_anew(Image.open(io.BytesIO(data), formats=FORMATS))
        except Exception as error:  # readers may raise anything on a broken file
            cause = f"{type(error).__name__}: {str(error)[:200]}"
            raise FileFormatError(
                f"the picture cannot be read ({cause})",
                self.path,
                f"Give one of: {', '.join(FORMATS)}.",
            ) from None
        if found is None:
            raise FileFormatError(
                f"the picture has more than {MOST_PIXELS} pixels", self.path, "Make it smaller."
            )
        return found


def written_anew(picture: Any) -> Texture | None:
    """Re-encode a Pillow image, so that no foreign bytes reach the browser; None if too large."""
    if picture.width * picture.height > MOST_PIXELS:
        return None
    transparent = picture.mode in ("RGBA", "LA", "P")
    picture = picture.convert("RGBA" if transparent else "RGB")
    picture.thumbnail((LARGEST_PICTURE, LARGEST_PICTURE))
    stream = io.BytesIO()
    if transparent:
        picture.save(stream, "PNG")
        return Texture(stream.getvalue(), "image/png")
    picture.save(stream, "JPEG", quality=QUALITY)
    return Texture(stream.getvalue(), "image/jpeg")
