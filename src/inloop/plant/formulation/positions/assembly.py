"""Close the loops from an inexact guess: bounded Gauss-Newton with a line search.

All numbers are in units of coordinates and rows (`closure.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inloop.errors import ModelError
from inloop.plant.engine import Array
from inloop.plant.formulation.positions.closure import Closure, Gap, free_of
from inloop.plant.formulation.positions.least_gap import least_gap

MOST_ITERATIONS = 100
LONGEST_STEP = 0.5
LINE_SEARCH = (1.0, 0.5, 0.25, 0.1, 0.03, 0.01)
FINER = 0.01  # of what is enough: as far as steps go on
# part by which a step must bring the ends nearer, and how many in a row may fall short of it
PROGRESS, MOST_SLOW = 0.01, 5
# how far from the guess to try again, the last ones anywhere: before "cannot close" is said
RESTARTS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.2, 1.6, 2.0, 2.4, *10 * (3.2,))


@dataclass(frozen=True)
class Assembly:
    """A position, closed or as near to that as it gets.

    Attributes:
        q: coordinates.
        J: Jacobian of all rows there, in units of rows and coordinates.
        iterations: Newton steps taken.
        residual: largest constraint value left, in units of its row.
        closed: whether no more than rounding is left.
    """

    q: Array
    J: Array
    iterations: int
    residual: float
    closed: bool


def assemble(closure: Closure, guess: Array, held: Sequence[int], model: str) -> Assembly:
    """Find a closed position near a guess.

    Args:
        closure: the loops.
        guess: coordinates to start from.
        held: coordinates that must not move.
        model: name of the model, for messages.

    Raises:
        ModelError: a loop cannot close; says which, and by how much.
    """
    found = nearest(closure, guess, held)
    found = found if found.closed else smallest_gap(closure, found, held)
    if found.closed:
        return found
    raise cannot_close(closure.gap(found.q), model)


def nearest(
    closure: Closure, guess: Array, held: Sequence[int] = (), enough: float = 0.0
) -> Assembly:
    """The closed position, or the nearest to one, that is found from a guess.

    A start in a singular position (all links in one line) is tried again from nearby.

    Args:
        closure: the loops.
        guess: coordinates to start from.
        held: coordinates that must not move.
        enough: residual from which on nothing else is tried.
    """
    start = np.array(guess, dtype=np.float64)
    free = free_of(closure.count, held)
    nearby = np.random.default_rng(1)
    best: Assembly | None = None
    for spread in RESTARTS:
        shift = np.where(free, nearby.uniform(-spread, spread, closure.count), 0.0)
        found = descend(closure, closure.moved(start, shift), free)
        if found.closed or found.residual <= enough:
            return found
        if best is None or found.residual < best.residual:
            best = found
    assert best is not None
    return best


def smallest_gap(closure: Closure, found: Assembly, held: Sequence[int]) -> Assembly:
    """Where the ends of loops come nearest to each other; they may meet, where steps had crept."""
    free = free_of(closure.count, held)
    return descend(closure, least_gap(closure, found.q, free), free)


def descend(closure: Closure, q: Array, free: np.ndarray) -> Assembly:
    """Gauss-Newton steps as long as they bring the ends of the loops nearer.

    To a closed position they get ever faster; steps that creep lead to where the ends are near
    each other and do not meet.
    """
    q = _with_linear_rows(closure, q, free)
    h, J = closure(q)
    slow, length = 0, _length(h)
    for iteration in range(MOST_ITERATIONS):
        if np.all(np.abs(h) <= FINER * closure.rounding(q, J)):
            return Assembly(q, J, iteration, _size(h), True)
        step = np.zeros(closure.count)
        # the shortest step that cancels h to first order; redundant rows do no harm
        step[free] = _shortest(closure.on_positions(J)[:, free], -h)
        longest = float(np.abs(step).max(initial=0.0))
        step *= min(1.0, LONGEST_STEP / longest) if longest else 0.0
        for shorten in LINE_SEARCH:
            trial = closure.moved(q, shorten * step)
            h_trial, J_trial = closure(trial)
            length_trial = _length(h_trial)
            if length_trial < length:
                break
        else:
            return _ended(closure, q, h, J, iteration)
        slow = slow + 1 if length_trial > (1.0 - PROGRESS) * length else 0
        q, h, J, length = trial, h_trial, J_trial, length_trial
        if slow == MOST_SLOW:
            return _ended(closure, q, h, J, iteration + 1)
    return _ended(closure, q, h, J, MOST_ITERATIONS)


def _ended(closure: Closure, q: Array, h: Array, J: Array, iterations: int) -> Assembly:
    closed = bool(np.all(np.abs(h) <= closure.rounding(q, J)))
    return Assembly(q, J, iterations, _size(h), closed)


def _with_linear_rows(closure: Closure, q: Array, free: np.ndarray) -> Array:
    """The position with its linear rows met in one step, however long: they have one branch."""
    linear = closure.linear
    if not linear.any():
        return q
    h, J = closure(q)
    step = np.zeros(closure.count)
    step[free] = _shortest(J[linear][:, free], -h[linear])
    return closure.moved(q, step)


def _shortest(J: Array, right: Array) -> Array:
    """The shortest solution of least squares; none where numbers are not finite."""
    if not (np.all(np.isfinite(J)) and np.all(np.isfinite(right))):
        return np.zeros(J.shape[1])
    return np.asarray(np.linalg.lstsq(J, right, rcond=1e-10)[0])


def _length(h: Array) -> float:
    square = float(h.dot(h))
    return math.sqrt(square) if math.isfinite(square) else math.inf


def _size(h: Array) -> float:
    return float(np.abs(h).max(initial=0.0)) if np.all(np.isfinite(h)) else float("inf")


def cannot_close(gap: Gap, model: str) -> ModelError:
    """The error of loops that stay open."""
    return ModelError(
        f"model '{model}': loop '{gap.loop}' cannot close, {gap}",
        fix="Check its lengths and points, or choose initial values of the joints closer "
        "to a closed position.",
    )
