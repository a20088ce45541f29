"""Notes: published loudness, hammers that strike, a file that others read, a port that sounds."""

from __future__ import annotations

import itertools
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mido
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import inloop as il
from inloop.cli import main
from inloop.cli.commands import midi
from inloop.devices import MidiPort, Note, NoteMaker, hammer_speed, midi_velocity, write_midi_file
from inloop.devices.midi.notes import NOTE_OFF, NOTE_ON

HANG = 120.0  # [s] after which something that should happen never will


@pytest.mark.parametrize(
    ("velocity", "speed"),
    [
        (40, 0.7),  # Goebl, Bresin and Galembo 2005, p. 1163
        (60, 1.25),  # the same
        (77, 2.0),  # Goebl and Bresin 2003, p. 2275
        (110, 5.0),  # forte of Askenfelt and Jansson, by the same map
    ],
)
def test_velocities_that_are_published(velocity: int, speed: float) -> None:
    assert midi_velocity(speed) == pytest.approx(velocity, abs=1)
    assert hammer_speed(velocity) == pytest.approx(speed, rel=0.03)


def test_velocities_rise_with_the_speed_and_stay_in_range() -> None:
    found = [midi_velocity(v) for v in np.geomspace(1e-3, 100.0, 2000)]
    assert found == sorted(found)
    assert set(found) == set(range(1, 128))
    assert [midi_velocity(v) for v in (0.0, -1.0, float("nan"))] == [1, 1, 1]
    assert [midi_velocity(hammer_speed(n)) for n in range(1, 128)] == list(range(1, 128))


