"""Locks between processes that the kernel releases when their holder dies."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_PAUSE = 0.01  # between two attempts [s]


@contextlib.contextmanager
def exclusive(path: Path, *, patience: float) -> Iterator[bool]:
    """Hold the lock file at `path` during a `with` block.

    The lock only avoids duplicate work; correctness must not depend on it. So it gives up after
    `patience`, or where the file system has no locks, instead of blocking forever.

    Args:
        path: the lock file; created here, removed at the end.
        patience: maximum wait [s].

    Yields:
        Whether the lock is held.
    """
    deadline = time.monotonic() + patience
    handle = _acquire(path)
    while handle is None and time.monotonic() < deadline:
        time.sleep(_PAUSE)
        handle = _acquire(path)
    try:
        yield handle is not None and handle >= 0
    finally:
        if handle is not None and handle >= 0:
            # removed while held: see _is_current for waiters on the removed file
            path.unlink(missing_ok=True)
            _release(handle)


def is_held(path: Path) -> bool:
    """Whether a living process holds the lock file at `path`; True if that is unknown."""
    if sys.platform == "win32":
        return True
    try:
        handle = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        return not _try_lock(handle)
    except OSError:
        return True
    finally:
        _release(handle)


def _acquire(path: Path) -> int | None:
    """The locked file descriptor, None if another process holds it, -1 if locks are unsupported."""
    if sys.platform == "win32":
        return -1
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if _try_lock(handle) and _is_current(handle, path):
            return handle
    except OSError:  # a file system without locks
        os.close(handle)
        return -1
    os.close(handle)
    return None


def _try_lock(handle: int) -> bool:
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_current(handle: int, path: Path) -> bool:
    """Whether the locked file is still the one at `path`."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _release(handle: int) -> None:
    if sys.platform != "win32":
        # explicit, because a forked child may hold a copy of the descriptor
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_UN)
    os.close(handle)
