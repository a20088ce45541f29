"""Runs of one plant that step together, each with its own inputs, parameters and start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inloop.errors import InputError
from inloop.native import Status
from inloop.native.running.fleet import NativeFleet
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import real, whole
from inloop.plant.quantities.inputs_outputs import input_quantities, output_quantities
from inloop.simulate.choice import method_at_start
from inloop.simulate.controlled.compiled import check_step, inputs_led_by_plant
from inloop.simulate.machine_start import conditions
from inloop.simulate.many.arguments import Columns
from inloop.simulate.many.starts import (
    Arguments,
    check_formulas,
    check_values,
    read_arguments,
    shared_conditions,
    starts_of,
)
from inloop.simulate.schedules import METHODS, check_method
from inloop.simulate.systems import make_systems


class Fleet:
    """Runs that step together.

    Attributes:
        count: number of runs.
        step_size: step [s].
        method: the integrator.
        input_names, output_names: columns of `inputs` and `outputs`.
        led: inputs written by a controller of the plant, and by nobody else.
    """

    def __init__(
        self, plant: BarePlant, count: int, *, step: float = 1e-3, method: str | None = None
    ) -> None:
        """Start all runs at the initial state of the plant.

        Args:
            plant: the compiled mechanism.
            count: number of runs.
            step: fixed step [s].
            method: integrator at fixed steps; default: as in real time.

        Raises:
            InputError: invalid arguments.
        """
        self.plant, self.count = plant, whole(count, "count")
        self._plants = plant.by_mode or {plant.name: plant}
        self.step_size = real(step, "step")
        if not (np.isfinite(self.step_size) and self.step_size > 0.0):
            raise InputError(f"steps of {step} s make no sense", fix="Use a positive number.")
        if self.count < 1:
            raise InputError(f"{self.count} runs make no sense", fix="Use 1 or more.")
        check_step(self._plants, self.step_size)
        self.method = method or method_at_start(plant, None, None, {}, self.step_size)
        check_method(self.method)
        at = {name: conditions(self._plants, p, {}, {}, {}) for name, p in self._plants.items()}
        kind = METHODS[self.method]
        self._systems = [
            make_systems(self._plants, at, kind, None, self.step_size, patient=True)
            for _ in range(self.count)
        ]
        self.input_names = tuple(x.name for x in input_quantities(self._plants))
        self.output_names = tuple(x.name for x in output_quantities(self._plants))
        self.led = inputs_led_by_plant(self._plants)
        instances = [systems[0].instance for systems in self._systems]
        self._native = NativeFleet(instances, len(self.input_names), len(self.output_names))
        self.restart(range(self.count))

    @property
    def inputs(self) -> Array:
        """Inputs applied from the next step on, shape (count, inputs); writable."""
        return self._native.inputs

    @property
    def outputs(self) -> Array:
        """Current outputs of the runs, shape (count, outputs)."""
        return self._native.outputs

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Which runs failed; they stay in their last valid state until restarted."""
        return np.asarray(self._native.status != Status.OK)

    def status(self, run: int) -> str:
        """Status of a run: "OK", or the name of the failure that ended it."""
        return Status(int(self._native.status[run])).name

    def restart(
        self,
        which: Sequence[int],
        *,
        q: Columns = None,
        qd: Columns = None,
        inputs: Mapping[str, Any] | None = None,
        parameters: Columns = None,
        states: Array | None = None,
        steps_before: Sequence[int] | None = None,
        strict: bool = False,
    ) -> None:
        """Restart runs; arguments as for `simulate_many`, one row for each of them.

        A run that cannot start there fails: its loops cannot be closed, or a parameter formula
        violates its bound.

        Args:
            which: indices of the runs.
            q: initial coordinates.
            qd: initial velocities.
            inputs: initial values of inputs.
            parameters: by name; those of the plant are unchanged.
            states: states of force laws, shape (len(which), states); default: as at the start of a
                run.
            steps_before: steps already counted by the clock of each run: time-dependent laws start
                there; default: 0. Loops are closed as at t = 0.
            strict: raise an error if a start fails.

        Raises:
            InputError: invalid arguments, or, if strict, a run cannot start there.
        """
        if not len(which):
            return
        given = read_arguments(self._plants, q, qd, None, inputs, parameters)
        for item in vars(given).values():
            for name, column in item.columns.items():
                if len(column) != len(which):
                    raise InputError(
                        f"'{name}' in {item.what} has {len(column)} numbers for {len(which)} runs",
                        fix="Give one number, or one per run that starts.",
                    )
        check_values(self._plants, given)
        at = shared_conditions(self._plants, given)
        starts = starts_of(self._plants, given, at, self.step_size)
        if states is not None:
            starts = replace(starts, rows=replace(starts.rows, z=states))
        self._native.restart(which, starts, steps_before or [0] * len(which))
        if strict:
            self._refuse_failed(which, given)

    def _refuse_failed(self, which: Sequence[int], given: Arguments) -> None:
        failed = [run for run in which if self.failed[run]]
        if not failed:
            return
        check_formulas(self._plants, given.parameters)
        status = self.status(failed[0])
        why = "its loops cannot be closed" if status == Status.LOOP_OPEN.name else status
        raise InputError(f"run {failed[0]}: {why} at the start", fix="Let it start elsewhere.")

    def advance(self, steps: int = 1) -> None:
        """Advance all runs that have not failed by this number of steps."""
        self._native.advance(steps)

    def play(self, inputs: Array, steps: int, outputs: Sequence[str]) -> Array:
        """Run all runs that have not failed through given inputs.

        Args:
            inputs: shape (blocks, count, inputs); each row is held for the steps of a block.
            steps: steps per block.
            outputs: names of outputs recorded after each block.

        Returns:
            Shape (blocks, count, outputs); NaN after a run has failed.
        """
        shape = (len(inputs), self.count, len(self.input_names))
        if inputs.shape != shape:
            raise InputError(f"inputs have shape {inputs.shape}", fix=f"Give them as {shape}.")
        return self._native.play(inputs, steps, [self.output_names.index(x) for x in outputs])
