"""Memory shared with other processes, mapped as long as it is used here.

A `Memory` is the only owner of its mapping. It is unmapped when the last reference to it is
dropped, never by a finalizer: so finalizers that run in any order still find it mapped.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import weakref

from inloop.errors import MailboxError
from inloop.native.mirror import mirror
from inloop.native.realtime_functions import RINGS, realtime_function

MOST_MAILBOXES = 1023  # open at once in one process; 0 is for programs in C (inloop_self)
_free_numbers = list(range(MOST_MAILBOXES, 0, -1))
_attached: weakref.WeakSet[Attached] = weakref.WeakSet()


class Memory:
    """A file mapped for reading and writing; unmapped when unreferenced.

    If another program truncates the file, this process survives (il_bus_guard.h).

    Attributes:
        bytes: the memory.
        address: its start.
        size: [bytes].
    """

    def __init__(self, descriptor: int, size: int, populate: bool = False) -> None:
        """Map a file.

        Args:
            descriptor: file descriptor.
            size: [bytes].
            populate: fault in all pages now, so that none is faulted in while a loop runs.
        """
        self.size = size
        flags = mmap.MAP_SHARED | (mmap.MAP_POPULATE if populate else 0)
        self.bytes = mmap.mmap(descriptor, size, flags=flags)
        self._view = ctypes.c_char.from_buffer(self.bytes)
        self.address = ctypes.addressof(self._view)
        self._number = realtime_function("il_bus_guard_add")(self.address, size)
        # called before the mapping is released with the attributes of this object
        remove = realtime_function("il_bus_guard_remove")
        self._guard = weakref.finalize(self, remove, self._number)
        self._guard.atexit = False  # threads may use it to the end

    @property
    def lost(self) -> bool:
        """Whether another program has truncated the file, so that it was replaced by zeros."""
        return self._guard.alive and bool(realtime_function("il_bus_guard_lost")(self._number))


class Attached:
    """A mailbox in mapped memory; callers hold this object during a call.

    So a mailbox may be closed while another thread waits in it: the memory is released when that
    thread returns.

    Attributes:
        box: the C structure.
        address: address of the structure.
    """

    def __init__(self, memory: Memory) -> None:
        """Use mapped memory.

        Raises:
            MailboxError: it is not a mailbox, or too many are open.
        """
        self.box, self._memory = mirror("inloop_mailbox")(), memory
        self.address = ctypes.addressof(self.box)
        self._own_number = _take_number()
        place = (memory.address, memory.size, self._own_number)
        error = realtime_function("il_mailbox_use")(self.address, *place)
        if error != 0:
            _free_numbers.append(self._own_number)
            raise MailboxError(
                "the shared memory is not a mailbox of this version of inloop, or it is damaged",
                fix="Stop the plant and start it again with the same version.",
            )
        weakref.finalize(self, _let_go, self.box, memory, self._own_number)
        _attached.add(self)

    @property
    def shared(self) -> ctypes.Structure:
        """The counters in the segment, live; valid as long as this object."""
        return mirror("inloop_statistics").from_address(
            self.box.base + self.box.layout.statistics_offset
        )

    @property
    def lost(self) -> bool:
        """Whether another program has truncated the file."""
        return self._memory.lost

    def release(self) -> None:
        """Release everything that was taken here."""
        _release(self.box)

    def become_another(self) -> None:
        """After a fork: what the parent has taken does not belong to the child."""
        self.box.self = realtime_function("il_mailbox_self")(self._own_number)


class MemoryAccess:
    """Access of one mailbox object to its memory, until it is closed."""

    def __init__(self, plant: str, attached: Attached) -> None:
        self._plant = plant
        self._attached: Attached | None = attached

    def use(self) -> Attached:
        """The memory; hold it as long as it is used.

        Raises:
            MailboxError: the mailbox was closed.
        """
        attached = self._attached
        if attached is None:
            raise MailboxError(f"the mailbox '{self._plant}' is closed", fix="Attach again.")
        return attached

    @property
    def closed(self) -> bool:
        """Whether it has been closed."""
        return self._attached is None

    def close(self) -> None:
        """Release everything; calls in progress continue to their end."""
        attached, self._attached = self._attached, None
        if attached is not None:
            attached.release()


def _take_number() -> int:
    """A number not used by another open mailbox of this process."""
    try:
        return _free_numbers.pop()
    except IndexError:
        raise MailboxError(
            f"{MOST_MAILBOXES} mailboxes are open in this process",
            fix="Close those that are no longer used: mailbox.close(), or a with statement.",
        ) from None


def _release(box: ctypes.Structure) -> None:
    for ring in RINGS:
        realtime_function("il_mailbox_release")(ctypes.addressof(box), ring)


def _let_go(box: ctypes.Structure, memory: Memory, number: int) -> None:
    """Called when a mailbox is no longer used; `memory` is an argument to keep it mapped."""
    _release(box)
    _free_numbers.append(number)


def _after_fork() -> None:
    for attached in list(_attached):
        attached.become_another()


os.register_at_fork(after_in_child=_after_fork)
