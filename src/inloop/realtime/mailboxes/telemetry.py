"""The telemetry of a plant in blocks of records, for efficient readers of everything."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from inloop.native.library import Reals
from inloop.native.mirror import mirror, row_type
from inloop.native.realtime_functions import OUTPUTS, realtime_function
from inloop.realtime.mailboxes.mailbox import Mailbox

ROWS = 2048  # maximum rows in one block


@dataclass(frozen=True)
class Block:
    """Consecutive records.

    Attributes:
        first: number of the first record.
        lost: number of records before it that were overwritten before they could be read.
        stamps: time of the plant's clock when each was written [ns].
        answers: number of the inputs that each step used.
        values: outputs in the order of the layout, shape (count, outputs).
    """

    first: int
    lost: int
    stamps: np.ndarray[tuple[int], np.dtype[np.int64]]
    answers: np.ndarray[tuple[int], np.dtype[np.int64]]
    values: Reals


class Telemetry:
    """Reads every record of a mailbox once; one C call per record, no Python objects."""

    def __init__(self, box: Mailbox) -> None:
        self._box = box
        self._records = np.zeros(ROWS, row_type("inloop_record"))
        self._values = np.zeros((ROWS, box.layout.counts[OUTPUTS]))
        size, stride = self._records.itemsize, self._values.strides[0]
        first, values = self._records.ctypes.data, self._values.ctypes.data
        self._places = [(first + size * k, values + stride * k) for k in range(ROWS)]
        self._next = realtime_function("il_mailbox_next")
        self._last = 0
        self.skip()

    def skip(self) -> None:
        """Skip all records up to now; they do not count as lost."""
        structure = self._box._use().box
        place = structure.layout.rings[OUTPUTS]
        head = mirror("inloop_ring").from_address(structure.base + place.offset).head
        structure.cursor = self._last = int(head)

    def take(self) -> list[Block]:
        """The next records, at most `ROWS` of them; a new block begins where some were lost."""
        held = self._box._use()
        address, call, count = held.address, self._next, 0
        for record, row in self._places:
            if call(address, record, row) != 0:
                break
            count += 1
        if count == 0:
            return []
        sequence = self._column("sequence", count)
        stamps, answers = self._column("stamp", count), self._column("answers", count)
        values = self._values[:count].copy()
        cuts = np.flatnonzero(np.diff(sequence) != 1) + 1
        blocks = []
        for begin, end in pairwise([0, *cuts.tolist(), count]):
            first = int(sequence[begin])
            part = slice(begin, end)
            lost, self._last = first - self._last - 1, int(sequence[end - 1])
            blocks.append(Block(first, lost, stamps[part], answers[part], values[part]))
        return blocks

    def _column(self, field: str, count: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """A copy of one field of the first records."""
        return self._records[field][:count].astype(np.int64)
