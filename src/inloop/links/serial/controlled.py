"""A plant on a board, controlled by a Python function on this computer."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Sequence

import numpy as np

from inloop.errors import LinkError
from inloop.links.serial.board import BoardOutputs, SerialBoard
from inloop.links.serial.conversation import SerialCounts
from inloop.links.serial.frames import MOST_VALUES
from inloop.realtime.closing import Closing
from inloop.simulate.controlled.law import Controller, SampledController
from inloop.simulate.controlled.sampled import Sampled, SampledNames


class ControlledBoard(Closing):
    """Answers the outputs of a board with inputs computed by a controller.

    Each frame of the board is answered at once; without frames, the inputs are repeated `rate`
    times per second. When outputs are stale, and at the end, inputs are 0.

    Attributes:
        inputs, outputs: names, in the order of the frames.
        silent: number of timeouts.
    """

    def __init__(
        self,
        device: str,
        controller: Controller,
        inputs: Sequence[str],
        outputs: Sequence[str],
        *,
        baud: int = 115200,
        rate: float = 100.0,
        stale_after: float = 0.1,
        said: Callable[[str], None] = lambda text: None,
    ) -> None:
        """Open the device.

        Args:
            device: such as /dev/ttyACM0.
            controller: function of time and outputs by name that returns inputs by name. Time is
                the output "t" if the board sends one, else the time since the start.
            inputs: names of the board's inputs.
            outputs: names of the board's outputs.
            baud: bits per second.
            rate: frames per second to a silent board.
            stale_after: older outputs are not answered [s].
            said: called with messages for the user.

        Raises:
            LinkError: the device cannot be used, or the names do not fit in a frame.
        """
        for value, what in ((rate, "a rate [Hz]"), (stale_after, "an age [s]")):
            if not (math.isfinite(value) and value > 0.0):
                raise LinkError(f"{what} of {value} makes no sense", fix="Use a positive number.")
        self.inputs, self.outputs = tuple(inputs), tuple(outputs)
        for names, what in ((self.inputs, "input"), (self.outputs, "output")):
            if not 0 < len(set(names)) == len(names) <= MOST_VALUES:
                fix = f"Name each once, at least one and {MOST_VALUES} at most."
                raise LinkError(f"{len(names)} {what}s cannot be sent in a frame", fix=fix)
        self.silent = 0
        self._law = SampledController(controller, self.inputs, np.zeros(len(self.inputs)))
        self._names = SampledNames(0, ("t", *self.outputs))
        self._device, self._say = device, said
        self._period, self._stale = 1.0 / rate, stale_after
        self._board: SerialBoard | None = SerialBoard(device, len(self.outputs), baud)
        self._begin = time.monotonic()
        self._fresh = -math.inf  # arrival of the newest outputs
        self._status = 0

    @property
    def counts(self) -> SerialCounts:
        """Frame counters."""
        return self._conversing.conversation.counts

    @property
    def _conversing(self) -> SerialBoard:
        if self._board is None:
            raise LinkError(f"the link at {self._device} is closed", fix="Make a new one.")
        return self._board

    def run(self, seconds: float = math.inf) -> None:
        """Run for a time [s].

        Raises:
            LinkError: the device is gone.
            SimulationError: the controller failed, or returned invalid values.
        """
        end = time.monotonic() + seconds
        self._law.reset()
        while time.monotonic() < end:
            try:
                found = self._conversing.exchange(self._law.held.tolist(), self._period)
            except OSError as error:
                told = f"{self._device} is gone: {error.strerror or error}"
                raise LinkError(told, fix="Plug the board in, and start again.") from error
            self._take(found)

    def _take(self, found: BoardOutputs | None) -> None:
        """Call the controller, if there are fresh outputs."""
        now = time.monotonic()
        if found is None or found.age > self._stale:
            self.silent += 1
            if now - self._fresh > self._stale:
                self._law.held = np.zeros(len(self.inputs))
            return
        self._fresh = now
        if found.status != self._status:
            self._status = found.status
            self._say(f"the board tells status {self._status}")
        told = dict(zip(self.outputs, found.values, strict=True))
        t = told.get("t", now - self._begin)
        self._law.sample(Sampled(self._names, np.array([t, *found.values])))

    def close(self) -> None:
        """Close the device, with inputs at 0."""
        board, self._board = self._board, None
        if board is not None:
            with contextlib.suppress(OSError):
                board.send([0.0] * len(self.inputs))
            board.close()
