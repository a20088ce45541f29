"""Replaces a running plant after an edit of its file: see `inloop studio`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

import inloop as il
from inloop.cli.subject import Subject
from inloop.cli.watched_files import files_of
from inloop.realtime.succession import FACT, Successor
from inloop.studio.plants.catalog import save_offers


def prepare_successor(
    args: argparse.Namespace, subject: Subject, plant: il.Plant, options: dict[str, Any]
) -> tuple[Successor, dict[str, str]]:
    """Do all slow work, then wait for a line on standard input and take over from the old plant.

    Returns:
        The successor, which transfers the state, and metadata about it.
    """
    # a full rehearsal, so that nothing remains to be compiled and nothing can fail later
    rehearsal = f"{args.name or plant.name}-{os.getpid()}"
    with il.start(plant, name=rehearsal, **{**options, "paused": True}) as loop:
        chosen = loop.options
    if args.stage_to:
        _write_stage(Path(args.stage_to), subject, args)
    if not sys.stdin.readline():
        raise il.InputError("this plant is no longer wanted")
    successor = Successor(plant, args.in_place_of, chosen)
    return successor, {FACT: successor.take_over()}


def _write_stage(target: Path, subject: Subject, args: argparse.Namespace) -> None:
    """Write appearance, controllers and files; the stage file appears when complete."""
    from inloop.cli.commands.studio_catalog import stage_of
    from inloop.cli.commands.studio_controllers import offered_controllers

    files = [str(path) for path in files_of(Path(args.mechanism))]
    target.with_suffix(".files").write_text(json.dumps(files), encoding="utf-8")
    wanted = argparse.Namespace(
        mechanism=args.mechanism, controller=args.offer_controller, period=args.offer_period
    )
    offers = offered_controllers(subject, args.in_place_of, wanted)
    save_offers(offers, target.with_suffix(".controllers"))
    draft = target.with_suffix(".new")
    stage_of(subject).save(draft)
    os.replace(draft, target)
