"""Augment a model with integrals of tracking errors: wd = r - y, or w' = w + T (r - y)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from inloop.control.linear_model import LinearModel, index


def with_integrals(model: LinearModel, outputs: Sequence[str]) -> LinearModel:
    """The augmented model with states (x, w), for zero reference.

    Args:
        model: continuous or sampled.
        outputs: outputs whose errors are integrated.
    """
    rows = [index(model.outputs, name, "output") for name in outputs]
    (n, m), extra = model.B.shape, len(rows)
    step = 1.0 if model.period is None else model.period
    A, B = np.zeros((n + extra, n + extra)), np.zeros((n + extra, m))
    A[:n, :n], A[n:, :n] = model.A, -step * model.C[rows]
    B[:n], B[n:] = model.B, -step * model.D[rows]
    if model.period is not None:
        A[n:, n:] = np.eye(extra)
    return replace(
        model,
        A=A,
        B=B,
        C=np.hstack([model.C, np.zeros((len(model.C), extra))]),
        states=(*model.states, *(f"integral of {name}" for name in outputs)),
    )
