"""Notes that a plant plays, detected in its telemetry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from inloop.devices import Note, NoteMaker
from inloop.realtime.mailboxes.layout import Layout
from inloop.realtime.mailboxes.telemetry import Block

SIGNALS = ("speed", "contact", "damped")


class Notes:
    """Watches a hammer; plants without one play no notes.

    Args:
        told: signals by role: "speed" of the hammer towards the string [m/s], "contact" and
            "damped", the forces at string and damper, with their thresholds "contact_above" and
            "damped_above" [N], and the number of the "note".
        layout: layout of the outputs.
    """

    def __init__(self, told: Mapping[str, Any] | None, layout: Layout) -> None:
        self._maker: NoteMaker | None = None
        if told is None or any(told[name] not in layout.index for name in SIGNALS):
            return
        self._maker = NoteMaker(note=int(told["note"]))
        self._columns = [layout.index[told[name]] for name in SIGNALS]
        self._above = (float(told["contact_above"]), float(told["damped_above"]))
        self._before = np.zeros((0, 4))
        self._number = 0

    @property
    def sound(self) -> bool:
        """Whether the plant plays notes."""
        return self._maker is not None

    def hear(self, block: Block) -> list[Note]:
        """Notes that start and end in a block of records."""
        if self._maker is None:
            return []
        values = block.values
        speed, contact, damped = (values[:, k] for k in self._columns)
        touching, quiet = contact > self._above[0], damped > self._above[1]
        rows = np.column_stack([values[:, 0], speed, touching, quiet])
        if block.first == self._number + 1:
            rows = np.vstack([self._before, rows])
        self._before, self._number = rows[-1:], block.first + len(values) - 1
        # only around changes: the records before and after
        edges = np.flatnonzero(np.any(np.diff(rows[:, 2:], axis=0) != 0.0, axis=1)) + 1
        chosen = sorted({*(edges - 1).tolist(), *edges.tolist(), len(rows) - 1})
        found: list[Note] = []
        for t, fast, touches, silent in rows[chosen].tolist():
            found += self._maker.update(t, fast, bool(touches), bool(silent))
        return found
