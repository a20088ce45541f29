"""One record of a plant's outputs, with access by name."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from enum import IntEnum, IntFlag

import numpy as np

from inloop.errors import InputError, name_hint
from inloop.native import Status
from inloop.native.library import Reals
from inloop.realtime.mailboxes.layout import Layout


class Flag(IntFlag):
    """Properties of a record (inloop.h)."""

    SAFE = 1
    """The inputs were replaced by safe values."""
    EXTRA = 2
    """A late step that was made up."""
    SET = 4
    """Not the result of a step: the start, a reset or a restored state."""
    REST = 8
    """Inputs: they may stay indefinitely and do not become stale."""
    PULLED = 16
    """A body was pulled."""


class State(IntEnum):
    """State of a loop (inloop.h)."""

    ARMED = 0
    RUNNING = 1
    PAUSED = 2
    ENDED = 3


@dataclass(frozen=True)
class Snapshot:
    """A state that a running plant can be restored to, bit-identical.

    Attributes:
        step: periods since the start.
        x: all that influences the future, see `Outputs.x`.
        period: time between two steps [s]; 0: not known.
        coordinates: names of the coordinates; empty: not known.
    """

    step: int
    x: Reals
    period: float = 0.0
    coordinates: tuple[str, ...] = ()


def check_snapshot(snapshot: Snapshot, layout: Layout, name: str) -> None:
    """Check that a snapshot is a state of a plant.

    Args:
        snapshot: the snapshot to restore.
        layout: of the plant.
        name: of the plant.

    Raises:
        InputError: it is not.
    """
    own = tuple(c.name for c in layout.coordinates)
    if not isinstance(snapshot, Snapshot):
        what = f"{type(snapshot).__name__} is not a snapshot"
    elif snapshot.coordinates and snapshot.coordinates != own:
        theirs = ", ".join(snapshot.coordinates[:8])
        what = f"a snapshot of a plant with coordinates {theirs} does not fit plant '{name}'"
    elif snapshot.period and snapshot.period != layout.period:
        # time is counted in steps: it would jump
        what = (
            f"a snapshot of a plant that runs at {1.0 / snapshot.period:g} Hz does not fit "
            f"'{name}', which runs at {1.0 / layout.period:g} Hz"
        )
    elif len(snapshot.x) != layout.stepper_states:
        what = f"a snapshot of {len(snapshot.x)} numbers does not fit plant '{name}'"
    elif snapshot.step < 0 or not np.isfinite(snapshot.x).all():
        what = (
            "the numbers of the snapshot are not a valid state: some are not finite, or "
            "its step is < 0"
        )
    else:
        return
    fix = "Restore a snapshot of the same plant at the same rate: `outputs.snapshot`."
    raise InputError(what, fix=fix)


class Outputs:
    """The outputs of a plant at one time. The arrays are copies.

    Attributes:
        sequence: number of the record, from 1.
        stamp: time of the plant's clock when it was written [ns].
        step: successful steps since the start or the last reset.
        status: status of the step.
        flags: properties of the record.
        input_sequence: number of the inputs in use; 0: the initial ones.
        parameter_sequence: number of the parameters in use.
        partition: mode, or choice of independent coordinates, in use.
        values: all numbers, in the order of the layout.
    """

    __slots__ = (
        "_layout",
        "flags",
        "input_sequence",
        "parameter_sequence",
        "partition",
        "sequence",
        "stamp",
        "status",
        "step",
        "values",
    )

    def __init__(self, layout: Layout, record: ctypes.Structure, values: Reals) -> None:
        self._layout = layout
        self.sequence: int = record.sequence
        self.stamp: int = record.stamp
        self.step: int = record.step
        self.status: int = record.status
        self.flags: int = record.flags
        self.input_sequence: int = record.answers
        self.parameter_sequence: int = record.parameters
        self.partition: int = record.partition
        self.values = values

    @property
    def t(self) -> float:
        """Simulated time [s]."""
        return float(self.values[0])

    @property
    def q(self) -> Reals:
        """Coordinates [rad or m], shape (n,)."""
        return self._part(1)

    @property
    def qd(self) -> Reals:
        """Velocities [rad/s or m/s], shape (n,)."""
        return self._part(2)

    @property
    def z(self) -> Reals:
        """Internal states of force laws."""
        return self._part(3)

    @property
    def signals(self) -> Reals:
        """Accelerations, multipliers, efforts of drives, outputs of laws, mode and events."""
        return self._part(4)

    @property
    def inputs(self) -> Reals:
        """Inputs held during the step, including safe values."""
        return self._part(5)

    @property
    def x(self) -> Reals:
        """Stepper state, with events and independent coordinates (il_snapshot.c)."""
        return self._part(6)

    @property
    def status_name(self) -> str:
        """The name of the status."""
        known = {status.value: status.name for status in Status}
        return known.get(self.status, f"status {self.status}")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all outputs."""
        return tuple(self._layout.index)

    @property
    def snapshot(self) -> Snapshot:
        """This state, for restoring."""
        known = tuple(c.name for c in self._layout.coordinates)
        return Snapshot(self.step, self.x.copy(), self._layout.period, known)

    def __getitem__(self, name: str) -> float:
        """An output by name: "t", "<coordinate>.q", "<coordinate>.qd", a signal or an input."""
        index = self._layout.index
        if name not in index:
            raise InputError(f"the plant has no output '{name}'", fix=name_hint(name, index))
        return float(self.values[index[name]])

    def _part(self, k: int) -> Reals:
        cuts = self._layout.cuts
        return self.values[cuts[k - 1] : cuts[k]]

    def __repr__(self) -> str:
        return f"<Outputs {self.sequence}: t = {self.t:g} s, step {self.step}, {self.status_name}>"
