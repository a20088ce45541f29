"""What all controllers of the flexible link do: attach, wait for outputs, answer them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Protocol

import inloop as il
from inloop.gallery.controllers.flexlink_signals import (
    COMMAND,
    ENCODER,
    STRAIN,
    Reference,
    add_options,
    read_options,
)


class Controller(Protocol):
    """A law with a clock of its own."""

    @property
    def period(self) -> float:
        """Time between samples [s]."""
        ...

    def command(self, angle: float, strain: float, reference: float) -> float:
        """Command [V] that answers an angle [rad] and a strain [V]; the reference is in rad."""
        ...


def serve(
    make: Callable[[argparse.Namespace], Controller],
    parser: argparse.ArgumentParser,
    arguments: Sequence[str] | None = None,
) -> int:
    """Control a flexible link until it ends.

    Args:
        make: returns the controller that a command line asks for.
        parser: of the command line, with the options of this controller.
        arguments: words of the command line: options, and the name of the plant.
    """
    parser.add_argument("name", help="of the running plant")
    add_options(parser)
    args = parser.parse_args(arguments)
    controller = make(args)
    with il.attach(args.name, wait=10.0) as box:
        try:
            answer(box, controller, read_options(args))
        except KeyboardInterrupt:
            return 130
        except il.MailboxError:
            if not box.gone:
                raise
    return 0


def answer(box: il.realtime.Mailbox, controller: Controller, reference: Reference) -> None:
    """Answer outputs with commands, until an error says that the plant has ended.

    The controller is asked once per period of its own; in between its command is held.
    """
    outputs, hold = box.read(), il.devices.ZeroOrderHold(controller.period)
    while True:
        t = outputs.t
        if hold.ready(t):
            wanted = reference(t)
            hold.take(t, controller.command(outputs[ENCODER], outputs[STRAIN], wanted))
        box.write({COMMAND: hold.value})
        following = box.wait(1.0)
        outputs = outputs if following is None else following
