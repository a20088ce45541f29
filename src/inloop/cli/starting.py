"""Initial position of a mechanism from a file, and whether its joints are held there."""

from __future__ import annotations

import argparse
import sys

import inloop as il
from inloop.api import steady
from inloop.cli.python_file import Compiled
from inloop.cli.subject import Subject
from inloop.model.starting import start_at


def add_start(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that `prepare` reads."""
    parser.add_argument(
        "--q",
        action="append",
        default=[],
        metavar="JOINT=VALUE",
        help="files only: initial position of a joint [rad or m], or BODY=W,X,Y,Z, the "
        "quaternion of a body that rotates freely; may be repeated",
    )
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--held",
        action="store_true",
        default=None,
        help="URDF only: hold the joints at their initial positions until parameter 'hold' "
        "is 0; the default in real time",
    )
    group.add_argument(
        "--free",
        dest="held",
        action="store_false",
        help="URDF only: joints are free from the start; the default in simulations",
    )


def prepare(subject: Subject, args: argparse.Namespace, *, held: bool) -> None:
    """Set the initial position of a mechanism from a file; hold the joints of a robot if wanted.

    Args:
        subject: the mechanism.
        args: command-line arguments.
        held: whether a robot is held by default.
    """
    told = args.q or args.held is not None
    if subject.exhibit is not None:
        if told:
            raise il.InputError(
                f"--q, --held and --free are only for files; '{subject.exhibit.name}' is in the "
                "gallery",
                fix="Remove them; --set changes its options.",
            )
        return
    if isinstance(subject.model, Compiled):
        if told:
            raise il.InputError(
                "--q, --held and --free are only for models; this file has already compiled "
                "its plant",
                fix="Remove them, or define `model` in the file.",
            )
        return
    start_at(subject.model, _positions(args.q))
    if "urdf" not in subject.model.metadata:
        if args.held is not None:
            raise il.InputError(
                f"--held and --free are only for URDF files; {args.mechanism[:60]!a} is not one",
                fix="Remove them.",
            )
        return
    wanted = held if args.held is None else args.held
    if steady(subject.model, held=wanted, stops=True) and args.held is None:
        subject.model.note(
            "in real time, the joints start held; use --free to release them"
            if held
            else "the joints are free: the robot falls unless it is driven; use --held to hold it"
        )


def start_words(args: argparse.Namespace) -> list[str]:
    """The same options for another command."""
    words = [word for text in args.q for word in ("--q", text)]
    if args.held is not None:
        words.append("--held" if args.held else "--free")
    return words


def tell_notes(subject: Subject) -> None:
    """Print notes about omissions and additions when a file was read."""
    if subject.exhibit is None:
        for note in subject.model.build().notes:
            print(f"note: {note}", file=sys.stderr)


def _positions(words: list[str]) -> dict[str, float | list[float]]:
    found: dict[str, float | list[float]] = {}
    for word in words:
        name, _, text = word.partition("=")
        try:
            numbers = [float(part) for part in text.split(",")]
        except ValueError:
            raise il.InputError(
                f"--q {word[:60]!a} is not a position",
                fix="Write --q elbow=0.3, or --q base=1,0,0,0 for a quaternion.",
            ) from None
        found[name.strip()] = numbers[0] if len(numbers) == 1 else numbers
    return found
