"""A mailbox without a plant behind it: somebody else fills it, such as a link to another machine.

Controllers attach to it as to any plant and need not know.
"""

from __future__ import annotations

import ctypes
from types import TracebackType

import numpy as np

from inloop.native.library import Reals
from inloop.native.mailbox_structure import (
    INPUTS,
    OUTPUTS,
    PARAMETERS,
    MailboxStructure,
    RecordStructure,
    StatisticsStructure,
    realtime_function,
)
from inloop.realtime.layout import Layout
from inloop.realtime.outputs import State
from inloop.realtime.segment import Segment

SLOTS = (4096, 256, 16, 64)  # records in each ring


class Mirror:
    """The mailbox of a plant that runs elsewhere; use it in a `with` statement.

    Attributes:
        name: under which others attach.
        layout: names, units and sizes.
    """

    def __init__(self, name: str, layout: Layout, parameters: Reals) -> None:
        self.name, self.layout = name, layout
        self._segment = Segment(name, layout, SLOTS)
        self._box = MailboxStructure()
        self._address = ctypes.addressof(self._box)
        use = realtime_function("il_mailbox_use")
        error = use(self._address, self._segment.address, self._segment.size, 0)
        assert error == 0
        self._open = True
        self._inputs_seen = self._published = 0
        self._inputs = np.zeros(layout.counts[INPUTS])
        self._parameters = np.zeros(layout.counts[PARAMETERS])
        self._publish(PARAMETERS, RecordStructure(), np.ascontiguousarray(parameters))
        self._shared.speed = 1.0
        self._shared.state = State.RUNNING

    @property
    def layout_hash(self) -> str:
        """As that of a mailbox."""
        return f"{self._box.layout.layout_hash:016x}"

    @property
    def published(self) -> int:
        """Number of the newest outputs in this mailbox."""
        return self._published

    def publish(self, values: Reals, *, step: int, status: int, flags: int, answers: int) -> None:
        """Put out a record of outputs.

        Args:
            values: all numbers, in the order of the layout.
            step: good steps since the start.
            status: how the step ended.
            flags: see `Flag`.
            answers: number of the inputs in use.
        """
        self._published += 1
        about = RecordStructure(step=step, status=status, flags=flags, answers=answers)
        self._publish(OUTPUTS, about, values)

    def wait(self, timeout: float) -> bool:
        """Wait until a controller has written inputs that were not read yet [s]."""
        call = realtime_function("il_mailbox_await")
        return bool(call(self._address, INPUTS, self._inputs_seen, timeout) == 0)

    def inputs(self) -> tuple[int, Reals] | None:
        """The newest inputs, and the number of the outputs that they answer."""
        record = self._newest(INPUTS, self._inputs)
        if record is None:
            return None
        self._inputs_seen = record.sequence
        return int(record.answers), self._inputs

    def parameters(self) -> tuple[int, Reals] | None:
        """The newest parameters, and their number: 1 for those of the start."""
        record = self._newest(PARAMETERS, self._parameters)
        return None if record is None else (int(record.sequence), self._parameters)

    def close(self) -> None:
        """Tell those who are attached that it is over, and remove the mailbox."""
        if self._open:
            self._open = False
            self._shared.state = State.ENDED
            self._box.base = None
            self._segment.close()

    def __enter__(self) -> Mirror:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def _shared(self) -> StatisticsStructure:
        place = self._box.base + self._box.layout.statistics_offset
        return StatisticsStructure.from_address(place)

    def _publish(self, ring: int, about: RecordStructure, values: Reals) -> None:
        call = realtime_function("il_mailbox_publish")
        call(self._address, ring, ctypes.addressof(about), values.ctypes.data)

    def _newest(self, ring: int, values: Reals) -> RecordStructure | None:
        record, call = RecordStructure(), realtime_function("il_mailbox_newest")
        error = call(self._address, ring, ctypes.addressof(record), values.ctypes.data)
        return record if error == 0 else None
