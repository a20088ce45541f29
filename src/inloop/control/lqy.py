"""Optimal feedback with weights on outputs and integral action (LQY).

J = ½ ∫ (y - r)ᵀ Q_y (y - r) + wᵀ Q_w w + uᵀ R u dt,   wd = r - y for the integrated outputs,
u = -K_x x - K_w w + K_r r.

With V = ½ xᵀ P x + vᵀ x for the states (x, w), P solves the algebraic Riccati equation, and the
linear part v, hence K_r, follows from the reference, assumed constant. Sampled models minimize the
sum over the samples times the period: gains approach the continuous ones for short periods.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from inloop.control.integrals import with_integrals
from inloop.control.linear_model import Array, Complex, LinearModel, diagonal, index
from inloop.control.reach import insist_on_control
from inloop.control.riccati import riccati
from inloop.errors import InputError

SEEN = "Give a weight to an output that shows every mode that does not decay."


@dataclass(frozen=True)
class Lqy:
    """Gains of u = -K_x x - K_w w + K_r r.

    Attributes:
        K_x: of the states, shape (inputs, n).
        K_w: of the integrals, shape (inputs, integrated).
        K_r: of the references, shape (inputs, outputs).
        P: minimum cost ½ (x, w)ᵀ P (x, w) from (x, w) with zero reference.
        outputs: names of the references.
        integrated: names of the outputs whose errors are integrated.
        poles: closed-loop poles with all states measured: [1/s], or factors per sample.
    """

    K_x: Array
    K_w: Array
    K_r: Array
    P: Array
    outputs: tuple[str, ...]
    integrated: tuple[str, ...]
    poles: Complex


def lqy(
    model: LinearModel,
    outputs: Mapping[str, float],
    integrals: Mapping[str, float],
    inputs: Mapping[str, float],
) -> Lqy:
    """Design the feedback.

    Args:
        model: continuous or sampled.
        outputs: weights of errors by output [1 / unit²]; default: 0.
        integrals: weights of integrated errors by output [1 / (unit s)²]; default: no integral.
        inputs: weights of all inputs [1 / unit²], > 0.

    Raises:
        InputError: a mode that does not decay is uncontrollable, or does not affect the cost.
    """
    weights = diagonal(model.inputs, inputs, "input", "weight")
    if np.any(np.diag(weights) <= 0.0):
        free = model.inputs[int(np.argmin(np.diag(weights)))]
        raise InputError(f"input '{free}' costs nothing", fix="Give it a weight > 0.")
    if np.any(model.D):
        row, column = np.argwhere(model.D)[0]
        raise InputError(
            f"output '{model.outputs[row]}' feels input '{model.inputs[column]}' at once",
            fix="Put the lag of the actuator into the model.",
        )
    whole = with_integrals(model, tuple(integrals))
    insist_on_control(whole, "the feedback")
    Q_y = diagonal(model.outputs, outputs, "output", "weight")
    Q_w = diagonal(tuple(integrals), integrals, "integral", "weight")
    n = len(model.states)
    Q = whole.C.T @ Q_y @ whole.C
    Q[n:, n:] += Q_w
    # effect of the reference: it drives the integrals, and the cost compares with it
    drive = np.zeros((len(whole.states), len(model.outputs)))
    for row, name in enumerate(integrals):
        drive[n + row, index(model.outputs, name, "output")] = model.period or 1.0
    wanted = whole.C.T @ Q_y
    K, K_r, P = (
        _continuous(whole, Q, weights, drive, wanted)
        if model.period is None
        else (
            _sampled(whole, model.period * Q, model.period * weights, drive, model.period * wanted)
        )
    )
    poles = np.asarray(np.linalg.eigvals(whole.A - whole.B @ K), dtype=np.complex128)
    return Lqy(K[:, :n], K[:, n:], K_r, P, model.outputs, tuple(integrals), poles)


def _continuous(
    model: LinearModel, Q: Array, R: Array, drive: Array, wanted: Array
) -> tuple[Array, Array, Array]:
    A, B = model.A, model.B
    P = riccati(A, B, Q, R, sampled=False, fix=SEEN)
    K = np.linalg.solve(R, B.T @ P)
    # 0 = (A - B K)ᵀ v + P drive r - wanted r
    v = np.linalg.solve((A - B @ K).T, wanted - P @ drive)
    return np.asarray(K), np.asarray(-np.linalg.solve(R, B.T @ v)), P


def _sampled(
    model: LinearModel, Q: Array, R: Array, drive: Array, wanted: Array
) -> tuple[Array, Array, Array]:
    A, B = model.A, model.B
    P = riccati(A, B, Q, R, sampled=True, fix=SEEN)
    S = R + B.T @ P @ B
    K = np.linalg.solve(S, B.T @ P @ A)
    # v = (A - B K)ᵀ (P drive r + v) - wanted r
    F = (A - B @ K).T
    v = np.linalg.solve(np.eye(len(A)) - F, F @ P @ drive - wanted)
    return np.asarray(K), np.asarray(-np.linalg.solve(S, B.T @ (P @ drive + v))), P
