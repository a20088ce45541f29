"""The end of a UDP link at the controller: a mailbox that mirrors the plant's.

Controllers attach to the mirror as they would to the plant. Inputs, parameters and commands (pause,
reset, …) are sent to the plant. Records refer to inputs by the plant's numbers, not the mirror's.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inloop.errors import LinkError, MailboxError
from inloop.links.packets import (
    MOST_BYTES,
    InputsPayload,
    Kind,
    LayoutPayload,
    Packet,
    pack_numbered,
    unpack_layout,
    unpack_numbered,
    unpack_outputs,
)
from inloop.links.udp import HEARTBEAT, LOCAL, MIRROR_PORT, PLANT_PORT, Address, UdpEnd
from inloop.realtime.mailboxes.layout import Layout, parse_text
from inloop.realtime.mailboxes.mirror import SLOTS, Mirror, Written
from inloop.realtime.mailboxes.outputs import State

Reals = NDArray[np.float64]
ASK_AGAIN = 0.02  # [s] after which a command is repeated


class MirrorEnd(UdpEnd):
    """Creates the mirror when the layout is received; fills it until the plant ends.

    Attributes:
        name: name of the mirror's mailbox.
    """

    def __init__(
        self,
        name: str,
        listen: Address = Address(LOCAL, MIRROR_PORT),  # noqa: B008 (immutable)
        peer: Address = Address(LOCAL, PLANT_PORT),  # noqa: B008
        **options: Any,
    ) -> None:
        super().__init__(listen, peer, **options)
        self.name = name
        self._mirror: Mirror | None = None
        self._ready, self._over = threading.Event(), threading.Event()
        self._remote = [0] * SLOTS[0]  # the plant's numbers of the outputs in the mirror
        self._newest = 0  # the plant's number of the newest outputs
        self._answer: tuple[int, Written] | None = None  # to the plant's outputs of this number
        self._agreed: Reals = np.zeros(0)  # parameters of the plant
        self._in_use = 1  # their number in the mirror
        self._wished: tuple[int, Reals] | None = None  # parameters being sent to it
        self._state = State.ARMED  # state shown by the mirror: until it has outputs
        self._shown = 0.0  # its last sign of life [s]
        self._commands: deque[tuple[int, bytes]] = deque()  # not executed by the plant yet
        self._asked = 0.0  # when the first of them was last sent [s]

    def run(self, seconds: float = math.inf, on_ready: Callable[[], None] | None = None) -> None:
        """Run until the plant has ended.

        Args:
            seconds: maximum time [s].
            on_ready: called when controllers can attach.

        Raises:
            LinkError: the plant was replaced by a different one.
        """
        end = time.monotonic() + seconds
        self.start()
        while not self._ready.wait(HEARTBEAT) and time.monotonic() < end:
            self.check()
            self.send(Kind.HELLO)
        if self._ready.is_set() and on_ready is not None:
            on_ready()
        while self._mirror is not None and not self._over.is_set() and time.monotonic() < end:
            self.check()
            if self.session.other_layout:
                raise LinkError(
                    f"the plant behind the mirror '{self.name}' was replaced by another one",
                    fix="Start the controllers and this end of the link again.",
                )
            self._tell(self._mirror)

    def close(self) -> None:
        """Also ends the mirror; attached processes see the plant end."""
        super().close()
        if self._mirror is not None:
            self._mirror.close()

    def take(self, packet: Packet) -> None:
        """The layout, outputs, the result of a command, or the end."""
        if packet.kind == Kind.LAYOUT:
            self._take_layout(packet)
        elif packet.kind == Kind.OUTPUTS and self._mirror is not None:
            self._take_outputs(self._mirror, packet)
        elif packet.kind == Kind.OBEYED and self._mirror is not None:
            self._take_obeyed(self._mirror, packet)
        elif packet.kind == Kind.BYE:
            self._over.set()

    # from the plant

    def _take_layout(self, packet: Packet) -> None:
        if self._mirror is not None:
            return
        described = unpack_layout(packet.payload)
        layout = None if described is None else _layout_of(described)
        if described is None or layout is None:
            self.refuse()
            return
        self._agreed = np.frombuffer(described.parameters).copy()
        self._mirror = Mirror(self.name, layout, self._agreed)
        self.session.layout = int(self._mirror.layout_hash, 16)
        self._ready.set()

    def _take_outputs(self, mirror: Mirror, packet: Packet) -> None:
        record = unpack_outputs(packet.payload, mirror.layout.counts[0])
        if record is None:
            self.refuse()
            return
        wished = self._wished
        if wished is not None and record.parameters == wished[0]:
            self._in_use, self._agreed, self._wished = *wished, None
        if record.sequence == self._newest:
            self._show_state(mirror, record.state)
            # the plant still waits for the answer to these
            if self._answer is not None and self._answer[0] == self._newest:
                self._send_inputs(*self._answer)
            return
        self._newest = record.sequence
        # the controller may answer before `publish` returns
        self._remote[(mirror.published + 1) % len(self._remote)] = record.sequence
        mirror.publish(
            np.frombuffer(record.values),
            step=record.step,
            status=record.status,
            flags=record.flags,
            answers=record.answers,
            parameters=self._in_use,
            partition=record.partition,
        )
        self._show_state(mirror, record.state)

    def _take_obeyed(self, mirror: Mirror, packet: Packet) -> None:
        found = unpack_numbered(packet.payload, 2)
        if found is None:
            self.refuse()
        elif self._commands and found[0] == self._commands[0][0]:
            refused, state = np.frombuffer(found[1])
            self._show_state(mirror, state)
            self._commands.popleft()
            self._asked = 0.0
            mirror.obeyed(found[0], refused=refused != 0.0)

    def _show_state(self, mirror: Mirror, state: float) -> None:
        if state != self._state and state in list(State):
            self._state = State(int(state))
            mirror.tell(self._state)

    # to the plant

    def _tell(self, mirror: Mirror) -> None:
        """Send new inputs at once; everything else until the plant has received it."""
        new = mirror.wait(ASK_AGAIN if self._commands else HEARTBEAT)
        found = mirror.inputs() if new else None
        if found is not None:
            number = found.answers
            remote = self._remote[number % len(self._remote)] if number else 0
            self._answer = (remote, found)
            self._send_inputs(remote, found)
        else:
            self.send(Kind.HELLO)
            self._take_commands(mirror)
        self._tell_parameters(mirror)
        self._tell_command()
        if time.monotonic() - self._shown >= HEARTBEAT and self.linked:
            self._shown = time.monotonic()
            mirror.tell(self._state)

    def _send_inputs(self, answers: int, written: Written) -> None:
        waited = time.monotonic_ns() - written.stamp
        payload = InputsPayload(answers, waited, written.rest, written.values.tobytes())
        self.send(Kind.INPUTS, payload.pack())

    def _take_commands(self, mirror: Mirror) -> None:
        while (found := mirror.command()) is not None:
            number, what, values = found
            words = np.array([what, *values], np.float64)
            self._commands.append((number, pack_numbered(number, words.tobytes())))

    def _tell_command(self) -> None:
        """Send one at a time, repeatedly until the plant has executed it."""
        if not self._commands or time.monotonic() - self._asked < ASK_AGAIN:
            return
        with contextlib.suppress(IndexError):  # the plant may have executed it in the meantime
            self.send(Kind.COMMAND, self._commands[0][1])
            self._asked = time.monotonic()

    def _tell_parameters(self, mirror: Mirror) -> None:
        found = mirror.parameters()
        agreed = self._agreed
        if found is None or np.array_equal(found[1], agreed):
            return
        number, values = found
        wished = self._wished
        if wished is None or wished[0] != number:
            self._wished = (number, values.copy())
        changed = np.where(values != agreed, values, math.nan)
        self.send(Kind.PARAMETERS, pack_numbered(number, changed.tobytes()))


def _layout_of(described: LayoutPayload) -> Layout | None:
    """The layout, if it is valid."""
    sensible = math.isfinite(described.period) and described.period > 0.0
    if not sensible or 8 * described.stepper_states > MOST_BYTES:
        return None
    try:
        layout = parse_text(described.text, described.stepper_states, described.period)
    except MailboxError:
        return None
    return layout if len(described.parameters) == 8 * len(layout.parameters) else None
