"""`load_road`: the single entry point for all road files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from inloop.errors import FileFormatError, InputError
from inloop.io.roads.opencrg import read_crg
from inloop.io.roads.opendrive import read_xodr
from inloop.model.geometry import Scalar
from inloop.model.tyres.line_roads import LineRoad
from inloop.model.tyres.roads import Height


def load_road(
    path: str | os.PathLike[str],
    *,
    grip: Scalar | Height = 1.0,
    start: tuple[float, float] | None = None,
    kind: str = "cubic",
    between: tuple[float, float] | None = None,
    every: int = 1,
    roads: Sequence[str] | None = None,
) -> LineRoad:
    """See `il.load_road`."""
    if not isinstance(every, int) or every < 1:  # type: ignore[redundant-expr]
        raise InputError(f"every = {every!r} is not a whole number above 0", fix="Give 1, 2, ...")
    if _is_xml(Path(path)):
        if between is not None or every != 1:
            raise InputError("between and every are only for OpenCRG files", fix="Leave them out.")
        road = read_xodr(path, grip=grip, roads=roads)
    else:
        if roads is not None:
            raise InputError("roads is only for OpenDRIVE files", fix="Leave it out.")
        road = read_crg(path, grip=grip, kind=kind, between=between, every=every)
    return road if start is None else road.moved(*start)


def _is_xml(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            begin = file.read(4096)
    except OSError as error:
        raise FileFormatError(f"the file cannot be read: {error.strerror}", str(path)) from None
    text = begin.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not text.startswith(b"<") and b"$" not in begin:
        raise FileFormatError(
            "the file does not describe a road",
            str(path),
            "Give a file of OpenDRIVE (.xodr) or OpenCRG (.crg).",
        )
    return text.startswith(b"<")
