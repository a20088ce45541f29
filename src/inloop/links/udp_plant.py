"""The end of a UDP link at the plant: sends outputs, applies inputs and commands."""

from __future__ import annotations

import contextlib
import math
import time
from typing import Any

import numpy as np

from inloop.errors import InloopError, InputError, LinkError, MailboxError
from inloop.links.packets import (
    MOST_BYTES,
    Kind,
    LayoutPayload,
    OutputsPayload,
    Packet,
    pack_numbered,
    unpack_inputs,
    unpack_numbered,
)
from inloop.links.session import sent_after
from inloop.links.udp import HEARTBEAT, LOCAL, MIRROR_PORT, PLANT_PORT, Address, UdpEnd
from inloop.realtime import Outputs, attach

_SENT = 4096  # outputs whose time of writing is remembered
_GOOD_BYES = 5  # repeated, because some may be lost
_OVERHEAD = 256  # upper bound of header, tag and numbers of a packet [bytes]


class PlantEnd(UdpEnd):
    """Sends each new record of outputs to the peer, and writes the peer's inputs.

    One thread reads outputs, another one writes inputs, each through its own mailbox. The inputs
    are taken when the first ones arrive. When none arrive any more, or only old ones, the loop sees
    stale inputs, as with any controller: their age counts from the time at which the controller
    wrote them, or slightly more. All times are those of the plant's clock.
    """

    def __init__(
        self,
        name: str,
        listen: Address = Address(LOCAL, PLANT_PORT),  # noqa: B008 (immutable)
        peer: Address = Address(LOCAL, MIRROR_PORT),  # noqa: B008
        *,
        wait: float = 0.0,
        **options: Any,
    ) -> None:
        with contextlib.ExitStack() as stack:
            self._box, self._inbox = (stack.enter_context(attach(name, wait)) for _ in range(2))
            layout = self._box.layout
            if max(8 * layout.counts[0], len(layout.text())) + _OVERHEAD > MOST_BYTES:
                raise LinkError(
                    f"the outputs of plant '{name}' do not fit into one datagram",
                    fix="Link a smaller plant.",
                )
            layout_hash, clock = int(self._box.layout_hash, 16), self._inbox.clock
            super().__init__(listen, peer, layout=layout_hash, now=lambda: clock.now_ns, **options)
            self._mailboxes = stack.pop_all()
        self._written = [(0, 0)] * _SENT  # number and time of outputs
        self._newest = 0
        self._parameters = (0, 0)  # session and number of the last ones received
        self._command = (0, 0)
        self._refused = False  # the last command

    def run(self, seconds: float = math.inf) -> None:
        """Run until the plant ends, which is reported to the peer."""
        self.start()
        hello = time.monotonic()
        end = hello + seconds
        outputs = self._box.read()
        while time.monotonic() < end:
            self.check()
            try:
                outputs = self._box.wait(HEARTBEAT) or outputs
            except MailboxError:
                if not self._box.gone:
                    raise
                for _ in range(_GOOD_BYES):
                    self.send(Kind.BYE)
                return
            # repeat the last outputs if there are no new ones: in lock-step the plant waits for the
            # answer
            if self.linked:
                self._send_outputs(outputs)
            elif time.monotonic() >= hello:
                self.send(Kind.HELLO)
                hello = time.monotonic() + HEARTBEAT

    def close(self) -> None:
        """Also releases the mailbox."""
        super().close()
        self._mailboxes.close()

    def take(self, packet: Packet) -> None:
        """Inputs, parameters, a command, or a request for the layout."""
        if packet.kind == Kind.INPUTS:
            self._take_inputs(packet)
        elif packet.kind == Kind.PARAMETERS:
            self._take_parameters(packet)
        elif packet.kind == Kind.COMMAND:
            self._take_command(packet)
        elif packet.kind == Kind.HELLO and packet.layout == 0:
            self._send_layout()

    def _send_outputs(self, outputs: Outputs) -> None:
        self._newest = outputs.sequence
        self._written[outputs.sequence % _SENT] = (outputs.sequence, outputs.stamp)
        # a restarted peer numbers its parameters from the start
        session, number = self._parameters
        received = number if session == self.session.peer else 0
        payload = OutputsPayload(
            outputs.step,
            outputs.sequence,
            outputs.input_sequence,
            outputs.status,
            outputs.flags,
            outputs.partition,
            outputs.stamp,
            self._box.state,
            received,
            outputs.values.tobytes(),
        )
        self.send(Kind.OUTPUTS, payload.pack())

    def _send_layout(self) -> None:
        layout = self._inbox.layout
        parameters = np.array(list(self._inbox.parameters.values()), dtype=np.float64)
        sizes = (layout.period, layout.stepper_states)
        self.send(Kind.LAYOUT, LayoutPayload(*sizes, parameters.tobytes(), layout.text()).pack())

    def _take_inputs(self, packet: Packet) -> None:
        found = unpack_inputs(packet.payload, len(self._inbox.inputs))
        if found is None or found.answers > self._newest:
            self.refuse()
            return
        # an upper bound of their age: the watchdog uses the time since they were written
        sent = min(sent_after(packet), self.session.heard)
        stamp = max(1, sent - max(0, found.waited))
        answers, values = found.answers, np.frombuffer(found.values)
        try:
            self._inbox.answer(answers, values, stamp, rest=found.rest != 0)
        except InloopError:
            self.refuse()
            return
        number, written = self._written[answers % _SENT]
        if answers and number == answers:
            self.session.statistics.answer.add(self.session.heard - written)

    def _take_parameters(self, packet: Packet) -> None:
        """Apply those that are not NaN; once, however often they arrive."""
        parameters = self._inbox.parameters
        found = unpack_numbered(packet.payload, len(parameters))
        if found is None:
            self.refuse()
            return
        number, values = found
        if (packet.session, number) == self._parameters:
            return
        named = zip(parameters, np.frombuffer(values).tolist(), strict=True)
        try:
            parameters.set({name: value for name, value in named if not math.isnan(value)})
        except InloopError:
            self.refuse()
        self._parameters = (packet.session, number)

    def _take_command(self, packet: Packet) -> None:
        """Execute it once, however often it arrives; the result is sent each time."""
        found = unpack_numbered(packet.payload, 1 + self._inbox.layout.command_values)
        if found is None:
            self.refuse()
            return
        number, data = found
        what, *values = np.frombuffer(data).tolist()
        if (packet.session, number) != self._command:
            try:
                self._refused = not what.is_integer()
                if not self._refused:
                    self._inbox.command(int(what), *values)
            except InputError:
                self._refused = True
            except MailboxError:
                return  # no answer from the plant
            self._command = (packet.session, number)
        result = np.array([self._refused, self._inbox.state], np.float64)
        self.send(Kind.OBEYED, pack_numbered(number, result.tobytes()))
