"""The result files of `inloop run`: `--save` and `--plot`."""

from __future__ import annotations

import argparse
from pathlib import Path

import inloop as il
from inloop.cli.subject import Subject
from inloop.simulate.results.figure import blank_figure
from inloop.simulate.results.saving import ENDINGS


def check_targets(args: argparse.Namespace) -> None:
    """Check before a run that its result can be written."""
    for target in filter(None, (args.save, args.plot)):
        if not Path(target).parent.is_dir():
            raise il.InputError(
                f"there is no directory {str(Path(target).parent)!a}", fix="Create it first."
            )
    if args.save and Path(args.save).suffix not in ENDINGS:
        raise il.InputError(
            f"--save cannot write files that end in {Path(args.save).suffix!a}",
            fix=f"Use a name that ends in {' or '.join(ENDINGS)}.",
        )
    if args.plot:
        blank_figure((1.0, 1.0), args.plot)  # so that no run is lost for the name of a figure


def write_files(
    args: argparse.Namespace, subject: Subject, plant: il.Plant, result: il.Result
) -> None:
    """Write the requested files."""
    if args.save:
        result.save(args.save)
    if args.plot and subject.exhibit is not None:
        subject.exhibit.plot(plant, result, args.plot)
    elif args.plot:
        result.plot(file=args.plot)
