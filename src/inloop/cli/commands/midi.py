"""`inloop midi`: notes from a hammer of a running plant, to a port or a file."""

from __future__ import annotations

import argparse
import contextlib
import math
import operator
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import inloop as il
from inloop import gallery
from inloop.cli.attaching import add_attachment
from inloop.cli.output import paragraph, print_json
from inloop.cli.subject import subject_of_facts
from inloop.devices import MidiPort, Note, NoteMaker, write_midi_file
from inloop.devices.midi.notes import NOTE_ON
from inloop.gallery import Notes
from inloop.realtime import Mailbox, Outputs
from inloop.realtime.signals import ended_by_sigterm

STOPPED = 130
POLL = 0.002  # [s]
PIANO = "piano"  # exhibit whose signal names are the defaults for other plants


class Condition(NamedTuple):
    """A comparison of a signal with a threshold."""

    name: str
    compare: Callable[[float, float], bool]
    value: float

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Parse "NAME>VALUE" or "NAME<VALUE"."""
        found = re.fullmatch(r"\s*([^<>]+?)\s*([<>])\s*([-+.\deE]+)\s*", text)
        if found is not None:
            name, sign, value = found.groups()
            with contextlib.suppress(ValueError):
                return cls(name, operator.gt if sign == ">" else operator.lt, float(value))
        raise il.InputError(f"{text[:60]!a} is not a condition", fix='Write "NAME>VALUE".')

    def holds(self, outputs: Outputs) -> bool:
        """Whether the condition holds."""
        return self.compare(outputs[self.name], self.value)


def add_parser(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Add the command to the command line."""
    text = "turn the motion of a running plant into MIDI notes, for a port or a file"
    parser = commands.add_parser("midi", parents=[shared], help=text, description=text)
    parser.add_argument("name", help="name of a running plant")
    parser.add_argument(
        "--port", metavar="NAME", help="send to the port whose name contains this text"
    )
    parser.add_argument(
        "--system", default="", metavar="NAME", help="alsa or jack; default: whichever is running"
    )
    parser.add_argument("--file", metavar="OUT.mid", help="write a MIDI file")
    parser.add_argument(
        "--note", type=int, default=60, metavar="N", help="note number, 0 to 127; 60 is C4"
    )
    parser.add_argument(
        "--speed",
        metavar="NAME",
        help="signal of the hammer's speed; default: chosen by the gallery",
    )
    parser.add_argument(
        "--radius",
        type=float,
        default=1.0,
        metavar="R",
        help="factor from angular to linear speed [m]",
    )
    for option, text in (
        ("--contact", "when hammer and string touch"),
        ("--damped", "when the damper is on the string"),
    ):
        parser.add_argument(
            option, metavar="NAME>VALUE", help=f"{text}; default: chosen by the gallery"
        )
    parser.add_argument(
        "--length", type=float, default=10.0, metavar="S", help="maximum length of a note [s]"
    )
    add_attachment(parser)
    parser.set_defaults(call=call)


def call(args: argparse.Namespace) -> int:
    """Play notes of the plant until it ends, the time is over, or Ctrl-C."""
    if not 0 <= args.note <= 127:
        raise il.InputError(f"MIDI has no note {args.note}", fix="Use 0 to 127; 60 is C4.")
    if args.file is not None and not Path(args.file).parent.is_dir():
        raise il.InputError(f"cannot write {args.file[:80]!a}", fix="Use a directory that exists.")
    notes: list[Note] = []
    with ended_by_sigterm(), contextlib.ExitStack() as stack:
        box = stack.enter_context(il.attach(args.name, wait=args.wait))
        player = _Player(box, args)
        send: Callable[[Note], None] = notes.append
        if args.file is None or args.port is not None:
            port = stack.enter_context(
                MidiPort(args.port or "", offer=args.name, system=args.system)
            )
            print(f"plant '{args.name}' plays on port {port.name}", file=sys.stderr, flush=True)

            def send(note: Note) -> None:
                port.send(note)
                notes.append(note)

        try:
            stopped = player.play(send, args.seconds)
        finally:
            if args.file is not None:
                write_midi_file(args.file, notes)
    begun = [note for note in notes if note.kind == NOTE_ON]
    if args.json:
        print_json({"name": args.name, "lost": player.lost, "notes": [n.data() for n in notes]})
    else:
        velocities = ", ".join(str(note.velocity) for note in begun[:12])
        paragraph(
            f"{len(begun)} notes" + (f", velocities {velocities}" if begun else "")
            + ("…" if len(begun) > 12 else "")
            + (f", in {args.file}" if args.file is not None else "")
        )  # fmt: skip
    return STOPPED if stopped else 0


def gallery_notes(box: Mailbox) -> Notes:
    """Signals that define notes of a plant: those of its exhibit, else those of the piano."""
    told = None
    with contextlib.suppress(il.InloopError):
        told = subject_of_facts(dict(box.layout.about)).exhibit
    notes = None if told is None else told.notes
    notes = notes or gallery.get(PIANO).notes
    assert notes is not None
    return notes


class _Player:
    """Reads every record of the plant and converts it to notes."""

    def __init__(self, box: Mailbox, args: argparse.Namespace) -> None:
        self._box, self._args = box, args
        self._maker = NoteMaker(note=args.note, longest=args.length)
        usual = gallery_notes(box)
        self._speed = args.speed or usual.speed
        if self._speed not in box.names:
            shown = ", ".join(name for name in box.names if name.endswith(".qd")) or "none"
            raise il.InputError(
                f"plant '{box.name}' has no signal '{self._speed}'",
                fix="Name the hammer's velocity, with a radius if it is angular: --speed NAME "
                f"--radius R. Velocities: {shown}.",
            )
        self._contact = self._condition(args.contact, usual.contact)
        self._damped = self._condition(args.damped, usual.damped)
        # skip earlier records
        while box.next() is not None:
            pass
        self._origin, self._lost_before = box.peek().t, box.lost
        self._begin = box.clock.now
        self._t = 0.0

    def _condition(self, given: str | None, usual: str) -> Condition | None:
        """The requested condition, or the default one if the plant has its signal."""
        condition = Condition.parse(given or usual)
        if condition.name in self._box.names:
            return condition
        if given is None:
            return None
        raise il.InputError(
            f"plant '{self._box.name}' has no signal '{condition.name}'",
            fix=f"`inloop monitor {self._box.name} --once` lists them all.",
        )

    @property
    def lost(self) -> int:
        """Number of missed records."""
        return self._box.lost - self._lost_before

    def play(self, send: Callable[[Note], None], seconds: float | None) -> bool:
        """Play for a time on the plant's clock, or until it ends; return True after Ctrl-C."""
        end = math.inf if seconds is None else self._begin + seconds
        try:
            while not self._box.gone and self._box.clock.now < end:
                self._read(send, end)
                time.sleep(POLL)
            self._read(send, end)
        except il.MailboxError:
            pass  # it ended during the read
        except KeyboardInterrupt:
            return True
        finally:
            for note in self._maker.silence(self._t):
                send(note)
        return False

    def _read(self, send: Callable[[Note], None], end: float) -> None:
        while (outputs := self._box.next()) is not None:
            if 1e-9 * outputs.stamp > end:
                return
            self._t = outputs.t - self._origin
            speed = self._args.radius * outputs[self._speed]
            contact = None if self._contact is None else self._contact.holds(outputs)
            damped = self._damped is not None and self._damped.holds(outputs)
            for note in self._maker.update(self._t, speed, contact, damped):
                send(note)
