"""Notes on corners of laws that a differentiated run has passed, if they affect derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inloop.errors import first_of
from inloop.plant import Array
from inloop.plant.variation.corner_watch import CornerWatch
from inloop.plant.variation.varied_system import VariedSystem

MOST_NAMED = 6  # laws in a note
MATTERS = 1e-3  # larger errors past corners are noted, relative to the largest derivative


@dataclass(frozen=True)
class PassedCorner:
    """Corners of one law that a run has passed.

    Attributes:
        law: its name.
        first: when the first of them was passed [s].
        crossings: steps in which one was passed.
        share: estimated error of derivatives there, relative to the largest one of the same state.
    """

    law: str
    first: float
    crossings: int
    share: float


def passed_corners(system: VariedSystem, dx: Array) -> list[PassedCorner]:
    """Corners that a run has passed and that affect derivatives.

    Args:
        system: the equations of the run.
        dx: derivatives of its state, shape (samples, states, directions).
    """
    watch = system.corner_watch
    if watch is None or not np.any(watch.crossings):
        return []
    return _that_matter(watch, watch.bends[:, :, : dx.shape[2]], np.abs(dx).max(axis=0))


def corners_passed_back(system: VariedSystem) -> list[PassedCorner]:
    """The same in a backward pass, from the errors of its adjoints."""
    watch = system.corner_watch
    if watch is None or not np.any(watch.crossings):
        return []
    return _that_matter(watch, watch.bends[:, : len(watch.most)], watch.most)


def _that_matter(watch: CornerWatch, bends: Array, largest: Array) -> list[PassedCorner]:
    # constant states have no derivatives
    size, corners = np.where(largest > 0.0, largest, np.inf), []
    for k, law in enumerate(watch.laws):
        share = float((np.sqrt(bends[k]) / size).max(initial=0.0))
        if share > MATTERS:
            corners.append(PassedCorner(law, watch.first[k], int(watch.crossings[k]), share))
    return corners


def corner_notes(corners: Sequence[PassedCorner]) -> list[str]:
    """Notes of a result; of corners of the same law, the worst one."""
    worst: dict[str, PassedCorner] = {}
    for corner in corners:
        if corner.law not in worst or corner.share > worst[corner.law].share:
            worst[corner.law] = corner
    if not worst:
        return []
    names = [f"'{law}'" for law in worst]
    first = min(corner.first for corner in worst.values())
    steps = max(corner.crossings for corner in worst.values())
    share = max(corner.share for corner in worst.values())
    off = f"{100.0 * share:.2g} %" if share < 1.0 else "all"
    return [
        f"{'laws' if len(worst) > 1 else 'law'} {first_of(names, MOST_NAMED)} "
        f"pass{'' if len(worst) > 1 else 'es'} a corner in {steps} "
        f"step{'s' if steps > 1 else ''}, first at t = {first:.6g} s. Derivatives are "
        f"only accurate to first order in the step there, and off by about {off} of the "
        "largest. Use shorter steps, or declare the corner as an event"
    ]
