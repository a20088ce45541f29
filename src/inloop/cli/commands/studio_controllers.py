"""Controllers offered by the studio: those of an exhibit, or of the user's file."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import inloop as il
from inloop.cli.controllers import controller_command
from inloop.cli.subject import Subject
from inloop.gallery import Controller, Slider
from inloop.plant.controlling import declared_gains
from inloop.plant.holding import HOLD
from inloop.studio.plants.catalog import Knob, Offered

LIST = "controllers"  # name of the list in a user's file
FILE = "settings.txt"
WIDE = 4.0  # default range of a gain, as a multiple of its value


def offered_controllers(
    subject: Subject, plant: str, args: argparse.Namespace
) -> tuple[Offered, ...]:
    """Controllers that can be started for a plant.

    Args:
        subject: the mechanism.
        plant: name under which it runs.
        args: command-line arguments: `controller` names the initial one, "none" for none.

    Raises:
        InputError: unknown controller name.
    """
    wanted: str | None = getattr(args, "controller", None)
    if subject.exhibit is not None:
        known = subject.exhibit.controllers.items()
        found = [_of_exhibit(name, each, plant, wanted) for name, each in known]
    else:
        found = _of_file(subject.names, plant, args)
    if any(parameter.name == HOLD for parameter in subject.model.build().parameters):
        doc = "holds the joints at their initial positions, whatever effort that takes"
        found.append(Offered(HOLD, doc, _always(()), holds=HOLD))
    if wanted is not None and wanted not in ("none", *(offer.name for offer in found)):
        names = ", ".join(offer.name for offer in found) or "none"
        raise il.InputError(f"there is no controller {wanted[:60]!a}", fix=f"Known: {names}.")
    return tuple(found)


def _of_exhibit(name: str, controller: Controller, plant: str, wanted: str | None) -> Offered:
    guided = controller.guided
    piped = ["--piped"] if controller.piped else []
    file = FILE if controller.settings and not controller.piped else None

    def command(folder: Path) -> tuple[str, ...]:
        path = folder / FILE
        if file is not None:
            path.touch()
        settings = None if file is None else str(path)
        return (*controller_command(controller, plant, settings, folder), *piped)

    opens = guided.opens_with if guided is not None else ""
    return Offered(
        name,
        controller.doc,
        command,
        _knobs(controller.sliders),
        _knobs({f"goal.{k}": x for k, x in guided.goals.items()}) if guided is not None else (),
        guided.paths if guided is not None else {},
        controller.piped,
        file,
        opens,
        name == wanted if wanted is not None else bool(opens),
    )


def _knobs(sliders: Mapping[str, Slider]) -> tuple[Knob, ...]:
    return tuple(Knob(name, x.value, x.low, x.high, x.unit, x.doc) for name, x in sliders.items())


def _of_file(names: Mapping[str, Any], plant: str, args: argparse.Namespace) -> list[Offered]:
    """Functions and classes of the list `controllers`, and the one of the command line."""
    listed = names.get(LIST, ())
    found = {each.__name__: each for each in listed if inspect.isroutine(each) or _is_class(each)}
    wanted: str | None = getattr(args, "controller", None)
    if wanted is not None and wanted in names:
        found.setdefault(wanted, names[wanted])
    period = getattr(args, "period", None)
    words = () if period is None else ("--period", repr(period))
    offers = []
    for name, function in found.items():
        if names.get(name) is not function:
            continue  # cannot be found by name in another process
        start = (sys.executable, "-m", "inloop.cli", "control", plant, args.mechanism)
        command = (*start, "--controller", name, *words, "--piped")
        doc = next(iter((inspect.getdoc(function) or "").splitlines()), "")
        sliders = tuple(_gain(k, x) for k, x in declared_gains(_called(function)))
        offers.append(
            Offered(name, doc, _always(command), sliders, piped=True, at_once=name == wanted)
        )
    return offers


def _always(command: tuple[str, ...]) -> Callable[[Path], tuple[str, ...]]:
    """A command that needs no files."""
    return lambda folder: command


def _is_class(value: Any) -> bool:
    return inspect.isclass(value) and "__call__" in vars(value)


def _called(function: Any) -> Any:
    """A callable with the arguments of a controller: for a class, without `self`."""
    return vars(function)["__call__"].__get__(object()) if _is_class(function) else function


def _gain(name: str, default: float) -> Knob:
    """A slider; without its own range, up to a few times its value."""
    value, limits = float(default), getattr(default, "range", None)
    reach = WIDE * abs(value) or 1.0
    low, high = limits or (min(0.0, -reach if value < 0 else 0.0), reach)
    return Knob(name, value, low, high, getattr(default, "unit", ""), "")
