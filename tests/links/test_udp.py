"""A plant and its mirror over UDP: the ends themselves, and as processes that are killed."""

from __future__ import annotations

import itertools
import json
import math
import os
import random
import signal
import socket
import struct
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ends import running
from realtime_arm import all_records

import inloop as il
from inloop import gallery
from inloop.cli import main
from inloop.links import Address, MirrorEnd, PlantEnd
from inloop.links.packets import (
    InputsPayload,
    Kind,
    Packet,
    pack_numbered,
    unpack_outputs,
    unseal,
)
from inloop.links.session import Session
from inloop.links.udp import warn_of_open_door
from inloop.realtime import Flag, State
from inloop.realtime.clock import START
from inloop.realtime.mailboxes import commands
from inloop.realtime.mailboxes.segment import segment_path

KEY = b"sixteen bytes or more of key"
LONG = pytest.mark.long
HANG = 120.0  # [s] after which something that should happen never will
RELAY = str(Path(__file__).parent / "relay.py")


def local(port: int) -> Address:
    return Address("127.0.0.1", port)


@pytest.mark.parametrize("key", [b"", KEY])
def test_a_controller_at_the_mirror_moves_the_plant(
    plant: il.Plant, name: str, ports: tuple[int, int], eventually: Any, key: bytes
) -> None:
    """On a scripted clock of the plant: the answer to each record is used in the next step."""
    near, far = (local(port) for port in ports)
    clock = il.ScriptedClock()
    with il.start(plant, name=name, rate=1000.0, stale_after=60.0, clock=clock) as loop:
        at_plant = PlantEnd(name, near, far, key=key)
        at_mirror = MirrorEnd(f"{name}.far", far, near, key=key)
        with running(at_plant, at_mirror), il.attach(f"{name}.far", wait=HANG) as mirror:
            # it describes itself as the plant does
            assert mirror.layout == loop.mailbox.layout
            assert dict(mirror.parameters) == dict(loop.mailbox.parameters)
            seen = [mirror.read()]
            for k in range(300):
                mirror.write(push=float(k))
                assert loop.mailbox.answered(HANG)
                loop.clock.advance_to(START + 1e-3 * (k + 1) + 3e-4)
                outputs = mirror.wait(HANG)
                assert outputs is not None
                seen.append(outputs)
            # parameters go over, whatever is lost; others may change theirs at the plant
            loop.mailbox.parameters["damping"] = 0.9
            mirror.parameters["stiffness"] = 33.0
            eventually(lambda: loop.mailbox.parameters["stiffness"] == 33.0)
            assert loop.mailbox.parameters["damping"] == 0.9
            # a recorder there finds what belongs to a record
            assert mirror.parameters_at(seen[-1].parameter_sequence)["stiffness"] == 7.0
            loop.clock.advance(1e-3)
            eventually(lambda: mirror.peek().step == 301)
            assert mirror.parameters_at(mirror.peek().parameter_sequence)["stiffness"] == 33.0
            loop.mailbox.stop()
            # the mirror ends with the plant
            eventually(lambda: mirror.gone)
        told = {record.step: record for record in all_records(loop.mailbox)}
    assert [outputs.step for outputs in seen] == list(range(301))
    assert [outputs["push"] for outputs in seen[1:]] == [float(k) for k in range(300)]
    for outputs in seen:
        original = told[outputs.step]
        np.testing.assert_array_equal(outputs.values, original.values)
        assert (outputs.status, outputs.flags) == (original.status, original.flags)
    for end in (at_plant, at_mirror):
        counts = end.session.statistics.counts
        assert counts.accepted >= 300
        assert counts.peers == 1
        assert counts.forged == counts.truncated == counts.replayed == counts.refused == 0
    # the clock stands 0.3 ms after each record when its answer comes
    answer = at_plant.session.statistics.answer.histogram
    assert answer.count >= 300
    assert answer.quantile(0.5) == pytest.approx(300.0, rel=0.03)


def lock_step(box: Any, steps: int) -> Any:
    """A controller that answers each record; q of all of them."""
    states = []
    for _ in range(steps):
        outputs = box.wait(HANG)
        assert outputs is not None
        states.append(outputs.values[: len(outputs.q) * 2 + 1].copy())
        box.write(push=1.0 - 3.0 * outputs.q[0], tau=[0.1, -0.2 * outputs.qd[1]])
    return np.array(states)


