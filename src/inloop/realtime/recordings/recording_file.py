"""The file of a recording: made once, by one writer, for its owner alone, and synced.

What survives: everything that was committed, if the writer dies; everything that was synced, if the
machine does. A file is synced when it begins, at the first commit after SYNC_EVERY, and when it
is finished.
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

SYNC_EVERY = 1.0  # [s]: what a power cut may take, beside what was not committed
MODE = 0o600  # of the file


class WholePieces(Closing):
    """A file that grows by whole pieces: what is written is kept until `commit`.

    Args:
        path: where it is made.
        overwrite: remove a file that is there; without it the file must be new.
        sync: makes what a file holds survive a power cut; takes its descriptor.

    Attributes:
        size: of the file [bytes].

    Raises:
        InputError: there is a file already, or somebody writes it.
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
        # the name of the file must survive too
        sync_directory(path.parent)

    def write(self, data: bytes) -> int:
        """Keep data for later."""
        self._pending += data
        return len(data)

    def tell(self) -> int:
        """Where the next byte goes."""
        return self.size + len(self._pending)

    def flush(self) -> None:
        """Nothing: see `commit`."""

    def commit(self, sync: bool = False) -> None:
        """Put all that is kept into the file, or nothing of it.

        Args:
            sync: now; otherwise when it is due.

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
        """Let go of the file; what was not committed is lost."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _put(self, data: memoryview) -> int:
        return os.write(self._file, data)


def _make(path: Path) -> int:
    """A new file of our own, locked for as long as it is open."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC
    try:
        file = os.open(path, flags, MODE)
    except FileExistsError:
        raise _already(path) from None
    fcntl.flock(file, fcntl.LOCK_EX)
    if os.fstat(file).st_nlink == 0:  # removed by one who came between
        os.close(file)
        raise _busy(path)
    return file


def check_new(path: Path) -> None:
    """See that a file can be made.

    Raises:
        InputError: there is one, or something else of this name.
    """
    if os.path.lexists(path):
        raise _already(path)


def check_replaceable(path: Path) -> bool:
    """Whether there is a file to replace, which nobody writes.

    Raises:
        InputError: somebody does, or it is no file.
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError:  # a symbolic link, or what cannot be opened
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
