"""What a run feeds to the inputs of a plant: constants, functions of time, samples."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from inloop.errors import InputError
from inloop.model.intake import is_number
from inloop.plant import Array, BarePlant, Signal, native_engine


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
        """u at many times, shape (N, inputs)."""
        if self.function is None:
            return np.broadcast_to(self.constant, (len(t), len(self.constant)))
        return plant.evaluate(self.function, t=t[:, None], u0=self.constant)["u"]


def read_inputs(plant: BarePlant, given: Mapping[str, float | Signal]) -> Inputs:
    """Inputs of a run by name; what is not named keeps its default.

    Raises:
        InputError: there is no such input, or its value is of no use.
    """
    u = plant.first_inputs
    signals: dict[str, Signal] = {}
    for name, value in given.items():
        if name not in plant.inputs:
            raise InputError(
                f"model '{plant.name}' has no input '{name}'",
                fix=f"Names are: {', '.join(plant.inputs) or 'none'}.",
            )
        if is_number(value):
            u[plant.inputs.index(name)] = float(value)  # type: ignore[arg-type]
        else:
            signals[name] = value  # type: ignore[assignment]
    function = plant.input_function(signals, set(given) - set(signals)) if signals else None
    inputs = Inputs(u, function)
    for name, first in zip(plant.inputs, inputs.at(plant, 0.0), strict=True):
        if not math.isfinite(first):
            raise InputError(f"input '{name}' is {first:g} at t = 0", fix="Give finite numbers.")
    return inputs


class FollowedInputs:
    """Inputs as the generated rates read them, with the memory that they need.

    Attributes:
        u: the vector that the rates read.
        address: of the C structure that brings u to a time; 0 if it is constant.
        keep: what must stay alive as long as the address is in use.
    """

    def __init__(self, plant: BarePlant, inputs: Inputs) -> None:
        self._names = plant.inputs
        # never empty: C wants an address
        self.u = np.zeros(max(1, len(plant.inputs)))
        self.u[: len(inputs.constant)] = inputs.constant
        self._structure = _InputsStructure(bad=-1)
        self.address, self.keep = 0, (self.u,)
        if inputs.function is None:
            return
        engine = native_engine(plant, inputs.function)
        prepared = np.ascontiguousarray(plant.prepared(inputs.function))
        constant = np.ascontiguousarray(inputs.constant)
        self._structure = _InputsStructure(
            function=engine.library.address(f"{engine.unit.prefix}_{inputs.function}"),
            pre=prepared.ctypes.data,
            u0=constant.ctypes.data,
            u=self.u.ctypes.data,
            count=len(constant),
            bad=-1,
        )
        self.address = ctypes.addressof(self._structure)
        self.keep = (self.u, self._structure, engine.library, prepared, constant)  # type: ignore[assignment]

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
