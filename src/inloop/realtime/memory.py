"""Memory that is shared with other processes, and stays as long as somebody here uses it."""

from __future__ import annotations

import ctypes
import mmap

from inloop.errors import MailboxError
from inloop.native.mailbox_structure import (
    RINGS,
    MailboxStructure,
    StatisticsStructure,
    realtime_function,
)


class Sheltered:
    """A mapping whose file another program may cut short without ending this process."""

    def __init__(self, address: int, size: int) -> None:
        self._number = realtime_function("il_shelter_add")(address, size)
        self._functions = [realtime_function(f"il_shelter_{f}") for f in ("lost", "remove")]

    @property
    def lost(self) -> bool:
        """Was it cut short, so that zeros have taken its place?"""
        return bool(self._functions[0](self._number))

    def __del__(self) -> None:
        self._functions[1](self._number)


class Memory:
    """A file mapped for reading and writing, all pages there; unmapped when nobody holds it.

    Attributes:
        address: where it begins.
        size: [bytes].
    """

    def __init__(self, descriptor: int, size: int) -> None:
        self.size = size
        self._sheltered: Sheltered | None = None
        # none is fetched while the loop runs
        self.bytes = mmap.mmap(descriptor, size, flags=mmap.MAP_SHARED | mmap.MAP_POPULATE)
        self._view = ctypes.c_char.from_buffer(self.bytes)
        self.address = ctypes.addressof(self._view)
        self._sheltered = Sheltered(self.address, size)

    @property
    def lost(self) -> bool:
        """Has another program cut the file short?"""
        return self._sheltered is not None and self._sheltered.lost

    def __del__(self) -> None:
        self._sheltered = None  # before it is unmapped


class Attached:
    """A mailbox that is mapped; who calls into it holds this object meanwhile.

    So a mailbox may be closed while another thread waits in it: the memory goes when that thread
    comes back.

    Attributes:
        box: the structure that C works with.
        address: of the structure.
    """

    def __init__(self, box: MailboxStructure, memory: Memory | None = None) -> None:
        """Take over what `il_mailbox_attach` has mapped, or use memory of this process."""
        self.box, self.address = box, ctypes.addressof(box)
        self._memory = memory
        self._sheltered: Sheltered | Memory | None = memory or Sheltered(box.base, box.size)
        self._detach = realtime_function("il_mailbox_detach")

    @classmethod
    def to(cls, memory: Memory, handle: int) -> Attached:
        """Use memory of this process, which is known to be a mailbox."""
        box = MailboxStructure()
        use = realtime_function("il_mailbox_use")
        error = use(ctypes.addressof(box), memory.address, memory.size, handle)
        assert error == 0
        return cls(box, memory)

    @property
    def shared(self) -> StatisticsStructure:
        """The counters in the segment, as they are now; valid as long as this object."""
        return StatisticsStructure.from_address(self.box.base + self.box.layout.statistics_offset)

    @property
    def lost(self) -> bool:
        """Has another program cut the file short?"""
        return self._sheltered is not None and self._sheltered.lost

    def __del__(self) -> None:
        self._sheltered = None  # before it is unmapped
        if self._memory is None:
            self._detach(self.address)


class Handle:
    """The way of one mailbox object to its memory, until it is closed."""

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
            for ring in range(RINGS):
                realtime_function("il_mailbox_release")(attached.address, ring)
