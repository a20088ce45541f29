"""Read files named by users or other files: regular, within a size limit, in their folder."""

from __future__ import annotations

import stat
from pathlib import Path

from inloop.errors import FileFormatError

LARGEST_FILE = 64 * 2**20  # bytes


def read_bytes(path: Path, advice: str) -> bytes:
    """Return the contents of a regular file within the size limit.

    Args:
        path: of the file.
        advice: the fix to suggest for a file that is too large.
    """
    try:
        # a pipe or a device may never end
        if not stat.S_ISREG(path.stat().st_mode):
            raise FileFormatError("not a regular file", str(path), "Give the path of a file.")
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise FileFormatError(
            f"cannot open the file: {reason}", str(path), "Check the path and its permissions."
        ) from None
    if len(data) > LARGEST_FILE:
        raise FileFormatError(
            f"the file is larger than {LARGEST_FILE // 2**20} MB",
            str(path),
            advice,
        )
    return data


def inside(path: Path, folder: Path) -> bool:
    """Whether a path, after following symbolic links, lies in a folder."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):
        return False
