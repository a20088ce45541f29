"""What the studio can offer; whoever starts it hands this over."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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


@dataclass(frozen=True)
class Choice:
    """A plant that runs, or shall run.

    Attributes:
        plant: name of its mailbox.
        stage: how it looks.
        name: in the menu; "" for one that is not there.
        command: starts it; () if it runs already, and is somebody else's.
        controllers: that can be put beside it.
    """

    plant: str
    stage: Stage
    name: str = ""
    command: tuple[str, ...] = ()
    controllers: tuple[Offered, ...] = ()


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
