"""Options of commands that attach to a running plant."""

from __future__ import annotations

import argparse


def add_attachment(parser: argparse.ArgumentParser) -> None:
    """Add how long to stay attached, and how long to wait for the plant."""
    parser.add_argument(
        "--seconds", type=float, metavar="S", help="duration [s]; default: until the plant ends"
    )
    parser.add_argument(
        "--wait",
        type=float,
        default=0.0,
        metavar="S",
        help="how long to wait for the plant to start [s]",
    )
