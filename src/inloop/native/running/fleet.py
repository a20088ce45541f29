"""Instances of one plant that step together on all cores (il_fleet.h)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from inloop.native.library import COUNT, POINTER, Reals
from inloop.native.mirror import mirror
from inloop.native.running.instance import Instance
from inloop.native.running.many import KINDS, NAMES, Starts, cores
from inloop.native.running.schedule import Status
from inloop.native.runtime_library import load_runtime

WORTH_A_THREAD = 64  # instance steps: fewer are not worth another thread


class NativeFleet:
    """Memory of instances, with a row of inputs and outputs for each.

    Attributes:
        inputs: shape (instances, inputs), in the order of the table; written by the host.
        outputs: shape (instances, outputs).
        status: status of each instance; a failed one is not stepped until it is restarted.
    """

    def __init__(self, instances: Sequence[Instance], inputs: int, outputs: int) -> None:
        count = len(instances)
        self.inputs = np.zeros((count, inputs))
        self.outputs = np.full((count, outputs), np.nan)
        self.status = np.full(count, Status.OK, dtype=np.int64)
        self._instances = list(instances)
        self._addresses = np.array([each.address for each in instances], dtype=np.uint64)
        room = load_runtime().function("il_start_room", POINTER, COUNT, returns=COUNT)
        self._scratch = np.zeros(room(instances[0].address, 0))
        self._advance = load_runtime().function(
            "il_advance_fleet", POINTER, COUNT, COUNT, returns=None
        )
        self._play = load_runtime().function(
            "il_play_fleet", POINTER, POINTER, COUNT, COUNT, returns=None
        )
        self._begin = load_runtime().function(
            "il_begin_from", POINTER, COUNT, COUNT, POINTER, POINTER, POINTER
        )
        self._set_count = load_runtime().function("il_set_count", POINTER, COUNT, returns=None)
        self._threads = min(cores(), count)
        self._pool = ThreadPoolExecutor(self._threads) if self._threads > 1 else None
        self._c = mirror("il_fleet")(
            instances=self._addresses.ctypes.data,
            inputs=self.inputs.ctypes.data,
            outputs=self.outputs.ctypes.data,
            input_count=inputs,
            output_count=outputs,
            status=self.status.ctypes.data,
        )

    def restart(self, which: Sequence[int], starts: Starts, steps_before: Sequence[int]) -> None:
        """Restart instances.

        Args:
            which: their indices.
            starts: rows in the order of `which`, or one row for all of them.
            steps_before: steps already counted by the clock of each.
        """
        known, keep = mirror("il_start")(), []
        for name in NAMES:
            row = np.ascontiguousarray(getattr(starts.known, name), dtype=np.float64)
            keep.append(row)
            setattr(known, name, row.ctypes.data)
        for place, number in enumerate(which):
            given = mirror("il_start")()
            for name in NAMES:
                rows = getattr(starts.rows, name)
                row = np.ascontiguousarray(rows[place] if rows.ndim == 2 else rows, np.float64)
                keep.append(row)
                setattr(given, name, row.ctypes.data)
                if name == "inputs":
                    self.inputs[number] = row
            address = self._instances[number].address
            at = (ctypes.addressof(known), ctypes.addressof(given), self._scratch.ctypes.data)
            self.status[number] = self._begin(address, 0, KINDS[starts.kind], *at)
            self._set_count(address, steps_before[place])
        self._look(which)

    def _look(self, which: Sequence[int]) -> None:
        """Read outputs of instances at their current state."""
        self._c.steps = 0
        for number in which:
            self._advance(ctypes.addressof(self._c), number, number + 1)

    def advance(self, steps: int) -> None:
        """Advance all instances with status OK by a number of steps with their inputs."""
        self._c.steps = steps
        self._share(self._advance, (ctypes.addressof(self._c),), steps)

    def play(self, inputs: Reals, steps: int, columns: Sequence[int]) -> Reals:
        """Run all instances with status OK with given inputs.

        Args:
            inputs: shape (blocks, instances, inputs); each block is held for `steps` steps.
            steps: steps per block.
            columns: outputs to record after each block.

        Returns:
            Shape (blocks, instances, columns); NaN after an instance has failed.
        """
        given = np.ascontiguousarray(inputs, dtype=np.float64)
        chosen = np.ascontiguousarray(columns, dtype=np.int64)
        recorded = np.full((*given.shape[:2], len(chosen)), np.nan)
        job = mirror("il_play")(
            blocks=len(given),
            count=len(self._instances),
            inputs=given.ctypes.data,
            kept=len(chosen),
            columns=chosen.ctypes.data,
            told=recorded.ctypes.data,
        )
        self._c.steps = steps
        addresses = (ctypes.addressof(self._c), ctypes.addressof(job))
        self._share(self._play, addresses, steps * len(given))
        return recorded

    def _share(self, call: Callable[..., Any], addresses: tuple[int, ...], steps: int) -> None:
        """Call a function for all instances, split over all cores if worthwhile."""
        count = len(self._instances)
        if self._pool is None or steps * count < WORTH_A_THREAD:
            call(*addresses, 0, count)
            return
        limits = np.linspace(0, count, self._threads + 1).astype(int).tolist()
        parts = [self._pool.submit(call, *addresses, *limits[k : k + 2])
                 for k in range(self._threads)]  # fmt: skip
        for part in parts:
            part.result()
