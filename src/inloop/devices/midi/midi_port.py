"""A port to synthesizers and music programs, by python-rtmidi."""

from __future__ import annotations

import contextlib
import time
from typing import Any

from inloop.devices.midi.notes import Note
from inloop.errors import LinkError

CLIENT = "inloop"
LINGER = 0.25  # [s]: longer than a cycle of JACK, which has up to 8192 frames
NEEDED = (
    "For a port: `pip install inloop[midi]` and a MIDI system, ALSA (modprobe snd-seq) or JACK; "
    "a file needs neither."
)


class MidiPort:
    """Sends notes to a port that is there, or offers one that others connect to.

    Attributes:
        name: of the port that it sends to, or offers.
    """

    def __init__(self, to: str = "", *, offer: str = "notes", system: str = "") -> None:
        """Open a port.

        Args:
            to: part of the name of a port that is there; without it, one is offered.
            offer: name of the port that is offered.
            system: "alsa", "jack", or "" for the first that works.

        Raises:
            LinkError: python-rtmidi or a MIDI system is missing, or there is no such port.
        """
        self._out = _connection(system)
        if not to:
            self.name = offer
            self._out.open_virtual_port(offer)
            return
        there = self._out.get_ports()
        fitting = [k for k, name in enumerate(there) if to.lower() in name.lower()]
        if not fitting:
            raise LinkError(
                f"no MIDI port has a name with {to[:40]!a}",
                fix=f"Known ports: {', '.join(there) or 'none'}. Without a name, a new port is "
                "created.",
            )
        self.name = there[fitting[0]]
        self._out.open_port(fitting[0], offer)
        # what is sent in the cycle of JACK in which a port was connected may be lost
        time.sleep(LINGER)

    def send(self, note: Note) -> None:
        """Send a message at once."""
        self._out.send_message(note.message())

    def close(self) -> None:
        """Take the port away, as soon as what was sent last had time to arrive.

        A port that goes in the cycle of JACK in which it has sent something takes that along: those
        who have not read it yet find no port any more (benchmarks/midi_losses.py).
        """
        time.sleep(LINGER)
        self._out.close_port()
        self._out.delete()

    def __enter__(self) -> MidiPort:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _connection(system: str) -> Any:
    """An output of rtmidi on the first MIDI system that answers."""
    try:
        import rtmidi
    except ImportError:
        raise LinkError("python-rtmidi is not installed", fix=NEEDED) from None
    known = {rtmidi.get_api_name(number): number for number in rtmidi.get_compiled_api()}
    if system and system not in known:
        raise LinkError(
            f"no MIDI system is called {system[:20]!a}", fix=f"Use {' or '.join(known)}."
        )
    for number in [known[system]] if system else known.values():
        with contextlib.suppress(rtmidi.SystemError):
            return rtmidi.MidiOut(number, name=CLIENT)
    raise LinkError("no MIDI system answers", fix=NEEDED)
