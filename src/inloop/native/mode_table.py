"""The modes of a machine as C sees them: an array of il_mode, of an instance or made here."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np

from inloop.native.library import COUNT, POINTER, address_of
from inloop.native.mirror import mirror
from inloop.native.modes import Mode
from inloop.native.runtime_library import load_runtime
from inloop.native.schedule import Status


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


def table_of(modes: tuple[Mode, ...]) -> ModeTable:
    """The table of modes whose functions are given by address."""
    array = (mirror("il_mode") * len(modes))()
    kept: list[object] = [array, modes]
    for c, mode in zip(array, modes, strict=True):
        tolerances = np.array(mode.tolerances, dtype=np.float64)
        transitions = (mirror("il_transition") * len(mode.transitions))()
        for row, tr in zip(transitions, mode.transitions, strict=True):
            row.indicator, row.direction = tr.indicator, tr.direction
            row.target, row.jump, row.context = tr.target, tr.jump, tr.context
            row.settles_in = -1 if tr.settles_in is None else tr.settles_in
            row.settle, row.settle_context = tr.settle, tr.settle_context
        c.system = mode.system.structure()
        c.indicators, c.context, c.indicator_count = mode.indicators, mode.context, mode.count
        c.tolerances = address_of(tolerances)
        c.transitions = ctypes.addressof(transitions)
        c.transition_count = len(mode.transitions)
        kept += [tolerances, transitions]
    return ModeTable(
        ctypes.addressof(array),
        tuple(mode.system.size for mode in modes),
        tuple(len(mode.transitions) for mode in modes),
        kept,
    )
