"""What a run feeds to the inputs of a plant: constants, functions of time, samples."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real

import numpy as np

from inloop.errors import InputError
from inloop.plant import Array, BarePlant, Signal
from inloop.plant.arguments import by_name, real

BLOCK = 200  # samples at a time: short enough that no vector code has to be compiled


@dataclass(frozen=True)
class Inputs:
    """The vector u of a run.

    Attributes:
        constant: its constant entries; the others are whatever they are until something is
            connected.
        function: name of the plant's function that gives u over time; None if all is constant.
    """

    constant: Array
    function: str | None = None

    def at(self, plant: BarePlant, t: float) -> Array:
        """u at a time [s]."""
        if self.function is None:
            return self.constant.copy()
        return plant.evaluate(self.function, t=t, u0=self.constant)["u"]

    def over(self, plant: BarePlant, t: Array) -> Array:
        """u at many times [s], shape (N, inputs)."""
        if self.function is None:
            return np.tile(self.constant, (len(t), 1))
        blocks = [t[k : k + BLOCK, None] for k in range(0, len(t), BLOCK)]
        found = [plant.evaluate(self.function, t=block, u0=self.constant) for block in blocks]
        return np.concatenate([block["u"] for block in found])


def read_inputs(
    plant: BarePlant, given: Mapping[str, float | Signal], begin: float = 0.0
) -> Inputs:
    """Inputs of a run by name; what is not named keeps its default.

    Args:
        plant: the compiled mechanism.
        given: constants, functions of time, or samples (times, values).
        begin: when the run begins [s].

    Raises:
        InputError: there is no such input, or its value is of no use.
    """
    u = plant.first_inputs
    signals: dict[str, Signal] = {}
    for name, value in by_name(given, "inputs").items():
        if name not in plant.inputs:
            raise InputError(
                f"model '{plant.name}' has no input '{name}'",
                fix=f"Names are: {', '.join(plant.inputs) or 'none'}.",
            )
        if isinstance(value, Real):
            u[plant.inputs.index(name)] = real(value, f"input '{name}'")
        else:
            signals[name] = value
    function = plant.input_function(signals, set(given) - set(signals)) if signals else None
    inputs = Inputs(u, function)
    for name, first in zip(plant.inputs, inputs.at(plant, begin), strict=True):
        if not math.isfinite(first):
            raise InputError(
                f"input '{name}' is {first:g} at t = {begin:g} s", fix="Give finite numbers."
            )
    return inputs
