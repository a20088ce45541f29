"""`inloop export`: a plant as C sources, for a board, as an FMU, or as a page that runs it."""

from __future__ import annotations

import argparse
from typing import Any

from inloop.cli.commands.exports.board import add_board_options, write_board
from inloop.cli.commands.exports.fmu import add_fmu_options, write_fmu
from inloop.cli.commands.exports.page import write_page
from inloop.cli.commands.exports.warned import warned
from inloop.cli.formulations import add_formulation
from inloop.cli.output import heading, paragraph, print_json
from inloop.cli.subject import add_subject, find_subject
from inloop.simulate.schedules import METHODS


def add_parser(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Add the command to the command line."""
    text = (
        "export a plant: as stand-alone C99 (sources, a program that steps it, "
        "Makefile, README), as a library for a board, as an FMU for other simulators, "
        "or as one HTML file that runs in a browser"
    )
    parser = commands.add_parser("export", parents=[shared], help=text, description=text)
    add_subject(parser)
    add_formulation(parser)
    forms = parser.add_mutually_exclusive_group(required=True)
    forms.add_argument("--out", metavar="DIR", help="directory for the C sources")
    forms.add_argument("--fmu", metavar="FILE", help="write an FMU (docs/fmu.md)")
    forms.add_argument("--page", metavar="FILE", help="write an HTML file (docs/page.md)")
    parser.add_argument("--method", choices=list(METHODS), help="integrator of the program")
    parser.add_argument(
        "--step",
        type=float,
        default=1e-3,
        metavar="S",
        help="step of the integrator [s]; default: 0.001",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=1.0,
        metavar="S",
        help="duration of its run [s]; default: 1",
    )
    add_board_options(parser)
    add_fmu_options(parser)
    parser.set_defaults(call=call)


def call(args: argparse.Namespace) -> int:
    """Compile and write."""
    subject = find_subject(args)
    if args.page and not args.target:
        return write_page(args, subject)
    plant = subject.compile()
    if args.target:
        return write_board(args, plant)
    if args.fmu:
        return write_fmu(args, plant)
    options = {"method": args.method, "step": args.step, "t_end": args.seconds}
    with warned() as told:
        files = plant.export_c(args.out, **options)
    if args.json:
        known = {"model": plant.name, "files": [str(file) for file in files]}
        print_json({**known, "warnings": told})
        return 0
    heading(f"{plant.name}: {len(files)} files in {args.out}")
    paragraph(f"cd {args.out} && make && ls    # README.md lists parameters, inputs and outputs")
    return 0
