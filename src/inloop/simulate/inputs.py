"""Inputs of a plant in a run: constants, functions of time, samples."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Protocol

import numpy as np

from inloop.errors import InputError, name_hint
from inloop.plant import Array, BarePlant, Signal
from inloop.plant.arguments import by_name, real
from inloop.plant.time_functions import TimeFunction, input_rates_over_time, inputs_over_time


class InputsOverTime(Protocol):
    """The vector u of a run over time."""

    def over(self, t: Array) -> Array:
        """u at many times [s], shape (N, inputs)."""


@dataclass(frozen=True)
class Inputs:
    """The vector u of a run.

    Attributes:
        constant: constant entries; the others are undefined until a signal is connected.
        function: function of time for the other entries; None if all are constant.
        places: indices of these entries.
    """

    constant: Array
    function: TimeFunction | None = None
    places: tuple[int, ...] = ()

    def at(self, t: float) -> Array:
        """u at time t [s]."""
        return np.asarray(self.over(np.array([t]))[0])

    def over(self, t: Array) -> Array:
        """u at many times [s], shape (N, inputs)."""
        u = np.tile(self.constant, (len(t), 1))
        if self.function is not None:
            u[:, list(self.places)] = self.function.over(t)
        return u


def read_inputs(
    plant: BarePlant, given: Mapping[str, float | Signal], begin: float = 0.0
) -> Inputs:
    """Inputs of a run by name; inputs that are not named keep their defaults.

    Args:
        plant: the compiled mechanism.
        given: constants, functions of time, or samples (times, values).
        begin: start time of the run [s].

    Raises:
        InputError: unknown input, or invalid value.
    """
    u = plant.first_inputs
    signals: dict[str, Signal] = {}
    for name, value in by_name(given, "inputs").items():
        if name not in plant.inputs:
            raise InputError(
                f"model '{plant.name}' has no input '{name}'",
                fix=_input_hint(plant, name),
            )
        if isinstance(value, Real):
            u[plant.inputs.index(name)] = real(value, f"input '{name}'")
        else:
            signals[name] = value
    inputs = Inputs(u)
    if signals:
        function = inputs_over_time(plant.mechanism, signals, set(given) - set(signals))
        inputs = Inputs(u, function, tuple(plant.inputs.index(name) for name in function.names))
    for name, first in zip(plant.inputs, inputs.at(begin), strict=True):
        if not math.isfinite(first):
            raise InputError(
                f"input '{name}' is {first:g} at t = {begin:g} s", fix="Give finite numbers."
            )
    return inputs


def _input_hint(plant: BarePlant, name: str) -> str:
    """What to do instead of giving an input that the model does not have."""
    joint = name.removesuffix(".tau")
    if joint in plant.coordinates:
        return (
            f'Declare it with m.joint_input("{joint}"), or give a constant tau={{"{joint}": 1.0}}.'
        )
    return name_hint(name, plant.inputs)


def input_rates(plant: BarePlant, given: Mapping[str, float | Signal]) -> Inputs:
    """Time derivatives of the inputs read by `read_inputs`."""
    none, told = np.zeros(len(plant.inputs)), by_name(given, "inputs")
    signals = {name: value for name, value in told.items() if not isinstance(value, Real)}
    if not signals:
        return Inputs(none)
    function = input_rates_over_time(plant.mechanism, signals, set(told) - set(signals))
    return Inputs(none, function, tuple(plant.inputs.index(name) for name in function.names))
