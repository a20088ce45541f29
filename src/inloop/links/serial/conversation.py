"""Which frames of a serial link count, and how old they are. No device in here.

A line keeps the order of what is sent. So a number that is lower than the one before is a board
that was reset, and the same number twice is a repetition. A frame counts only if it answers a frame
of ours that was sent lately: bytes from before, out of some buffer, do not. The answered frame also
tells the age: what the board has measured was measured after it had got that frame.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

from inloop.links.serial.frames import Fault, Frame, Splitter, pack

_REMEMBERED = 4096  # frames of ours whose time is known
_ROUND = 2**32


@dataclass
class SerialCounts:
    """Frames of a serial link.

    Attributes:
        sent: by this end.
        accepted: new, whole, and an answer to a frame of ours.
        damaged: torn, changed or too long; ignored.
        unexpected: of another version or number of values; ignored.
        repeated: came a second time; ignored.
        unproven: answer no frame of ours, as the first ones of a board; ignored.
        refused: with numbers that the plant does not take; ignored.
        lost: numbers that never came.
        resets: of the board.
        gone: how often the device went away.
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
        """What was counted, without zeros."""
        found = {name: n for name, n in asdict(self).items() if n}
        return ", ".join(f"{n} {name}" for name, n in found.items()) or "nothing came or went"


@dataclass(frozen=True, slots=True)
class Heard:
    """A frame that counts.

    Attributes:
        frame: what came.
        since: when it was measured at the earliest, on our clock [ns].
        about: what was given to `say` with the frame that it answers.
    """

    frame: Frame
    since: int
    about: int


@dataclass
class Conversation:
    """One side of a serial link.

    Attributes:
        expected: numbers in frames that come.
        counts: what has happened.
    """

    expected: int
    counts: SerialCounts = field(default_factory=SerialCounts)

    def __post_init__(self) -> None:
        self._splitter = Splitter()
        # a start that nobody has in a buffer
        self._sequence = secrets.randbelow(_ROUND // 2)
        self._said: dict[int, tuple[int, int]] = {}  # number → time, what it was about
        self._last: Frame | None = None
        self._arrived = 0

    def say(self, values: tuple[float, ...], status: int, now: int, about: int = 0) -> bytes:
        """The bytes of a new frame; `now` [ns] is the time at which they are sent."""
        self._sequence = self._sequence % (_ROUND - 1) + 1  # 0 is no number of a frame
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
        """Frames that count among these bytes, which came at `now` [ns]."""
        for found in self._splitter.feed(data):
            heard = self._judge(found, now)
            if heard is not None:
                self.counts.accepted += 1
                yield heard

    def forget(self) -> None:
        """The device went away: what comes next is another one, or the same after a reset."""
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
