"""Kalman filter at run time: measurements in, estimate out, once per period."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from inloop.control.kalman import Kalman, gain
from inloop.control.linear_model import Array, LinearModel, diagonal, index
from inloop.errors import InputError

SETTLED = 1e-3  # relative difference from the steady-state gain that counts as converged


class KalmanFilter:
    """Kalman filter: measurements and known inputs in, state estimate out, once per period.

        x(k|k)   = x(k|k-1) + L (y(k) - C x(k|k-1) - D u(k))
        x(k+1|k) = A x(k|k) + B u(k)

    Inputs are all known excitations of the model: a command, or a measured torque. Outputs may
    depend on them directly. For a slightly nonlinear model the caller can add the missing terms as
    inputs.

    With a given initial uncertainty the filter starts with larger gains, which follow from the
    error covariance P and converge to those of the design:

        P(k+1|k) = A (1 - L C) P(k|k-1) Aᵀ + W

    Attributes:
        model: sampled.
        observer: the design.
        gain: L in use.
        x: estimate x(k|k) of the last step, in the order of `model.states`.
    """

    def __init__(
        self,
        model: LinearModel,
        observer: Kalman,
        start: Sequence[float] | Array | None = None,
        *,
        doubt: Mapping[str, float] | None = None,
    ) -> None:
        """Start with an estimate.

        Args:
            model: sampled model of the plant.
            observer: designed for this model.
            start: initial states; default: zero.
            doubt: standard deviation of their errors by state, 0 if not named; default: as in
                steady state.
        """
        if model.period is None:
            raise InputError("a filter needs a sampled model", fix="Use discretize(model, period).")
        if observer.L.shape != model.C.T.shape:
            raise InputError(
                f"a gain of shape {observer.L.shape} does not fit {len(model.states)} states and "
                f"{len(model.outputs)} outputs",
                fix="Design it with this model.",
            )
        self.model, self.observer = model, observer
        self._doubt = None if doubt is None else diagonal(model.states, doubt, "state", "doubt")
        self._start = self._read(np.zeros(len(model.states)) if start is None else start, "states")
        self.reset()

    def reset(self, start: Sequence[float] | Array | None = None) -> None:
        """Restart, with other states if they are given."""
        if start is not None:
            self._start = self._read(start, "states")
        self.x = self._start.copy()
        self._expected = self.x
        self.gain = self.observer.L
        self._P = None if self._doubt is None else self._doubt**2

    def step(
        self,
        measurement: Sequence[float] | Array,
        inputs: Sequence[float] | Array = (),
        *,
        without: Collection[str] = (),
    ) -> Array:
        """The current state estimate, x(k|k).

        Args:
            measurement: all current outputs of the model, in its order.
            inputs: all inputs of the model, held until the next step.
            without: outputs to ignore now; gains of the others are unchanged.

        Raises:
            InputError: a wrong size, or a number that is not finite; then nothing has changed.
        """
        y, u = self._read(measurement, "outputs"), self._read(inputs, "inputs")
        model = self.model
        if self._P is not None:
            self._settle(self._P)
        seen = y - model.C @ self._expected - model.D @ u
        for name in without:
            seen[index(model.outputs, name, "output")] = 0.0
        self.x = self._expected + self.gain @ seen
        self._expected = model.A @ self.x + model.B @ u
        return self.x

    def miss(self, inputs: Sequence[float] | Array = ()) -> Array:
        """A period without measurements: the estimate is the prediction of the model.

        Gains are larger afterwards, until they have converged again.

        Args:
            inputs: as for `step`.
        """
        u, model = self._read(inputs, "inputs"), self.model
        self.x = self._expected
        self._expected = model.A @ self.x + model.B @ u
        P = self.observer.P if self._P is None else self._P
        self._P = model.A @ P @ model.A.T + self.observer.W
        return self.x

    def _settle(self, P: Array) -> None:
        """Compute the gain for the covariance P, and the covariance before the next measurement."""
        model, steady = self.model, self.observer
        self.gain = gain(model, P, steady.V)
        if np.all(np.abs(self.gain - steady.L) <= SETTLED * np.abs(steady.L)):
            self.gain, self._P = steady.L, None
            return
        left = P - self.gain @ model.C @ P
        self._P = model.A @ (0.5 * (left + left.T)) @ model.A.T + steady.W

    def _read(self, values: Sequence[float] | Array, what: str) -> Array:
        vector, names = np.asarray(values, dtype=np.float64), getattr(self.model, what)
        # a sum is finite if its terms are, and is cheaper to check
        if vector.shape != (len(names),) or not math.isfinite(vector.sum()):
            raise InputError(
                f"{what} of shape {vector.shape}, or with NaN, cannot be used by the filter",
                fix=f"Give finite numbers for: {', '.join(names) or 'nothing'}.",
            )
        return vector
