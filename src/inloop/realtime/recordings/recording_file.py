"""The file of a recording: created by one writer, private to its owner, and synced.

Everything committed survives the death of the writer; everything synced survives that of the
machine. A file is synced when it is created, at the first commit after SYNC_EVERY, and when it is
finished.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path

from inloop.errors import InputError
from inloop.realtime.closing import Closing

SYNC_EVERY = 1.0  # [s]: maximum loss by a power cut, besides uncommitted data
MODE = 0o600  # of the file


class WholePieces(Closing):
    """A file that grows by whole pieces: written data are buffered until `commit`.

    Args:
        path: where it is made.
        overwrite: remove an existing file; otherwise the file must be new.
        sync: makes file contents survive a power cut; takes a file descriptor.

    Attributes:
        size: of the file [bytes].

    Raises:
        InputError: the file exists already, or is being written.
    """

    def __init__(
        self, path: Path, overwrite: bool = False, sync: Callable[[int], None] = os.fdatasync
    ) -> None:
        if overwrite and check_replaceable(path):
            path.unlink()
        self._file, self._sync = _make(path), sync
        self._pending = bytearray()
        self.size = 0
        self._synced = time.monotonic()
        # the name of the file must survive, too
        sync_directory(path.parent)

    def write(self, data: bytes) -> int:
        """Buffer data."""
        self._pending += data
        return len(data)

    def tell(self) -> int:
        """Position of the next byte."""
        return self.size + len(self._pending)

    def flush(self) -> None:
        """Does nothing: see `commit`."""

    def commit(self, sync: bool = False) -> None:
        """Write all buffered data to the file, or nothing.

        Args:
            sync: sync now; otherwise when it is due.

        Raises:
            OSError: the disk is full, or gone.
        """
        left = memoryview(bytes(self._pending))
        try:
            while left:
                left = left[self._put(left) :]
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self.size)
                os.lseek(self._file, self.size, os.SEEK_SET)
            raise
        self.size += len(self._pending)
        self._pending.clear()
        if sync or time.monotonic() - self._synced >= SYNC_EVERY:
            self._sync(self._file)
            self._synced = time.monotonic()

    def close(self) -> None:
        """Close the file; uncommitted data are lost."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _put(self, data: memoryview) -> int:
        return os.write(self._file, data)


def _make(path: Path) -> int:
    """Create a new file, locked while it is open."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC
    try:
        file = os.open(path, flags, MODE)
    except FileExistsError:
        raise _already(path) from None
    fcntl.flock(file, fcntl.LOCK_EX)
    if os.fstat(file).st_nlink == 0:  # removed in between
        os.close(file)
        raise _busy(path)
    return file


def check_new(path: Path) -> None:
    """Check that a file can be created.

    Raises:
        InputError: it exists, or something else has this name.
    """
    if os.path.lexists(path):
        raise _already(path)


def check_replaceable(path: Path) -> bool:
    """Whether there is a file to replace that is not being written.

    Raises:
        InputError: it is being written, or is not a file.
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError:  # a symbolic link, or not accessible
        raise _no_file(path) from None
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise _no_file(path)
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _busy(path) from None
    finally:
        os.close(file)
    return True


def _already(path: Path) -> InputError:
    return InputError(
        f"there is a file {str(path)!a} already",
        fix="Choose another name, or replace it with --overwrite (overwrite=True).",
    )


def _no_file(path: Path) -> InputError:
    return InputError(f"{str(path)!a} is not a regular file of its own", fix="Choose another name.")


def _busy(path: Path) -> InputError:
    return InputError(f"another program is writing {str(path)!a}", fix="Choose another name.")


def sync_directory(path: Path) -> None:
    """Make the names in a directory survive a power cut."""
    file = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)
