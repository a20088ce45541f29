"""Why runs failed, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from inloop.native import Status
from inloop.native.running.many import ChunkRuns
from inloop.simulate.systems import System


def reasons_of(
    systems: Sequence[System], names: Sequence[str], chunk: ChunkRuns, step: float
) -> dict[int, str]:
    """Why runs of a chunk failed, by index of the run.

    Args:
        systems: the modes of the plant.
        names: names of all coordinates.
        chunk: the completed runs.
        step: as given by the user [s].
    """
    return {
        chunk.begin + int(run): _reason(systems, names, chunk, int(run), step)
        for run in np.flatnonzero(chunk.status != Status.OK)
    }


def _reason(
    systems: Sequence[System], names: Sequence[str], chunk: ChunkRuns, run: int, step: float
) -> str:
    status, t, about = Status(int(chunk.status[run])), chunk.reached[run], int(chunk.beyond[run])
    if status == Status.STOPPED:
        return "STOPPED: interrupted" + (f" at t = {t:.6g} s" if math.isfinite(t) else "")
    plant, formulation = systems[0].plant, systems[0].formulation
    if status == Status.LOOP_OPEN:
        loop = ""
        if 0 <= about < len(formulation.partition.rows):
            loop = f" (loop '{formulation.loop_of(about)}')"
        if not math.isfinite(t):
            return f"LOOP_OPEN: its loops cannot be closed at the start{loop}"
        return (
            f"LOOP_OPEN: its loops cannot be closed after t = {t:.6g} s{loop}: a singular "
            "position, a position out of reach, or too long a step"
        )
    when = f"after t = {t:.6g} s" if math.isfinite(t) else "at the start"
    if status == Status.OUT_OF_BOUNDS and 0 <= about < 2 * len(names):
        n = len(names)
        return f"OUT_OF_BOUNDS: {plant.bounds.words(names[about % n], about >= n)} {when}"
    words = {
        Status.DIVERGED: f"a state is not finite {when}; a step smaller than {step:g} s may help",
        Status.STEP_TOO_SMALL: f"the required step became too small {when}",
        Status.TOO_MANY_STEPS: f"it required too many steps {when}",
        Status.CHATTERING: f"too many events in one step {when}",
        Status.CONTACT_JAMMED: f"no finite forces keep the sliding contacts closed {when}",
        Status.CONTACT_INEXACT: f"contacts cannot be followed from event to event {when}",
        Status.CONTROLLER_FAILED: f"the controller returned values that are not finite {when}",
        Status.INDICATOR_LOST: f"the indicator of an event is not finite {when}",
    }
    return f"{status.name}: {words.get(status, f'it ended {when}')}"
