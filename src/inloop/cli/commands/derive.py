"""`inloop derive`: operation counts, times and optionally generated files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import inloop as il
from inloop.cli.derivation import (
    CLOSED,
    DRIVES,
    DerivationReport,
    all_functions,
    derive,
    function_names,
    usual_functions,
)
from inloop.cli.output import duration, heading, paragraph, print_json, table
from inloop.cli.subject import add_subject, find_subject
from inloop.cli.text_files import LANGUAGES, emit
from inloop.errors import counted, near_names
from inloop.formalisms import PROGRAMS
from inloop.model import Mechanism


def add_parser(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Add the command to the command line."""
    text = "derive equations of motion; print operation counts and times, write source files"
    parser = commands.add_parser("derive", parents=[shared], help=text, description=text)
    add_subject(parser)
    parser.add_argument(
        "--live",
        default="",
        metavar="all|NAMES",
        help='numbers of the model to keep as parameters: "all", or a comma-separated list '
        "of names",
    )
    parser.add_argument(
        "--external-forces",
        default="",
        metavar="all|BODIES",
        help='bodies that get force and torque inputs: "all", or a comma-separated list of names',
    )
    parser.add_argument(
        "--functions",
        default="",
        metavar="all|NAMES",
        help="comma-separated list of functions to derive: "
        f"{', '.join((*PROGRAMS, *CLOSED, DRIVES))}; the last ones are for loops and "
        "drives",
    )
    parser.add_argument("--out", metavar="DIR", help="directory for the generated files")
    parser.add_argument(
        "--language",
        choices=LANGUAGES,
        default="c",
        help="language of the generated files; default: c",
    )
    parser.set_defaults(call=call)


def call(args: argparse.Namespace) -> int:
    """Derive, count, write."""
    mechanism = find_subject(args).build()
    names = _functions(args.functions, mechanism)
    report = derive(
        mechanism, names, live=_selection(args.live), external=_selection(args.external_forces)
    )
    # generate everything before anything is written
    files = emit(report, args.language) if args.out else {}
    written = _write(Path(args.out), files) if args.out else []
    if args.json:
        print_json({**report.data(), "files": written})
    else:
        _show(report, written)
    return 0


def _selection(text: str) -> str | list[str]:
    return "all" if text == "all" else [word.strip() for word in text.split(",") if word.strip()]


def _functions(text: str, mechanism: Mechanism) -> list[str]:
    if not text:
        return list(usual_functions(mechanism))
    known = function_names(mechanism)
    if text == "all":
        return list(all_functions(mechanism))
    names = list(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
    for name in names:
        if name not in known:
            near = near_names(name, known)
            hint = f"Did you mean '{near[0]}'?" if near else f"Available: {', '.join(known)}."
            raise il.InputError(f"there is no function {name[:40]!a}", fix=hint)
    if not names:
        raise il.InputError("--functions is empty", fix=f"Available: {', '.join(known)}.")
    return names


def _write(directory: Path, files: dict[str, str]) -> list[str]:
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (directory / name).write_text(text, encoding="utf-8")
    return [str(directory / name) for name in files]


def _show(report: DerivationReport, written: list[str]) -> None:
    coordinates = counted(len(report.mechanism.coordinates), "coordinate")
    heading(f"{report.mechanism.name}: {coordinates}")
    paragraph(
        f"{counted(len(report.parameters), 'live parameter')}, "
        f"{counted(len(report.inputs), 'input')}; "
        f"derived in {duration(report.seconds)}"
    )
    paragraph()
    show_operations(report)
    if written:
        paragraph()
        paragraph("\n".join(["written:", *written]))


def show_operations(report: DerivationReport) -> None:
    """Print operation counts by function and pass."""
    passes = list(report.passes[0].totals)
    header = ("function", "method", *passes, "mul", "add", "div", "sincos", "time")
    rows = []
    for entry in report.passes:
        counts = report.operations[entry.function]
        rows.append(
            (
                entry.function,
                report.formalisms[entry.function],
                *(f"{entry.totals[name]}" for name in passes),
                *(f"{counts[kind]}" for kind in ("mul", "add", "div", "sincos")),
                duration(report.times[f"derive {entry.function}"]),
            )
        )
    counts = report.operations["prepare"]
    hoisted = ("",) * (len(passes) - 1)
    kinds = tuple(f"{counts[kind]}" for kind in ("mul", "add", "div", "sincos"))
    rows.append(("prepare", "when a parameter changes", *hoisted, f"{counts['total']}", *kinds, ""))
    table(header, rows, left=2)
