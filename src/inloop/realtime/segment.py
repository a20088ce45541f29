"""The segment of shared memory of one plant: made complete, found by name, never left behind.

It is filled under another name and then linked to its own, so that nobody ever sees half of it.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import itertools
import os
import re
from pathlib import Path

from inloop.errors import InputError, MailboxError
from inloop.native.mailbox_structure import HeaderStructure, realtime_function
from inloop.realtime.clock import standing_still
from inloop.realtime.layout import Layout, header_of
from inloop.realtime.memory import Memory

DIRECTORY = Path("/dev/shm")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_counter = itertools.count()


def segment_path(name: str) -> Path:
    """The file of the segment of a plant; only its user may open it."""
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{name[:80]!a} cannot be the name of a running plant",
            fix="Use up to 64 letters, digits, '_', '-' and '.'.",
        )
    return DIRECTORY / f"inloop.{os.geteuid()}.{name}"


def running() -> list[str]:
    """Names of this user's plants that run on this machine."""
    prefix = f"inloop.{os.geteuid()}."
    found = [p for p in DIRECTORY.glob(f"{prefix}*") if not p.name.endswith(".new")]
    alive = [p for p in found if _process(p) is not None]
    return sorted(p.name.removeprefix(prefix) for p in alive)


class Segment:
    """A new segment, mapped; `close` takes its name away.

    Attributes:
        path: its file.
        memory: that it is mapped to.
    """

    def __init__(
        self, name: str, layout: Layout, slots: tuple[int, int, int, int], scripted: bool = False
    ) -> None:
        self.path = segment_path(name)
        header, text = header_of(layout, slots, scripted)
        size = int(header.size)
        draft = self.path.with_name(f"{self.path.name}.{os.getpid()}.{next(_counter)}.new")
        try:
            descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise _no_room(error) from error
        try:
            # all pages now: a full disk must not end the loop later
            os.posix_fallocate(descriptor, 0, size)
            self.memory = Memory(descriptor, size)
            self._identity = _identity_of(os.fstat(descriptor))
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

    def close(self) -> None:
        """Remove its name; who is attached keeps the memory until he lets go."""
        try:
            if _identity_of(os.stat(self.path)) == self._identity:
                self.path.unlink()
        except FileNotFoundError:
            pass
        del self.memory


def _identity_of(facts: os.stat_result) -> tuple[int, int]:
    return facts.st_dev, facts.st_ino


def _publish(draft: Path, path: Path, name: str) -> None:
    """Give a complete segment its name; one that a dead process left is replaced."""
    for _ in range(20):
        try:
            os.link(draft, path)
            return
        except FileExistsError:
            pass
        process = _process(path)
        if process is not None:
            raise MailboxError(
                f"a plant named '{name}' runs already, in process {process}",
                fix="Stop it, or run this one under another name: name='...'.",
            )
        _remove_stale(path)
    raise MailboxError(f"the mailbox '{name}' cannot be made", fix=f"Remove {path}.")


def _process(path: Path) -> int | None:
    """The living process behind a segment; None for what a dead one left, or for rubbish."""
    size = ctypes.sizeof(HeaderStructure)
    try:
        with path.open("rb") as file:
            data = file.read(size)
    except OSError:
        return None
    if len(data) < size:
        return None
    creator = HeaderStructure.from_buffer_copy(data).creator
    if not realtime_function("il_mailbox_alive")(creator):
        return None
    return int(creator >> 42)


def _remove_stale(path: Path) -> None:
    """Unlink a segment that nobody runs, unless somebody else has replaced it meanwhile."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            same = _identity_of(os.fstat(file.fileno())) == _identity_of(os.stat(path))
            if same and _process(path) is None:
                path.unlink()
    except FileNotFoundError:
        pass


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
