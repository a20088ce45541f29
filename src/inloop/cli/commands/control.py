"""`inloop control`: a function of a user's file as the controller of a running plant."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import inloop as il
from inloop.cli.controllers import no_controller, own_controller
from inloop.cli.ending import end_with_parent
from inloop.cli.python_file import names_of_file
from inloop.plant.controlling import declared_gains
from inloop.realtime import Panel, take_over
from inloop.realtime.controller_process import Service


def add_parser(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Add the command to the command line."""
    text = "control a running plant with a function or class from a Python file"
    parser = commands.add_parser("control", parents=[shared], help=text, description=text)
    parser.add_argument("name", help="name of a running plant")
    parser.add_argument("file", metavar="FILE.py", help="Python file that defines the controller")
    parser.add_argument(
        "--controller", required=True, metavar="NAME", help="function or class to use"
    )
    parser.add_argument(
        "--period",
        type=float,
        metavar="S",
        help="time between two calls [s]; default: one period of the plant",
    )
    parser.add_argument("--piped", action="store_true", help=argparse.SUPPRESS)
    parser.set_defaults(call=call)


def call(args: argparse.Namespace) -> int:
    """Answer the outputs of the plant until it ends, or until interrupted."""
    if args.piped:
        end_with_parent()
    names = names_of_file(Path(args.file))
    controller = own_controller(args.controller, names)
    if controller is None:
        raise no_controller(args.file, args.controller, names)
    with il.attach(args.name, wait=10.0) as box:
        steps = max(1, round((args.period or box.layout.period) / box.layout.period))
        try:
            _serve(box, controller, steps, Panel(piped=args.piped))
        except il.MailboxError:
            if not box.gone:
                raise
    return 0


def _serve(box: il.Mailbox, controller: Any, steps: int, panel: Panel) -> None:
    """Answer outputs; update gains in between."""
    service = Service(box, controller, steps, {})
    service.law.reset()
    known = dict(declared_gains(controller))

    def listen() -> None:
        service.law.gains |= {name: x for name, x in panel.heard().items() if name in known}

    panel.ready()
    take_over(box)
    outputs = box.read()
    while not panel.leaving:
        listen()
        service.answer(outputs)
        if panel.is_due(now := time.monotonic()):
            panel.tell(now, {"t": outputs.t})
        outputs = box.wait(1.0) or box.read()
    if panel.leaving == "rest":
        box.rest([x.default for x in box.layout.inputs])
