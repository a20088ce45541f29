"""Accept only authentic packets: fresh, in order, from the current peer. No socket here.

Each start of a link is a session with a random number. A packet is accepted only if it names the
session of its receiver, which nobody can know before that has started, and if it is newer than all
before it. A restarted peer is accepted once it has echoed a stamp of ours that is newer than any
echo before: a recording of its earlier sessions cannot.

    A → B   HELLO to 0                    B: unproven, answers
    B → A   HELLO to A, echo of A's stamp   A: believes B from now on
    A → B   anything to B, echo of B's      B: believes A from now on
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from inloop.links.packets import Fault, Kind, Packet, seal, unseal
from inloop.links.statistics import LinkStatistics

WINDOW = 64  # recent sequence numbers whose arrival is remembered
DRIFT = 1e-4  # relative drift of two clocks
OLDEST = 1.0  # [s]

_COUNTED = {
    Fault.TRUNCATED: "truncated",
    Fault.FOREIGN: "foreign",
    Fault.FORGED: "forged",
    Fault.UNKNOWN: "unknown",
}


@dataclass
class _Peer:
    """The accepted session."""

    session: int = 0
    newest: int = 0  # sequence number
    came: int = 0  # bit k: newest - k has arrived
    first: int = 0  # sequence number
    stamp: int = 0  # its clock at sending of the newest packet [ns]
    heard: int = 0  # our clock at its arrival [ns]


class Session:
    """One end of a link.

    Attributes:
        id: number of this session.
        layout: hash that packets must carry; 0 until it is known.
        other_layout: whether the current peer has a different plant.
        statistics: counters and times.
    """

    def __init__(self, key: bytes = b"", layout: int = 0, oldest: float = OLDEST) -> None:
        self.id = secrets.randbits(63) + 1
        self.layout, self.other_layout = layout, False
        self.statistics = LinkStatistics()
        self._key, self._oldest = key, round(1e9 * oldest)
        self._sequence = 0
        self._peer = _Peer()
        self._newest_echo = -1
        self._clock = _Clock()

    @property
    def peer(self) -> int:
        """The accepted session; 0: none yet."""
        return self._peer.session

    @property
    def heard(self) -> int:
        """Our clock at arrival of the newest packet [ns]."""
        return self._peer.heard

    def linked(self, now: int) -> bool:
        """Whether there is an accepted peer that was heard from recently."""
        return self._peer.session != 0 and now - self._peer.heard <= self._oldest

    def pack(self, kind: Kind, payload: bytes, now: int) -> bytes:
        """A packet to the peer, ready to send.

        Args:
            kind: kind of payload.
            payload: the payload.
            now: our clock [ns].
        """
        peer = self._peer
        return self._seal(kind, payload, now, peer.session, peer.stamp, now - peer.heard)

    def reply(self, packet: Packet, now: int) -> bytes:
        """A HELLO to a sender that is not accepted yet."""
        return self._seal(Kind.HELLO, b"", now, packet.session, packet.stamp, 0)

    def accept(self, data: bytes, now: int) -> tuple[Packet | None, bytes | None]:
        """Check a datagram; it is counted in any case.

        Args:
            data: one datagram.
            now: our clock [ns].

        Returns:
            The packet, if accepted; and an immediate reply, if any.
        """
        counts = self.statistics.counts
        packet = unseal(data, self._key)
        if isinstance(packet, Fault):
            name = _COUNTED[packet]
            setattr(counts, name, getattr(counts, name) + 1)
            return None, None
        if packet.session == self.id:
            counts.replayed += 1
            return None, None
        if packet.to != self.id:
            counts.unproven += 1
            return None, self.reply(packet, now)
        if not 0 <= packet.echo <= now:
            counts.forged += 1
            return None, None
        if not self._is_new(packet):
            return None, None
        peer = self._peer
        peer.stamp, peer.heard = packet.stamp, now
        self._newest_echo = max(self._newest_echo, packet.echo)
        # it was sent after our stamp had arrived there
        if now - packet.echo > self._oldest:
            counts.late += 1
            return None, None
        if not self._fits(packet):
            self.other_layout = 0 not in (self.layout, packet.layout)
            counts.unknown += 1
            return None, None
        counts.accepted += 1
        self._measure(packet, now)
        return packet, None

    def _is_new(self, packet: Packet) -> bool:
        """Whether it is newer than all before; updates the window of sequence numbers."""
        counts, peer = self.statistics.counts, self._peer
        if packet.session != peer.session:
            if packet.echo <= self._newest_echo:
                counts.replayed += 1
                return False
            self._peer = _Peer(packet.session, packet.sequence, 1, packet.sequence)
            self._clock = _Clock()
            self.other_layout = False
            counts.peers += 1
            return True
        ahead = packet.sequence - peer.newest
        if ahead > 0:
            counts.lost += ahead - 1
            peer.came = (peer.came << min(ahead, WINDOW) | 1) & ((1 << WINDOW) - 1)
            peer.newest = packet.sequence
            return True
        bit = 1 << -ahead
        if -ahead >= WINDOW or peer.came & bit:
            counts.replayed += 1
            return False
        peer.came |= bit
        counts.reordered += 1
        # packets before the first accepted one had not been counted as lost
        if packet.sequence > peer.first:
            counts.lost -= 1
        return False

    def _fits(self, packet: Packet) -> bool:
        if packet.kind in (Kind.LAYOUT, Kind.BYE) or (
            packet.kind == Kind.HELLO and packet.layout == 0
        ):
            return True
        return packet.layout == self.layout

    def _measure(self, packet: Packet, now: int) -> None:
        round_trip = max(0, now - packet.echo - packet.held)
        self.statistics.round_trip.add(round_trip)
        self._clock.update(packet, now, round_trip)
        self.statistics.age.add(self._clock.age(packet, now))

    def _seal(self, kind: Kind, payload: bytes, now: int, to: int, echo: int, held: int) -> bytes:
        self._sequence += 1
        self.statistics.counts.sent += 1
        packet = Packet(kind, self.layout, self.id, to, self._sequence, now, echo, held, payload)
        return seal(packet, self._key)


def sent_after(packet: Packet) -> int:
    """A time of the receiver's clock before which a packet was not sent [ns].

    The sender had received our packet stamped `echo`, at that time or later, and held it for this
    long; so no synchronized clocks are needed, and delays in both directions count.
    """
    return packet.echo + max(0, packet.held)


class _Clock:
    """The peer's clock relative to ours, from the shortest round trip (Cristian 1989).

    Its error is at most half of that round trip; the older it is, the more the clocks may have
    drifted apart, and the sooner it is replaced by another packet.
    """

    def __init__(self) -> None:
        self._offset, self._round_trip, self._at = 0, -1, 0

    def update(self, packet: Packet, now: int, round_trip: int) -> None:
        drifted = self._round_trip + DRIFT * (now - self._at)
        if self._round_trip < 0 or round_trip <= drifted:
            self._offset = packet.stamp - (now - round_trip // 2)
            self._round_trip, self._at = round_trip, now

    def age(self, packet: Packet, now: int) -> int:
        return now - (packet.stamp - self._offset)
