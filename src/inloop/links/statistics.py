"""What a link has counted."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from inloop.realtime.statistics import Times


@dataclass
class Counts:
    """Packets of one end of a link.

    Attributes:
        sent: by this end.
        unsent: that the network did not take.
        accepted: newer than all before, from the peer of now, in time.
        lost: numbers that never came.
        reordered: came after a newer one; ignored.
        replayed: came a second time, or from a session that is over; ignored.
        late: sent longer ago than allowed; ignored.
        unproven: not addressed to this session, as the first packets of a new peer; ignored.
        foreign: from another address, of another protocol or version; ignored.
        truncated: too short for their kind; ignored.
        forged: damaged or sealed with another key; ignored.
        unknown: of a kind or layout that is not known here; ignored.
        refused: that the mailbox did not take; ignored.
        peers: sessions of the peer that were accepted: one more after each restart.
    """

    sent: int = 0
    unsent: int = 0
    accepted: int = 0
    lost: int = 0
    reordered: int = 0
    replayed: int = 0
    late: int = 0
    unproven: int = 0
    foreign: int = 0
    truncated: int = 0
    forged: int = 0
    unknown: int = 0
    refused: int = 0
    peers: int = 0

    @property
    def ignored(self) -> int:
        """Packets that changed nothing."""
        names = (
            "reordered", "replayed", "late", "unproven", "foreign", "truncated", "forged",
            "unknown", "refused",
        )  # fmt: skip
        return sum(getattr(self, name) for name in names)


@dataclass
class LinkStatistics:
    """Counts and times of one end of a link.

    Attributes:
        counts: of packets.
        round_trip: to the peer and back, without the time that the peer held the packet.
        age: since a packet was sent, at arrival; known to half the shortest round trip.
        answer: plant's side: from the outputs being written to their answer's arrival; exact.
    """

    counts: Counts = field(default_factory=Counts)
    round_trip: Times = field(default_factory=Times)
    age: Times = field(default_factory=Times)
    answer: Times = field(default_factory=Times)

    def data(self) -> dict[str, Any]:
        """For machines: counts, and quantiles [µs]."""
        times = {"round_trip_us": self.round_trip, "age_us": self.age, "answer_us": self.answer}
        return {
            **asdict(self.counts),
            **{name: time.histogram.summary() for name, time in times.items()},
        }

    def rows(self) -> list[tuple[str, ...]]:
        """Quantiles for a table [µs]."""
        times = {"round trip": self.round_trip, "age": self.age, "answer": self.answer}
        shown = ((name, time.histogram.summary()) for name, time in times.items())
        return [
            (name, *("-" if v is None else f"{v:.1f}" for v in quantiles.values()))
            for name, quantiles in shown
        ]

    def sentence(self) -> str:
        """What was counted, without zeros."""
        found = {name: n for name, n in asdict(self.counts).items() if n}
        return ", ".join(f"{n} {name}" for name, n in found.items()) or "nothing came or went"
