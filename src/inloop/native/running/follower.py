"""An observer that follows records of a plant, in C (il_follower.h), wrapped for Python."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from inloop.native.library import Reals, address_of, aligned_zeros
from inloop.native.mirror import mirror
from inloop.native.realtime_functions import realtime_function
from inloop.native.running.observer import NativeObserver

MOST_LOST = 1000  # missing samples that are bridged; after a longer gap the observer restarts


@dataclass(frozen=True)
class FollowerTable:
    """An observer at its start, not shared, and the names of its inputs and outputs.

    Attributes:
        observer: working on its own instance.
        start: snapshot of that instance.
        inputs_start: inputs of its plant there.
        doubt: initial variance of each state.
        measured: names of the measurements.
        inputs: names of the inputs of its plant.
        period: between samples [s].
        estimates: number of plant outputs, the first ones, that it estimates.
        told: names and units of all its outputs.
        late: delay of each measurement [samples].
        facts: description of all settings, as text.
        keep: objects to keep alive while it is used.
    """

    observer: NativeObserver
    start: Reals
    inputs_start: Reals
    doubt: Reals
    measured: tuple[str, ...]
    inputs: tuple[str, ...]
    period: float
    estimates: int
    told: tuple[tuple[str, str], ...]
    late: tuple[int, ...]
    facts: str
    keep: Any


class NativeFollower:
    """Memory of an observer that follows records.

    Attributes:
        address: of the C structure, an il_follower.
    """

    def __init__(
        self, table: FollowerTable, index: Mapping[str, int], period: float, every: int
    ) -> None:
        """Prepare to follow records.

        Args:
            table: the observer.
            index: position of each number in a record, by name.
            period: between records [s].
            every: records per sample.
        """
        self._keep: list[Any] = [table]
        arrays = [
            np.array([index[name] for name in table.measured], dtype=np.int64),
            np.array([index.get(name, -1) for name in table.inputs], dtype=np.int64),
            np.array(table.late, dtype=np.int64),
            *(
                np.ascontiguousarray(x, dtype=np.float64)
                for x in (table.start, table.inputs_start, table.doubt)
            ),
        ]
        measured_at, inputs_at, late, start, inputs_start, doubt = (x.ctypes.data for x in arrays)
        self._struct: Any = mirror("il_follower")(
            observer=table.observer.address,
            memory=table.observer.memory_address,
            start=start,
            inputs_start=inputs_start,
            doubt=doubt,
            measured_at=measured_at,
            inputs_at=inputs_at,
            period=period,
            every=every,
            most_lost=MOST_LOST,
            late=late,
            most_late=max(table.late, default=0),
            told_states=table.estimates,
        )
        self.address = ctypes.addressof(self._struct)
        count = int(realtime_function("il_follower_count")(self.address))
        assert count == len(table.told), (count, table.told)
        self._struct.told_count = count
        scratch = aligned_zeros(realtime_function("il_follower_scratch")(self.address))
        self._struct.scratch = address_of(scratch)
        self._keep += [arrays, scratch]

    @property
    def lost(self) -> int:
        """Number of missing samples."""
        return int(self._struct.lost)

    @property
    def restarts(self) -> int:
        """Number of automatic restarts."""
        return int(self._struct.restarts)

    @property
    def innovations(self) -> tuple[float, int]:
        """Sum of normalized squared innovations, and their number."""
        return float(self._struct.squares), int(self._struct.used)

    @property
    def idle(self) -> int:
        """Samples since a measurement was last used."""
        return int(self._struct.idle)