def strike(speed: float, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Speed and force of a hammer of 8 g that is thrown at a string 2 mm above it, and falls."""
    K, p, m = 4.5e9, 2.5, 8e-3  # Chaigne and Askenfelt's felt

    def force(x: np.ndarray) -> np.ndarray:
        return K * np.maximum(x - 2e-3, 0.0) ** p

    found = solve_ivp(
        lambda t, y: [y[1], -force(y[0]) / m - 9.81],
        (0.0, t[-1]), [0.0, np.sqrt(speed**2 + 2 * 9.81 * 2e-3)], t_eval=t, max_step=5e-5,
        rtol=1e-8, atol=1e-10,
    )  # fmt: skip
    return found.y[1], force(found.y[0])


@pytest.mark.parametrize("told", [True, False], ids=["contact", "no contact"])
@pytest.mark.parametrize("speed", [0.3, 1.25, 5.0])
def test_a_strike_becomes_one_note(told: bool, speed: float) -> None:
    t = np.arange(0.0, 0.08, 2e-4)
    v, force = strike(speed, t)
    maker = NoteMaker(note=48)
    notes = []
    for k, now in enumerate(t):
        contact = bool(force[k] > 0.01) if told else None
        notes += maker.update(now, v[k], contact, damped=bool(now > 0.06))
    on, off = notes
    assert (on.kind, on.note, off.kind) == (NOTE_ON, 48, NOTE_OFF)
    # without a contact that is told, the note comes when the hammer turns back; its speed is the
    # highest within 4 ms, in which gravity takes 0.04 m/s
    assert midi_velocity(speed) - 1 <= on.velocity
    assert on.velocity <= midi_velocity(speed + (0.0 if told else 0.04)) + 1
    touched = t[np.argmax(force > 0.01)]
    assert 0.0 <= on.t - touched <= (0.0 if told else 3e-3)
    assert off.t == pytest.approx(0.06, abs=5e-4)


def test_throws_that_miss_the_string_are_silent() -> None:
    """Up and down under gravity alone, for seconds: no note; and two strikes are two notes."""
    maker = NoteMaker(longest=0.5)
    assert not [n for k in range(3000) for n in maker.update(k * 1e-3, 1.0 - 9.81 * k * 1e-3)]
    speeds = [1.0, 1.0, -0.6] + [-0.6] * 100 + [2.0, 2.0, -1.2] + [-1.2] * 600
    notes = [n for k, v in enumerate(speeds) for n in maker.update(k * 1e-3, v)]
    assert [(n.kind, n.velocity) for n in notes] == [
        (NOTE_ON, 52), (NOTE_OFF, 0), (NOTE_ON, 77), (NOTE_OFF, 0),
    ]  # fmt: skip
    assert notes[3].t - notes[2].t == pytest.approx(0.5, abs=2e-3)
    # a bounce within the felt is no second strike
    bouncing = [1.0, -0.2, 0.3, -0.1, -0.1]
    assert len([n for k, v in enumerate(bouncing) for n in maker.update(9.0 + k * 1e-3, v)]) == 1


def test_another_program_reads_the_file(tmp_path: Path) -> None:
    notes = [
        Note(0.0, NOTE_ON, 60, 52),
        Note(0.25, NOTE_OFF, 60, 0),
        Note(70.125, NOTE_ON, 61, 127),  # a gap that needs three bytes
        Note(70.5, NOTE_OFF, 61, 0),
    ]
    path = tmp_path / "notes.mid"
    write_midi_file(path, notes)
    file = mido.MidiFile(path)
    assert (file.type, len(file.tracks)) == (0, 1)
    t, found = 0.0, []
    for message in file:
        t += message.time
        if not message.is_meta:
            found.append((round(t, 3), message.type, message.note, message.velocity))
    assert found == [
        (0.0, "note_on", 60, 52), (0.25, "note_off", 60, 0),
        (70.125, "note_on", 61, 127), (70.5, "note_off", 61, 0),
    ]  # fmt: skip


# the command


@pytest.fixture(scope="module")
def swing() -> il.Plant:
    """A hammer on a spring: 60 mm at 5 Hz."""
    m = il.Model("swing", gravity=(0.0, 0.0, 0.0))
    hammer = m.body("hammer", on=m.ground, joint=il.prismatic("z", initial=(0.06, 0.0)), mass=8e-3)
    m.joint_force(hammer, lambda q, qd: -8e-3 * (10 * np.pi) ** 2 * q)
    return m.compile()


# the string is at 30 mm, half of the amplitude: ω A cos 30°
SPEED = 10 * np.pi * 0.06 * np.sqrt(0.75)
STEP = 5e-4  # [s]
LISTEN = (
    "--speed", "hammer.qd", "--contact", "hammer.q>0.03", "--damped", "hammer.q<-0.03",
    "--json", "--seconds", "1.1",
)  # fmt: skip


def check(told: dict[str, Any]) -> None:
    """Every 0.2 s a note; where the hammer is, is known in closed form."""
    assert told["lost"] == 0
    assert [n["on"] for n in told["notes"]] == [True, False] * 5
    on, off = told["notes"][::2], told["notes"][1::2]
    assert {n["velocity"] for n in on} == {midi_velocity(SPEED)} == {70}
    # 60 mm cos(10 pi t) rises through 30 mm, and falls through -30 mm; told with the next step
    for notes, begin in ((on, 1 / 6), (off, 4 / 15)):
        late = np.array([n["t"] for n in notes]) - (begin + 0.2 * np.arange(5))
        assert (late > -1e-6).all() and (late <= STEP + 1e-6).all()


@pytest.fixture
def running(swing: il.Plant, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The hammer on a scripted clock, which goes on whenever the command sleeps; its name."""
    name = f"test-midi-{os.getpid()}"
    with il.start(swing, name=name, rate=1 / STEP, clock=il.ScriptedClock()) as loop:
        monkeypatch.setattr(midi, "time", SimpleNamespace(sleep=loop.clock.advance))
        yield name


def test_the_command_writes_what_a_running_plant_plays(
    running: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "played.mid"
    assert main(["midi", running, "--file", str(path), "--note", "41", *LISTEN]) == 0
    check(json.loads(capsys.readouterr().out))
    for options, message in {
        ("--speed", "tail.qd"): "Velocities: hammer.qd",
        ("--contact", "hammer.q=3"): "is not a condition",
        ("--damped", "pedal>3"): "has no signal 'pedal'",
        ("--note", "128"): "MIDI has no note 128",
    }.items():
        assert main(["midi", running, "--file", str(path), *LISTEN, *options]) == 2
        assert message in capsys.readouterr().err
    played = [m for m in mido.MidiFile(path) if not m.is_meta]
    assert {m.note for m in played} == {41}
    assert [m.type for m in played] == ["note_on", "note_off"] * 5


class Sound:
    """An instrument at a sound server, and a metronome that tells when a cycle is over.

    A message that is sent in the cycle in which its port was connected, or is closed, may be lost.

    Attributes:
        ear: what the instrument hears.
    """

    def __init__(self, ear: Any) -> None:
        import rtmidi

        self.ear = ear
        ear.open_virtual_port("keys")
        self._metronome = rtmidi.MidiIn(rtmidi.API_UNIX_JACK, name="metronome")
        self._metronome.open_virtual_port("beats")
        self._hand = rtmidi.MidiOut(rtmidi.API_UNIX_JACK, name="hand")
        self._hand.open_port(["metronome" in p for p in self._hand.get_ports()].index(True), "hand")
        # channel, note and velocity: enough for minutes without one that comes twice
        self._beats = map(list, itertools.product(range(0x90, 0xA0), range(128), range(1, 128)))

        def first() -> Any:
            self._hand.send_message(next(self._beats))
            return self._metronome.get_message()

        until(first)  # from then on all are heard

    def next_cycle(self) -> None:
        """Return in a cycle that has begun after this call.

        The first beat may be heard in the cycle of now, and the second one not before the next.
        """
        for _ in range(2):
            beat = next(self._beats)
            self._hand.send_message(beat)
            while until(self._metronome.get_message)[0] != beat:
                pass  # earlier ones

    def close(self) -> None:
        for end in (self._hand, self._metronome, self.ear):
            end.delete()


@pytest.fixture
def jack(require_program: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Sound]:
    """A sound server without sound card, and an instrument that listens to it.

    It has a name of its own, and waits for late clients. Its library has crashed processes that
    asked for it while it began: nobody does before it says, as to systemd, that it is ready.
    """
    import rtmidi

    name = f"inloop-test-{os.getpid()}"
    words = f"-r -S -t 120000 --no-mlock -n {name} -d dummy -r 8000 -p 256".split()
    monkeypatch.setenv("JACK_DEFAULT_SERVER", name)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready:
        ready.bind(f"\0{name}")
        ready.settimeout(HANG)
        server = subprocess.Popen(
            [require_program("jackd"), *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "NOTIFY_SOCKET": f"@{name}"},
        )
        assert b"READY=1" in ready.recv(4096)
    sound = Sound(rtmidi.MidiIn(rtmidi.API_UNIX_JACK, name="organ"))
    yield sound
    sound.close()
    server.terminate()
    server.wait(timeout=HANG)
    for left in Path("/dev/shm").glob(f"jack_sem.*{name}*"):
        left.unlink(missing_ok=True)


def until(look: Callable[[], Any]) -> Any:
    """What comes, as soon as it is there; the limit ends a test that hangs."""
    end = time.monotonic() + HANG
    while (found := look()) is None:
        assert time.monotonic() < end, f"nothing came within {HANG:g} s"
        time.sleep(0.001)
    return found


def test_the_command_plays_on_a_port(
    running: str, jack: Sound, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An instrument that listens is found by name; one that comes later finds the port."""
    import rtmidi

    came: list[list[int]] = []
    send = MidiPort.send

    def send_and_hear(port: MidiPort, note: Note) -> None:
        """One message at a time: nothing is on its way when the port is opened or closed."""
        if not came:
            jack.next_cycle()
        send(port, note)
        came.append(until(jack.ear.get_message)[0])

    with monkeypatch.context() as patch:
        patch.setattr(MidiPort, "send", send_and_hear)
        assert main(["midi", running, "--system", "jack", "--port", "Organ:k", *LISTEN]) == 0
    told = json.loads(capsys.readouterr().out)
    check(told)
    sent = [[0x90 if n["on"] else 0x80, n["note"], n["velocity"]] for n in told["notes"]]
    assert came == sent
    assert jack.ear.get_message() is None

    with pytest.raises(il.LinkError, match=r"no MIDI port has a name with 'flute'.*organ:keys"):
        MidiPort("flute", system="jack")
    with MidiPort(offer="action", system="jack") as port:
        late = rtmidi.MidiIn(rtmidi.API_UNIX_JACK, name="late")
        late.open_port([port.name in there for there in late.get_ports()].index(True), "ear")
        jack.next_cycle()
        port.send(Note(0.0, NOTE_ON, 61, 99))
        assert until(late.get_message)[0] == [0x90, 61, 99]
        late.delete()


@pytest.mark.long
def test_what_was_sent_last_is_heard(jack: Sound) -> None:
    """Against the clock of JACK: a port is opened, sends and is closed at once."""
    for _ in range(100):
        with MidiPort("organ", system="jack") as port:
            for note in range(10):
                port.send(Note(0.0, NOTE_ON, note, 99))
        assert [until(jack.ear.get_message)[0][1] for _ in range(10)] == list(range(10))


def test_what_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JACK_DEFAULT_SERVER", "nobody")
    with pytest.raises(il.LinkError, match=r"no MIDI system answers.*JACK; a file needs neither"):
        MidiPort(system="jack")
    with pytest.raises(il.LinkError, match="no MIDI system is called 'tin'"):
        MidiPort(system="tin")
    monkeypatch.setitem(sys.modules, "rtmidi", None)
    with pytest.raises(il.LinkError, match=r"not installed.*pip install inloop\[midi\]"):
        MidiPort()
