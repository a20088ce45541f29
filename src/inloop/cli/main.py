"""Parses the command line, calls one command, turns errors into short messages."""

from __future__ import annotations

import argparse
import contextlib
import errno
import importlib
import os
import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import TextIO

import inloop as il
from inloop import gallery
from inloop.cli.advice import shell_words
from inloop.cli.output import print_json, tell_interrupted
from inloop.cli.parser import WRONG_USAGE, CommandParser
from inloop.cli.subject import FILE_ENDINGS
from inloop.errors import near_names
from inloop.plant.keywords import meant_by

# module of each command, in the order of `inloop --help`; imported when it is called
COMMANDS = {
    "list": "list_gallery", "describe": "describe", "derive": "derive", "export": "export",
    "run": "run", "sweep": "sweep", "studio": "studio", "monitor": "monitor", "observe": "observe",
    "record": "record", "replay": "record", "report": "record", "identify": "identify",
    "control": "control", "link": "link", "midi": "midi", "device": "device", "check": "check",
    "demo": "demo", "bench": "bench",
}  # fmt: skip

# what remains after Ctrl-C
KEPT = "the command has not finished; compiled equations are kept for next time"
STUDIO_KEPT = "the plant has stopped; recordings are kept"

GUIDE = """\
inloop: a mechanism you can touch. What to type first:
  inloop list                                  the gallery: pendulums, robots, loops, a piano
  inloop studio piano                          play one in the browser
  inloop run double_pendulum --plot swing.png  simulate one and draw it
  inloop run crane.py                          your own: a Python file with `model = il.Model(...)`
  inloop run robot.urdf                        a robot: URDF, MJCF (.xml), SDF, ROBOTRAN (.mbs)
`inloop --help` lists all commands, `inloop COMMAND --help` their options."""

# what to do about an error of the operating system
ADVICE: dict[int | None, str] = {
    errno.ENOENT: "Check the path.",
    errno.EEXIST: "Choose another name.",
    errno.ENOTDIR: "Check the path.",
    errno.EISDIR: "Give the name of a file.",
    errno.EACCES: "Check its permissions, or choose another place.",
    errno.EPERM: "Check its permissions, or choose another place.",
    errno.EROFS: "Choose another place.",
    errno.ENOSPC: "Free some space, or choose another place.",
}

# exit codes
FAILED = WRONG_USAGE
INTERRUPTED = 130  # as shells report SIGINT
PIPE_CLOSED = 141  # as shells report SIGPIPE


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: arguments after `inloop`; default: those of the process.

    Returns:
        The exit code: 0, 1 when a comparison fails, 2 for an error, 130 after Ctrl-C.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    _open_closed_streams()
    _print_anything(sys.stdout)
    _print_anything(sys.stderr)
    if not words:
        print(GUIDE)
        return 0
    try:
        args = _parse(words)
    except SystemExit as wrong:
        if wrong.code == FAILED and "--json" in words:
            print_json({"status": "ERROR", "error": "wrong usage", "mistakes": []})
        raise
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        return _guarded(args)


def _parse(words: Sequence[str]) -> argparse.Namespace:
    parser, commands = _parsers(words[0])
    if not words[0].startswith("-") and words[0] not in COMMANDS:
        parser.error(_no_command(words[0]))
    args, unknown = parser.parse_known_args(words)
    if unknown:
        command = commands[args.command]
        command.error(_no_option(unknown, command))
    if (empty := _empty_option(args, commands[args.command])) is not None:
        commands[args.command].error(f"argument {empty}: nothing is given")
    return args


def _empty_option(args: argparse.Namespace, command: argparse.ArgumentParser) -> str | None:
    """An option with an empty value, such as a variable of the shell that is not set."""
    for action in command._actions:
        empty = getattr(args, action.dest, None) == "" and action.default != ""
        if action.option_strings and empty:
            return action.option_strings[-1]
    return None


