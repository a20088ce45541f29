"""What the studio can offer; whoever starts it hands this over."""

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
    """A number of a controller: name in its settings, value to begin with, range, unit, meaning."""

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
        name: how it is called.
        doc: one line: what it does.
        command: from a folder for its files to the words that start it; may take a while.
        sliders: its gains.
        goals: set-points of joints.
        paths: closed curves that its tool can follow, as points in the world [m].
        piped: it is tuned and tells of itself through a pipe.
        settings: name of a file in the folder that it reads while it runs, if it does.
        opens_with: path to begin with.
        at_once: it works when the plant is opened.
        holds: parameter of the plant that holds its joints while it is 1, in place of a process.
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
    """Write controllers for another process; their commands must need no files."""
    told = [{**vars(each), "command": each.command(path.parent)} for each in offers]
    path.write_text(json.dumps(told, default=vars), encoding="utf-8")


def load_offers(path: Path) -> tuple[Offered, ...]:
    """What `save_offers` has written."""

    def read(told: dict[str, Any]) -> Offered:
        words = tuple(told["command"])
        told["command"] = lambda folder: words
        for kind in ("sliders", "goals"):
            told[kind] = tuple(Knob(**each) for each in told[kind])
        return Offered(**told)

    return tuple(read(each) for each in json.loads(path.read_text(encoding="utf-8")))


@dataclass(frozen=True)
class Choice:
    """A plant that runs, or shall run.

    Attributes:
        plant: name of its mailbox.
        stage: how it looks.
        name: in the menu; "" for one that is not there.
        command: starts it; () if it runs already, and is somebody else's.
        controllers: that can be put beside it.
        recording: to be shown in place of a plant.
        watched: files that it was made from; it is built anew when they change.
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
        """Name, title and options of each, with what these may be."""
        ...

    def choose(self, name: str, options: Options) -> Choice:
        """How to start one; may take a while.

        Raises:
            InloopError: there is none of this name, or an option makes no sense.
        """
        ...

    def device_command(self, plant: str, rig: str) -> tuple[str, ...]:
        """Starts a haptic device at a plant; it ends when its standard input does."""
        ...

    def limits_command(self, rig: str, settings: Mapping[str, Any]) -> tuple[str, ...]:
        """Tells what a device can display, as JSON."""
        ...

    def record_command(self, plant: str, path: Path) -> tuple[str, ...]:
        """Starts a recorder that ends at SIGTERM."""
        ...
