"""LQG controller: Kalman filter, optimal feedback, integrals, limits."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from inloop.control.kalman import Kalman
from inloop.control.linear_model import Array, Complex, LinearModel, index
from inloop.control.lqy import Lqy
from inloop.control.pi import check_limits
from inloop.errors import InputError


class LqgController:
    """LQG controller: measurements in, commands out, once per period.

    All quantities are absolute, not deviations: the operating point is added here. The filter uses
    the limited command. While a command is at its limit, the integrals are frozen unless they lead
    away from it.

    Attributes:
        x: estimate of the states, as deviation from the operating point, x(k|k-1).
        w: integrals of the errors [unit s].
        saturated: whether a command of the last step was at a limit.
    """

    def __init__(
        self,
        model: LinearModel,
        gains: Lqy,
        observer: Kalman,
        *,
        limits: tuple[float, float] = (-math.inf, math.inf),
        output_at: Sequence[float] | Array | None = None,
        command_at: Sequence[float] | Array | None = None,
    ) -> None:
        """Combine model, gains and observer.

        Args:
            model: sampled model of the plant.
            gains: designed for the same states.
            observer: designed for the same states.
            limits: minimum and maximum command, the same for all inputs.
            output_at: outputs at the operating point; default: zero.
            command_at: commands at the operating point; default: zero.
        """
        if model.period is None:
            raise InputError(
                "a controller needs a sampled model", fix="Use discretize(model, period)."
            )
        n, shapes = len(model.states), (gains.K_x.shape[1], observer.L.shape[0])
        if shapes != (n, n):
            raise InputError(
                f"the model has {n} states, the gains are for {shapes[0]}, the filter's for "
                f"{shapes[1]}",
                fix="Design both with this model.",
            )
        check_limits(limits)
        self.model, self.gains, self.observer, self.limits = model, gains, observer, limits
        self._rows = [index(gains.outputs, name, "output") for name in gains.integrated]
        self._y0 = _vector(output_at, len(model.outputs), "output_at")
        self._u0 = _vector(command_at, len(model.inputs), "command_at")
        self.reset()

    @property
    def period(self) -> float:
        """Time between samples [s]."""
        assert self.model.period is not None
        return self.model.period

    def reset(self) -> None:
        """Restart at rest at the operating point."""
        self.x, self.w = np.zeros(len(self.model.states)), np.zeros(len(self._rows))
        self.saturated = False

    def step(
        self, measurement: Sequence[float] | Array, reference: Sequence[float] | Array
    ) -> Array:
        """The commands for a measurement.

        Args:
            measurement: all current outputs of the model, in its order.
            reference: desired outputs; used for those that have a weight.

        Returns:
            Commands, shape (inputs,).

        Raises:
            InputError: a wrong size, or a number that is not finite; then nothing has changed.
        """
        model, gains = self.model, self.gains
        y = self._deviation(measurement, "measurement")
        r = self._deviation(reference, "reference")
        # x(k|k), then u(k), then x(k+1|k)
        x = self.x + self.observer.L @ (y - model.C @ self.x)
        wanted = self._u0 - gains.K_x @ x - gains.K_w @ self.w + gains.K_r @ r
        command = np.clip(wanted, *self.limits)
        self.x = model.A @ x + model.B @ (command - self._u0)
        self._integrate((r - y)[self._rows], wanted - command)
        return command

    def _deviation(self, values: Sequence[float] | Array, what: str) -> Array:
        """Outputs as deviations from the operating point."""
        vector = np.asarray(values, dtype=np.float64)
        # a sum is finite if its terms are, and is cheaper to check
        if vector.shape != self._y0.shape or not math.isfinite(vector.sum()):
            names = ", ".join(self.model.outputs)
            raise InputError(
                f"a {what} of shape {vector.shape}, or with NaN, cannot be answered",
                fix=f"Give finite numbers for: {names}.",
            )
        return vector - self._y0

    def _integrate(self, error: Array, excess: Array) -> None:
        """Update the integrals, except where that leads further beyond a limit."""
        self.saturated = bool(np.any(excess))
        grown = self.period * error
        if self.saturated:
            # commands change by -K_w grown; further out if that has the sign of the excess
            outward = (-self.gains.K_w * grown * excess[:, None]).sum(axis=0) > 0.0
            grown = np.where(outward, 0.0, grown)
        self.w = self.w + grown

    @property
    def poles(self) -> Complex:
        """Closed-loop poles if the plant equals the model: factors per sample."""
        A, B, C, L = self.model.A, self.model.B, self.model.C, self.observer.L
        K_x, K_w, rows = self.gains.K_x, self.gains.K_w, self._rows
        n, m = len(A), len(rows)
        seen = np.eye(n) - L @ C
        # rows: the plant's x, the filter's x(k|k-1), w
        u = np.hstack([-K_x @ L @ C, -K_x @ seen, -K_w])
        whole = np.zeros((2 * n + m, 2 * n + m))
        whole[:n, :n] = A
        whole[n : 2 * n, :n], whole[n : 2 * n, n : 2 * n] = A @ L @ C, A @ seen
        whole[:n] += B @ u
        whole[n : 2 * n] += B @ u
        whole[2 * n :, :n], whole[2 * n :, 2 * n :] = -self.period * C[rows], np.eye(m)
        return np.asarray(np.linalg.eigvals(whole), dtype=np.complex128)


def _vector(values: Sequence[float] | Array | None, size: int, what: str) -> Array:
    vector = np.zeros(size) if values is None else np.asarray(values, dtype=np.float64)
    if vector.shape != (size,) or not np.all(np.isfinite(vector)):
        raise InputError(f"{what} has the shape {vector.shape}", fix=f"Give {size} finite numbers.")
    return vector
