"""`inloop export --fmu`: a plant as a functional mock-up unit."""

from __future__ import annotations

import argparse

from inloop.api import Plant
from inloop.cli.commands.exports.warned import warned
from inloop.cli.output import heading, paragraph, print_json
from inloop.io.fmi.export import VERSIONS


def add_fmu_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of FMUs."""
    group = parser.add_argument_group("FMU")
    group.add_argument(
        "--fmi-version", choices=VERSIONS, default="3.0", help="version of FMI; default: 3.0"
    )
    group.add_argument(
        "--platform",
        action="append",
        metavar="NAME",
        help="here, aarch64-linux, …; may be repeated; default: all that have a compiler",
    )
    group.add_argument(
        "--portable",
        action="store_true",
        help="compile for any processor, not only for this machine's",
    )


def write_fmu(args: argparse.Namespace, plant: Plant) -> int:
    """Write the FMU."""
    with warned() as told:
        file = plant.export_fmu(
            args.fmu,
            version=args.fmi_version,
            method=args.method,
            step=args.step,
            t_end=args.seconds,
            platforms=args.platform,
            portable=args.portable,
        )
    if args.json:
        known = {"model": plant.name, "file": str(file), "fmi": args.fmi_version}
        print_json({**known, "warnings": told})
        return 0
    heading(f"{plant.name}: {file}, FMI {args.fmi_version}, {file.stat().st_size // 1024} kB")
    paragraph(f"fmpy simulate {file} --show-plot    # after 'pip install inloop[fmi]'")
    return 0
