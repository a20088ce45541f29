"""Protocol of a serial link: which frames are valid, and how old they are. No device here.

A line keeps the order of frames. So a lower number than before means that the board was reset, and
the same number twice is a repetition. A frame is valid only if it answers a recent frame of ours:
old bytes from some buffer do not. The answered frame also bounds the age: the board took its
measurement after it had received that frame.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

from inloop.links.serial.frames import Fault, Frame, Splitter, pack

_REMEMBERED = 4096  # own frames whose time is remembered
_ROUND = 2**32


@dataclass
class SerialCounts:
    """Frame counters of a serial link.

    Attributes:
        sent: sent by this end.
        accepted: new, complete, and an answer to a frame of ours.
        damaged: torn, changed or too long; ignored.
        unexpected: wrong version or number of values; ignored.
        repeated: received twice; ignored.
        unproven: not an answer to a frame of ours, such as the first ones of a board; ignored.
        refused: with values that the plant does not accept; ignored.
        lost: missing sequence numbers.
        resets: resets of the board.
        gone: number of times the device disappeared.
    """

    sent: int = 0
    accepted: int = 0
    damaged: int = 0
    unexpected: int = 0
    repeated: int = 0
    unproven: int = 0
    refused: int = 0
    lost: int = 0
    resets: int = 0
    gone: int = 0

    def sentence(self) -> str:
        """The nonzero counters, as text."""
        found = {name: n for name, n in asdict(self).items() if n}
        return ", ".join(f"{n} {name}" for name, n in found.items()) or "nothing came or went"


@dataclass(frozen=True, slots=True)
class Heard:
    """A valid frame.

    Attributes:
        frame: the frame.
        since: earliest possible time of the measurement, on our clock [ns].
        about: tag passed to `say` with the frame that it answers.
    """

    frame: Frame
    since: int
    about: int


@dataclass
class Conversation:
    """One side of a serial link.

    Attributes:
        expected: number of values in incoming frames.
        counts: frame counters.
    """

    expected: int
    counts: SerialCounts = field(default_factory=SerialCounts)

    def __post_init__(self) -> None:
        self._splitter = Splitter()
        # a random start that is in no buffer
        self._sequence = secrets.randbelow(_ROUND // 2)
        self._said: dict[int, tuple[int, int]] = {}  # number → time, tag
        self._last: Frame | None = None
        self._arrived = 0

    def say(self, values: tuple[float, ...], status: int, now: int, about: int = 0) -> bytes:
        """The bytes of a new frame, sent at `now` [ns]."""
        self._sequence = self._sequence % (_ROUND - 1) + 1  # 0 is not a valid sequence number
        answers, held = 0, 0
        if self._last is not None:
            answers = self._last.sequence
            held = min((now - self._arrived) // 1000, _ROUND - 1)
        data = pack(Frame(status & 0xFFFF, self._sequence, answers, held, values))
        self._said[self._sequence] = (now, about)
        if len(self._said) > _REMEMBERED:
            del self._said[next(iter(self._said))]
        self.counts.sent += 1
        return data

    def hear(self, data: bytes, now: int) -> Iterator[Heard]:
        """Valid frames in these bytes, which arrived at `now` [ns]."""
        for found in self._splitter.feed(data):
            heard = self._judge(found, now)
            if heard is not None:
                self.counts.accepted += 1
                yield heard

    def forget(self) -> None:
        """The device disappeared: the next one may be another, or the same after a reset."""
        self._splitter = Splitter()
        self._said.clear()
        self._last = None
        self.counts.gone += 1

    def _judge(self, found: Frame | Fault, now: int) -> Heard | None:
        counts, last = self.counts, self._last
        if not isinstance(found, Frame):
            counts.damaged += found is Fault.DAMAGED
            counts.unexpected += found is Fault.UNEXPECTED
            return None
        if len(found.values) != self.expected:
            counts.unexpected += 1
            return None
        if last is not None and found.sequence == last.sequence:
            counts.repeated += 1
            return None
        if last is not None:
            ahead = (found.sequence - last.sequence) % _ROUND
            if ahead < _ROUND // 2:
                counts.lost += ahead - 1
            else:
                counts.resets += 1
        self._last, self._arrived = found, now
        answered = self._said.get(found.answers)
        if answered is None:
            counts.unproven += 1
            return None
        said, about = answered
        return Heard(found, min(now, said + 1000 * found.held_us), about)
