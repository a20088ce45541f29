"""What a run feeds to the inputs of a plant: constants, functions of time, samples."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real

import numpy as np

from inloop.errors import InputError
from inloop.plant import Array, BarePlant, Signal, native_engine
from inloop.plant.arguments import by_name, real


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
        return plant.evaluate(self.function, t=t[:, None], u0=self.constant, lanes=False)["u"]


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


class FollowedInputs:
    """What brings u to the time of each call of the rates, with the memory that it needs.

    Attributes:
        address: of the C structure; 0 if u is constant.
    """

    def __init__(self, plant: BarePlant, u: Array, function: str | None) -> None:
        """Let a function of the plant write u; what it does not write stays as it is now."""
        self._names = plant.inputs
        self._structure = _InputsStructure(bad=-1)
        self.address = 0
        if function is None:
            return
        engine = native_engine(plant, function)
        prepared = np.ascontiguousarray(plant.prepared(function))
        constant = u.copy()
        self._structure = _InputsStructure(
            function=engine.library.address(f"{engine.unit.prefix}_{function}"),
            pre=prepared.ctypes.data,
            u0=constant.ctypes.data,
            u=u.ctypes.data,
            count=len(plant.inputs),
            bad=-1,
        )
        self.address = ctypes.addressof(self._structure)
        self._keep = (engine.library, prepared, constant, u)

    def blame(self, t: float) -> str:
        """Which input was not finite after time t, in words; empty if none was."""
        c = self._structure
        if c.bad < 0 or c.bad_t < t:
            return ""
        return f"input '{self._names[c.bad]}' is not finite at t = {c.bad_t:.6g} s"


class _InputsStructure(ctypes.Structure):
    """Mirrors il_inputs.h."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("function", "pre", "u0", "u")),
        ("count", ctypes.c_int64),
        ("bad", ctypes.c_int64),
        ("bad_t", ctypes.c_double),
    )
