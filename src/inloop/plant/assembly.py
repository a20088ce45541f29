"""Close the loops from an inexact guess: bounded Gauss-Newton with a line search."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inloop.errors import ModelError
from inloop.formalisms.constraints import Row
from inloop.plant.engine import Array
from inloop.plant.least_gap import Constraints, least_gap

MOST_ITERATIONS = 100
LONGEST_STEP = 0.5  # rad or m
LINE_SEARCH = (1.0, 0.5, 0.25, 0.1, 0.03, 0.01)
TOLERANCE = 1e-12  # of the residual, relative to the largest entry of J
RESTARTS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)  # how far from the guess [rad or m]


@dataclass(frozen=True)
class Assembly:
    """A closed position.

    Attributes:
        q: coordinates.
        J: Jacobian of all rows there.
        iterations: Newton steps taken.
        residual: largest constraint value left.
    """

    q: Array
    J: Array
    iterations: int
    residual: float


def assemble(
    constraints: Constraints, guess: Array, held: Sequence[int], rows: Sequence[Row], model: str
) -> Assembly:
    """Find a closed position near a guess.

    A start in a singular position (all links in one line) is tried again from nearby.

    Args:
        constraints: q → (h, J).
        guess: coordinates to start from.
        held: coordinates that must not move.
        rows: the constraint rows, for messages.
        model: name of the model, for messages.

    Raises:
        ModelError: a loop cannot close; says which, and by how much.
    """
    start = np.array(guess, dtype=np.float64)
    free = np.array([k not in set(held) for k in range(len(start))])
    nearby = np.random.default_rng(1)
    nearest: Assembly | None = None
    for spread in RESTARTS:
        shift = np.where(free, nearby.uniform(-spread, spread, len(start)), 0.0)
        found = _descend(constraints, start + shift, free)
        if found.residual <= _enough(found.J):
            return found
        if nearest is None or found.residual < nearest.residual:
            nearest = found
    assert nearest is not None
    raise _open(rows, constraints(least_gap(constraints, nearest.q, free))[0], model)


def _descend(constraints: Constraints, q: Array, free: np.ndarray) -> Assembly:
    """Gauss-Newton steps as long as they bring the ends of the loops nearer."""
    h, J = constraints(q)
    size = _size(h)
    for iteration in range(MOST_ITERATIONS):
        if size <= 0.01 * _enough(J):
            return Assembly(q, J, iteration, size)
        step = np.zeros_like(q)
        # the shortest step that cancels h to first order; redundant rows do no harm
        step[free] = np.linalg.lstsq(J[:, free], -h, rcond=1e-10)[0]
        longest = float(np.abs(step).max(initial=0.0))
        step *= min(1.0, LONGEST_STEP / longest) if longest else 0.0
        for shorten in LINE_SEARCH:
            trial = q + shorten * step
            h_trial, J_trial = constraints(trial)
            if _length(h_trial) < _length(h):
                break
        else:
            return Assembly(q, J, iteration, size)
        q, h, J, size = trial, h_trial, J_trial, _size(h_trial)
    return Assembly(q, J, MOST_ITERATIONS, size)


def _enough(J: Array) -> float:
    """Largest residual of a closed position."""
    return TOLERANCE * max(1.0, float(np.abs(J).max(initial=0.0)))


def _length(h: Array) -> float:
    return float(np.linalg.norm(h)) if np.all(np.isfinite(h)) else float("inf")


def _size(h: Array) -> float:
    return float(np.abs(h).max(initial=0.0)) if np.all(np.isfinite(h)) else float("inf")


def _open(rows: Sequence[Row], h: Array, model: str) -> ModelError:
    worst: dict[str, float] = {}
    for row, value in zip(rows, h, strict=True):
        worst[row.element] = math.hypot(worst.get(row.element, 0.0), float(value))
    name = max(worst, key=lambda key: worst[key])
    others = [key for key, value in worst.items() if key != name and value > 0.1 * worst[name]]
    also = f" (also: {', '.join(others[:4])})" if others else ""
    return ModelError(
        f"model '{model}': loop '{name}' cannot close, {worst[name]:.3g} m (or rad) is left{also}",
        fix="Check its lengths and points, or give the joints initial values nearer to closure.",
    )
