"""What a controller of the tilting vehicle reads."""

from __future__ import annotations

from typing import Protocol


class Signals(Protocol):
    """Outputs of a plant by name: of a run, of its mailbox, of a dictionary."""

    def __getitem__(self, signal: str, /) -> float:
        """The signal now."""
