"""MIDI port to synthesizers and music programs, by python-rtmidi."""

from __future__ import annotations

import contextlib
import time
from typing import Any

from inloop.devices.midi.notes import Note
from inloop.errors import LinkError

CLIENT = "inloop"
LINGER = 0.25  # [s]: longer than a JACK cycle, which has up to 8192 frames
NEEDED = (
    "For a port: `pip install inloop[midi]` and a MIDI system, ALSA (modprobe snd-seq) or JACK; "
    "a file needs neither."
)


class MidiPort:
    """Sends notes to an existing port, or to a virtual one that others connect to.

    Attributes:
        name: name of the port.
    """

    def __init__(self, to: str = "", *, offer: str = "notes", system: str = "") -> None:
        """Open a port.

        Args:
            to: part of the name of an existing port; default: create a virtual one.
            offer: name of the virtual port.
            system: "alsa", "jack", or "" for the first available.

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
        # messages sent in the JACK cycle of the connection may be lost
        time.sleep(LINGER)

    def send(self, note: Note) -> None:
        """Send a message immediately."""
        self._out.send_message(note.message())

    def close(self) -> None:
        """Close the port, after the last message had time to arrive.

        Closing a port in the JACK cycle in which it has sent a message loses that message: readers
        no
        longer find the port (benchmarks/midi_losses.py).
        """
        time.sleep(LINGER)
        self._out.close_port()
        self._out.delete()

    def __enter__(self) -> MidiPort:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _connection(system: str) -> Any:
    """An rtmidi output on the first MIDI system that answers."""
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
