"""Steady-state Kalman filter of a sampled model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from inloop.control.linear_model import Array, Complex, LinearModel, diagonal
from inloop.control.reach import insist_on_sight
from inloop.control.riccati import riccati
from inloop.errors import InputError


@dataclass(frozen=True)
class Kalman:
    """Gain of x(k|k) = x(k|k-1) + L (y(k) - C x(k|k-1)).

    Attributes:
        L: shape (n, outputs).
        P: covariance of x(k) - x(k|k-1), before the measurement.
        poles: poles of the error dynamics per sample.
        W: process noise covariance per sample.
        V: measurement noise covariance.
    """

    L: Array
    P: Array
    poles: Complex
    W: Array
    V: Array


def kalman(
    model: LinearModel,
    disturbances: Mapping[str, float],
    noise: Mapping[str, float],
    states: Mapping[str, float] | None = None,
) -> Kalman:
    """Design the filter.

    Args:
        model: sampled.
        disturbances: standard deviation of the white noise added to each input per sample [unit of
            the input].
        noise: standard deviation of each measured output [unit of the output], > 0.
        states: standard deviation of the white noise added to states, per sample.

    Raises:
        InputError: a mode that does not decay is unobservable.
    """
    if model.period is None:
        raise InputError("the filter needs a sampled model", fix="Use discretize(model, period).")
    V = diagonal(model.outputs, noise, "output", "noise") ** 2
    if np.any(np.diag(V) <= 0.0):
        clean = model.outputs[int(np.argmin(np.diag(V)))]
        raise InputError(
            f"output '{clean}' has no noise", fix="Give a standard deviation > 0, if a small one."
        )
    insist_on_sight(model, "the observer")
    acts = diagonal(model.inputs, disturbances, "input", "disturbance")
    moved = diagonal(model.states, states or {}, "state", "disturbance")
    W = model.B @ acts**2 @ model.B.T + moved**2
    fix = "Let disturbances move every mode that does not decay."
    P = riccati(model.A.T, model.C.T, W, V, sampled=True, fix=fix)
    L = gain(model, P, V)
    error_matrix = model.A @ (np.eye(len(L)) - L @ model.C)
    poles = np.asarray(np.linalg.eigvals(error_matrix), dtype=np.complex128)
    return Kalman(L, P, poles, W, V)


def gain(model: LinearModel, P: Array, V: Array) -> Array:
    """L for a covariance P before the measurement and noise covariance V."""
    C = model.C
    return np.asarray(np.linalg.solve(C @ P @ C.T + V, C @ P).T, dtype=np.float64)
