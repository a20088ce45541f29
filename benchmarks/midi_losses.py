"""Where MIDI messages get lost between two programs on JACK, independently of inloop.

    python benchmarks/midi_losses.py [TRIALS]

A sound server without sound card, an output and an input of python-rtmidi; each message carries its
number. Lost messages are counted by the time of sending: right after the port was connected, right
before it was closed, and in between.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Any

import rtmidi

MESSAGES = 12
CYCLE = 256 / 8000  # [s]
SERVER = f"midi-losses-{os.getpid()}"
WORDS = f"-r -S -t 5000 --no-mlock -n {SERVER} -d dummy -r 8000 -p 256".split()


def trial(ear: Any, before: float, after: float) -> list[int]:
    """Numbers of lost messages, sent `before` s after opening and `after` s before closing."""
    out = rtmidi.MidiOut(rtmidi.API_UNIX_JACK, name="hand")
    (number,) = (k for k, port in enumerate(out.get_ports()) if "organ" in port)
    out.open_port(number, "keys")
    time.sleep(before)
    for k in range(MESSAGES):
        out.send_message([0x90, k, 64])
    time.sleep(after)
    out.close_port()
    out.delete()
    time.sleep(10 * CYCLE)
    came = [message[0][1] for message in iter(ear.get_message, None)]
    assert came == sorted(set(came))  # never duplicated, never out of order
    return sorted(set(range(MESSAGES)) - set(came))


def main() -> None:
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    os.environ["JACK_DEFAULT_SERVER"] = SERVER
    server = subprocess.Popen(
        ["jackd", *WORDS], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(2.0)
    try:
        ear = rtmidi.MidiIn(rtmidi.API_UNIX_JACK, name="organ")
        ear.open_virtual_port("keys")
        print(f"{'sent':34} {'trials':>6} {'with losses':>11}   messages lost")
        for text, before, after in (
            ("between, 10 cycles from both", 10 * CYCLE, 10 * CYCLE),
            ("right after the port was connected", 0.0, 10 * CYCLE),
            ("right before the port was closed", 10 * CYCLE, 0.0),
        ):
            lost = [trial(ear, before, after) for _ in range(trials)]
            print(f"{text:34} {trials:6} {sum(map(bool, lost)):11}   {[x for x in lost if x]}")
        ear.delete()
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
