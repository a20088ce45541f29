"""Memory that is shared with other processes, and stays as long as somebody here uses it.

A `Memory` is the one owner of its mapping. It is unmapped when the last reference to it goes, never
by a finalizer: so whatever the garbage collector finalizes, in whatever order, finds it mapped.
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
    """A file mapped for reading and writing; unmapped when nobody holds it.

    Another program may cut the file short without ending this process (il_bus_guard.h).

    Attributes:
        bytes: the memory.
        address: where it begins.
        size: [bytes].
    """

    def __init__(self, descriptor: int, size: int, populate: bool = False) -> None:
        """Map a file.

        Args:
            descriptor: of the file.
            size: [bytes].
            populate: fetch all pages now, so that none is fetched while a loop runs.
        """
        self.size = size
        flags = mmap.MAP_SHARED | (mmap.MAP_POPULATE if populate else 0)
        self.bytes = mmap.mmap(descriptor, size, flags=flags)
        self._view = ctypes.c_char.from_buffer(self.bytes)
        self.address = ctypes.addressof(self._view)
        self._number = realtime_function("il_bus_guard_add")(self.address, size)
        # called before the mapping goes with the attributes of this object
        remove = realtime_function("il_bus_guard_remove")
        self._guard = weakref.finalize(self, remove, self._number)
        self._guard.atexit = False  # threads may use it to the end

    @property
    def lost(self) -> bool:
        """Has another program cut the file short, so that zeros have taken its place?"""
        return self._guard.alive and bool(realtime_function("il_bus_guard_lost")(self._number))


class Attached:
    """A mailbox in mapped memory; who calls into it holds this object meanwhile.

    So a mailbox may be closed while another thread waits in it: the memory goes when that thread
    comes back.

    Attributes:
        box: the structure that C works with.
        address: of the structure.
    """

    def __init__(self, memory: Memory) -> None:
        """Use mapped memory.

        Raises:
            MailboxError: it holds no mailbox, or too many are open.
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
        """The counters in the segment, as they are now; valid as long as this object."""
        return mirror("inloop_statistics").from_address(
            self.box.base + self.box.layout.statistics_offset
        )

    @property
    def lost(self) -> bool:
        """Has another program cut the file short?"""
        return self._memory.lost

    def release(self) -> None:
        """Let others write all that was taken here."""
        _release(self.box)

    def become_another(self) -> None:
        """After a fork: what the parent has taken is not taken by its child."""
        self.box.self = realtime_function("il_mailbox_self")(self._own_number)


class MemoryAccess:
    """The access of one mailbox object to its memory, until it is closed."""

    def __init__(self, plant: str, attached: Attached) -> None:
        self._plant = plant
        self._attached: Attached | None = attached

    def use(self) -> Attached:
        """The memory, to be held as long as it is used.

        Raises:
            MailboxError: the mailbox was closed.
        """
        attached = self._attached
        if attached is None:
            raise MailboxError(f"the mailbox '{self._plant}' is closed", fix="Attach again.")
        return attached

    @property
    def closed(self) -> bool:
        """Has somebody closed it?"""
        return self._attached is None

    def close(self) -> None:
        """Let others write, and let go; who is in a call goes on to its end."""
        attached, self._attached = self._attached, None
        if attached is not None:
            attached.release()


def _take_number() -> int:
    """A number that no other open mailbox of this process has."""
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
    """When nobody uses a mailbox any more; `memory` is here so that it is still mapped."""
    _release(box)
    _free_numbers.append(number)


def _after_fork() -> None:
    for attached in list(_attached):
        attached.become_another()


os.register_at_fork(after_in_child=_after_fork)
