"""Step an instance one step at a time, with automatic changes of the partition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inloop.errors import InputError
from inloop.native.library import Reals
from inloop.native.mirror import row_type
from inloop.native.running.instance import Instance, Numbers
from inloop.native.running.machine_memory import logged_events
from inloop.native.running.machine_run import Event
from inloop.native.running.schedule import Status


@dataclass(frozen=True)
class InstanceSnapshot:
    """All that influences the future of an instance, except inputs and parameters.

    Attributes:
        values: numbers in a row, see il_snapshot.c.
        x: the state among them, for the partition in use.
        t: time [s].
    """

    values: Reals
    x: Reals
    t: float


class InstanceStepper:
    """An instance between steps; inputs and parameters may be changed here.

    Attributes:
        events: events of the last step.
    """

    def __init__(
        self, instance: Instance, sizes: Sequence[int], mode: int, x: Reals, most_events: int
    ) -> None:
        """Start at t = 0.

        Args:
            instance: the instance to step.
            sizes: length of the state in each mode.
            mode: index of the initial mode.
            x: its stepper state, for the partition in use.
            most_events: maximum number of events in one step.
        """
        self._instance, self._sizes = instance, sizes
        self.events: list[Event] = []
        self._log = np.zeros(most_events, dtype=row_type("il_event"))
        self._states = np.zeros((most_events, 2, max(sizes)))
        instance.allow_events(most_events)
        instance.begin(mode, x)

    @property
    def t(self) -> float:
        """Time [s]."""
        return self._instance.t

    @property
    def mode(self) -> int:
        """Index of the current mode."""
        return self._instance.mode

    @property
    def x(self) -> Reals:
        """State for the partition in use."""
        return self._instance.numbers(Numbers.STATE, self.mode).copy()

    def step(self) -> Status:
        """One step; a failed step leaves everything unchanged."""
        status, count = self._instance.advance_logged(self._log, self._states)
        self.events = list(logged_events(self._log[:count], self._states, self._sizes))
        return status

    def snapshot(self) -> InstanceSnapshot:
        """All that influences the future, except inputs and parameters."""
        return InstanceSnapshot(self._instance.snapshot(), self.x, self.t)

    def restore(self, snapshot: InstanceSnapshot) -> None:
        """Restore a snapshot."""
        size = len(self._instance.snapshot())
        if snapshot.values.shape != (size,) or not self._instance.restore(snapshot.values):
            raise InputError(
                "the snapshot does not belong to this plant",
                fix="Give one that a stepper of the same plant took.",
            )
