"""An observer that follows records of a plant, in C (il_follower.h), seen from Python."""

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

MOST_LOST = 1000  # samples that are bridged; where more are lost, an observer begins anew


@dataclass(frozen=True)
class FollowerTable:
    """An observer at its start that nobody else uses, and the names of what it reads and tells.

    Attributes:
        observer: at work on an instance of its own.
        start: snapshot of that instance.
        inputs_start: inputs of its plant there.
        doubt: variance of each state there.
        measured: names of what is measured.
        inputs: names of the inputs of its plant.
        period: between samples [s].
        estimates: of these outputs of the plant it tells estimates, the first ones.
        told: names of all that it tells, and their units.
        late: samples by which each that is measured comes late.
        facts: all that it was made of, as a text.
        keep: what must stay as long as it is used.
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
    """The memory with which an observer follows records.

    Attributes:
        address: of the C structure, an il_follower.
    """

    def __init__(
        self, table: FollowerTable, index: Mapping[str, int], period: float, every: int
    ) -> None:
        """Prepare to follow.

        Args:
            table: the observer.
            index: place of each number of a record, by name.
            period: between records [s].
            every: records from sample to sample.
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
        """Samples that never came."""
        return int(self._struct.lost)

    @property
    def restarts(self) -> int:
        """Times that it began anew by itself."""
        return int(self._struct.restarts)

    @property
    def innovations(self) -> tuple[float, int]:
        """Sum of squared innovations in units of their variances, and how many there were."""
        return float(self._struct.squares), int(self._struct.used)

    @property
    def idle(self) -> int:
        """Samples since something that was measured was used."""
        return int(self._struct.idle)
