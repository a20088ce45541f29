"""The controller of a plant, called from Python in simulated runs.

Steppers, many runs, exported programs and real-time plants sample it in C (il_controller.c). A
simulated run calls the same compiled function at the same samples, so that its rows contain the
outputs.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping

import numpy as np

from inloop.errors import InputError
from inloop.native import POINTER
from inloop.native.library import REAL
from inloop.plant import BarePlant
from inloop.plant.controlling import controller_of
from inloop.plant.unit import plant_unit
from inloop.simulate.controlled.pace import steps_between

Plants = Mapping[str, BarePlant]


def inputs_led_by_plant(plants: Plants) -> dict[str, str]:
    """Inputs set by a plant's controller, with a description of it."""
    found = controller_of(plants)
    words = f"controller '{found.name}', which is part of the plant" if found else ""
    return dict.fromkeys(found.leads, words) if found else {}


def refuse_led(led: Mapping[str, str], names: Iterable[str]) -> None:
    """Check that nobody else writes inputs set by a plant's controller.

    Raises:
        InputError: one of the names is set by it.
    """
    for name in names:
        if name in led:
            raise InputError(f"input '{name}' is set by {led[name]}", fix="Leave it out.")


def check_step(plants: Plants, step: float, fix: str = "") -> None:
    """Check that a plant's controller, if any, can be called between steps [s].

    Args:
        plants: the modes by name.
        step: integrator step [s].
        fix: remedy, if it is not a different step.

    Raises:
        InputError: its period is not a whole number of steps.
    """
    found = controller_of(plants)
    try:
        if found is not None:
            steps_between(found.period, step)
    except InputError as error:
        (mistake,) = error.mistakes
        raise InputError(mistake.what, mistake.where, fix or mistake.fix) from None


def refuse_second(plants: Plants) -> None:
    """Check that a plant that is given a controller has none of its own.

    Raises:
        InputError: it has one.
    """
    found = controller_of(plants)
    if found is not None:
        raise InputError(
            f"the plant already has its own controller, '{found.name}'",
            found.where,
            "Leave out controller=, or compile a model without m.controller(...).",
        )


class CompiledController:
    """A plant's own controller as a callable: `controller(t, outputs)`."""

    def __init__(self, plants: Plants) -> None:
        """Create it in its initial state.

        Args:
            plants: the modes by name, with a controller.
        """
        unit = plant_unit(plants)
        row = unit.table.controller
        assert row is not None
        self.__name__, self.period = row.name, row.period
        self._keep = unit
        self._parameters = next(iter(plants.values())).parameters
        self._version = -1
        outputs = [x.name for x in unit.table.outputs]
        inputs = [x.name for x in unit.table.inputs]
        self._reads = [(*outputs, *inputs)[k] for k in row.reads]
        self._leads = [inputs[k] for k in row.leads]
        self._first = np.array(row.first, dtype=np.float64)
        self._states = self._first.copy()
        self._gains = np.zeros(max(1, row.prepare.count))
        types = (POINTER, REAL, POINTER, POINTER, POINTER)
        self._sampled = unit.library.function(row.sampled, *types, returns=ctypes.c_int)
        prepare = row.prepare.function
        self._prepare = unit.library.function(prepare, POINTER, POINTER, returns=None)

    def reset(self) -> None:
        """Restore the initial states."""
        self._states[:] = self._first

    def __call__(self, t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        """Values of the inputs that it sets, by name."""
        if self._version != self._parameters.version:
            values = np.ascontiguousarray(self._parameters.values_array)
            self._prepare(values.ctypes.data, self._gains.ctypes.data)
            self._version = self._parameters.version
        y = np.array([outputs[name] for name in self._reads], dtype=np.float64)
        # a function in C may leave values unchanged
        values = np.array([outputs[name] for name in self._leads], dtype=np.float64)
        arrays = (y, self._states, values)
        refused = self._sampled(self._gains.ctypes.data, t, *(a.ctypes.data for a in arrays))
        if refused:
            raise InputError(f"the function returned {refused}", fix="Return 0 for success.")
        if not np.all(np.isfinite(self._states)):
            raise InputError("a state is not finite", fix="Make sure that its results stay finite.")
        return dict(zip(self._leads, values.tolist(), strict=True))
