"""Notes on corners of laws that a differentiated run has passed, where they matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inloop.plant import Array
from inloop.plant.variation.varied_system import VariedSystem

MATTERS = 1e-3  # of the largest derivative: what corners may cost is noted from here on


@dataclass(frozen=True)
class PassedCorner:
    """Corners of one law that a run has passed.

    Attributes:
        law: its name.
        first: when the first of them was passed [s].
        crossings: steps in which one was passed.
        share: what derivatives may be off by, of the largest one of the same state.
    """

    law: str
    first: float
    crossings: int
    share: float


def passed_corners(system: VariedSystem, largest: Array) -> list[PassedCorner]:
    """Corners that a run has passed and that matter.

    Args:
        system: what was run.
        largest: derivatives of the state over the run, shape (states, directions).
    """
    watch = system.corner_watch
    if watch is None:
        return []
    found = []
    # what never changes has no derivatives to lose
    size = np.where(largest > 0.0, largest, np.inf)
    for k, law in enumerate(watch.laws):
        share = float((watch.bends[k][:, : size.shape[1]] / size).max(initial=0.0))
        if share > MATTERS:
            found.append(PassedCorner(law, watch.first[k], int(watch.crossings[k]), share))
    return found


def corner_notes(corners: Sequence[PassedCorner]) -> list[str]:
    """What a result reports; of passes that share a law, the worst one."""
    worst: dict[str, PassedCorner] = {}
    for corner in corners:
        if corner.law not in worst or corner.share > worst[corner.law].share:
            worst[corner.law] = corner
    return [
        f"law '{c.law}' passes a corner in {c.crossings} step{'s' if c.crossings > 1 else ''}, "
        f"first at t = {c.first:.6g} s. Where within a step is not known: derivatives from there "
        f"on may be off by up to {_percent(c.share)} of the largest. Use shorter steps, or declare "
        "the corner as an event"
        for c in worst.values()
    ]


def _percent(share: float) -> str:
    return f"{100.0 * share:.2g} %" if share < 1.0 else "all"
