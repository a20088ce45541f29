"""The Kalman filter at work: what sensors tell, once per period, becomes an estimate."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from inloop.control.kalman import Kalman, gain
from inloop.control.linear_model import Array, LinearModel, diagonal, index
from inloop.errors import InputError

SETTLED = 1e-3  # of a gain, by which it may differ from that of the settled filter


class KalmanFilter:
    """Measurements and known inputs in, estimate of the states out, once per period.

        x(k|k)   = x(k|k-1) + L (y(k) - C x(k|k-1) - D u(k))
        x(k+1|k) = A x(k|k) + B u(k)

    Inputs are whatever acts on the model and is known: a command, or what a sensor measures of a
    torque. Outputs may feel them at once. A model that is not quite linear is served by inputs
    into which its caller puts what is missing.

    A filter that is told how little is known at the start begins with larger gains, which follow
    from the covariance P of the error and settle at those of the design:

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
        """Begin with an estimate.

        Args:
            model: sampled; the filter's idea of the plant.
            observer: designed for this model.
            start: states to begin with; zero by default.
            doubt: standard deviation of their errors by state, 0 for what is not named; as in the
                settled filter by default.
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
        """Begin anew, with other states if they are given."""
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
        """The estimate of the states now, x(k|k).

        Args:
            measurement: all outputs of the model now, in its order.
            inputs: all inputs of the model, held from now on until the next step.
            without: outputs that are not to be trusted now; gains of the others stay as they are.

        Raises:
            InputError: a wrong size, or a number that is not finite; nothing has changed then.
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
        """A period in which nothing was measured: the estimate is what the model expects.

        Gains are larger after it, until they have settled again.

        Args:
            inputs: as of `step`.
        """
        u, model = self._read(inputs, "inputs"), self.model
        self.x = self._expected
        self._expected = model.A @ self.x + model.B @ u
        P = self.observer.P if self._P is None else self._P
        self._P = model.A @ P @ model.A.T + self.observer.W
        return self.x

    def _settle(self, P: Array) -> None:
        """The gain for the covariance P, and the covariance before the next measurement."""
        model, steady = self.model, self.observer
        self.gain = gain(model, P, steady.V)
        if np.all(np.abs(self.gain - steady.L) <= SETTLED * np.abs(steady.L)):
            self.gain, self._P = steady.L, None
            return
        left = P - self.gain @ model.C @ P
        self._P = model.A @ (0.5 * (left + left.T)) @ model.A.T + steady.W

    def _read(self, values: Sequence[float] | Array, what: str) -> Array:
        found, names = np.asarray(values, dtype=np.float64), getattr(self.model, what)
        # a sum is finite if its terms are, and costs less than to look at each of them
        if found.shape != (len(names),) or not math.isfinite(found.sum()):
            raise InputError(
                f"{what} of shape {found.shape}, or with NaN, cannot be used by the filter",
                fix=f"Give finite numbers for: {', '.join(names) or 'nothing'}.",
            )
        return found
