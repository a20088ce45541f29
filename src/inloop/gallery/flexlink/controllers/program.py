"""The loop of all controllers of the flexible link: attach, wait for outputs, answer them."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Callable, Sequence
from typing import Protocol

import inloop as il
from inloop.gallery.flexlink.controllers.card import Card
from inloop.gallery.flexlink.controllers.signals import (
    COMMAND,
    ENCODER,
    STRAIN,
    Reference,
    add_options,
    read_options,
)

PRIORITY = 70  # of SCHED_FIFO, below that of the plant


class Controller(Protocol):
    """A control law with its own sampling period."""

    @property
    def period(self) -> float:
        """Time between samples [s]."""
        ...

    def command(self, angle: float, strain: float, reference: float) -> float:
        """Command [V] for an angle [rad], a strain [V] and a reference [rad]."""
        ...


class Terminal:
    """A controller behind its input card: updated once per period, held in between."""

    def __init__(self, controller: Controller, reference: Reference, card: Card) -> None:
        self._controller, self._reference, self.card = controller, reference, card
        self._hold = il.devices.ZeroOrderHold(controller.period)

    def command(self, t: float, angle: float, strain: float) -> float:
        """Command [V] at time t [s], from the signals of the sensors [rad], [V]."""
        if self._hold.ready(t):
            seen = self.card.read(angle, strain)
            self._hold.take(t, self._controller.command(*seen, self._reference(t)))
        return self._hold.value


def serve(
    make: Callable[[argparse.Namespace], Controller],
    parser: argparse.ArgumentParser,
    arguments: Sequence[str] | None = None,
) -> int:
    """Control a flexible link until it ends.

    Args:
        make: returns the controller for the parsed command line.
        parser: of the command line, with the options of this controller.
        arguments: the command line: options and the name of the plant.
    """
    parser.add_argument("name", help="of the running plant")
    parser.add_argument("--seed", type=int, default=1, help="of the sensor noise; 1")
    add_options(parser)
    args = parser.parse_args(arguments)
    controller = make(args)
    with il.attach(args.name, wait=10.0) as box:
        terminal = Terminal(controller, read_options(args), Card(box.parameters, args.seed))
        # real-time priority where permitted
        with contextlib.suppress(PermissionError):
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
        try:
            answer(box, terminal)
        except KeyboardInterrupt:
            return 130
        except il.MailboxError:
            if not box.gone:
                raise
    return 0


def answer(box: il.realtime.Mailbox, terminal: Terminal) -> None:
    """Answer outputs with commands, until an error reports the end of the plant."""
    outputs = box.read()
    known = outputs.parameter_sequence
    while True:
        box.write({COMMAND: terminal.command(outputs.t, outputs[ENCODER], outputs[STRAIN])})
        following = box.wait(1.0)
        outputs = outputs if following is None else following
        if outputs.parameter_sequence != known:
            known = outputs.parameter_sequence
            terminal.card.tune(box.parameters)
