"""All that an observer is made of."""

from __future__ import annotations

from dataclasses import dataclass

from inloop.native.running.observer import ObserverTable
from inloop.observers.observed_plant import ObservedPlant
from inloop.observers.unknowns import Extra
from inloop.plant import Array


@dataclass(frozen=True)
class Setup:
    """All that an observer is made of.

    Attributes:
        seen: the plant.
        table: what C knows beside it.
        measured: names of what is measured.
        extras: states beside those of the plant.
        doubt: standard deviation of each state at the start.
        late: periods by which each measured output comes late.
        facts: what the user gave, as a text.
    """

    seen: ObservedPlant
    table: ObserverTable
    measured: tuple[str, ...]
    extras: tuple[Extra, ...]
    doubt: Array
    late: tuple[int, ...]
    facts: str

    @property
    def method(self) -> str:
        """One of "ekf", "ukf" and "mhe"."""
        return self.table.kind
