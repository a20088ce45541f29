"""Options of commands for the formulation of the equations of motion."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from inloop.errors import InputError
from inloop.plant.formulation import REDUCED, REDUNDANT

OPTIONS: dict[str, type] = {"formulation": str, "damping": float, "solves": int}


def add_formulation(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that `formulation_of` reads."""
    group = parser.add_argument_group("formulation")
    group.add_argument(
        "--formulation",
        choices=(REDUCED, REDUNDANT),
        help=f"{REDUCED} (default): joint coordinates, as few as possible; {REDUNDANT}: six "
        "coordinates per body, with the forces in all joints as unknowns "
        "(docs/redundant.md)",
    )
    group.add_argument(
        "--damping",
        type=float,
        metavar="PART",
        help=f"with {REDUNDANT}: fraction that vibrations much faster than the step lose in "
        "each step, 0 to 1; default: 0.2",
    )
    group.add_argument(
        "--solves",
        type=int,
        metavar="N",
        help=f"with {REDUNDANT}: number of linear systems solved per step, so that all steps "
        "cost the same; default: as many as needed",
    )


def formulation_of(args: argparse.Namespace) -> dict[str, Any]:
    """The formulation given by the user: arguments of `il.Model.compile`."""
    found = {name: getattr(args, name, None) for name in OPTIONS}
    return {name: value for name, value in found.items() if value is not None}


def formulation_words(given: Mapping[str, Any]) -> list[str]:
    """The formulation as options for another command."""
    return [word for name, value in given.items() for word in (f"--{name}", str(value))]


def formulation_of_facts(facts: Mapping[str, str]) -> dict[str, Any]:
    """The formulation from the metadata of a plant that ran.

    Raises:
        InputError: it is invalid.
    """
    try:
        return {name: kind(facts[name]) for name, kind in OPTIONS.items() if name in facts}
    except ValueError:
        raise InputError("its formulation is not valid", fix="The recording is damaged.") from None
