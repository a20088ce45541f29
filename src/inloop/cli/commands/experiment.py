"""`inloop run NAME --experiment E`: runs an experiment of an exhibit and prints its figures."""

from __future__ import annotations

import argparse
import time
from typing import Any

import inloop as il
from inloop.cli.commands.run_data import run_data
from inloop.cli.output import duration, heading, paragraph, print_json, table
from inloop.cli.subject import Subject
from inloop.gallery import Outcome

OWN = (
    "step",
    "method",
    "tolerance",
    "formulation",
    "damping",
    "solves",
)  # chosen by the experiment itself


def try_experiment(args: argparse.Namespace, subject: Subject) -> int:
    """Run the experiment, write its files, print its figures."""
    exhibit, name = subject.exhibit, args.experiment
    _check(args, subject)
    assert exhibit is not None
    start = time.perf_counter()
    outcome = exhibit.experiment(
        name, parameters=subject.settings, seconds=args.seconds, **subject.options
    )
    seconds = time.perf_counter() - start
    if args.save:
        _save(outcome, name, args.save)
    if args.plot:
        outcome.plot(args.plot)
    if args.json:
        print_json(_data(exhibit.name, name, outcome, seconds))
    else:
        heading(f"{exhibit.title}: {name}")
        paragraph(f"{exhibit.experiments[name].doc}\ncomputed in {duration(seconds)}")
        paragraph()
        show_outcome(outcome)
    return 0


def show_outcome(outcome: Outcome) -> None:
    """Print the figures, as the experiment's own table if it has one, and the notes."""
    if outcome.table:
        paragraph(outcome.table)
    else:
        table(("figure", "value"), [(k, _text(v)) for k, v in outcome.figures.items()])
    for note in outcome.notes:
        paragraph(f"\n{note}")


def _text(value: float | tuple[float, ...]) -> str:
    numbers = value if isinstance(value, tuple) else (value,)
    return ", ".join(f"{number:.6g}" for number in numbers)


def _check(args: argparse.Namespace, subject: Subject) -> None:
    """Check before an experiment that its results can be written."""
    if subject.exhibit is None:
        raise il.InputError(
            "only mechanisms of the gallery have experiments", fix="Remove --experiment."
        )
    for option in OWN:
        if getattr(args, option) is not None:
            raise il.InputError(
                f"--{option} cannot be combined with --experiment: an experiment sets it itself",
                fix=f"Remove --{option}.",
            )
    if args.plot:
        il.blank_figure((1.0, 1.0), args.plot)


def _save(outcome: Outcome, name: str, file: str) -> None:
    if outcome.result is None:
        raise il.InputError(
            f"experiment '{name}' is not a single run", fix="Use --json instead of --save."
        )
    outcome.result.save(file)


def _data(model: str, name: str, outcome: Outcome, seconds: float) -> dict[str, Any]:
    run = {"status": "OK"} if outcome.result is None else run_data(outcome.result)
    notes = [*run.get("notes", []), *outcome.notes]
    told = {"experiment": name, "figures": dict(outcome.figures), "notes": notes}
    return {**run, "model": model, **told, "seconds": seconds}
