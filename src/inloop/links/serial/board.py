"""A plant on a board, read and controlled by Python."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from inloop.links.serial.conversation import Conversation
from inloop.links.serial.port import SerialPort
from inloop.realtime.closing import Closing


@dataclass(frozen=True)
class BoardOutputs:
    """Outputs of a board.

    Attributes:
        values: in the order in which the board sends them.
        status: status of the board; 0: no error.
        age: upper bound of the age of the values [s].
    """

    values: tuple[float, ...]
    status: int
    age: float


class SerialBoard(Closing):
    """A plant on a board, at a serial device; use it in a `with` statement.

        with SerialBoard("/dev/ttyACM0", outputs=2) as board:
            while True:
                if (y := board.exchange([0.3], timeout=0.01)) is not None and y.age < 0.02:
                    ...

    Attributes:
        conversation: protocol state and counters.
    """

    def __init__(self, device: str, outputs: int, baud: int = 115200) -> None:
        """Open the device.

        Args:
            device: such as /dev/ttyACM0.
            outputs: number of values sent by the board.
            baud: bits per second.
        """
        self.conversation = Conversation(outputs)
        self._port = SerialPort(device, baud)

    def send(self, inputs: Sequence[float]) -> None:
        """Send inputs without waiting for outputs.

        Raises:
            OSError: the device is gone.
        """
        self._port.write(self.conversation.say(tuple(inputs), 0, time.monotonic_ns()))

    def exchange(self, inputs: Sequence[float], timeout: float = 0.1) -> BoardOutputs | None:
        """Send inputs; returns the newest outputs that arrive after that, None on timeout.

        Raises:
            OSError: the device is gone.
        """
        self.send(inputs)
        end = time.monotonic() + timeout
        newest = None
        while newest is None and (left := end - time.monotonic()) > 0.0:
            data = self._port.read(left)
            now = time.monotonic_ns()
            for heard in self.conversation.hear(data, now):
                frame = heard.frame
                newest = BoardOutputs(frame.values, frame.status, 1e-9 * (now - heard.since))
        return newest

    def close(self) -> None:
        """Close the device."""
        self._port.close()
