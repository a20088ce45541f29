"""An instance stepped one step at a time: other independent coordinates wherever they are due."""

from __future__ import annotations

from dataclasses import dataclass

from inloop.errors import InputError
from inloop.native.instance import Instance, Numbers
from inloop.native.library import Reals
from inloop.native.machine_run import Event
from inloop.native.schedule import Status


@dataclass(frozen=True)
class InstanceSnapshot:
    """All that influences the future of an instance, beside inputs and parameters.

    Attributes:
        values: numbers in a row, see il_snapshot.c.
        x: state among them, for the choice of coordinates in use.
        t: time [s].
    """

    values: Reals
    x: Reals
    t: float


class InstanceStepper:
    """An instance without events at rest between steps; inputs and parameters may change there.

    Attributes:
        mode: number of the only mode.
        events: what happened in the last step: nothing.
    """

    def __init__(self, instance: Instance, x: Reals) -> None:
        """Begin at t = 0, at a state of the stepper for the choice of coordinates in use."""
        self._instance = instance
        self.mode = 0
        self.events: list[Event] = []
        instance.begin(0, x)

    @property
    def t(self) -> float:
        """Time [s]."""
        return self._instance.t

    @property
    def x(self) -> Reals:
        """State for the choice of coordinates in use."""
        return self._instance.numbers(Numbers.STATE).copy()

    def step(self) -> Status:
        """One step; if it fails, everything stays as it was."""
        return self._instance.advance()

    def snapshot(self) -> InstanceSnapshot:
        """All that influences the future, beside inputs and parameters."""
        return InstanceSnapshot(self._instance.snapshot(), self.x, self.t)

    def restore(self, snapshot: InstanceSnapshot) -> None:
        """Go back to where a snapshot was taken."""
        size = len(self._instance.snapshot())
        if snapshot.values.shape != (size,) or not self._instance.restore(snapshot.values):
            raise InputError(
                "the snapshot does not belong to this plant",
                fix="Give one that a stepper of the same plant took.",
            )
