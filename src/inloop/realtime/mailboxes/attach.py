"""`inloop.attach("robot")`: find the mailbox of a running plant, and map it."""

from __future__ import annotations

import os
import time
from pathlib import Path

from inloop.errors import MailboxError
from inloop.native.mirror import constant
from inloop.realtime.checks import is_finite, need, shown
from inloop.realtime.mailboxes.mailbox import Mailbox
from inloop.realtime.mailboxes.memory import Attached, Memory
from inloop.realtime.mailboxes.outputs import State
from inloop.realtime.mailboxes.segment import running, segment_path
from inloop.realtime.mailboxes.segment_file import is_segment, living_process, opened

STARTS_WITHIN = 1.0  # [s] from the creation of the segment to the first record


class _NotThereError(Exception):
    """No plant with this name is running, or not yet."""

    def __init__(self, what: str, fix: str) -> None:
        self.explained = MailboxError(what, fix=fix)


def attach(name: str, wait: float = 0.0) -> Mailbox:
    """The mailbox of a running plant of this user on this machine.

    Args:
        name: as given to `il.run`.
        wait: maximum time to wait for the plant to start [s].

    Raises:
        MailboxError: there is no such plant, or its segment is invalid.
        InputError: the name or time is invalid.
    """
    need(is_finite(wait) and wait >= 0.0, f"a wait of {shown(wait)} s", "Use a number >= 0.")
    end = time.monotonic() + wait
    while True:
        try:
            found = Mailbox(name, _attached(name))
            break
        except _NotThereError as error:
            if time.monotonic() >= end:
                raise error.explained from None
            time.sleep(0.01)
    # its thread is about to publish the initial state
    end = max(end, time.monotonic() + STARTS_WITHIN)
    while found.state == State.ARMED and time.monotonic() < end:
        time.sleep(0.001)
    return found


def _attached(name: str) -> Attached:
    """The memory of a running plant."""
    path = segment_path(name)
    try:
        with opened(path) as descriptor:
            facts = os.fstat(descriptor)
            if facts.st_mode & 0o077:
                raise MailboxError(
                    f"the mailbox '{name}' is open to others",
                    where=str(path),
                    fix="Stop the plant and start it again, or forbid it to others: chmod 600.",
                )
            if not is_segment(descriptor) or facts.st_size > constant("INLOOP_MOST_BYTES"):
                raise MailboxError(
                    "this is not a mailbox of this version of inloop, or it is damaged",
                    where=str(path),
                    fix="Stop the plant and start it again with the same version.",
                )
            if living_process(descriptor) is None:
                raise _NotThereError(
                    f"the process of plant '{name}' has died",
                    "Start the plant again; it replaces what the dead one left.",
                )
            return Attached(Memory(descriptor, facts.st_size))
    except FileNotFoundError:
        raise _NotThereError(f"no plant named '{name}' runs here", _instead(name)) from None
    except OSError as error:
        raise MailboxError(
            f"the mailbox '{name}' cannot be mapped: {error.strerror}",
            where=str(path),
            fix="Free some memory and try again.",
        ) from error


def _instead(name: str) -> str:
    """What to do if no plant has this name: start a file, or try a similar name."""
    if Path(name).is_file():
        return f"'{name}' is a file: start it with inloop run {name}, then give the plant's name."
    others = ", ".join(running())
    return f"Running now: {others}." if others else "None runs: start one with inloop run."
