"""Which packets count: handshake, order, replays, restarts; on a clock of the test's own."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from inloop.links.packets import Kind, Packet, seal, unseal
from inloop.links.session import Session

KEY = b"sixteen bytes or more of key"
MS = 1_000_000  # [ns]
LAYOUT = 77


class Wire:
    """Two sessions and a record of everything that was sent."""

    def __init__(self, key: bytes = KEY, offset: int = 0) -> None:
        self.key, self.now, self.offset = key, 10**12, offset
        self.a, self.b = Session(key, LAYOUT), Session(key, LAYOUT)
        self.to_a: list[bytes] = []
        self.to_b: list[bytes] = []

    def a_sends(self, kind: Kind = Kind.OUTPUTS, payload: bytes = b"") -> bytes:
        self.to_b.append(self.a.pack(kind, payload, self.now))
        return self.to_b[-1]

    def b_sends(self, kind: Kind = Kind.INPUTS, payload: bytes = b"") -> bytes:
        self.to_a.append(self.b.pack(kind, payload, self.now + self.offset))
        return self.to_a[-1]

    def a_gets(self, data: bytes) -> Packet | None:
        packet, reply = self.a.accept(data, self.now)
        if reply is not None:
            self.to_b.append(reply)
            self.b.accept(reply, self.now + self.offset)
        return packet

    def b_gets(self, data: bytes) -> Packet | None:
        packet, reply = self.b.accept(data, self.now + self.offset)
        if reply is not None:
            self.to_a.append(reply)
            self.a.accept(reply, self.now)
        return packet

    def shake_hands(self) -> None:
        self.now += MS
        self.b_gets(self.a_sends(Kind.HELLO))
        self.now += MS
        assert self.b_gets(self.a_sends()) is not None
        assert self.a_gets(self.b_sends()) is not None


def state(session: Session) -> Any:
    """All that decides what a session believes; not what it has counted or sent."""
    inside = copy.deepcopy(vars(session))
    for name in ("statistics", "_sequence", "_clock"):
        del inside[name]
    return inside


@pytest.mark.parametrize("key", [b"", KEY])
def test_three_packets_make_a_link(key: bytes) -> None:
    wire = Wire(key)
    first = wire.a_sends(payload=b"too early")
    assert wire.b_gets(first) is None
    # b answered, so a believes b; b believes a as soon as a answers
    assert wire.a.linked(wire.now) and not wire.b.linked(wire.now)
    wire.now += MS
    packet = wire.b_gets(wire.a_sends(payload=b"now"))
    assert packet is not None and packet.payload == b"now"
    assert wire.b.statistics.counts.unproven == 1
    assert wire.a.statistics.counts.peers == wire.b.statistics.counts.peers == 1
    # and it is over when nothing is heard any more
    assert not wire.b.linked(wire.now + 1001 * MS)


def test_nobody_is_believed_before_it_has_answered() -> None:
    wire = Wire()
    for _ in range(50):
        wire.now += MS
        # the replies do not arrive
        packet, reply = wire.b.accept(wire.a_sends(), wire.now)
        assert packet is None and reply is not None
    assert not wire.b.linked(wire.now)


def test_a_packet_counts_once() -> None:
    wire = Wire()
    wire.shake_hands()
    wire.now += MS
    data = wire.a_sends()
    assert wire.b_gets(data) is not None
    before = state(wire.b)
    for _ in range(3):
        assert wire.b_gets(data) is None
    assert wire.b.statistics.counts.replayed == 3
    assert state(wire.b) == before


def test_own_packets_that_come_back_are_ignored() -> None:
    wire = Wire(b"")
    wire.shake_hands()
    before = state(wire.a)
    for data in list(wire.to_b):
        assert wire.a_gets(data) is None
    assert state(wire.a) == before


@pytest.mark.parametrize("restarted", ["a", "b", "both"])
def test_recordings_of_earlier_sessions_never_count(restarted: str) -> None:
    wire = Wire()
    wire.shake_hands()
    for _ in range(20):
        wire.now += MS
        wire.b_gets(wire.a_sends(payload=b"old"))
        wire.a_gets(wire.b_sends(payload=b"old"))
    to_a, to_b = list(wire.to_a), list(wire.to_b)
    if restarted in ("a", "both"):
        wire.a = Session(KEY, LAYOUT)
    if restarted in ("b", "both"):
        wire.b = Session(KEY, LAYOUT)
    # at once, before the ends have found each other again
    assert not any(wire.a_gets(data) for data in to_a)
    assert not any(wire.b_gets(data) for data in to_b)
    wire.shake_hands()
    before = state(wire.a), state(wire.b)
    # whatever is replied to a recording is an honest sign of life; here it gets lost
    for _ in range(3):
        wire.now += MS
        assert not any(wire.a.accept(data, wire.now)[0] for data in to_a)
        assert not any(wire.b.accept(data, wire.now)[0] for data in to_b)
    assert (state(wire.a), state(wire.b)) == before
    assert wire.b_gets(wire.a_sends()) is not None
    assert wire.a_gets(wire.b_sends()) is not None


def test_a_restarted_peer_is_believed_again() -> None:
    wire = Wire()
    wire.shake_hands()
    for _ in range(1000):
        wire.now += MS
        wire.b_gets(wire.a_sends())
        wire.a_gets(wire.b_sends())
    wire.a = Session(KEY, LAYOUT)
    wire.shake_hands()
    assert wire.b.statistics.counts.peers == 2
    assert wire.b.statistics.counts.lost == 0


@pytest.mark.parametrize("seed", range(5))
def test_losses_and_disorder_are_counted_exactly(seed: int) -> None:
    chance, wire = random.Random(seed), Wire()
    wire.shake_hands()
    counts = wire.b.statistics.counts
    begin = copy.copy(counts)
    waiting: list[bytes] = []
    lost = repeated = late = 0
    newest = 0
    for n in range(3000):
        wire.now += MS
        waiting.append(wire.a_sends(payload=n.to_bytes(4, "little")))
        wire.a_gets(wire.b_sends())
        while len(waiting) > 3 or (n == 2999 and waiting):
            data = waiting.pop(chance.randrange(len(waiting)))
            if n < 2999 and chance.random() < 0.1:
                lost += 1
                continue
            number = unseal(data, KEY).sequence  # type: ignore[union-attr]
            late += number < newest
            newest = max(newest, number)
            wire.b_gets(data)
            if chance.random() < 0.1:
                repeated += 1
                assert wire.b_gets(data) is None
    assert lost > 200 and repeated > 200 and late > 200
    assert counts.lost == lost
    assert counts.reordered == late
    assert counts.replayed == repeated
    assert counts.accepted - begin.accepted == 3000 - lost - late


def test_only_newer_packets_count() -> None:
    chance, wire = random.Random(1), Wire()
    wire.shake_hands()
    wire.now += MS
    packets = [wire.a_sends(payload=n.to_bytes(4, "little")) for n in range(200)]
    chance.shuffle(packets)
    accepted = [p for data in packets if (p := wire.b_gets(data)) is not None]
    numbers = [packet.sequence for packet in accepted]
    assert 2 < len(numbers) < 50
    assert numbers == sorted(numbers)


def test_packets_that_were_held_up_are_late() -> None:
    wire = Wire()
    wire.shake_hands()
    wire.now += MS
    data = wire.b_sends(payload=b"old")
    wire.now += 1500 * MS
    assert wire.a_gets(data) is None
    assert wire.a.statistics.counts.late == 1


def test_a_link_recovers_from_an_outage() -> None:
    wire = Wire()
    wire.shake_hands()
    for _ in range(100):
        wire.now += 50 * MS
        wire.a_sends(), wire.b_sends()
    assert not wire.a.linked(wire.now)
    wire.a_gets(wire.b_sends())
    wire.b_gets(wire.a_sends())
    assert wire.a_gets(wire.b_sends()) is not None
    assert wire.b_gets(wire.a_sends()) is not None
    assert wire.a.statistics.counts.peers == 1
    assert wire.a.statistics.counts.lost == 100


def test_one_way_outage_ends_commands() -> None:
    """A controller that hears nothing any more is not listened to either."""
    wire = Wire()
    wire.shake_hands()
    accepted = []
    for k in range(60):
        wire.now += 50 * MS
        wire.a_sends()
        if wire.a_gets(wire.b_sends()) is not None:
            accepted.append(k)
    assert 15 <= len(accepted) <= 21
    assert accepted == list(range(len(accepted)))


def test_outputs_are_no_use_before_the_layout_is_known() -> None:
    wire = Wire()
    wire.b.layout = 0
    wire.b_gets(wire.a_sends(Kind.HELLO))
    wire.now += MS
    assert wire.b_gets(wire.a_sends()) is None
    assert not wire.b.other_layout
    wire.now += MS
    assert wire.b_gets(wire.a_sends(Kind.LAYOUT)) is not None


def test_other_layouts_are_refused() -> None:
    wire = Wire()
    wire.shake_hands()
    wire.a.layout = 78
    assert wire.b_gets(wire.a_sends()) is None
    assert wire.b.other_layout
    assert wire.b.statistics.counts.unknown == 1
    wire.now += MS
    assert wire.b_gets(wire.a_sends(Kind.BYE)) is not None


@pytest.mark.parametrize("offset", [0, 5 * 10**12, -(10**11)])
def test_round_trip_and_age_do_not_depend_on_the_clocks(offset: int) -> None:
    """Both ways take 3 ms, then one of them 8 ms: known to half the shortest round trip."""
    wire = Wire(offset=offset)
    wire.shake_hands()
    wire.a = Session(KEY, LAYOUT)
    wire.b = Session(KEY, LAYOUT)
    wire.shake_hands()
    wire.b.statistics.age.__init__()  # type: ignore[misc]
    wire.b.statistics.round_trip.__init__()  # type: ignore[misc]
    wire.b._clock.__init__()  # type: ignore[misc]
    for delay in [3] * 100 + [8] * 11:
        data = wire.b_sends()
        wire.now += 3 * MS
        wire.a_gets(data)
        wire.now += 2 * MS  # a takes its time
        data = wire.a_sends()
        wire.now += delay * MS
        assert wire.b_gets(data) is not None
    age = wire.b.statistics.age.histogram
    assert age.quantile(0.5) == pytest.approx(3000, rel=0.03)
    assert age.quantile(1.0) == pytest.approx(8000, rel=0.001)
    round_trip = wire.b.statistics.round_trip.histogram
    assert round_trip.quantile(0.5) == pytest.approx(6000, rel=0.03)
    assert round_trip.quantile(1.0) == pytest.approx(11000, rel=0.001)


def fuzz(count: int, seed: int, key: bytes) -> None:
    """Mutated packets of a living link, sealed anew by somebody without the key, and replays."""
    chance, wire = random.Random(seed), Wire(key)
    wire.shake_hands()
    for _ in range(30):
        wire.now += MS
        wire.b_gets(wire.a_sends(payload=chance.randbytes(40)))
        wire.a_gets(wire.b_sends(payload=chance.randbytes(40)))
    recorded = list(wire.to_a)
    before = state(wire.a)
    for _ in range(count):
        data = bytearray(chance.choice(recorded))
        way = chance.randrange(4)
        if way == 0:
            data = bytearray(chance.randbytes(chance.randrange(150)))
        elif way == 1:
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        elif way == 2:
            # all fields at random, with a seal that fits when there is no key
            numbers = [chance.getrandbits(chance.choice((1, 8, 63))) for _ in range(7)]
            kind, payload = chance.choice(list(Kind)), chance.randbytes(chance.randrange(64))
            data = bytearray(seal(Packet(kind, *numbers, payload), b""))
        packet, _ = wire.a.accept(bytes(data), wire.now)
        assert packet is None
    assert state(wire.a) == before
    assert wire.a_gets(wire.b_sends()) is not None


@pytest.mark.parametrize("key", [b"", KEY])
def test_fuzzed_packets_change_nothing(key: bytes) -> None:
    fuzz(50_000, 30, key)


@pytest.mark.long
@pytest.mark.parametrize("key", [b"", KEY])
def test_a_million_fuzzed_packets_change_nothing(key: bytes) -> None:
    fuzz(1_000_000, 31, key)
