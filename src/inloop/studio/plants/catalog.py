"""What the studio offers; provided by the program that starts it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from inloop.studio.drawing.stage import Stage
from inloop.studio.messaging.message_types import MenuEntry

Options = Mapping[str, bool | int | float | str]


@dataclass(frozen=True)
class Knob:
    """A number of a controller: name in its settings, initial value, range, unit, meaning."""

    name: str
    value: float
    low: float
    high: float
    unit: str = ""
    doc: str = ""


@dataclass(frozen=True)
class Offered:
    """A controller that can be chosen.

    Attributes:
        name: displayed name.
        doc: one-line description.
        command: maps a folder for its files to the command line that starts it; may be slow.
        sliders: its gains.
        goals: set points of joints.
        paths: closed curves that its tool can follow, as points in the world [m].
        piped: it is tuned and reports through pipes.
        settings: name of a file in the folder that it reads while it runs, if any.
        opens_with: initial path.
        at_once: it is active when the plant is opened.
        holds: parameter of the plant that holds its joints while it is 1, instead of a process.
    """

    name: str
    doc: str
    command: Callable[[Path], tuple[str, ...]]
    sliders: tuple[Knob, ...] = ()
    goals: tuple[Knob, ...] = ()
    paths: Mapping[str, Sequence[tuple[float, float, float]]] = field(default_factory=dict)
    piped: bool = False
    settings: str | None = None
    opens_with: str = ""
    at_once: bool = False
    holds: str = ""


def save_offers(offers: Iterable[Offered], path: Path) -> None:
    """Write controllers for another process; their commands must not depend on the folder."""
    told = [{**vars(each), "command": each.command(path.parent)} for each in offers]
    path.write_text(json.dumps(told, default=vars), encoding="utf-8")


def load_offers(path: Path) -> tuple[Offered, ...]:
    """Read the result of `save_offers`."""

    def read(told: dict[str, Any]) -> Offered:
        words = tuple(told["command"])
        told["command"] = lambda folder: words
        for kind in ("sliders", "goals"):
            told[kind] = tuple(Knob(**each) for each in told[kind])
        return Offered(**told)

    return tuple(read(each) for each in json.loads(path.read_text(encoding="utf-8")))


@dataclass(frozen=True)
class Choice:
    """A plant that runs, or is to be run.

    Attributes:
        plant: name of its mailbox.
        stage: its drawing and presentation.
        name: name in the menu; "" if it is not in the menu.
        command: command that starts it; () if another program has started it.
        controllers: controllers available for it.
        recording: recording to be shown instead of a plant.
        watched: source files; the plant is rebuilt when they change.
        ours: the program that has started this studio runs it.
    """

    plant: str
    stage: Stage
    name: str = ""
    command: tuple[str, ...] = ()
    controllers: tuple[Offered, ...] = ()
    recording: Path | None = None
    watched: tuple[Path, ...] = ()
    ours: bool = False


class Catalog(Protocol):
    """Plants by name."""

    def menu(self) -> list[MenuEntry]:
        """Name, title and options of each plant, with the allowed values."""
        ...

    def choose(self, name: str, options: Options) -> Choice:
        """How to start a plant; may be slow.

        Raises:
            InloopError: unknown name, or an invalid option.
        """
        ...

    def device_command(self, plant: str, rig: str) -> tuple[str, ...]:
        """Command of a haptic device at a plant; it ends when its standard input does."""
        ...

    def limits_command(self, rig: str, settings: Mapping[str, Any]) -> tuple[str, ...]:
        """Command that prints the limits of a device, as JSON."""
        ...

    def record_command(self, plant: str, path: Path) -> tuple[str, ...]:
        """Command of a recorder, which ends at SIGTERM."""
        ...
