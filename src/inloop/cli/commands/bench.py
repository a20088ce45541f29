"""`inloop bench`: where to find the benchmarks."""

from __future__ import annotations

import argparse
from typing import Any

from inloop.cli.output import print_json

TEXT = (
    "The benchmarks compare inloop with other engines in the same run. They are "
    "part of the repository: run `make bench` there."
)


def add_parser(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Add the command to the command line."""
    text = "explain how to run the benchmarks"
    parser = commands.add_parser("bench", parents=[shared], help=text, description=text)
    parser.set_defaults(call=call)


def call(args: argparse.Namespace) -> int:
    """Print how to run the benchmarks."""
    if args.json:
        print_json({"command": "make bench", "text": TEXT})
    else:
        print(TEXT)
    return 0
