"""The directory of built libraries, private to the user."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
import warnings
from pathlib import Path

_LAYOUT = "v1"  # increase when the layout of an entry changes
_ROOMS = ("entries", "work", "locks", "failed", "probes")


def cache_directory() -> Path:
    """The directory of the build cache, created and checked, with mode 0700.

    It is `$INLOOP_CACHE`, else `$XDG_CACHE_HOME/inloop`, else `~/.cache/inloop`, or a temporary one
    for this process (with a warning) if that is not writable or belongs to another user.
    """
    wanted = _wanted_directory()
    try:
        return _prepared(wanted / _LAYOUT)
    except OSError as error:
        return _temporary_directory(str(wanted), error.strerror or str(error))


def _wanted_directory() -> Path:
    if chosen := os.environ.get("INLOOP_CACHE"):
        return Path(chosen).expanduser().absolute()
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base).expanduser().absolute() / "inloop"
    try:
        return Path.home() / ".cache" / "inloop"
    except RuntimeError:  # no home directory at all: _prepared fails on it
        return Path("/nonexistent/inloop")


def _prepared(directory: Path) -> Path:
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    _refuse_foreign(directory)
    for room in _ROOMS:
        (directory / room).mkdir(mode=0o700, exist_ok=True)
    if not os.access(directory / "entries", os.W_OK | os.X_OK):
        raise PermissionError(13, "it is not writable")
    return directory


def _refuse_foreign(directory: Path) -> None:
    """Libraries from here are executed: nobody else may be able to write to it."""
    status = directory.stat()
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        raise PermissionError(13, "it belongs to another user")
    if os.name == "posix" and status.st_mode & 0o022:
        raise PermissionError(13, "other users can write to it")


@functools.cache
def _temporary_directory(wanted: str, reason: str) -> Path:
    directory = Path(tempfile.mkdtemp(prefix="inloop-"))
    owner = os.getpid()

    def remove() -> None:
        if os.getpid() == owner:  # a forked child must not remove it
            shutil.rmtree(directory, ignore_errors=True)

    atexit.register(remove)
    warnings.warn(
        f"The build cache {wanted} cannot be used ({reason}), so compiled models are kept for this "
        "process only; set INLOOP_CACHE to a directory of your own.",
        stacklevel=2,
    )
    return _prepared(directory / _LAYOUT)
