"""How old inputs are that come over a link: told end to end, and judged by the watchdog."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np
import pytest

import inloop as il
from inloop.links.joints import JointPort, age_of
from inloop.links.packets import InputsPayload, Kind, Packet, unpack_inputs
from inloop.links.session import Session, sent_after
from inloop.links.udp import LOCAL, Address
from inloop.links.udp_plant import PlantEnd

sys.path.insert(0, str(Path(__file__).parents[1] / "realtime"))

from realtime_arm import arm, do_steps, own_name

MS = 1_000_000  # [ns]
HELD = 800 * MS
CLOCK = il.ScriptedClock()


@pytest.mark.parametrize("way", ["to the controller", "to the plant", "in the mirror"])
def test_what_was_held_anywhere_counts(way: str) -> None:
    """On a scripted clock; the clock of the other machine shows any other time."""
    rng = random.Random(way)
    for _ in range(50):
        offset = rng.randrange(-(10**15), 10**15)
        now = 2 * 10**15
        # a plant has heard of the mirror, and the mirror of the plant, up to now
        plant, mirror = Session(layout=7), Session(layout=7)
        mirror.accept(plant.pack(Kind.HELLO, b"", now), now + offset)
        plant.accept(mirror.reply(_packet(plant, now), now + offset), now)
        outputs = plant.pack(Kind.OUTPUTS, b"", now)
        now += HELD if way == "to the controller" else rng.randrange(MS)
        mirror.accept(outputs, now + offset)
        now += rng.randrange(MS)
        written = now
        now += HELD if way == "in the mirror" else rng.randrange(MS)
        payload = InputsPayload(1, now - written, 0, bytes(8)).pack()
        inputs = mirror.pack(Kind.INPUTS, payload, now + offset)
        now += HELD if way == "to the plant" else rng.randrange(MS)
        packet, _ = plant.accept(inputs, now)
        assert packet is not None
        found = unpack_inputs(packet.payload, 1)
        assert found is not None
        age = now - (sent_after(packet) - found.waited)
        # never younger than they are, never older than the whole round trip
        assert now - written <= age <= HELD + 4 * MS
        assert age >= HELD


def _packet(session: Session, now: int) -> Packet:
    return Packet(Kind.HELLO, 0, session.id, 0, 1, now, 0, 0)


def test_the_watchdog_judges_the_time_of_writing_not_of_arrival() -> None:
    """Inputs that a link has held for 0.8 s, into a plant that takes those of 0.5 s."""
    plant = arm().compile()
    with (
        own_name("age") as name,
        il.start(plant, name=name, rate=1000.0, stale_after=0.5, paused=True, clock=CLOCK) as loop,
        PlantEnd(name, Address(LOCAL, 0), Address(LOCAL, 9)) as end,
        il.attach(name) as box,
    ):
        for held, waited, status in (
            (0, 0, "OK"), (HELD, 0, "INPUT_STALE"), (0, HELD, "INPUT_STALE"), (0, 0, "OK"),
        ):  # fmt: skip
            values = np.array([0.0, 0.0, 0.7])
            payload = InputsPayload(0, waited, 0, values.tobytes()).pack()
            box.clock.advance(1.0)
            echo = box.clock.now_ns - held
            end.session._peer.heard = box.clock.now_ns
            end.take(Packet(Kind.INPUTS, 0, 1, 1, 1, 5, echo, 0, payload))
            record = do_steps(box, 1)
            assert record.status_name == status
            assert record["push"] == (0.7 if status == "OK" else 0.0)
        assert loop.report().times("input_age")["max"] == pytest.approx(0.8e6, rel=0.03)
        # what may stay does not get old, over a link either
        payload = InputsPayload(0, HELD, 1, values.tobytes()).pack()
        end.take(Packet(Kind.INPUTS, 0, 1, 1, 2, 5, box.clock.now_ns, 0, payload))
        assert do_steps(box, 1).status_name == "OK"
        assert box.writer is None


def test_efforts_of_ros_are_as_old_as_their_stamp() -> None:
    plant = arm().compile()
    with (
        own_name("age") as name,
        il.start(plant, name=name, rate=1000.0, stale_after=0.5, paused=True, clock=CLOCK),
        il.attach(name) as box,
    ):
        port = JointPort(name)
        try:
            for age, status in ((0, "OK"), (HELD, "INPUT_STALE"), (-HELD, "OK")):
                box.clock.advance(1.0)
                now = 1_790_000_000 * 10**9  # of the clock that all machines share
                port.command(["push"], [0.7], age_of(now - age, now))
                assert do_steps(box, 1).status_name == status
            # without a stamp from the arrival on
            port.efforts([0.1, 0.2], age_of(0, now))
            assert do_steps(box, 1).status_name == "OK"
            assert port.counts.refused == 0
        finally:
            port.close()
