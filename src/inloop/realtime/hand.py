"""Memory for pulls on the bodies of a running plant (il_hand.h)."""

from __future__ import annotations

import ctypes

import numpy as np

from inloop.native import LoadedTape, address_of, aligned_zeros
from inloop.native.mirror import mirror
from inloop.native.realtime_functions import realtime_function
from inloop.native.running.instance import Instance
from inloop.plant.reach import Reach


class HandMemory:
    """Memory that the thread of a loop needs for pulls on bodies.

    Attributes:
        address: of the C structure, an il_hand.
    """

    def __init__(self, reach: Reach, instance: Instance) -> None:
        """Prepare for pulls on bodies of an instance."""
        self._keep: list[object] = []
        reaches = (mirror("il_reach") * len(reach.tapes))()
        for k, tape in enumerate(reach.tapes):
            parts = (tape.instructions, tape.registers, tape.results, tape.tables)
            loaded = LoadedTape(*parts, tape.inputs)
            parents, places = (
                np.array(x[k], dtype=np.int64) for x in (reach.parents, reach.places)
            )
            self._keep += [loaded, parents, places]
            reaches[k].tape = loaded.address
            reaches[k].parents, reaches[k].bodies = parents.ctypes.data, places.ctypes.data
        self._hand = mirror("il_hand")(
            reaches=ctypes.addressof(reaches),
            body_count=len(reach.bodies),
            length=reach.length,
            mass=reach.mass,
        )
        self.address = ctypes.addressof(self._hand)
        count = realtime_function("il_hand_scratch")(self.address, instance.address)
        scratch = aligned_zeros(count)
        self._hand.scratch = address_of(scratch)
        self._keep += [reaches, scratch]
