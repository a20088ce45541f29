"""Where a mechanism of a file starts, and whether its joints are held there."""

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
        help="of a file: where a joint starts [rad or m], or BODY=W,X,Y,Z, the quaternion of a "
        "body that turns freely; may be repeated",
    )
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--held",
        action="store_true",
        default=None,
        help="of a URDF file: its joints are held where they start until parameter 'hold' is 0, "
        "as in real time",
    )
    group.add_argument(
        "--free",
        dest="held",
        action="store_false",
        help="of a URDF file: its joints are free from the start, as in simulations",
    )


def prepare(subject: Subject, args: argparse.Namespace, *, held: bool) -> None:
    """Put a mechanism of a file where it starts; hold the joints of a robot if wanted.

    Args:
        subject: the mechanism.
        args: of the command line.
        held: whether a robot is held if the user does not say.
    """
    told = args.q or args.held is not None
    if subject.exhibit is not None:
        if told:
            raise il.InputError(
                f"--q, --held and --free are for files; '{subject.exhibit.name}' is of the gallery",
                fix="Leave them out; its options are set by --set.",
            )
        return
    if isinstance(subject.model, Compiled):
        if told:
            raise il.InputError(
                "--q, --held and --free are for models; the file has compiled its plant already",
                fix="Leave them out, or let the file define `model`.",
            )
        return
    start_at(subject.model, _positions(args.q))
    if "urdf" not in subject.model.metadata:
        if args.held is not None:
            raise il.InputError(
                f"--held and --free are for robots in URDF files; {args.mechanism[:60]!a} is none",
                fix="Leave them out.",
            )
        return
    wanted = held if args.held is None else args.held
    if steady(subject.model, held=wanted, stops=True) and args.held is None:
        subject.model.note(
            "real time begins with the joints held; --free lets them go from the start"
            if held
            else "the joints are free: the robot falls unless it is driven; --held holds it"
        )


def start_words(args: argparse.Namespace) -> list[str]:
    """The same arguments for another command."""
    words = [word for text in args.q for word in ("--q", text)]
    if args.held is not None:
        words.append("--held" if args.held else "--free")
    return words


def tell_notes(subject: Subject) -> None:
    """Print what was left out of a file, or added to it."""
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
                f"--q {word[:60]!a} gives no position",
                fix="Write --q elbow=0.3, or --q base=1,0,0,0 for a quaternion.",
            ) from None
        found[name.strip()] = numbers[0] if len(numbers) == 1 else numbers
    return found
