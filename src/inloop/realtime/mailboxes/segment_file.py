"""Inspect files in the shared memory directory without trusting them.

Any user can create files there. A segment is a regular file of this user; everything else is
reported and left alone, and opening a file never blocks.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pwd
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from inloop.errors import MailboxError
from inloop.native.mirror import constant, field_offset, mirror
from inloop.native.realtime_functions import realtime_function

FLAGS = os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
ABANDONED_AFTER = 10_000_000_000  # [ns] since the last heartbeat
_KINDS = (
    (stat.S_ISREG, "a file"),
    (stat.S_ISFIFO, "a fifo"),
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISSOCK, "a socket"),
)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[int]:
    """File descriptor of a segment, which belongs to this user.

    Raises:
        FileNotFoundError: there is none.
        MailboxError: something else has this name.
    """
    try:
        descriptor = os.open(path, FLAGS)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _in_the_way(path, os.lstat(path), error.strerror or "") from None
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode) or facts.st_uid != os.geteuid():
            raise _in_the_way(path, facts)
        yield descriptor
    finally:
        os.close(descriptor)


def is_segment(descriptor: int) -> bool:
    """Whether it has the header of a segment."""
    return _header(descriptor) is not None


def living_process(descriptor: int) -> int | None:
    """The living process of this plant; None if it is dead, or for other files."""
    header, facts = _header(descriptor), os.fstat(descriptor)
    if header is None or not realtime_function("il_mailbox_alive")(header.creator):
        return None
    process = int(header.creator >> constant("INLOOP_START_BITS") + constant("INLOOP_MAILBOX_BITS"))
    return process if _uses(process, facts) else None


def abandoned(descriptor: int) -> bool:
    """Whether its process was killed some time ago."""
    header = _header(descriptor)
    if header is None or living_process(descriptor) is not None:
        return False
    if header.clock_offset:
        return False  # a scripted clock may stand still: its heartbeat means nothing
    at = header.statistics_offset + field_offset("inloop_statistics", "heartbeat")
    word = os.pread(descriptor, 8, at) if at < os.fstat(descriptor).st_size else b""
    # a plant of another container, whose processes are invisible here, is not abandoned
    return time.monotonic_ns() - int.from_bytes(word, sys.byteorder) > ABANDONED_AFTER


def identity_of(facts: os.stat_result) -> tuple[int, int]:
    """Identity of a file: device and inode."""
    return facts.st_dev, facts.st_ino


def _header(descriptor: int) -> ctypes.Structure | None:
    data = os.pread(descriptor, ctypes.sizeof(mirror("inloop_header")), 0)
    if len(data) < ctypes.sizeof(mirror("inloop_header")):
        return None
    header = mirror("inloop_header").from_buffer_copy(data)
    return header if header.magic == constant("INLOOP_MAGIC") else None


def _uses(process: int, facts: os.stat_result) -> bool:
    """Whether a process has mapped a file. A header can name any living process."""
    try:
        text = Path(f"/proc/{process}/maps").read_text(errors="replace")
    except OSError:
        return True  # hidden for a process with capabilities
    device = f"{os.major(facts.st_dev):02x}:{os.minor(facts.st_dev):02x}"
    mapped = (line.split(maxsplit=5) for line in text.splitlines())
    return any(words[3] == device and words[4] == str(facts.st_ino) for words in mapped)


def _in_the_way(path: Path, facts: os.stat_result, reason: str = "") -> MailboxError:
    kind = next((word for test, word in _KINDS if test(facts.st_mode)), "a special file")
    because = f" ({reason})" if reason else ""
    if facts.st_uid == os.geteuid():
        return MailboxError(
            f"{kind} of yours is in the place of a mailbox{because}",
            where=str(path),
            fix="Remove it, or use another name for the plant.",
        )
    return MailboxError(
        f"{kind} of {_user(facts.st_uid)} is in the place of a mailbox{because}; a mailbox that "
        "belongs to another user is not used",
        where=str(path),
        fix="Use another name for the plant, or have that user or the administrator remove it.",
    )


def _user(number: int) -> str:
    try:
        return f"user '{pwd.getpwuid(number).pw_name}'"
    except KeyError:
        return f"user {number}"
