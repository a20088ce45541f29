"""`inloop link serial`: a board that controls a local plant, or one that runs the plant."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import inloop as il
from inloop.cli.attaching import add_attachment
from inloop.cli.controllers import own_controller
from inloop.cli.output import heading, paragraph, print_json
from inloop.cli.python_file import names_of_file
from inloop.links.serial import ControlledBoard, SerialLink
from inloop.realtime.signals import ended_by_sigterm

STOPPED = 130


def add_serial(parser: argparse.ArgumentParser) -> None:
    """Add the options of a serial link."""
    parser.add_argument("device", help="serial device, for example /dev/ttyACM0")
    here = parser.add_mutually_exclusive_group(required=True)
    here.add_argument("--plant", metavar="NAME", help="name of a plant that runs on this computer")
    text = "function or class that controls a plant running on the board"
    here.add_argument("--controller", metavar="FILE.py:NAME", help=text)
    for option, text in {
        "--inputs": "the plant's inputs, in the order of the frames: a,b",
        "--outputs": "the plant's outputs, in the order of the frames: c,d",
    }.items():
        parser.add_argument(option, default="", metavar="NAMES", help=text)
    parser.add_argument("--baud", type=int, default=115200, metavar="N", help="115200")
    parser.add_argument(
        "--rate",
        type=float,
        default=100.0,
        metavar="HZ",
        help="rate of the frames sent to the board; default: 100",
    )
    add_attachment(parser)
    text = "with --controller: ignore outputs of the board older than this [s]; default: 0.1"
    parser.add_argument("--stale-after", type=float, default=0.1, metavar="S", help=text)
    parser.set_defaults(call=call)


def call(args: argparse.Namespace) -> int:
    """Run until the plant ends, the time is over, or Ctrl-C."""
    subject = args.plant or args.controller
    stopped = False
    with ended_by_sigterm(), _opened(args) as link:
        _say(f"serial link of '{subject}' at {args.device} is ready")
        try:
            link.run(float("inf") if args.seconds is None else args.seconds)
        except KeyboardInterrupt:
            stopped = True
        counts = link.counts
    if args.json:
        print_json({"link": "serial", "name": subject, "device": args.device, **asdict(counts)})
    else:
        heading(f"serial link of '{subject}' at {args.device}")
        paragraph(f"frames: {counts.sentence()}")
    return STOPPED if stopped else 0


def _opened(args: argparse.Namespace) -> SerialLink | ControlledBoard:
    inputs, outputs = (tuple(filter(None, text.split(","))) for text in (args.inputs, args.outputs))
    options = {"baud": args.baud, "rate": args.rate, "said": _say}
    if args.plant:
        return SerialLink(args.plant, args.device, inputs, outputs, wait=args.wait, **options)
    options["stale_after"] = args.stale_after
    return ControlledBoard(args.device, _controller(args.controller), inputs, outputs, **options)


def _controller(words: str) -> Any:
    """The function or object named by FILE.py:NAME."""
    file, _, name = words.rpartition(":")
    found = own_controller(name, names_of_file(Path(file))) if file else None
    if found is None:
        what = f"--controller {words[:80]!a} does not name a function or class in a Python file"
        raise il.InputError(what, fix="Write it as FILE.py:NAME.")
    return found


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
