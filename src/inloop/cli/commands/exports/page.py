"""`inloop export NAME --page FILE`: a page that contains its plant."""

from __future__ import annotations

import argparse

from inloop.cli.commands.exports.warned import warned
from inloop.cli.commands.studio_catalog import natural_speed, pace, stage_of
from inloop.cli.output import heading, paragraph, print_json
from inloop.cli.subject import Subject


def write_page(args: argparse.Namespace, subject: Subject) -> int:
    """Compile the plant to WebAssembly and write the page."""
    from inloop.io.page import export_page

    rate, substeps = pace(subject.exhibit)
    with warned() as told:
        file = export_page(
            subject.compile(),
            args.page,
            rate=rate,
            substeps=substeps,
            method=args.method,
            speed=natural_speed(subject.exhibit),
            stage=stage_of(subject),
            name="" if subject.exhibit is None else subject.exhibit.name,
        )
    size = file.stat().st_size
    if args.json:
        known = {"file": str(file), "bytes": size, "rate_hz": rate, "substeps": substeps}
        print_json({**known, "warnings": told})
        return 0
    heading(f"{file}: {size / 1e6:.2f} MB, {rate:g} steps per second")
    paragraph("Open it in a browser, from disk or from any web server.")
    return 0
