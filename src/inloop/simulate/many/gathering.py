"""Many runs in memory: chunks become one result, in any order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from inloop.errors import InputError
from inloop.native import Status
from inloop.native.running.many import ChunkRuns
from inloop.simulate.many.order import Order
from inloop.simulate.many.reasons import reasons_of
from inloop.simulate.many.result import ManyResult, SampleArrays

MOST_NUMBERS = 2e9  # maximum of q, and as many of qd: 32 GB
SHARES = 32  # chunks per worker: a slow one does not delay the others for long
MOST_IN_CHUNK = 64


class Gathering:
    """The runs completed so far."""

    def __init__(self, order: Order, design: Mapping[str, Any] | None) -> None:
        self._order, self._design = order, design
        count, samples, n = order.count, order.work.samples, order.work.coordinates
        if count * samples * n > MOST_NUMBERS:
            raise InputError(
                f"{count} runs with {samples} samples of {n} coordinates are more than "
                f"{MOST_NUMBERS:g} numbers",
                fix="Keep fewer samples: sample=..., or write the runs to files: folder=...",
            )
        self._q = np.full((count, samples, len(order.positions)), np.nan)
        self._qd = np.full((count, samples, n), np.nan)
        self._status = np.full(count, Status.STOPPED, dtype=np.int64)
        self._reached = np.full(count, np.nan)
        self._beyond = np.full(count, -1, dtype=np.int64)
        self._steps = 0

    def ranges(self, workers: int) -> list[tuple[int, int]]:
        """The remaining runs, in chunks for a number of workers."""
        count = self._order.count
        size = min(MOST_IN_CHUNK, max(1, count // (SHARES * workers)))
        return [(k, min(k + size, count)) for k in range(0, count, size)]

    def take(self, chunk: ChunkRuns, made_by: str) -> None:
        """Store the completed runs of a chunk."""
        runs = slice(chunk.begin, chunk.end)
        self._q[runs], self._qd[runs] = chunk.q, chunk.qd
        self._reached[runs], self._beyond[runs] = chunk.reached, chunk.beyond
        self._steps += chunk.steps
        self._status[runs] = chunk.status

    def result(self) -> ManyResult:
        """The result of all runs."""
        order = self._order
        whole = ChunkRuns(
            0, order.count, self._q, self._qd, self._status, self._reached, self._beyond,
            self._steps,
        )  # fmt: skip
        samples = SampleArrays(
            (*order.positions, *(f"{name}.qd" for name in order.coordinates)), self._q, self._qd
        )
        return ManyResult(
            order.name,
            order.coordinates,
            order.positions,
            order.t,
            samples,
            tuple(Status(int(s)).name for s in self._status),
            reasons_of(order.systems, order.coordinates, whole, order.step),
            self._reached,
            order.method,
            order.tolerance,
            self._steps,
            order.varied,
            self._design,
            order.notes,
            None,
            order.plant,
            order.starts.rows.parameters,
        )
