"""Statistics of a link."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from inloop.realtime.statistics import Times


@dataclass
class Counts:
    """Packet counters of one end of a link.

    Attributes:
        sent: sent by this end.
        unsent: not accepted by the network.
        accepted: newer than all before, from the current peer, in time.
        lost: missing sequence numbers.
        reordered: arrived after a newer one; ignored.
        replayed: arrived twice, or from a past session; ignored.
        late: sent longer ago than allowed; ignored.
        unproven: not addressed to this session, such as the first packets of a new peer; ignored.
        foreign: from another address, of another protocol or version; ignored.
        truncated: too short for their kind; ignored.
        forged: damaged or sealed with a different key; ignored.
        unknown: of an unknown kind or layout; ignored.
        refused: not accepted by the mailbox; ignored.
        peers: number of accepted sessions of the peer: one more after each restart.
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
        """Number of ignored packets."""
        names = (
            "reordered", "replayed", "late", "unproven", "foreign", "truncated", "forged",
            "unknown", "refused",
        )  # fmt: skip
        return sum(getattr(self, name) for name in names)


@dataclass
class LinkStatistics:
    """Counters and times of one end of a link.

    Attributes:
        counts: of packets.
        round_trip: to the peer and back, without the time that the peer held the packet.
        age: since a packet was sent, at arrival; known to half the shortest round trip.
        answer: plant side: from writing outputs to the arrival of their answer; exact.
    """

    counts: Counts = field(default_factory=Counts)
    round_trip: Times = field(default_factory=Times)
    age: Times = field(default_factory=Times)
    answer: Times = field(default_factory=Times)

    def data(self) -> dict[str, Any]:
        """As plain data: counters, and quantiles [µs]."""
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
        """The nonzero counters, as text."""
        found = {name: n for name, n in asdict(self.counts).items() if n}
        return ", ".join(f"{n} {name}" for name, n in found.items()) or "nothing came or went"
