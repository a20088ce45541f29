"""Files that appear whole or not at all: a full disk or Ctrl-C leaves the previous one."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

UNFINISHED = ".unfinished"


@contextlib.contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """A path to write to; what was written becomes the target at once, and safely.

    Pipes and devices, such as /dev/stdout, are written to directly.

    Raises:
        OSError: the disk is full, or refuses it otherwise; it names the target.
    """
    if target.exists() and not target.is_file():
        yield target
        return
    named, target = target, target.resolve()  # the file that a link leads to, not the link
    writer = f"{os.getpid()}-{threading.get_ident()}"
    unfinished = target.with_name(f"{UNFINISHED}-{writer}{target.suffix}")
    try:
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        yield unfinished
        with open(unfinished, "rb") as file:
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, unfinished)
        unfinished.replace(target)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(named)) from error
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
