"""The modes of a machine as C sees them: an array of il_mode."""

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
    """What a machine runs.

    Attributes:
        address: of the array of il_mode.
        state_sizes: length of x in each mode.
        transition_counts: of each mode.
        keep: what must stay alive as long as the address is in use.
    """

    address: int
    state_sizes: tuple[int, ...]
    transition_counts: tuple[int, ...]
    keep: object

    def sizes(self, method: int) -> Any:
        """How much memory a machine of these modes needs, as il_machine_sizes."""
        sizes = mirror("il_machine_sizes")()
        measure = load_runtime().function("il_machine_measure", POINTER, COUNT, COUNT, POINTER)
        count = len(self.state_sizes)
        if measure(self.address, count, method, ctypes.addressof(sizes)) != Status.OK:
            # rates of address 0, which no run accepts either
            sizes = mirror("il_machine_sizes")(largest=max(self.state_sizes))
        return sizes
