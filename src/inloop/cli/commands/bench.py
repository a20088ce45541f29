"""`inloop bench`: where the benchmarks are."""

from __future__ import annotations

import argparse
from typing import Any

from inloop.cli.output import print_json

TEXT = (
    "The benchmarks compare with other engines in one run and live in the repository: "
    "run `make bench` there."
)


def add_parser(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Add the command to the command line."""
    text = "say how to run the benchmarks"
    parser = commands.add_parser("bench", parents=[shared], help=text, description=text)
    parser.set_defaults(call=call)


def call(args: argparse.Namespace) -> int:
    """Print how to run the benchmarks."""
    if args.json:
        print_json({"command": "make bench", "text": TEXT})
    else:
        print(TEXT)
    return 0
