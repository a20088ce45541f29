"""Values that no plant should put out: the pages are served all the same."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import math
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inloop.devices import NoteMaker
from inloop.devices.midi.midi_velocity import midi_velocity
from inloop.errors import InputError, MailboxError
from inloop.realtime.mailboxes.layout import Layout, Quantity
from inloop.realtime.mailboxes.telemetry import Block
from inloop.studio.drawing.stage import Stage
from inloop.studio.messaging.client import Client, Subscription, encode
from inloop.studio.plants.catalog import Choice
from inloop.studio.plants.measured import Measured
from inloop.studio.plants.recordings import Recordings
from inloop.studio.plants.sources import Condition, Moment
from inloop.studio.server.session import OffenseError, Session
from inloop.studio.server.ticker import Ticker

LAYOUT = Layout(
    model="arm", coordinates=(Quantity("shoulder", "rad"),), states=(), signals=(),
    inputs=(Quantity("shoulder.tau", "N·m"),), stepper_states=2, period=1e-3,
    parameters=(Quantity("length", "m", 0.1, 2.0, 0.7),),
)  # fmt: skip


class Odd:
    """A source that puts out whatever it is told to."""

    def __init__(self, t: float = 0.0, value: float = 0.0, error: Exception | None = None) -> None:
        self.layout, self.name = LAYOUT, "odd"
        self.t, self.value, self.error = t, value, error
        self.sequence = 0

    def newest(self) -> Moment:
        if self.error is not None:
            raise self.error
        self.sequence += 1
        values = np.full(LAYOUT.counts[0], self.value)
        return Moment(self.sequence, 1.0, self.t, 2**63, "OK", 2**40 + 1, self.sequence, values)

    def take(self) -> list[Block]:
        stamps, answers = np.array([2**62]), np.array([0])
        values = np.full((1, LAYOUT.counts[0]), self.value)
        return [Block(2**60, 0, stamps, answers, values)]

    def to_plot(self, taken: list[Block]) -> tuple[bool, list[Block]]:
        return False, taken

    def replot(self) -> None:
        pass

    def skip(self) -> None:
        if self.error is not None:
            raise self.error

    def parameters(self) -> dict[str, float]:
        return {"length": self.value}

    def condition(self) -> Condition:
        return Condition("running", self.value, {"overruns": 2**62})

    def histograms(self) -> dict[str, Any]:
        return {"kind": "histogram", "step": {"edges_us": [self.value], "counts": [1]}}

    def command(self, what: str, value: float = 0.0) -> None:
        raise ZeroDivisionError(what)

    def set_parameters(self, values: dict[str, float]) -> None:
        raise KeyError("length")


class Channel:
    """Keeps what is sent."""

    def __init__(self) -> None:
        self.texts: list[dict[str, Any]] = []
        self.frames: list[bytes] = []

    async def send_text(self, data: str) -> None:
        self.texts.append(json.loads(data, parse_constant=pytest.fail))

    async def send_bytes(self, data: bytes) -> None:
        self.frames.append(data)


class Menu:
    """Nothing to choose from."""

    def menu(self) -> list[dict[str, Any]]:
        return []


def session_with(source: Odd, directory: Path) -> Session:
    session = Session(Menu(), Recordings(directory))  # type: ignore[arg-type]
    session.running.choice = choice = Choice("odd", Stage("odd"))
    session.running._use(source, choice)
    return session


@pytest.mark.parametrize(
    "about",
    [
        ("contact floor", "{"),
        ("contact floor", "[]"),
        ("contact floor", '{"between": "ab", "shapes": ["a", "b"], "law": "", "friction": ""}'),
        ("contact floor", '{"between": [1, 2], "shapes": ["a", "b"], "law": "", "friction": ""}'),
        ("sensor imu", '{"kind": "imu", "at": "hull", "signals": {}}'),
        ("sensor imu", '{"kind": "imu", "at": ["hull"], "signals": {"imu.x": 3}}'),
    ],
)
def test_a_damaged_description_of_contacts_and_sensors_is_refused(
    about: tuple[str, str], tmp_path: Path
) -> None:
    source = Odd()
    source.layout = dataclasses.replace(LAYOUT, about=(about,))
    with pytest.raises(MailboxError, match=r"description of .* is damaged"):
        session_with(source, tmp_path)


def test_signals_that_are_not_there_are_null() -> None:
    facts = (
        ("contact floor", json.dumps({
            "between": ["ground", "arm"], "shapes": ["plane", "sphere"], "law": "l", "friction": "",
            "outputs": {"gap": "shoulder.q", "force": "nowhere"},
        })),
        ("sensor imu", json.dumps({"kind": "imu", "at": ["arm"], "signals": {"none": "m"}})),
    )  # fmt: skip
    measured = Measured(dataclasses.replace(LAYOUT, about=facts))
    found = measured.readings(Odd(value=0.25).newest())
    assert found == {"kind": "readings", "contacts": [[0.25, None, None]], "sensors": [[None]]}
    assert measured.contacts[0]["between"] == ("ground", "arm")


async def send(client: Client) -> None:
    """All that waits."""
    sender = asyncio.create_task(client.send_all())
    while client._texts or client._samples or client._pose is not None:
        await asyncio.sleep(0)
    sender.cancel()


ODD = [math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324]


@pytest.mark.parametrize("value", ODD, ids=map(str, ODD))
def test_odd_numbers_silence_nobody(value: float, tmp_path: Path) -> None:
    async def act() -> None:
        source = Odd(t=value, value=value)
        session = session_with(source, tmp_path)
        channels = [Channel(), Channel()]
        clients = [Client(channel) for channel in channels]
        for client in clients:
            session.join(client)
            client.subscription = Subscription(1, (0, 1), 1)
        ticker = Ticker(session)
        for _ in range(3):
            ticker._look_due = ticker._state_due = 0.0
            ticker.beat()
            for client in clients:
                await send(client)
        for channel in channels:
            told = [text for text in channel.texts if text["kind"] == "state"]
            assert len(told) >= 4  # of the greeting, and one of each beat
            assert told[-1]["t"] == (value if math.isfinite(value) else None)
            assert {frame[0] for frame in channel.frames} == {1, 2}
            assert not [t for t in channel.texts if t.get("level") == "error"]

    asyncio.run(act())


def test_a_source_that_fails_is_told_once_and_the_next_one_is_shown(tmp_path: Path) -> None:
    async def act() -> None:
        source = Odd()
        session = session_with(source, tmp_path)
        channel = Channel()
        client = Client(channel)
        session.join(client)
        ticker = Ticker(session)
        source.error = OverflowError("too large")
        for _ in range(5):
            ticker._look_due = ticker._state_due = 0.0
            ticker.beat()
        await send(client)
        notices = [text for text in channel.texts if text["kind"] == "notice"]
        assert len(notices) == 1 and "OverflowError: too large" in notices[0]["text"]
        # the state is still told
        assert len([text for text in channel.texts if text["kind"] == "state"]) >= 5
        source.error = None
        ticker.beat()
        await send(client)
        assert any(frame[0] == 1 for frame in channel.frames)
        # nor does it end when nobody looks
        session.leave(client)
        source.error = OverflowError("too large")
        ticker.beat()

    asyncio.run(act())


def test_a_request_that_fails_unforeseen_is_the_trouble_of_one_page(tmp_path: Path) -> None:
    async def act() -> None:
        session = session_with(Odd(), tmp_path)
        channel, quiet = Channel(), Channel()
        client, other = Client(channel), Client(quiet)
        session.join(client)
        session.join(other)
        session.hear(client, '{"do":"pause"}')
        session.hear(client, '{"do":"set","parameter":"length","value":1}')
        while session._tasks:
            await asyncio.sleep(0)
        for page in (client, other):
            await send(page)
        said = [text["text"] for text in channel.texts if text["kind"] == "notice"]
        assert len(said) == 2 and "ZeroDivisionError" in said[0] and "KeyError" in said[1]
        assert not [text for text in quiet.texts if text["kind"] == "notice"]
        # one that fails at once
        session._do = lambda *_: 1 / 0  # type: ignore[method-assign, assignment, return-value]
        with pytest.raises(OffenseError, match="make no sense"):
            for _ in range(100):
                session.hear(client, '{"do":"pause"}')

    asyncio.run(act())


def test_what_is_not_finite_is_null_in_a_message() -> None:
    message = {"a": [1.5, math.nan, (math.inf,)], "b": {"c": -math.inf}, "d": "NaN", "e": 2**70}
    assert json.loads(encode(message)) == {
        "a": [1.5, None, [None]], "b": {"c": None}, "d": "NaN", "e": 2**70,
    }  # fmt: skip


def test_hammers_of_any_speed_make_a_note() -> None:
    assert [midi_velocity(x) for x in (math.nan, -1.0, 0.0, 5e-324, 1.0, 2.0, math.inf)] == [
        1, 1, 1, 1, 52, 77, 127,
    ]  # fmt: skip
    maker = NoteMaker()
    for value in ODD:
        for note in maker.update(value, value, True) + maker.update(value, value, False, True):
            encode(note.data())


class Recorders(Menu):
    """Starts a program in place of the recorder."""

    def __init__(self, program: str) -> None:
        self.program = program

    def record_command(self, plant: str, path: Path) -> tuple[str, ...]:
        return (sys.executable, "-c", self.program, str(path))


# a recorder that has begun, until it is told to go on
BEGIN = "import os, signal, sys; open(sys.argv[1], 'w').close(); open({go!r}).read(); "


@pytest.mark.parametrize(
    ("ending", "problem"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", "it was killed by signal 9"),
        ("sys.exit('No space left on device')", "No space left on device"),
        ("print('501 records')", ""),
    ],
)
def test_a_recorder_that_dies_is_told(ending: str, problem: str, tmp_path: Path) -> None:
    go = tmp_path / "go"
    os.mkfifo(go)

    async def act() -> None:
        recordings = Recordings(tmp_path)
        recorders = Recorders(BEGIN.format(go=str(go)) + ending)
        session = Session(recorders, recordings)  # type: ignore[arg-type]
        phases: list[str] = []
        recordings.changed = lambda: phases.append(recordings.status()["phase"])
        await recordings.begin(recorders, "arm")  # type: ignore[arg-type]
        assert recordings.active and recordings.problem == ""
        assert recordings.status()["phase"] == "on" and phases == ["starting", "on"]
        go.write_text("go on")
        process = recordings._process
        assert process is not None
        process._process.wait()
        notice = session.running.notice(Condition("running"))
        assert (notice is not None and problem in notice["text"]) if problem else notice is None
        status = recordings.status()
        assert (status["phase"], status["problem"]) == ("off", problem)
        assert status["file"] == status["files"][0]["name"]  # what was written can be replayed
        assert problem == await recordings.end()
        assert recordings.problem == ""

    asyncio.run(act())


def test_a_recorder_that_does_not_begin_is_told(tmp_path: Path) -> None:
    recorders = Recorders("import sys; sys.exit('there is no such plant')")
    with pytest.raises(InputError, match="did not start: there is no such plant"):
        asyncio.run(Recordings(tmp_path).begin(recorders, "arm"))  # type: ignore[arg-type]


def test_recordings_of_one_second_have_different_names(tmp_path: Path) -> None:
    recordings = Recordings(tmp_path)
    names = []
    for _ in range(3):
        path = recordings._new_path("arm_now")
        path.touch()
        names.append(path.name)
    assert names == ["arm_now.mcap", "arm_now_2.mcap", "arm_now_3.mcap"]
