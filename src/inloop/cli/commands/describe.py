"""`inloop describe`: a mechanism as tables."""

from __future__ import annotations

import argparse
from typing import Any

import inloop as il
from inloop.cli.output import heading, paragraph, print_json
from inloop.cli.subject import add_subject, find_subject
from inloop.gallery import Exhibit


def add_parser(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Add the command to the command line."""
    text = "print a mechanism as tables: bodies, joints, parameters, forces, notes"
    parser = commands.add_parser("describe", parents=[shared], help=text, description=text)
    add_subject(parser)
    parser.set_defaults(call=call)


def call(args: argparse.Namespace) -> int:
    """Print the elements of the model."""
    subject = find_subject(args)
    mechanism = subject.build()
    if args.json:
        exhibit = subject.exhibit
        experiments = {n: e.doc for n, e in exhibit.experiments.items()} if exhibit else {}
        print_json({**_data(mechanism), "experiments": experiments})
        return 0
    print(mechanism.describe(), end="")
    if subject.exhibit is not None:
        _show_exhibit(subject.exhibit)
    return 0


def _show_exhibit(exhibit: Exhibit) -> None:
    heading(exhibit.title)
    paragraph(f"Initial state: {exhibit.start}.")
    paragraph(exhibit.look_at)
    for name, option in exhibit.options.items():
        paragraph(f"--set {name}={option.default}: {option.doc}")
    for name, doc in exhibit.files.items():
        paragraph(f"--set {name}=FILE: {doc}")
    for name, experiment in exhibit.experiments.items():
        paragraph(f"--experiment {name}: {experiment.doc}")
    for name, controller in exhibit.controllers.items():
        paragraph(f"--controller {name}: {controller.doc}")
    for name, q in exhibit.poses.items():
        paragraph(f"pose {name} = ({', '.join(f'{x:.5g}' for x in q)})")
    for source in dict.fromkeys(reference.source for reference in exhibit.references):
        known = [r.what for r in exhibit.references if r.source == source]
        paragraph(f"reference values: {'; '.join(known)} ({source})")


def _data(mechanism: il.Mechanism) -> dict[str, Any]:
    return {
        "model": mechanism.name,
        "doc": mechanism.doc,
        "coordinates": list(mechanism.coordinates),
        "bodies": [
            {
                "name": body.name,
                "on": body.attachment.path,
                "joint": body.joint.kind.name,
                "coordinate": body.joint.name,
                "axis": body.joint.axis,
                "limits": body.joint.limits,
                "initial": body.joint.initial,
                "merged": [part.name for part in body.parts[1:]],
            }
            for body in mechanism.bodies
        ],
        "parameters": [
            {"name": p.name, "default": p.default, "unit": p.unit, "range": p.range, "doc": p.doc}
            for p in mechanism.parameters
        ],
        "inputs": [{"name": i.name, "unit": i.unit, "doc": i.doc} for i in mechanism.inputs],
        "notes": list(mechanism.notes),
    }
