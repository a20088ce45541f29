"""`inloop link serial`: a board that measures and drives a device, beside a plant that runs."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict

from inloop.cli.output import heading, paragraph, print_json
from inloop.links.serial import SerialLink
from inloop.realtime.signals import ended_by_sigterm

STOPPED = 130


def add_serial(parser: argparse.ArgumentParser) -> None:
    """Add what a serial link needs to know."""
    parser.add_argument("device", help="such as /dev/ttyACM0")
    parser.add_argument("--plant", required=True, metavar="NAME", help="of the running plant")
    for option, text in {
        "--inputs": "what the board sends, by names of inputs: a,b",
        "--outputs": "what the board gets, by names of outputs: c,d",
    }.items():
        parser.add_argument(option, default="", metavar="NAMES", help=text)
    parser.add_argument("--baud", type=int, default=115200, metavar="N", help="115200")
    parser.add_argument(
        "--rate", type=float, default=100.0, metavar="HZ", help="of frames to the board; 100"
    )
    parser.add_argument("--seconds", type=float, metavar="S", help="how long; until the plant ends")
    parser.add_argument(
        "--wait", type=float, default=0.0, metavar="S", help="for the plant to start [s]"
    )
    parser.set_defaults(call=call)


def call(args: argparse.Namespace) -> int:
    """Run until the plant ends, the time is over, or Ctrl-C."""
    names = [tuple(filter(None, text.split(","))) for text in (args.inputs, args.outputs)]
    options = {"baud": args.baud, "rate": args.rate, "wait": args.wait, "said": _say}
    stopped = False
    with (
        ended_by_sigterm(),
        SerialLink(args.plant, args.device, *names, **options) as link,
    ):
        _say(f"serial link of '{args.plant}' at {args.device} is ready")
        try:
            link.run(float("inf") if args.seconds is None else args.seconds)
        except KeyboardInterrupt:
            stopped = True
        counts = link.conversation.counts
    if args.json:
        print_json({"link": "serial", "name": args.plant, "device": args.device, **asdict(counts)})
    else:
        heading(f"serial link of '{args.plant}' at {args.device}")
        paragraph(f"frames: {counts.sentence()}")
    return STOPPED if stopped else 0


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
