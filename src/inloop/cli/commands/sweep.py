"""`inloop sweep`: many varied runs, on all cores or on a Ray cluster, written to a folder."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

import inloop as il
from inloop.cli.advice import shell_words
from inloop.cli.commands.run import METHODS, STOPPED
from inloop.cli.formulations import add_formulation
from inloop.cli.output import duration, heading, paragraph, print_json, table, tell_interrupted
from inloop.cli.starting import add_start, prepare, tell_notes
from inloop.cli.subject import Subject, add_subject, find_subject
from inloop.cli.varied import add_design, read_design

SHOWN = 5  # failed runs
BINS, PANEL = 40, (7.0, 2.2)  # of histograms; width and height of each [inch]


def add_parser(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Add the command to the command line."""
    text = "run a mechanism many times with different values, and write the runs to a folder"
    parser = commands.add_parser("sweep", parents=[shared], help=text, description=text)
    add_subject(parser)
    add_start(parser)
    add_formulation(parser)
    add_design(parser)
    parser.add_argument(
        "--to",
        required=True,
        metavar="FOLDER",
        help="folder for the runs, written as they finish; the same command continues an "
        "interrupted sweep",
    )
    parser.add_argument(
        "--on",
        metavar="PLACE",
        help="ray, or the address of a Ray cluster; default: all cores of this machine",
    )
    parser.add_argument("--seconds", type=float, metavar="S", help="duration of each run [s]")
    parser.add_argument("--step", type=float, metavar="H", help="step of the integrator [s]")
    parser.add_argument(
        "--method", choices=METHODS, help="integrator; default: one that suits the first run"
    )
    parser.add_argument(
        "--tolerance", type=float, metavar="R", help="relative error per step (dopri, rodas, alpha)"
    )
    parser.add_argument("--sample", type=float, metavar="S", help="time between samples [s]")
    parser.add_argument("--chunk", type=int, metavar="N", help="runs per file")
    parser.add_argument(
        "--live", action="append", default=[], metavar="NAME",
        help="a number of the model to turn into a parameter, for example rod.mass; "
             "may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--of", action="append", default=[], metavar="SIGNAL",
        help="signal whose final values are reported, for example JOINT.q; default: all",
    )  # fmt: skip
    parser.add_argument("--plot", metavar="FILE", help="plot this signal: .png, .svg, .pdf")
    parser.set_defaults(call=call)


def call(args: argparse.Namespace) -> int:
    """Compile, run, print."""
    design = read_design(args)
    _check_target(args)
    subject = find_subject(args)
    prepare(subject, args, held=False)
    tell_notes(subject)
    plant = subject.compile(**({"live": args.live} if args.live else {}))
    begin = time.perf_counter()
    interrupted = False
    try:
        many = _simulate(args, subject, plant, design)
    except KeyboardInterrupt as error:
        found = getattr(error, "result", None)
        if not isinstance(found, il.ManyResult):
            raise
        many, interrupted = found, True
    _tell(args, many, time.perf_counter() - begin, interrupted)
    if interrupted:
        done = len(many) - many.status.count("STOPPED")
        tell_interrupted(
            f"{done} of {len(many)} runs are in {args.to}; the same command continues from there"
        )
        return STOPPED
    return 0


def _check_target(args: argparse.Namespace) -> None:
    if args.plot and not Path(args.plot).parent.is_dir():
        raise il.InputError(
            f"there is no directory {str(Path(args.plot).parent)!a}", fix="Create it first."
        )


def _simulate(
    args: argparse.Namespace, subject: Subject, plant: il.Plant, design: il.designs.Design
) -> il.ManyResult:
    exhibit = subject.exhibit
    method, tolerance = args.method, args.tolerance
    if method is None:
        method, usual = subject.integrator
        tolerance = tolerance or usual
    seconds, step = (exhibit.seconds, exhibit.step) if exhibit is not None else (10.0, 1e-3)
    return plant.simulate_many(
        t_end=seconds if args.seconds is None else args.seconds,
        step=step if args.step is None else args.step,
        method=method,
        tolerance=tolerance,
        sample=args.sample,
        vary=design,
        folder=args.to,
        chunk=args.chunk,
        on=args.on,
    )


