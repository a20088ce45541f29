"""The constant data of an observer."""

from __future__ import annotations

from dataclasses import dataclass

from inloop.native.running.observer import ObserverTable
from inloop.observers.observed_plant import ObservedPlant
from inloop.observers.unknowns import Extra
from inloop.plant import Array


@dataclass(frozen=True)
class Setup:
    """The constant data of an observer.

    Attributes:
        seen: the plant.
        table: further data for C.
        measured: names of the measured outputs.
        extras: states in addition to those of the plant.
        doubt: initial standard deviation of each state.
        late: delay of each measured output, in periods.
        facts: the user's arguments as text.
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
