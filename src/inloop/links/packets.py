"""Encode and decode datagrams of a UDP link: pure functions without state.

Packets are not frozen dataclasses, which would take three times as long to create; treat them as
immutable.

    64 bytes header, little-endian | payload | 16 bytes tag

The tag is HMAC-SHA256 over header and payload, truncated. Without a key it is computed with an
empty one: it then authenticates nothing, but still detects damage.
"""

from __future__ import annotations

import hmac
import struct
from dataclasses import dataclass
from enum import IntEnum

MAGIC, VERSION = b"inlp", 2
TAG_SIZE = 16
MOST_BYTES = 65507  # maximum size of an IPv4 datagram

# magic, version, kind, layout, session, to, sequence, stamp, echo, held
_HEADER = struct.Struct("<4sHHQQQQqqq")
_LEAST_BYTES = _HEADER.size + TAG_SIZE
_RECORD = struct.Struct("<qQQqqqqqQ")
_NUMBER = struct.Struct("<Q")
_ANSWER = struct.Struct("<Qqq")
_SIZES = struct.Struct("<dII")


class Kind(IntEnum):
    """Kind of a packet."""

    HELLO = 1
    """No payload: a heartbeat, which also requests the layout if it names none."""
    LAYOUT = 2
    OUTPUTS = 3
    INPUTS = 4
    PARAMETERS = 5
    BYE = 6
    COMMAND = 7
    OBEYED = 8
    """Result of a command: its number; 1 if the plant has rejected it, state of the loop."""


_KINDS = {kind.value: kind for kind in Kind}


class Fault(IntEnum):
    """Why bytes are not a valid packet."""

    TRUNCATED = 1
    FOREIGN = 2
    """Another protocol or version."""
    FORGED = 3
    """Damaged, or sealed with a different key."""
    UNKNOWN = 4
    """A kind unknown to this version."""


@dataclass(slots=True)
class Packet:
    """One datagram.

    Attributes:
        kind: kind of payload.
        layout: hash of the plant's layout; 0: not known yet.
        session: session of the sender; changes at each start.
        to: session of the receiver, if known to the sender; 0: not known yet.
        sequence: number within the session, from 1.
        stamp: sender's clock at sending [ns].
        echo: newest stamp of the receiver that the sender has received [ns].
        held: time since then [ns].
        payload: content according to the kind.
    """

    kind: Kind
    layout: int
    session: int
    to: int
    sequence: int
    stamp: int
    echo: int
    held: int
    payload: bytes = b""


def seal(packet: Packet, key: bytes) -> bytes:
    """The bytes to send."""
    p = packet
    numbers = (p.layout, p.session, p.to, p.sequence, p.stamp, p.echo, p.held)
    body = _HEADER.pack(MAGIC, VERSION, p.kind, *numbers) + p.payload
    return body + _tag(body, key)


def unseal(data: bytes, key: bytes) -> Packet | Fault:
    """The packet in these bytes, or why they are invalid."""
    if len(data) < _LEAST_BYTES:
        return Fault.TRUNCATED
    magic, version, kind, layout, session, to, *numbers = _HEADER.unpack_from(data)
    if magic != MAGIC or version != VERSION:
        return Fault.FOREIGN
    body, tag = data[:-TAG_SIZE], data[-TAG_SIZE:]
    if not hmac.compare_digest(_tag(body, key), tag):
        return Fault.FORGED
    known = _KINDS.get(kind)
    if known is None:
        return Fault.UNKNOWN
    sequence, stamp, echo, held = numbers
    payload = body[_HEADER.size :]
    return Packet(known, layout, session, to, sequence, stamp, echo, held, payload)


def _tag(body: bytes, key: bytes) -> bytes:
    return hmac.digest(key, body, "sha256")[:TAG_SIZE]


# payloads: each is packed by one function and unpacked by another, which returns None if the size
# is unexpected


@dataclass(slots=True)
class OutputsPayload:
    """A record of outputs; the numbers are those of inloop_record.

    Attributes:
        step, sequence, answers, status, flags, partition, stamp: of the record.
        state: current state of the loop.
        parameters: number of the newest parameters received over this link.
        values: float64, as they lie in the record.
    """

    step: int
    sequence: int
    answers: int
    status: int
    flags: int
    partition: int
    stamp: int
    state: int
    parameters: int
    values: bytes

    def pack(self) -> bytes:
        """As bytes."""
        numbers = (self.step, self.sequence, self.answers, self.status, self.flags, self.partition)
        return _RECORD.pack(*numbers, self.stamp, self.state, self.parameters) + self.values


def unpack_outputs(payload: bytes, count: int) -> OutputsPayload | None:
    """A record with this many values."""
    if len(payload) != _RECORD.size + 8 * count:
        return None
    numbers = _RECORD.unpack_from(payload)
    return OutputsPayload(*(*numbers, payload[_RECORD.size :]))


@dataclass(slots=True)
class InputsPayload:
    """Inputs written by a controller.

    Attributes:
        answers: number of the outputs that they answer.
        waited: time from writing to sending [ns].
        rest: not 0: they may stay indefinitely and do not become stale.
        values: float64.
    """

    answers: int
    waited: int
    rest: int
    values: bytes

    def pack(self) -> bytes:
        """As bytes."""
        return _ANSWER.pack(self.answers, self.waited, self.rest) + self.values


def unpack_inputs(payload: bytes, count: int) -> InputsPayload | None:
    """Inputs with this many values."""
    if len(payload) != _ANSWER.size + 8 * count:
        return None
    answers, waited, rest = _ANSWER.unpack_from(payload)
    return InputsPayload(answers, waited, rest, payload[_ANSWER.size :])


def pack_numbered(number: int, values: bytes) -> bytes:
    """Parameters, a command or its result, with its number."""
    return _NUMBER.pack(number) + values


def unpack_numbered(payload: bytes, count: int) -> tuple[int, bytes] | None:
    """Number and values of parameters, a command or its result."""
    if len(payload) != _NUMBER.size + 8 * count:
        return None
    return _NUMBER.unpack_from(payload)[0], payload[_NUMBER.size :]


@dataclass(slots=True)
class LayoutPayload:
    """Everything needed to create the same mailbox elsewhere.

    Attributes:
        period: simulated time per step [s].
        stepper_states: length of the state of the stepper.
        parameters: their current values, float64.
        text: the description in the segment.
    """

    period: float
    stepper_states: int
    parameters: bytes
    text: bytes

    def pack(self) -> bytes:
        """As bytes."""
        sizes = _SIZES.pack(self.period, self.stepper_states, len(self.parameters))
        return sizes + self.parameters + self.text


def unpack_layout(payload: bytes) -> LayoutPayload | None:
    """The description of a plant."""
    if len(payload) < _SIZES.size:
        return None
    period, stepper_states, size = _SIZES.unpack_from(payload)
    end = _SIZES.size + size
    if size % 8 != 0 or end > len(payload):
        return None
    return LayoutPayload(period, stepper_states, payload[_SIZES.size : end], payload[end:])
