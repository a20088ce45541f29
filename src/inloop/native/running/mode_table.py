"""The modes of a machine as C structures: an array of il_mode."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

from inloop.native.library import COUNT, POINTER
from inloop.native.mirror import mirror
from inloop.native.running.schedule import Status
from inloop.native.runtime_library import load_runtime


@dataclass(frozen=True)
class ModeTable:
    """The modes of a machine.

    Attributes:
        address: address of the array of il_mode.
        state_sizes: length of x in each mode.
        transition_counts: number of transitions of each mode.
        keep: objects to keep alive while the address is in use.
    """

    address: int
    state_sizes: tuple[int, ...]
    transition_counts: tuple[int, ...]
    keep: object

    def sizes(self, method: int) -> Any:
        """Memory sizes of a machine with these modes, as il_machine_sizes."""
        sizes = mirror("il_machine_sizes")()
        measure = load_runtime().function("il_machine_measure", POINTER, COUNT, COUNT, POINTER)
        count = len(self.state_sizes)
        if measure(self.address, count, method, ctypes.addressof(sizes)) != Status.OK:
            # rates with address 0, which no run accepts either
            sizes = mirror("il_machine_sizes")(largest=max(self.state_sizes))
        return sizes