def over_a_bad_wire(name: str, begin: Any, ports: tuple[int, int]) -> tuple[Any, Any, Any]:
    """Both ends, and a wire between them that loses 15 %, holds back 10 %, repeats 10 %."""
    near, far = ports
    with socket.socket(type=socket.SOCK_DGRAM) as a, socket.socket(type=socket.SOCK_DGRAM) as b:
        a.bind(("127.0.0.1", 0))
        b.bind(("127.0.0.1", 0))
        here_a, here_b = a.getsockname()[1], b.getsockname()[1]
    words = [f"127.0.0.1:{port}" for port in (here_a, near, here_b, far)]
    wire = begin(sys.executable, RELAY, *words, "0", "0.15", "0.1", "0.1", "5", stdin=-1)
    assert wire.stdout.readline() == "ready\n"
    at_plant = PlantEnd(name, local(near), local(here_a), key=KEY)
    return at_plant, MirrorEnd(f"{name}.far", local(far), local(here_b), key=KEY), wire


def test_commands_over_a_bad_wire_are_obeyed_once(
    name: str,
    begin: Any,
    ports: tuple[int, int],
    eventually: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of a plant with modes: pause, steps, snapshots of each mode, resets, refusals."""
    monkeypatch.setattr(commands, "OBEYED_WITHIN", HANG)
    plant = gallery.get("bouncing_ball").build().compile()
    with il.start(plant, name=name, rate=1000.0, paused=True, clock=il.ScriptedClock()) as loop:
        at_plant, at_mirror, wire = over_a_bad_wire(name, begin, ports)
        with running(at_plant, at_mirror), il.attach(f"{name}.far", wait=HANG) as mirror:

            def advance(count: int) -> Any:
                """So many steps, each done once."""
                goal = loop.mailbox.read().step + count
                mirror.step(count)
                loop.clock.settle()
                assert loop.mailbox.read().step == goal
                eventually(lambda: mirror.read().step == goal)
                return mirror.read()

            middle, end = advance(1200), advance(8000)
            assert (middle["mode"], end["mode"]) == (0.0, 1.0)
            mirror.restore(middle.snapshot)
            np.testing.assert_array_equal(advance(8000).values, end.values)
            mirror.restore(end.snapshot)
            eventually(lambda: mirror.read().step == end.step)
            assert mirror.read().partition == 1
            mirror.reset()
            assert loop.mailbox.read().step == 0
            with pytest.raises(il.InputError, match="refused"):
                mirror.set_speed(1e9)
            mirror.resume()
            eventually(lambda: mirror.state == State.RUNNING)
            before = loop.clock.now
            loop.clock.advance_to(before + 0.0205)
            eventually(lambda: mirror.read().step == 20)
            mirror.pause()
            assert mirror.state == State.PAUSED == loop.mailbox.state
            mirror.stop()
    did = json.loads(wire.communicate("end\n")[0])
    assert all(did[side][what] > 0 for side in "ab" for what in ("lost", "held", "repeated"))
    assert at_plant.session.statistics.counts.lost > 0
    assert at_mirror.session.statistics.counts.lost > 0


def test_lock_step_over_a_bad_wire_is_exact(
    plant: il.Plant, name: str, begin: Any, ports: tuple[int, int]
) -> None:
    """Each step waits for its answer: losses, repeats and disorder cost time, not bits."""
    options = {"name": name, "mode": "lock-step", "rate": 256.0, "stale_after": None}
    with il.start(plant, **options), il.attach(name) as box:
        expected = lock_step(box, 60)
    assert np.ptp(expected[:, 1]) > 0.01
    with il.start(plant, **options) as loop:
        at_plant, at_mirror, wire = over_a_bad_wire(name, begin, ports)
        with running(at_plant, at_mirror):
            with il.attach(f"{name}.far", wait=HANG) as mirror:
                found = lock_step(mirror, 60)
            loop.mailbox.stop()
    np.testing.assert_array_equal(found, expected)
    out, _ = wire.communicate("end\n")
    did = json.loads(out)
    assert did["a"]["lost"] > 3 and did["b"]["lost"] > 3
    assert at_mirror.session.statistics.counts.lost > 3
    assert at_plant.session.statistics.counts.replayed > 0


def test_strangers_are_counted_and_ignored(
    plant: il.Plant, name: str, ports: tuple[int, int], eventually: Any
) -> None:
    near, far = (local(port) for port in ports)
    with (
        il.start(plant, name=name, rate=1000.0, clock=il.ScriptedClock()) as loop,
        socket.socket(type=socket.SOCK_DGRAM) as peer,
        socket.socket(type=socket.SOCK_DGRAM) as other,
    ):
        peer.bind((far.host, far.port))
        peer.settimeout(HANG)
        at_plant = PlantEnd(name, near, far, key=KEY)
        counts = at_plant.session.statistics.counts
        with running(at_plant):
            # nobody answers: signs of life, and no outputs although there are new ones
            for _ in range(3):
                packet = unseal(peer.recv(65536), KEY)
                assert isinstance(packet, Packet) and packet.kind == Kind.HELLO
                loop.clock.advance(0.1)
            other.sendto(b"from another port", (near.host, near.port))
            eventually(lambda: counts.foreign == 1)
            mallory = Session(b"a guessed key, long enough")
            values = InputsPayload(0, 0, 0, bytes(8 * len(loop.mailbox.inputs))).pack()
            for data in (
                b"",
                b"short",
                bytes(300),
                mallory.pack(Kind.INPUTS, values, loop.clock.now_ns),
                mallory.pack(Kind.HELLO, b"", loop.clock.now_ns),
            ):
                peer.sendto(data, (near.host, near.port))
            eventually(lambda: counts.forged == 2)
            assert (counts.truncated, counts.foreign, counts.accepted) == (2, 2, 0)
            assert loop.mailbox.writer is None
            loop.mailbox.stop()
        while True:
            packet = unseal(peer.recv(65536), KEY)
            assert isinstance(packet, Packet) and packet.kind in (Kind.HELLO, Kind.BYE)
            if packet.kind == Kind.BYE:
                break


def payloads(chance: random.Random, count: int) -> Iterator[tuple[Kind, bytes]]:
    """What a peer with the right key might send if it were mad."""
    numbers = [0.0, 1.0, math.nan, math.inf, -1e308, 5e-324]
    for _ in range(count):
        kind = chance.choice([k for k in Kind if k != Kind.BYE])
        if chance.random() < 0.5:
            yield kind, chance.randbytes(chance.randrange(80))
        else:
            size = chance.randrange(6)
            values = struct.pack(f"<{size}d", *(chance.choice(numbers) for _ in range(size)))
            number = chance.choice([0, 1, 2**64 - 1])
            if kind == Kind.INPUTS:
                time, rest = (chance.choice([0, 1, -1, 2**63 - 1, -(2**63)]) for _ in range(2))
                yield kind, InputsPayload(number, time, rest, values).pack()
            else:
                yield kind, pack_numbered(number, values)


def test_nonsense_from_a_believed_peer_does_no_harm(
    plant: il.Plant, name: str, ports: tuple[int, int]
) -> None:
    """Only finite inputs of the right number reach the mailbox, only parameters in their range."""
    near, far = (local(port) for port in ports)
    chance = random.Random(7)
    options = {"policies": {"DIVERGED": "hold"}, "clock": il.ScriptedClock()}
    with il.start(plant, name=name, rate=1000.0, **options) as loop:
        at_plant = PlantEnd(name, near, far, key=KEY)
        peer = Session(KEY, int(loop.mailbox.layout_hash, 16))
        where = (far.host, far.port)
        _, reply = at_plant.session.accept(peer.pack(Kind.HELLO, b"", 1), loop.clock.now_ns)
        assert reply is not None
        peer.accept(reply, 2)
        for k, (kind, payload) in enumerate(payloads(chance, 3000)):
            at_plant._receive(peer.pack(kind, payload, 3 + k), where)
            if k % 10 == 0 and loop.mailbox.state == State.RUNNING:
                loop.clock.advance(1e-4)
        counts = at_plant.session.statistics.counts
        assert counts.refused > 500
        assert counts.accepted + counts.late + counts.unproven > 2900
        assert loop.mailbox.statistics()["bad_inputs"] == 0
        assert loop.mailbox.statistics()["bad_parameters"] == 0
        assert 0.0 <= loop.mailbox.parameters["stiffness"] <= 90.0
        assert all(math.isfinite(x) for x in loop.mailbox.parameters.values())
        at_plant.close()


def test_nonsense_from_a_believed_plant_does_no_harm(name: str, ports: tuple[int, int]) -> None:
    near, far = (local(port) for port in ports)
    chance = random.Random(8)
    ticks = itertools.count(10**9)
    at_mirror = MirrorEnd(f"{name}.far", far, near, key=KEY, now=lambda: next(ticks))
    peer = Session(KEY, 5)
    where = (near.host, near.port)
    _, reply = at_mirror.session.accept(peer.pack(Kind.HELLO, b"", 1), at_mirror.now())
    assert reply is not None
    peer.accept(reply, 2)
    for _ in range(3000):
        text = chance.choice([b"", b"model\ta\t\t0\t0\t0\n", b"q\tx\n", chance.randbytes(30)])
        period = chance.choice([0.0, -1.0, math.nan, math.inf])
        payload = struct.pack("<dII", period, chance.choice([0, 2**32 - 1]), 0) + text
        at_mirror._receive(peer.pack(Kind.LAYOUT, payload, next(ticks)), where)
        data = peer.pack(Kind.OUTPUTS, chance.randbytes(90), next(ticks))
        at_mirror._receive(data, where)
    assert at_mirror.session.statistics.counts.refused == 3000
    assert name not in "".join(il.realtime.running())
    at_mirror.close()


def test_another_plant_behind_the_mirror_ends_it(
    plant: il.Plant, name: str, ports: tuple[int, int]
) -> None:
    near, far = (local(port) for port in ports)
    at_mirror = MirrorEnd(f"{name}.far", far, near)
    raised: list[Exception] = []

    def work() -> None:
        try:
            at_mirror.run()
        except il.LinkError as error:
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    with il.start(plant, name=name, clock=il.ScriptedClock()) as loop:
        at_plant = PlantEnd(name, near, far)
        worker = threading.Thread(target=at_plant.run)
        worker.start()
        il.attach(f"{name}.far", wait=HANG).close()
        at_plant.session.layout += 1  # as if another one had been started there
        thread.join(HANG)
        loop.mailbox.stop()
        worker.join(HANG)
        at_plant.close()
    at_mirror.close()
    assert "replaced by another one" in str(raised[0])


def test_a_killed_link_comes_back_and_the_loop_does_not_notice(
    plant: il.Plant, name: str, ports: tuple[int, int], link: Any, tmp_path: Path
) -> None:
    """On a scripted clock of the plant, which the links read in processes of their own."""
    near, far = (f"127.0.0.1:{port}" for port in ports)
    key = tmp_path / "key"
    key.write_bytes(KEY)
    key.chmod(0o600)
    sealed = ("--key-file", str(key), "--oldest", "3600")
    options = {"rate": 500, "stale_after": 30.0, "telemetry": 200.0, "clock": il.ScriptedClock()}
    with il.start(plant, name=name, **options) as loop:
        to_plant = ("udp", name, "--listen", near, "--peer", far, *sealed)
        first = link(*to_plant)
        at_mirror = link("udp", f"{name}.far", "--mirror", "--listen", far, "--peer", near, *sealed)
        with il.attach(f"{name}.far", wait=HANG) as mirror:

            def control(steps: int) -> None:
                """So many steps, each with an answer of the controller to the one before."""
                for _ in range(steps):
                    mirror.write(push=2.0)
                    assert loop.mailbox.answered(HANG)
                    loop.clock.advance(2e-3)
                    assert mirror.wait(HANG) is not None

            mirror.read()
            control(40)
            assert loop.mailbox.writer == first.pid
            os.kill(first.pid, signal.SIGKILL)
            first.wait(HANG)
            loop.clock.advance(40.0)
            second = link(*to_plant)
            # by whatever link it comes: the newest record
            newest = loop.mailbox.read()
            while mirror.read().step < newest.step:
                assert mirror.wait(HANG) is not None
            control(40)
            assert loop.mailbox.writer == second.pid
            found = all_records(loop.mailbox)
            loop.mailbox.stop()
            # the controller's end counts two peers, and the plant's ends as the plant does
            told = json.loads(at_mirror.communicate(timeout=HANG)[0])
            assert second.wait(HANG) == 0
    assert told["peers"] == 2
    assert told["accepted"] >= 80
    assert told["round_trip_us"]["p50"] > 0.0
    # one plant all the time, no step missing
    steps = 40 + 20_000 + 40
    assert [record.step for record in found] == list(range(steps + 1))
    safe = np.array([bool(record.flags & Flag.SAFE) for record in found])
    push = np.array([record["push"] for record in found])
    np.testing.assert_array_equal(push[1:], np.where(safe[1:], 0.0, 2.0))
    # safe when the limit is over, until the next inputs; a controller may have waited a little
    begin, end = np.flatnonzero(safe)[[0, -1]]
    assert safe[begin : end + 1].all() and end == 20_040
    assert 40 < begin <= 40 + 15_001


@pytest.mark.parametrize("first", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=LONG)])
def test_signals_leave_nothing_behind(
    plant: il.Plant, name: str, ports: tuple[int, int], link: Any, first: int
) -> None:
    numbers = (first, ({signal.SIGINT, signal.SIGTERM} - {first}).pop())
    near, far = (f"127.0.0.1:{port}" for port in ports)
    with il.start(plant, name=name, rate=1000.0, clock=il.ScriptedClock()) as loop:
        at_plant = link("udp", name, "--listen", near, "--peer", far)
        at_mirror = link("udp", f"{name}.far", "--mirror", "--listen", far, "--peer", near)
        with il.attach(f"{name}.far", wait=HANG) as mirror:
            loop.clock.advance(1e-3)
            while mirror.read().step < 1:
                assert mirror.wait(HANG) is not None
            for end, number in zip((at_mirror, at_plant), numbers, strict=True):
                end.send_signal(number)
                out, err = end.communicate(timeout=HANG)
                assert "Traceback" not in err
                assert end.returncode == (130 if number == signal.SIGINT else 143)
                # Ctrl-C still gives the report
                assert ("accepted" in out) == (number == signal.SIGINT)
            assert mirror.gone
        assert not segment_path(f"{name}.far").exists()
        # the plant goes on
        loop.clock.advance(1e-3)
        assert loop.mailbox.read().step == 2


@pytest.mark.long
def test_a_killed_mirror_is_replaced(
    plant: il.Plant, name: str, ports: tuple[int, int], link: Any, eventually: Any
) -> None:
    near, far = (local(port) for port in ports)
    with il.start(plant, name=name, stale_after=None, clock=il.ScriptedClock()) as loop:
        words = ("--mirror", "--listen", str(far), "--peer", str(near))
        at_plant = PlantEnd(name, near, far)
        with running(at_plant):
            for push in (1.0, 2.0):
                # a new peer is believed when it echoes a newer time than the one before
                loop.clock.advance(0.1)
                at_mirror = link("udp", f"{name}.far", *words)
                # the first one that answers is the new one: the old one's process is dead
                with il.attach(f"{name}.far", wait=HANG) as mirror:
                    mirror.read()
                    mirror.write(push=push)
                    assert loop.mailbox.answered(HANG)
                    loop.clock.advance(0.1)
                    assert loop.mailbox.read()["push"] == push
                    # the second mirror counts its parameters anew
                    mirror.parameters["stiffness"] = 10.0 * push
                    eventually(lambda p=push: loop.mailbox.parameters["stiffness"] == 10.0 * p)
                    if push == 1.0:
                        at_mirror.kill()
                        at_mirror.wait()
                        eventually(lambda mirror=mirror: mirror.gone)
            loop.mailbox.stop()
        assert at_mirror.wait(HANG) == 0
    assert at_plant.session.statistics.counts.peers == 2


def test_a_mirror_needs_a_name_of_its_own(
    plant: il.Plant, name: str, ports: tuple[int, int]
) -> None:
    near, far = (local(port) for port in ports)
    with il.start(plant, name=name, clock=il.ScriptedClock()) as loop:
        at_plant = PlantEnd(name, near, far)
        with running(at_plant):
            with (
                MirrorEnd(name, far, near) as at_mirror,
                pytest.raises(il.MailboxError, match="runs already"),
            ):
                at_mirror.run(seconds=HANG)
            loop.mailbox.stop()


def test_words_that_make_no_sense(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    short, shown = tmp_path / "short", tmp_path / "shown"
    short.write_bytes(b"123\n")
    shown.write_bytes(KEY)
    shown.chmod(0o644)
    cases: dict[tuple[str, ...], str] = {
        ("--listen", "10.0.0.1:x"): "is not an address",
        ("--listen", "1.2.3.4:5620"): "cannot listen on 1.2.3.4:5620",
        ("--peer", "no.such.host.invalid:5"): "is not known",
        ("--key-file", str(short)): "is too short: 3 bytes",
        ("--key-file", str(shown)): "other users can read the key",
        ("--key-file", str(tmp_path / "none")): "No such file",
        ("--oldest", "0"): "is out of range",
    }
    for words, text in cases.items():
        assert main(["link", "udp", name, "--mirror", "--seconds", "0.1", *words]) == 2
        assert text in capsys.readouterr().err, words
    assert main(["link", "udp", name]) == 2
    assert f"no plant named '{name}'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ("127.0.0.1", 7)),
        ("10.0.0.2", ("10.0.0.2", 7)),
        ("10.0.0.2:99", ("10.0.0.2", 99)),
        (":99", ("127.0.0.1", 99)),
        ("[::1]:99", ("::1", 99)),
        ("[::1]", ("::1", 7)),
        ("host", ("host", 7)),
    ],
)
def test_addresses(text: str, expected: tuple[str, int]) -> None:
    address = Address.parse(text, 7)
    assert (address.host, address.port) == expected


def test_an_open_door_is_named() -> None:
    assert warn_of_open_door(Address("0.0.0.0", 1), b"") is not None
    assert warn_of_open_door(Address("0.0.0.0", 1), KEY) is None
    assert warn_of_open_door(Address("127.0.0.2", 1), b"") is None
    assert warn_of_open_door(Address("::1", 1), b"") is None


def test_ipv6(plant: il.Plant, name: str, ports: tuple[int, int]) -> None:
    near, far = (Address("::1", port) for port in ports)
    with il.start(plant, name=name, clock=il.ScriptedClock()) as loop:
        try:
            ends = PlantEnd(name, near, far), MirrorEnd(f"{name}.far", far, near)
        except il.LinkError as error:
            pytest.skip(f"no IPv6 here: {error}")
        with running(*ends):
            with il.attach(f"{name}.far", wait=HANG) as mirror:
                assert mirror.read().step == 0
                loop.clock.advance(0.1)
                assert mirror.wait(HANG) is not None
            loop.mailbox.stop()


def test_no_receipt_for_what_an_earlier_mirror_sent(
    plant: il.Plant, name: str, ports: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new mirror counts its parameters anew and would take it for its own."""
    near, far = (local(port) for port in ports)
    sent: list[bytes] = []
    where = (far.host, far.port)
    with (
        il.start(plant, name=name, clock=il.ScriptedClock()) as loop,
        PlantEnd(name, near, far) as at_plant,
    ):
        monkeypatch.setattr(at_plant, "send", lambda kind, payload=b"": sent.append(payload))
        count = loop.mailbox.layout.counts[0]
        change = pack_numbered(2, struct.pack("<2d", 20.0, math.nan))
        receipts = []
        for sends in (True, False):
            mirror = Session(layout=int(loop.mailbox.layout_hash, 16))
            loop.clock.advance(0.1)
            hello = mirror.pack(Kind.HELLO, b"", 1)
            _, reply = at_plant.session.accept(hello, loop.clock.now_ns)
            assert reply is not None
            mirror.accept(reply, 2)
            kind, payload = (Kind.PARAMETERS, change) if sends else (Kind.HELLO, b"")
            at_plant._receive(mirror.pack(kind, payload, 3), where)
            at_plant._send_outputs(loop.mailbox.read())
            record = unpack_outputs(sent[-1], count)
            assert record is not None
            receipts.append(record.parameters)
        assert loop.mailbox.parameters["stiffness"] == 20.0
    assert receipts == [2, 0]