def _tell(args: argparse.Namespace, many: il.ManyResult, seconds: float, partial: bool) -> None:
    signals = args.of or list(many.signals)
    ends = {name: many[name][:, -1] for name in signals}
    indices = []
    if many.design is not None and many.design["kind"] == "sobol" and not partial:
        scattering = [name for name in signals if np.nanmax(ends[name]) > np.nanmin(ends[name])]
        indices = [il.sobol_indices(many, name) for name in scattering]
    if args.plot and not partial:
        _draw(args.plot, ends, indices)
    if args.json:
        print_json(_data(many, ends, indices, seconds))
        return
    heading(f"{len(many)} runs of {many.name}")
    good, left = many.status.count("OK"), many.status.count("STOPPED")
    failed = {run: why for run, why in many.reasons.items() if many.status[run] != "STOPPED"}
    undone = f", {left} not run" if left else ""
    paragraph(
        f"{good} OK, {len(failed)} failed{undone}; {many.method} to t = {many.t[-1]:g} s, "
        f"in {duration(seconds)}; files in {args.to}"
    )
    for run, why in list(failed.items())[:SHOWN]:
        paragraph(f"run {run}: {shell_words(why)}")
    if len(failed) > SHOWN:
        paragraph(f"… and {len(failed) - SHOWN} more: see column 'reason' in the files")
    for note in many.notes:
        paragraph(shell_words(note))
    paragraph()
    rows = [(name, *(f"{x:.6g}" for x in _scatter(values))) for name, values in ends.items()]
    table(("at the end", "mean", "deviation", "minimum", "maximum"), rows)
    for each in indices:
        paragraph()
        paragraph(str(each))


def _scatter(values: Any) -> tuple[float, float, float, float]:
    """Mean, standard deviation, minimum and maximum over the completed runs."""
    good = values[np.isfinite(values)]
    if not len(good):
        return (np.nan,) * 4
    return float(good.mean()), float(good.std()), float(good.min()), float(good.max())


def _data(
    many: il.ManyResult, ends: dict[str, Any], indices: list[il.SobolIndices], seconds: float
) -> dict[str, Any]:
    names = ("mean", "deviation", "minimum", "maximum")
    return {
        "status": "OK" if "STOPPED" not in many.status else "STOPPED",
        "model": many.name,
        "runs": len(many),
        "failed": {str(k): why for k, why in many.reasons.items() if many.status[k] != "STOPPED"},
        "left": many.status.count("STOPPED"),
        "folder": str(many.folder),
        "design": many.design,
        "method": many.method,
        "steps": many.steps,
        "notes": list(many.notes),
        "ends": {n: dict(zip(names, _scatter(v), strict=True)) for n, v in ends.items()},
        "sobol": {
            each.of: {
                name: {"first": each.first[k], "total": each.total[k]}
                for k, name in enumerate(each.names)
            }
            for each in indices
        },
        "seconds": seconds,
    }


def _draw(file: str, ends: dict[str, Any], indices: list[il.SobolIndices]) -> None:
    """Sobol indices of the first signal, or histograms of all."""
    if indices:
        indices[0].plot(file)
        return
    figure = il.blank_figure((PANEL[0], PANEL[1] * len(ends)), file)
    panels = figure.subplots(len(ends), squeeze=False)[:, 0]
    for axes, (name, values) in zip(panels, ends.items(), strict=True):
        axes.hist(values[np.isfinite(values)], bins=BINS)
        axes.set_xlabel(f"{name} at the end")
        axes.set_ylabel("runs")
    figure.savefig(file)
