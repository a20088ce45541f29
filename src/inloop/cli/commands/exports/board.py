"""`inloop export --target`: a plant as a static library for a board."""

from __future__ import annotations

import argparse
from dataclasses import asdict

import inloop as il
from inloop.cli.output import heading, paragraph, print_json, table
from inloop.io.boards.export import PRECISIONS
from inloop.io.boards.targets import TARGETS


def add_board_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of boards."""
    parser.add_argument(
        "--target", choices=list(TARGETS), help="build a static library for this board"
    )
    parser.add_argument(
        "--precision",
        choices=PRECISIONS,
        default=PRECISIONS[0],
        help="precision of numbers on the board; default: double",
    )


def write_board(args: argparse.Namespace, plant: il.Plant) -> int:
    """Write, build, measure; return 1 if something could not be measured."""
    if not args.out:
        raise il.InputError("--target needs a directory", fix="Add --out DIR.")
    report = plant.export_board(
        args.out,
        target=args.target,
        precision=args.precision,
        method=args.method,
        step=args.step,
    )
    if args.json:
        print_json(asdict(report))
    else:
        heading(f"{report.plant} for {report.target} in {report.precision}: {args.out}")
        table(("", "takes"), report.rows())
        for remark in report.remarks:
            paragraph(remark)
        paragraph("README.md describes the files; counts are instructions, not cycles")
    return 1 if report.remarks else 0
