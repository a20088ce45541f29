"""What the studio can offer; whoever starts it hands this over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from inloop.studio.drawing.stage import Stage
from inloop.studio.messaging.message_types import MenuEntry

Options = Mapping[str, bool | int | float | str]


@dataclass(frozen=True)
class Choice:
    """A plant that runs, or shall run.

    Attributes:
        plant: name of its mailbox.
        stage: how it looks.
        name: in the menu; "" for one that is not there.
        command: starts it; () if it runs already, and is somebody else's.
        ours: the program that has started this studio runs it.
    """

    plant: str
    stage: Stage
    name: str = ""
    command: tuple[str, ...] = ()
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
