"""Outputs that a controller of the tilting vehicle reads."""

from __future__ import annotations

from typing import Protocol


class Signals(Protocol):
    """Outputs of a plant by name: from a run, a mailbox or a dictionary."""

    def __getitem__(self, signal: str, /) -> float:
        """Current value of a signal."""
