"""Detects changed files: by time and size first, then by content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

LARGEST = 1 << 26  # bytes; larger files are compared by time and size only

Look = tuple[int, int, int]


class FileWatch:
    """Polls a set of files.

    A change counts once a file is the same in two polls, since an editor may still be writing. A
    file that is missing for a moment, because it is being replaced, has not changed.
    """

    def __init__(self, files: Iterable[Path]) -> None:
        self._looks = {path: _look(path) for path in files}
        self._contents = {path: _content(path) for path in self._looks}
        self._unsettled: dict[Path, Look | None] = {}

    def changed(self) -> list[Path]:
        """Files whose content has changed, and has been stable since the last poll."""
        found = []
        for path, before in self._looks.items():
            now = _look(path)
            if now is None or now == before:
                self._unsettled.pop(path, None)
                continue
            if self._unsettled.get(path) != now:
                self._unsettled[path] = now
                continue
            del self._unsettled[path]
            self._looks[path] = now
            content = _content(path)
            if content != self._contents[path]:
                self._contents[path] = content
                found.append(path)
        return found

    def watch(self, files: Iterable[Path]) -> None:
        """Watch these files from now on; known state is kept."""
        for path in (wanted := list(dict.fromkeys(files))):
            if path not in self._looks:
                self._looks[path], self._contents[path] = _look(path), _content(path)
        self._looks = {path: self._looks[path] for path in wanted}


def _look(path: Path) -> Look | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _content(path: Path) -> bytes:
    """A hash; b"" if the file cannot be read."""
    try:
        if path.stat().st_size > LARGEST:
            return repr(_look(path)).encode()
        return hashlib.sha256(path.read_bytes()).digest()
    except OSError:
        return b""
