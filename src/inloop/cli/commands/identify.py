"""`inloop identify`: identifies parameters of a plant from recordings of its motion."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import inloop as il
from inloop.cli.output import heading, paragraph, print_json, table
from inloop.cli.starting import add_start, prepare, tell_notes
from inloop.cli.subject import add_subject, find_subject
from inloop.errors import counted

REFUSED = 1  # exit code if the model does not explain the recordings


def add_parser(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Add the command to the command line."""
    text = "fit parameters of a mechanism to recorded motions"
    parser = commands.add_parser("identify", parents=[shared], help=text, description=text)
    add_subject(parser)
    parser.add_argument(
        "recordings",
        nargs="+",
        metavar="RUN",
        help="recordings to fit: .mcap, .csv, .npz, .parquet",
    )
    add_start(parser)
    parser.add_argument(
        "--fit", required=True, metavar="NAMES",
        help='comma-separated list of parameters, for example k,c,"friction.*"; '
             "OUTPUT.delay fits a delay",
    )  # fmt: skip
    parser.add_argument(
        "--outputs", metavar="NAMES", help="outputs to compare; default: the sensors"
    )
    parser.add_argument(
        "--noise", action="append", default=[], metavar="OUTPUT=S",
        help="standard deviation of the noise of an output, estimated if not given; "
             "may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--delay", action="append", default=[], metavar="OUTPUT=S",
        help="delay of an output [s]: the known value, or the initial guess for OUTPUT.delay",
    )  # fmt: skip
    parser.add_argument(
        "--bounds", action="append", default=[], metavar="NAME=LOW,HIGH",
        help="lowest and highest value of a fitted parameter; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--live", action="append", default=[], metavar="NAME",
        help="a number of the model to turn into a parameter, for example rod.mass; "
             "may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--inputs", choices=("held", "before", "smooth"), default="held",
        help="how input columns of a .csv act: held from each sample on, until the next sample as "
        "that one says, or on a smooth curve; recordings of plants tell it themselves",
    )  # fmt: skip
    parser.add_argument(
        "--check", action="append", default=[], metavar="RUN",
        help="recording to predict as validation, not used for the fit; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--recorded-start", action="store_true",
        help="take the initial state from the first sample instead of fitting it",
    )  # fmt: skip
    parser.add_argument(
        "--segments",
        type=float,
        metavar="S",
        help="length of the segments of multiple shooting [s]",
    )
    parser.add_argument("--step", type=float, metavar="H", help="maximum step [s]; default: 0.001")
    parser.add_argument("--method", help="integrator, with fixed steps")
    parser.add_argument(
        "--accept", action="store_true", help="keep the result even if the residual test rejects it"
    )
    parser.add_argument(
        "--out", metavar="FILE", help="write the parameters to a file that --set @FILE reads"
    )
    parser.add_argument(
        "--report", metavar="FILE.html", help="write an HTML report with a table and a figure"
    )
    parser.add_argument("--plot", metavar="FILE", help="write the figure: .png, .svg or .pdf")
    parser.set_defaults(call=call)


def call(args: argparse.Namespace) -> int:
    """Read, fit, print, write."""
    if args.plot:
        il.blank_figure((1.0, 1.0), args.plot)
    subject = find_subject(args)
    prepare(subject, args, held=False)
    tell_notes(subject)
    plant = subject.compile(**({"live": args.live} if args.live else {}))
    options: dict[str, Any] = {
        "outputs": None if args.outputs is None else _names(args.outputs),
        "noise": _levels(args.noise, "--noise"),
        "delay": _levels(args.delay, "--delay"), "bounds": _bounds(args.bounds),
        "check": [il.read(name) for name in args.check] or None,
        "start": "recorded" if args.recorded_start else "fit",
        "inputs": args.inputs, "segments": args.segments, "step": args.step, "method": args.method,
    }  # fmt: skip
    runs = [il.read(name) for name in args.recordings]
    fitted = il.fit(plant, runs, _names(args.fit), refuse=False, **options)
    refused = any(each.refused for each in (*fitted.tests, *fitted.validation))
    # the report may explain why; meaningless parameters are not written
    if args.report:
        fitted.report(args.report)
    if args.plot:
        fitted.plot(file=args.plot)
    if args.out and (args.accept or not refused):
        fitted.save(args.out)
    if args.json:
        print_json(_data(fitted, refused))
    else:
        _show(fitted)
    if not refused or args.accept:
        return 0
    try:
        fitted.check()
    except il.ResidualError as error:
        print(f"error: {error}", file=sys.stderr)
    return REFUSED


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _levels(words: list[str], option: str) -> dict[str, float]:
    found = {}
    for word in words:
        name, _, value = word.rpartition("=")
        if name in found:
            raise il.InputError(f"{option} of {name[:60]!a} is given twice", fix="Give it once.")
        try:
            found[name] = float(value)
        except ValueError:
            raise il.InputError(
                f"{option} {word[:60]!a} is not an assignment",
                fix=f"Write it as {option} encoder=1e-4.",
            ) from None
    return found


def _bounds(words: list[str]) -> dict[str, tuple[float, float]]:
    found = {}
    for word in words:
        name, _, values = word.rpartition("=")
        try:
            low, high = (float(value) for value in values.split(","))
        except ValueError:
            raise il.InputError(
                f"--bounds {word[:60]!a} does not assign two numbers",
                fix="Write it as --bounds k=10,500.",
            ) from None
        if name in found:
            raise il.InputError(f"--bounds of {name[:60]!a} are given twice", fix="Give them once.")
        found[name] = (low, high)
    return found


def _data(fitted: il.Fitted, refused: bool) -> dict[str, Any]:
    rows = zip(fitted.names, fitted.values, fitted.deviations, strict=True)
    tests = [vars(each) for each in (*fitted.tests, *fitted.validation)]
    return {
        "status": "REFUSED" if refused else "OK",
        "model": fitted.model,
        "parameters": {name: {"value": v, "deviation": s} for name, v, s in rows},
        "unidentified": list(fitted.unidentified),
        "residuals": tests,
        "notes": list(fitted.notes),
        "derivatives": fitted.derivatives,
    }


def _show(fitted: il.Fitted) -> None:
    fitted_to = sum(not each.kept_back for each in fitted.comparisons)
    heading(f"{fitted.model}: fitted to {counted(fitted_to, 'recording')}")
    rows = zip(
        fitted.names, fitted.units, fitted.first, fitted.values, fitted.deviations, strict=True
    )
    table(
        ("parameter", "unit", "first", "value", "deviation"),
        [(n, u, f"{first:.6g}", f"{v:.8g}", f"{s:.2g}") for n, u, first, v, s in rows],
        left=2,
    )
    paragraph()
    for line in (*fitted.told, *fitted.notes, f"derivatives: {fitted.derivatives}"):
        paragraph(line)
