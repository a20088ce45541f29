"""The bytes on the wire, and what is done about wrong ones."""

from __future__ import annotations

import hashlib
import random
import struct
from collections import Counter
from dataclasses import replace

import pytest

from inloop.links.packets import (
    Fault,
    InputsPayload,
    Kind,
    LayoutPayload,
    OutputsPayload,
    Packet,
    pack_numbered,
    seal,
    unpack_inputs,
    unpack_layout,
    unpack_numbered,
    unpack_outputs,
    unseal,
)

KEY = b"sixteen bytes or more of key"
PACKET = Packet(Kind.INPUTS, 2**64 - 1, 11, 22, 33, 44, 55, -66, b"payload")


def rfc2104(key: bytes, text: bytes) -> bytes:
    """HMAC-SHA256 from its definition, for keys of up to 64 bytes."""
    block = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(x ^ 0x36 for x in block) + text).digest()
    return hashlib.sha256(bytes(x ^ 0x5C for x in block) + inner).digest()


def test_the_format_is_the_one_described() -> None:
    body = b"inlp" + struct.pack("<HH", 2, 4)
    body += struct.pack("<QQQQqqq", 2**64 - 1, 11, 22, 33, 44, 55, -66) + b"payload"
    assert seal(PACKET, KEY) == body + rfc2104(KEY, body)[:16]
    assert seal(PACKET, b"") == body + rfc2104(b"", body)[:16]


@pytest.mark.parametrize("key", [b"", KEY])
@pytest.mark.parametrize("kind", Kind)
def test_what_is_sealed_can_be_unsealed(kind: Kind, key: bytes) -> None:
    packet = replace(PACKET, kind=kind)
    assert unseal(seal(packet, key), key) == packet


def test_faults_are_told_apart() -> None:
    good = seal(PACKET, KEY)
    assert unseal(b"", KEY) == Fault.TRUNCATED
    assert unseal(good[:79], KEY) == Fault.TRUNCATED
    assert unseal(b"else" + good[4:], KEY) == Fault.FOREIGN
    assert unseal(good[:4] + b"\3\0" + good[6:], KEY) == Fault.FOREIGN
    assert unseal(good, b"another key that is long enough") == Fault.FORGED
    assert unseal(good, b"") == Fault.FORGED
    assert unseal(seal(PACKET, b""), KEY) == Fault.FORGED
    body = good[:6] + b"\x63\0" + good[8:-16]
    assert unseal(body + rfc2104(KEY, body)[:16], KEY) == Fault.UNKNOWN


def test_no_flipped_bit_and_no_other_length_passes() -> None:
    for key in (b"", KEY):
        good = seal(PACKET, key)
        for bit in range(8 * len(good)):
            bad = bytearray(good)
            bad[bit // 8] ^= 1 << bit % 8
            assert isinstance(unseal(bytes(bad), key), Fault)
        for size in range(len(good)):
            assert isinstance(unseal(good[:size], key), Fault)
            assert isinstance(unseal(good + bytes(size + 1), key), Fault)


def test_payloads_come_back() -> None:
    values = struct.pack("<3d", 1.5, -2.25, 1e300)
    outputs = OutputsPayload(1, 2, 3, 4, 5, 6, 7, 8, 9, values)
    assert unpack_outputs(outputs.pack(), 3) == outputs
    assert unpack_numbered(pack_numbered(9, values), 3) == (9, values)
    inputs = InputsPayload(9, 8, 1, values)
    assert unpack_inputs(inputs.pack(), 3) == inputs
    layout = LayoutPayload(1e-3, 4, values, b"model\tarm")
    assert unpack_layout(layout.pack()) == layout


def test_payloads_of_another_size_are_refused() -> None:
    values = bytes(24)
    for count in (0, 2, 4, 10**9):
        assert (
            unpack_outputs(OutputsPayload(1, 2, 3, 4, 5, 6, 7, 8, 9, values).pack(), count) is None
        )
        assert unpack_numbered(pack_numbered(9, values), count) is None
        assert unpack_inputs(InputsPayload(9, 8, 1, values).pack(), count) is None
    for size in range(16):
        assert unpack_layout(bytes(size)) is None
    assert unpack_layout(struct.pack("<dII", 1e-3, 4, 32) + bytes(31)) is None
    assert unpack_layout(struct.pack("<dII", 1e-3, 4, 2**32 - 1) + bytes(31)) is None


def mutated(chance: random.Random, good: list[bytes]) -> bytes:
    """Random bytes, or a good packet with something wrong; never a good one."""
    way = chance.randrange(6)
    if way == 0:
        return chance.randbytes(chance.randrange(200))
    data = bytearray(chance.choice(good))
    if way == 1:
        del data[chance.randrange(len(data)) :]
    elif way == 2:
        data += chance.randbytes(chance.randint(1, 64))
    elif way == 3:
        for _ in range(chance.randint(1, 8)):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    elif way == 4:
        at = chance.randrange(len(data) - 8)
        data[at : at + 8] = chance.choice([bytes(8), b"\xff" * 8, chance.randbytes(8)])
    else:
        # the head of one and the tail of another
        other = chance.choice(good)
        at = chance.randrange(1, len(data))
        data = data[:at] + other[at:]
    return bytes(data)


def fuzz(count: int, seed: int) -> None:
    chance = random.Random(seed)
    good = [
        seal(replace(PACKET, kind=kind, sequence=n, payload=chance.randbytes(8 * n)), KEY)
        for kind in Kind
        for n in range(6)
    ]
    known = set(good)
    found: Counter[str] = Counter()
    for _ in range(count):
        data = mutated(chance, good)
        result = unseal(data, KEY)
        # flips may undo each other, and a tail may be the packet's own
        assert isinstance(result, Fault) or data in known
        found["good" if isinstance(result, Packet) else result.name] += 1
    assert found["TRUNCATED"] > 0.1 * count
    assert found["FORGED"] > 0.3 * count
    assert found["FOREIGN"] > 0.01 * count
    assert found["good"] < 0.1 * count


def test_fuzzed_bytes_are_never_a_packet() -> None:
    fuzz(100_000, seed=20)


@pytest.mark.long
def test_a_million_fuzzed_bytes_are_never_a_packet() -> None:
    fuzz(1_000_000, seed=21)
