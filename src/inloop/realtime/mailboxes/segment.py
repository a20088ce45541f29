"""The shared memory segment of one plant: created atomically, found by name, always removed.

It is filled under another name and then linked to its own, so that it is never seen half-filled.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import itertools
import os
import re
import time
from collections.abc import Callable
from pathlib import Path

from inloop.errors import InputError, MailboxError
from inloop.realtime.checks import is_text, shown
from inloop.realtime.clock import standing_still
from inloop.realtime.mailboxes.layout import Layout, header_of
from inloop.realtime.mailboxes.memory import Memory
from inloop.realtime.mailboxes.segment_file import (
    ABANDONED_AFTER,
    abandoned,
    identity_of,
    living_process,
    opened,
)

DIRECTORY = Path("/dev/shm")
DRAFT = ".new"  # suffix of a file that is not yet a segment
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_counter = itertools.count()


def segment_path(name: str) -> Path:
    """The file of the segment of a plant; accessible to its user only."""
    if not is_text(name) or not _NAME.fullmatch(name):
        raise InputError(
            f"{shown(name)} cannot be the name of a running plant",
            fix="Use up to 64 letters, digits, '_', '-' and '.'.",
        )
    return DIRECTORY / f"inloop.{os.geteuid()}.{name}"


def running() -> list[str]:
    """Names of this user's running plants on this machine."""
    prefix = f"inloop.{os.geteuid()}."
    found = []
    for path in DIRECTORY.glob(f"{prefix}*"):
        # files of others are not plants
        with contextlib.suppress(FileNotFoundError, MailboxError), opened(path) as descriptor:
            if not path.name.endswith(DRAFT) and living_process(descriptor) is not None:
                found.append(path.name.removeprefix(prefix))
    return sorted(found)


class Segment:
    """A new segment, mapped; `close` removes its name.

    Attributes:
        path: its file.
        memory: its mapping.
    """

    def __init__(
        self, name: str, layout: Layout, slots: tuple[int, ...], scripted: bool = False
    ) -> None:
        self.path, self._maker = segment_path(name), os.getpid()
        header, text = header_of(layout, slots, scripted)
        size = int(header.size)
        _sweep()
        draft = self.path.with_name(f"{self.path.name}.{os.getpid()}.{next(_counter)}{DRAFT}")
        try:
            descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise _no_room(error) from error
        try:
            # all pages now: a full disk must not end the loop later
            os.posix_fallocate(descriptor, 0, size)
            self.memory = Memory(descriptor, size, populate=True)
            self._identity = identity_of(os.fstat(descriptor))
            self.memory.bytes[: ctypes.sizeof(header)] = bytes(header)
            if scripted:
                clock = standing_still()
                at = int(header.clock_offset)
                self.memory.bytes[at : at + ctypes.sizeof(clock)] = bytes(clock)
            self.memory.bytes[header.text_offset : header.text_offset + len(text)] = text
            _publish(draft, self.path, name)
        except OSError as error:
            raise _no_room(error) from error
        finally:
            os.close(descriptor)
            draft.unlink(missing_ok=True)

    @property
    def ours(self) -> bool:
        """Whether this process created it, and not a parent that forked this one."""
        return os.getpid() == self._maker

    def close(self) -> None:
        """Remove its name; attached processes keep the memory until they release it."""
        if self.ours:
            with contextlib.suppress(FileNotFoundError):
                if identity_of(os.lstat(self.path)) == self._identity:
                    self.path.unlink()


def _sweep() -> None:
    """Remove segments of killed plants of this user."""
    for path in DIRECTORY.glob(f"inloop.{os.geteuid()}.*"):
        with contextlib.suppress(OSError, MailboxError):
            if path.name.endswith(DRAFT):
                _remove_draft(path)
            else:
                _remove(path, abandoned)


def _remove_draft(path: Path) -> None:
    """Remove a draft unless its process, named in it, is still filling it."""
    process = path.name.removesuffix(DRAFT).split(".")[-2]
    old = time.time() - path.lstat().st_mtime > 1e-9 * ABANDONED_AFTER
    if old and process.isdecimal() and not Path("/proc", process).exists():
        path.unlink()


def _publish(draft: Path, path: Path, name: str) -> None:
    """Give a complete segment its name; one left by a dead process is replaced."""
    for _ in range(20):
        try:
            os.link(draft, path)
            return
        except FileExistsError:
            pass
        with contextlib.suppress(FileNotFoundError):
            with opened(path) as descriptor:
                process = living_process(descriptor)
            if process is not None:
                raise MailboxError(
                    f"a plant named '{name}' runs already, in process {process}",
                    fix="Stop it, or run this one under another name: name='...'.",
                )
            _remove(path, lambda descriptor: living_process(descriptor) is None)
    raise MailboxError(f"the mailbox '{name}' cannot be made", fix=f"Remove {path}.")


def _remove(path: Path, useless: Callable[[int], bool]) -> None:
    """Unlink a segment without a running plant, unless it has been replaced in the meantime."""
    with opened(path) as descriptor:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        same = identity_of(os.fstat(descriptor)) == identity_of(os.lstat(path))
        if same and useless(descriptor):
            path.unlink()


def _no_room(error: OSError) -> MailboxError:
    fixes = {
        errno.ENOSPC: f"Free some space in {DIRECTORY}, or keep less telemetry.",
        errno.ENOENT: "Real time needs Linux with shared memory mounted there.",
        errno.EACCES: "Ask for write access there.",
    }
    return MailboxError(
        f"no shared memory in {DIRECTORY}: {error.strerror}",
        fix=fixes.get(error.errno or 0, "See the reason given."),
    )
