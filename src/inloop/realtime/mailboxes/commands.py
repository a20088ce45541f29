"""Commands for a running plant: pause, step, reset, speed, place, stop."""

from __future__ import annotations

import ctypes
import time

import numpy as np

from inloop.errors import InputError, MailboxError
from inloop.native.realtime_functions import COMMANDS, realtime_function
from inloop.plant.arguments import real
from inloop.realtime.checks import is_finite, shown, whole_of
from inloop.realtime.mailboxes.layout import Layout
from inloop.realtime.mailboxes.memory import MemoryAccess
from inloop.realtime.mailboxes.outputs import Snapshot, State, check_snapshot
from inloop.realtime.mailboxes.placing import why_not_placed

PAUSE, RESUME, STEP, RESET, STOP, SPEED, RESTORE, MAKE_SAFE, PLACE = range(1, 10)  # inloop_command
OBEYED_WITHIN = 5.0  # maximum time for a command [s]


class Commands:
    """The commands of a mailbox. Each returns when the loop has executed it.

    Attributes:
        name: name of the running plant.
        layout: names, units and sizes.
    """

    def __init__(self, name: str, access: MemoryAccess, layout: Layout) -> None:
        self.name, self.layout = name, layout
        self._access = access
        self._use = access.use

    def pause(self) -> None:
        """Stop simulated time."""
        self.command(PAUSE)

    def resume(self) -> None:
        """Continue after a pause, and leave the safe state caused by a failed step."""
        self.command(RESUME)

    def step(self, count: int = 1) -> None:
        """Do some steps, paused before and after; returns before they are done."""
        self.command(STEP, float(whole_of(count, "a number of steps of")))

    def reset(self) -> None:
        """Return to the initial state; parameters are kept."""
        self.command(RESET)

    def stop(self) -> None:
        """End the run."""
        self.command(STOP)

    def set_speed(self, speed: float) -> None:
        """Simulated seconds per second, from 0.001 to 1000."""
        self.command(SPEED, real(speed, "the speed"))

    def make_safe(self) -> None:
        """Replace the inputs by safe values until `resume` or `reset`."""
        self.command(MAKE_SAFE)

    def restore(self, snapshot: Snapshot) -> None:
        """Restore a state that was read before: `mailbox.restore(outputs.snapshot)`."""
        check_snapshot(snapshot, self.layout, self.name)
        self.command(RESTORE, *snapshot.x, float(snapshot.step))

    def place(self, coordinate: str, q: float, *, keep_velocities: bool = False) -> None:
        """Move a joint to a position while the plant is paused; dependent joints follow.

        In a tree nothing else moves. Afterwards everything is at rest, except drives; states of
        laws
        are kept.

        Args:
            coordinate: name of the joint's coordinate.
            q: new position [rad or m].
            keep_velocities: keep the velocities; with loops, those of the independent coordinates.

        Raises:
            InputError: it is not possible, with the reason: the plant is running, the joint is
                driven or a ball joint, or the loops cannot be closed there. Then nothing has
                changed.
        """
        known = [c.name for c in self.layout.coordinates]
        if coordinate not in known:
            raise InputError(
                f"plant '{self.name}' has no coordinate {shown(coordinate)}",
                fix=f"It has {', '.join(known[:8])}{' …' if len(known) > 8 else ''}.",
            )
        if not is_finite(q):
            raise InputError(
                f"joint '{coordinate}' cannot be at {shown(q)}", fix="Give a finite number."
            )
        where = (float(known.index(coordinate)), float(q), float(bool(keep_velocities)))
        try:
            self.command(PLACE, *where)
        except InputError:
            why = int(self._use().shared.placing)
            raise InputError(*why_not_placed(self.layout, coordinate, q, why)) from None

    def command(self, number: int, *values: float) -> None:
        """Send a command by its number and wait until the loop has processed it.

        Args:
            number: see inloop_command in inloop.h.
            values: its arguments.

        Raises:
            InputError: the plant has rejected it.
            MailboxError: the plant does not answer.
        """
        held = self._use()
        words = np.zeros(self.layout.counts[COMMANDS])
        words[: len(values)] = values
        sent, shared = ctypes.c_uint64(), held.shared
        refused, end = shared.bad_commands, time.monotonic() + OBEYED_WITHIN
        send = realtime_function("il_mailbox_send")
        if send(held.address, number, words.ctypes.data, ctypes.addressof(sent)) != 0:
            raise MailboxError(
                f"another process keeps the commands of plant '{self.name}'", fix="Try again."
            )
        while shared.commands_done < sent.value and shared.state != State.ENDED:
            if time.monotonic() > end:
                raise MailboxError(
                    f"plant '{self.name}' did not obey within {OBEYED_WITHIN:g} s",
                    fix="See whether its process hangs.",
                )
            time.sleep(0.0005)
        if shared.bad_commands != refused:
            raise InputError(
                f"plant '{self.name}' refused the command", fix="Check the number given."
            )
