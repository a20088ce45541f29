"""A board next to a running plant: outputs to the board, its measurements as inputs."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Sequence

from inloop.errors import InloopError, LinkError, MailboxError
from inloop.links.serial.conversation import Conversation, Heard, SerialCounts
from inloop.links.serial.frames import MOST_VALUES
from inloop.links.serial.port import SerialPort
from inloop.realtime import attach
from inloop.realtime.closing import Closing

OLD = 0.1  # older outputs are flagged [s]
OLD_OUTPUTS = 0x8000  # bit of the status in frames to the board
SEARCH = 0.25  # interval of the search for a lost device [s]
_MOST_WAIT = 0.02  # [s]
_LARGEST = 3.4028234e38  # float of 32 bits


class SerialLink(Closing):
    """Sends outputs of a plant to a board and writes the board's values to inputs.

    If the board is silent, or its frames are old, the loop of the plant sees stale inputs and uses
    its safe values, as with any controller. The board detects silence of this end by
    `il_serial_age_us`.

    Attributes:
        conversation: protocol state and counters.
        inputs, outputs: names, in the order of the frames.
    """

    def __init__(
        self,
        name: str,
        device: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        *,
        baud: int = 115200,
        rate: float = 100.0,
        wait: float = 0.0,
        said: Callable[[str], None] = lambda text: None,
    ) -> None:
        """Open the device and the mailbox.

        Args:
            name: name of the running plant.
            device: such as /dev/ttyACM0.
            inputs: names of the inputs that the board sends.
            outputs: names of the outputs that the board receives.
            baud: bits per second.
            rate: frames per second to the board.
            wait: maximum time to wait for the plant to start [s].
            said: called with messages for the user.

        Raises:
            LinkError: the device cannot be used, or the plant has no such input or output.
        """
        if not (math.isfinite(rate) and rate > 0.0):
            raise LinkError(f"a rate of {rate} Hz makes no sense", fix="Use a positive number.")
        self.inputs, self.outputs = tuple(inputs), tuple(outputs)
        self.conversation = Conversation(len(self.inputs))
        self._device, self._baud, self._period, self._say = device, baud, 1.0 / rate, said
        with contextlib.ExitStack() as stack:
            self._box = stack.enter_context(attach(name, wait))
            self._check_names()
            self._port: SerialPort | None = SerialPort(device, baud)
            self._mailbox = stack.pop_all()
        self._searched = 0.0
        self._status = 0

    @property
    def counts(self) -> SerialCounts:
        """Frame counters."""
        return self.conversation.counts

    def _check_names(self) -> None:
        groups = (
            (self.inputs, self._box.inputs, "input"),
            (self.outputs, self._box.names, "output"),
        )
        for names, known, what in groups:
            for name in names:
                if name not in known:
                    listed = ", ".join(known)
                    told = f"plant '{self._box.name}' has no {what} {name!a}"
                    raise LinkError(told, fix=f"Name some of: {listed}.")
            if len(names) > MOST_VALUES or len(set(names)) < len(names):
                fix = f"Name each once, {MOST_VALUES} at most."
                raise LinkError(f"{len(names)} {what}s cannot be sent in a frame", fix=fix)

    def run(self, seconds: float = math.inf) -> None:
        """Run until the plant ends."""
        end = time.monotonic() + seconds
        due = time.monotonic()
        while (now := time.monotonic()) < end:
            try:
                if now >= due:
                    self.send()
                    due = max(due + self._period, now)
                self.receive(min(due - now, _MOST_WAIT, end - now))
            except MailboxError:
                if not self._box.gone:
                    raise
                return

    def send(self) -> None:
        """Send a frame with the newest outputs."""
        outputs = self._box.peek()
        now = self._box.clock.now_ns
        status = outputs.status & 0x7FFF
        if now - outputs.stamp > OLD * 1e9:
            status |= OLD_OUTPUTS
        values = tuple(max(-_LARGEST, min(float(outputs[name]), _LARGEST)) for name in self.outputs)
        data = self.conversation.say(values, status, now, outputs.sequence)
        port = self._port or self._look_for()
        if port is not None:
            try:
                port.write(data)
            except OSError:
                self._lose()

    def receive(self, timeout: float) -> None:
        """Process incoming bytes; waits at most `timeout` [s] for the first."""
        if self._port is None:
            time.sleep(max(0.0, timeout))
            return
        try:
            data = self._port.read(timeout)
        except OSError:
            self._lose()
            return
        for heard in self.conversation.hear(data, self._box.clock.now_ns):
            self._take(heard)

    def _take(self, heard: Heard) -> None:
        values = dict(zip(self.inputs, heard.frame.values, strict=True))
        try:
            self._box.answer(heard.about, values, max(1, heard.since))
        except MailboxError:
            raise
        except InloopError:
            self.conversation.counts.refused += 1
        if heard.frame.status != self._status:
            self._status = heard.frame.status
            self._say(f"the board reports status {self._status}")

    def _look_for(self) -> SerialPort | None:
        now = time.monotonic()
        if now - self._searched >= SEARCH:
            self._searched = now
            with contextlib.suppress(LinkError):
                self._port = SerialPort(self._device, self._baud)
                self._say(f"{self._device} is there again")
        return self._port

    def _lose(self) -> None:
        """The device is lost: inputs become stale, and it is searched for."""
        if self._port is not None:
            self._port.close()
            self._port = None
            self.conversation.forget()
            self._say(f"{self._device} is gone: inputs get stale, and it is looked for")

    def close(self) -> None:
        """Close device and mailbox."""
        if self._port is not None:
            self._port.close()
            self._port = None
        self._mailbox.close()
