"""Which coordinates of closed loops are independent: at first, and when another choice is due."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inloop.formalisms.loops.closed import ClosedLoops
from inloop.formalisms.loops.partition import Partition, choose
from inloop.model import Mechanism
from inloop.plant.engine import Array
from inloop.plant.formulation.positions import ClosedPositions

BAD_CHOICE = 1e-3  # smallest singular value of a choice, to that of all coordinates
POOR_ORDER = 0.1  # smallest pivot in an order of elimination, to that in a good one


def first_choice(
    mechanism: Mechanism, closed: ClosedLoops, positions: ClosedPositions, small: Sequence[int]
) -> Partition:
    """Independent coordinates at the first regular position, wished ones among them.

    Args:
        mechanism: the model.
        closed: its constraints.
        positions: where they are closed.
        small: coordinates that move little.
    """
    J = positions.mobility.regular.J
    elements = [row.element for row in closed.rows]
    left = J.shape[1] - positions.mobility.rank - len(closed.driven)
    # declared coordinates, where there are no more of them than can be independent
    moving = tuple(
        k
        for k, body in enumerate(mechanism.bodies)
        if body.joint.initial[1] != 0.0 and k not in closed.driven
    )
    groups = (positions.declared, moving)
    prefer = next((group for group in groups if len(group) <= left), ())
    names, wish = mechanism.coordinates, mechanism.independent
    return choose(J, closed.driven, wish, names, elements, small, prefer)


def other_choice(
    J: Array, rank: int, known: Partition, names: Sequence[str], small: Sequence[int]
) -> Partition | None:
    """The best choice at a position; None if that is the known one, or if a row would be lost.

    Args:
        J: of all rows there, in units of rows and coordinates.
        rank: of the rows, in general.
        known: the choice so far.
        names: of the coordinates.
        small: coordinates that move little.
    """
    chosen = choose(J, known.driven, (), names, small=small)
    # the same pivots in another order of elimination are the same partition, unless one of them
    # vanishes in the order so far
    pivots, before = (set(zip(p.rows, p.dependent, strict=True)) for p in (chosen, known))
    least, least_before = (_least_pivot(J, parts) for parts in (chosen, known))
    same = pivots == before and least_before > POOR_ORDER * least
    return None if same or len(chosen.rows) != rank else chosen


def _least_pivot(J: Array, parts: Partition) -> float:
    """The smallest pivot that an elimination in the order of a choice meets."""
    A, least = J[np.ix_(parts.rows, parts.dependent)].copy(), np.inf
    for k in range(len(A)):
        least = min(least, abs(A[k, k]))
        if least == 0.0:
            break
        A[k + 1 :, k:] -= np.outer(A[k + 1 :, k] / A[k, k], A[k, k:])
    return float(least)


def is_bad(J: Array, known: Partition) -> bool:
    """Whether a choice is bad at a position.

    At a dead point of an independent coordinate its velocity tells nothing about the others; and
    rows of the choice may depend on each other where those that were dropped do not.

    Args:
        J: of all rows there, in units of rows and coordinates.
        known: the choice, with dependent coordinates.
    """
    rank = len(known.rows)
    free = [k for k in range(J.shape[1]) if k not in set(known.driven)]
    of_choice, best = (
        np.linalg.svd(block, compute_uv=False)[rank - 1]
        for block in (J[np.ix_(known.rows, known.dependent)], J[:, free])
    )
    return not of_choice > BAD_CHOICE * best
