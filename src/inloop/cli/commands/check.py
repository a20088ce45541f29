"""`inloop check`: compares the gallery with independent reference values."""

from __future__ import annotations

import argparse
from typing import Any

from inloop import gallery
from inloop.cli.output import print_json, table
from inloop.gallery import Comparison


def add_parser(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Add the command to the command line."""
    text = "compare gallery mechanisms with published reference values"
    parser = commands.add_parser("check", parents=[shared], help=text, description=text)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="mechanisms to check; default: all"
    )
    parser.set_defaults(call=call)


def call(args: argparse.Namespace) -> int:
    """Compare; the exit code is 1 if a value is outside its tolerance."""
    exhibits = [gallery.get(name) for name in args.names] or gallery.exhibits()
    found = {e.name: e.compare(e.build().compile()) for e in exhibits if e.references}
    if args.json:
        print_json({name: [_entry(c) for c in items] for name, items in found.items()})
    else:
        show_comparisons(found)
    return 0 if all(c.ok for items in found.values() for c in items) else 1


def show_comparisons(found: dict[str, list[Comparison]]) -> None:
    """Print comparisons as a table."""
    rows = [
        (name, c.reference.what, f"{c.error:.1e} {c.reference.unit.split(',')[0]}", verdict(c))
        for name, items in found.items()
        for c in items
    ]
    table(("mechanism", "reference", "largest error", ""), rows, left=2)


def verdict(comparison: Comparison) -> str:
    """The result as one word."""
    return "ok" if comparison.ok else f"MISSED (tolerance {comparison.reference.tolerance:g})"


def _entry(comparison: Comparison) -> dict[str, Any]:
    reference = comparison.reference
    return {
        "what": reference.what,
        "unit": reference.unit,
        "reference": reference.value,
        "found": comparison.found,
        "error": comparison.error,
        "tolerance": reference.tolerance,
        "ok": comparison.ok,
        "source": reference.source,
    }
