"""An observer in C, wrapped for Python: its memory, with arrays as views."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inloop.errors import InputError
from inloop.native.library import COUNT, POINTER, Reals, address_of, aligned_zeros
from inloop.native.mirror import mirror
from inloop.native.running.instance import Instance, Numbers
from inloop.native.running.schedule import Method, Status
from inloop.native.runtime_library import load_runtime

KINDS = {"ekf": 0, "ukf": 1, "mhe": 2}  # il_observer_kind
ADDS_TO_INPUT, ADDS_TO_MEASURED, RATE_OF_EXTRA, COPY_OF_EXTRA = range(4)  # il_extra_kind


@dataclass(frozen=True)
class ExtraState:
    """A state in addition to those of the plant, as il_extra.

    Attributes:
        kind: ADDS_TO_INPUT, ADDS_TO_MEASURED, RATE_OF_EXTRA or COPY_OF_EXTRA.
        number: index of the input, the measurement, or the extra state.
        keeps: fraction that remains after a sample.
        wanders: variance of its noise per sample.
    """

    kind: int
    number: int
    keeps: float
    wanders: float


@dataclass(frozen=True)
class StateBound:
    """One side of a bound of a state, as il_state_bound.

    Attributes:
        state: its index in the error vector.
        side: 1: limit is the minimum, -1: the maximum.
        limit: in the unit of the state.
    """

    state: int
    side: float
    limit: float


@dataclass(frozen=True)
class ObserverTable:
    """Settings of an observer besides its plant.

    Attributes:
        kind: "ekf", "ukf" or "mhe".
        method: integrator.
        step: [s].
        substeps: steps per sample.
        measured: indices of the measured outputs.
        noise: variance of each measurement.
        extras: states in addition to those of the plant.
        pushed: inputs with additive white noise, new at each sample.
        push: variance of each.
        moved: process noise variance of each plant state per sample.
        gate: standard deviations beyond which a measurement is rejected; 0: none is.
        spread: spread of the sigma points, relative to √size standard deviations.
        generated: whether to use generated derivatives of the rates where available.
        horizon: number of samples in the horizon of "mhe".
        bounds: bounds of states, for "mhe".
    """

    kind: str
    method: Method
    step: float
    substeps: int
    measured: Sequence[int]
    noise: Reals
    extras: Sequence[ExtraState]
    pushed: Sequence[int]
    push: Reals
    moved: Reals
    gate: float
    spread: float
    generated: bool
    horizon: int = 1
    bounds: Sequence[StateBound] = ()


class NativeObserver:
    """An observer working on its own instance.

    Attributes:
        x: the estimate, as a stepper state of the plant; a view.
        extra: extra states.
        P: error covariance, shape (size, size).
        innovation: measurement minus prediction at the last correction; NaN where nothing was
            measured.
        expected_square: variance of each innovation, given those before it.
    """

    def __init__(self, instance: Instance, table: ObserverTable) -> None:
        """Start at the state of the instance, with zero covariance."""
        self._instance, self._keep = instance, _arrays(table)
        measured, noise, extras, pushed, push, moved, bounds = self._keep
        self._struct: Any = mirror("il_observer")(
            instance=instance.address,
            kind=KINDS[table.kind],
            method=int(table.method),
            step=table.step,
            substeps=table.substeps,
            measured=measured.ctypes.data,
            noise=noise.ctypes.data,
            measured_count=len(measured),
            extras=ctypes.addressof(extras),
            extra_count=len(table.extras),
            pushed=pushed.ctypes.data,
            push=push.ctypes.data,
            pushed_count=len(pushed),
            moved=moved.ctypes.data,
            gate=table.gate,
            spread=table.spread,
            generated=table.generated,
            horizon=table.horizon,
            bounds=ctypes.addressof(bounds),
            bound_count=len(table.bounds),
        )
        self.address = ctypes.addressof(self._struct)
        room = _function("il_observer_room", POINTER, returns=COUNT)(self.address)
        if room < 0:
            raise InputError("the plant cannot be observed", fix="It must have a single mode.")
        self._memory = aligned_zeros(room)
        self._check(_function("il_observer_begin", POINTER, POINTER), address_of(self._memory))
        size, length = self._struct.size, len(instance.numbers(Numbers.STATE))
        self.x = self._view("x", length)
        self.extra = self._view("extra", len(table.extras))
        self.P = self._view("P", size * size).reshape(size, size)
        self.innovation = self._view("innovation", len(measured))
        self.expected_square = self._view("expected_square", len(measured))
        self._count = len(measured)

    def _view(self, name: str, count: int) -> Reals:
        first = ctypes.c_double * count
        return np.ctypeslib.as_array(first.from_address(getattr(self._struct, name)))

    def _check(self, function: Any, *arguments: Any) -> None:
        status = Status(function(self.address, *arguments))
        if status != Status.OK:
            raise InputError(f"the observer cannot begin: {status.name}", fix="Look at its start.")

    @property
    def memory_address(self) -> int:
        """Address of the memory that C uses, to restart the observer."""
        return address_of(self._memory)

    @property
    def size(self) -> int:
        """Dimension of the error."""
        return int(self._struct.size)

    @property
    def t(self) -> float:
        """Time of the estimate [s]."""
        return float(self._struct.t)

    @t.setter
    def t(self, value: float) -> None:
        self._struct.t = value

    @property
    def nis(self) -> float:
        """Normalized innovation squared of the last correction."""
        return float(self._struct.nis)

    @property
    def used(self) -> int:
        """Number of measurements used in the last correction."""
        return int(self._struct.used)

    @property
    def choices(self) -> int:
        """Number of changes of the partition."""
        return int(self._struct.choices)

    def set_inputs(self, inputs: Reals) -> None:
        """All inputs of the plant as they were held up to the first sample."""
        call = _function("il_observer_set_inputs", POINTER, POINTER, returns=None)
        call(self.address, inputs.ctypes.data)

    def predict(self, inputs: Reals) -> Status:
        """Predict to the next sample, with all inputs of the plant held."""
        call = _function("il_observer_predict", POINTER, POINTER)
        return Status(call(self.address, inputs.ctypes.data))

    def correct(self, measured: Reals) -> Status:
        """Correct with the current measurements; NaN where there is none."""
        call = _function("il_observer_correct", POINTER, POINTER)
        return Status(call(self.address, measured.ctypes.data))

    def outputs(self, values: Reals) -> Status:
        """Compute all estimated outputs of the plant."""
        call = _function("il_observer_outputs", POINTER, POINTER)
        return Status(call(self.address, values.ctypes.data))

    def slopes(self, inputs: Reals) -> tuple[Status, Reals, Reals]:
        """F and Q of the next sample, linearized at the estimate."""
        F, Q = np.zeros((self.size, self.size)), np.zeros((self.size, self.size))
        call = _function("il_observer_slopes", *[POINTER] * 4)
        status = call(self.address, inputs.ctypes.data, F.ctypes.data, Q.ctypes.data)
        return Status(status), F, Q

    def sight(self) -> tuple[Status, Reals, Reals]:
        """H and the predicted measurements, at the estimate."""
        H, y = np.zeros((self._count, self.size)), np.zeros(self._count)
        call = _function("il_observer_sight", POINTER, POINTER, POINTER)
        return Status(call(self.address, H.ctypes.data, y.ctypes.data)), H, y

    def carry(self, inputs: Reals, x: Reals, extra: Reals) -> Status:
        """Propagate a state and its extra states to the next sample, in place, without noise."""
        call = _function("il_observer_carry", *[POINTER] * 4)
        return Status(call(self.address, inputs.ctypes.data, x.ctypes.data, extra.ctypes.data))

    def moved(self, delta: Reals) -> tuple[Status, Reals, Reals]:
        """The estimate plus an error vector, loops closed; and its extra states."""
        x, extra = self.x.copy(), self.extra.copy()
        delta = np.ascontiguousarray(delta, dtype=np.float64)
        call = _function("il_observer_move", *[POINTER] * 4)
        status = call(self.address, delta.ctypes.data, x.ctypes.data, extra.ctypes.data)
        return Status(status), x, extra

    def apart(self, x: Reals, other: Reals) -> Reals:
        """The error vector from x to another state; 0 for extra states."""
        delta = np.zeros(self.size)
        call = _function("il_observer_apart", *[POINTER] * 4, returns=None)
        call(self.address, *(np.ascontiguousarray(a).ctypes.data for a in (x, other)),
             delta.ctypes.data)  # fmt: skip
        return delta

    def renew(self) -> None:
        """Call after a snapshot of the instance has been restored."""
        self._check(_function("il_observer_renew", POINTER))


def _arrays(table: ObserverTable) -> tuple[Any, ...]:
    """The arrays that the struct points to."""
    rows = [
        mirror("il_extra")(kind=e.kind, number=e.number, keeps=e.keeps, wanders=e.wanders)
        for e in table.extras
    ]
    bounds = [
        mirror("il_state_bound")(state=b.state, side=b.side, limit=b.limit) for b in table.bounds
    ]
    return (
        np.array(table.measured, dtype=np.int64),
        np.array(table.noise, dtype=np.float64),
        (mirror("il_extra") * max(len(rows), 1))(*rows),
        np.array(table.pushed, dtype=np.int64),
        np.array(table.push, dtype=np.float64),
        np.array(table.moved, dtype=np.float64),
        (mirror("il_state_bound") * max(len(bounds), 1))(*bounds),
    )


@functools.cache
def _function(name: str, *arguments: type[Any], returns: Any = ctypes.c_int) -> Any:
    return load_runtime().function(name, *arguments, returns=returns)
