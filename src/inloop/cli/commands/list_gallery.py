"""`inloop list`: the mechanisms of the gallery."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from typing import Any

from inloop import gallery
from inloop.cli.output import paragraph, print_json, table
from inloop.gallery import Exhibit

EXPERIMENTS_WIDTH = 59  # of the column, as wide as the descriptions


def add_parser(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Add the command to the command line."""
    text = "list the mechanisms of the gallery"
    parser = commands.add_parser("list", parents=[shared], help=text, description=text)
    parser.set_defaults(call=call)


def call(args: argparse.Namespace) -> int:
    """Print names and summaries."""
    exhibits = gallery.exhibits()
    if args.json:
        print_json({"mechanisms": [_entry(exhibit) for exhibit in exhibits]})
        return 0
    table(("name", "description"), [(e.name, e.title) for e in exhibits], left=2)
    paragraph()
    table(("name", "experiments: inloop run NAME --experiment E"), _experiments(exhibits), left=2)
    paragraph()
    paragraph("Try: inloop describe double_pendulum, inloop run puma560 --seconds 2")
    return 0


def _experiments(exhibits: Sequence[Exhibit]) -> list[tuple[str, str]]:
    """Rows of a table that fits into a terminal."""
    rows = []
    for exhibit in exhibits:
        lines = textwrap.wrap(", ".join(exhibit.experiments), EXPERIMENTS_WIDTH)
        rows += [(exhibit.name if k == 0 else "", line) for k, line in enumerate(lines)]
    return rows


def _entry(exhibit: Exhibit) -> dict[str, Any]:
    return {
        "name": exhibit.name,
        "title": exhibit.title,
        "look_at": exhibit.look_at,
        "start": exhibit.start,
        "seconds": exhibit.seconds,
        "options": {
            name: {"default": option.default, "doc": option.doc}
            for name, option in exhibit.options.items()
        },
        "poses": dict(exhibit.poses),
        "experiments": {name: item.doc for name, item in exhibit.experiments.items()},
        "controllers": {name: item.doc for name, item in exhibit.controllers.items()},
        "references": [
            {"what": r.what, "value": r.value, "unit": r.unit, "source": r.source}
            for r in exhibit.references
        ],
    }