def _parsers(word: str) -> tuple[argparse.ArgumentParser, Mapping[str, argparse.ArgumentParser]]:
    """The parser of a command line that starts with this word, and those of the commands."""
    parser = CommandParser(
        prog="inloop", description="A mechanism you can touch: derive, compile, run."
    )
    parser.add_argument("--version", action="version", version=f"inloop {il.__version__}")
    parser.add_argument(
        "--include",
        action="version",
        version=str(il.include_dir()),
        help="print the directory that contains inloop.h, for controllers in C",
    )
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    shared.add_argument("--debug", action="store_true", help="show the traceback of an error")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    files = [COMMANDS[word]] if word in COMMANDS else dict.fromkeys(COMMANDS.values())
    for file in files:
        importlib.import_module(f"inloop.cli.commands.{file}").add_parser(commands, shared)
    return parser, commands.choices


def _no_command(word: str) -> str:
    what = f"there is no command {word[:40]!a}"
    if word in gallery.names() or word.lower().endswith(FILE_ENDINGS):
        return f"{what}; to run it, write: inloop run {word}, or inloop studio {word}"
    near = near_names(word, COMMANDS)
    return (
        f"{what}; did you mean {near[0]}?"
        if near
        else f"{what}; `inloop --help` lists all commands"
    )


def _no_option(unknown: Sequence[str], command: argparse.ArgumentParser) -> str:
    wrong = next((word for word in unknown if re.match("--?[a-zA-Z]", word)), None)
    if wrong is None:
        return f"unrecognized arguments: {' '.join(unknown)[:80]}"
    options = {
        _name_of(option): option for option in re.findall(r"--\w[\w-]*", command.format_help())
    }
    meant = meant_by(_name_of(wrong.partition("=")[0]), options)
    fix = (
        f"did you mean {options[meant]}?" if meant else f"`{command.prog} --help` lists all options"
    )
    return f"there is no option {wrong[:40]}; {fix}"


def _name_of(option: str) -> str:
    """The Python argument of an option."""
    return option.lstrip("-").replace("-", "_")


def _guarded(args: argparse.Namespace) -> int:
    """Call the command; show tracebacks only on request."""
    try:
        code = int(args.call(args))
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        studio = args.command == "studio"  # has printed its object at the start
        tell_interrupted(STUDIO_KEPT if studio else KEPT)
        if args.json and not studio:
            print_json({"status": "STOPPED", "error": "interrupted", "mistakes": []})
        return INTERRUPTED
    except BrokenPipeError:
        # the reader has closed the pipe; remaining output must go somewhere
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except (il.InloopError, OSError) as error:
        if args.debug:
            raise
        _report(error, as_json=args.json)
        return FAILED
    except Exception as error:
        if args.debug:
            raise
        _report(_internal(error), as_json=args.json)
        return FAILED


def _internal(error: Exception) -> il.InloopError:
    """What to tell about an exception that no part of inloop expected."""
    if isinstance(error, MemoryError):
        return il.InloopError("there is not enough memory", fix="Choose a smaller task.")
    return il.InloopError(
        f"a bug in inloop: {type(error).__name__}: {str(error)[:200] or 'no message'}",
        fix="Please report it with the traceback, which --debug prints.",
    )


def _report(error: il.InloopError | OSError, *, as_json: bool) -> None:
    if isinstance(error, il.InloopError):
        mistakes = [
            {"what": shell_words(m.what), "where": m.where, "fix": shell_words(m.fix)}
            for m in error.mistakes
        ]
        text = shell_words(str(error))
    else:
        place = "" if error.filename is None else f"{str(error.filename)!a}: "
        what, fix = f"{place}{error.strerror or error}", ADVICE.get(error.errno, "")
        text = f"{what}. {fix}" if fix else what
        mistakes = [{"what": what, "where": "", "fix": fix}]
    print(f"error: {text}", file=sys.stderr)
    if as_json:
        with contextlib.suppress(OSError):  # it may be standard output that cannot be written
            print_json({"status": "ERROR", "error": text, "mistakes": mistakes})


def _open_closed_streams() -> None:
    """Discard output to streams that the shell has closed, as with `>&-`: they are None."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def _print_anything(stream: TextIO) -> None:
    """Print question marks for characters that the terminal cannot show."""
    with contextlib.suppress(AttributeError, ValueError):
        stream.reconfigure(errors="replace")  # type: ignore[attr-defined]


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    print(f"note: {shell_words(str(message))}", file=sys.stderr)
