"""Notes on time-dependent constraints whose motion jumps.

As with drives (`drive_jumps`), a constraint whose velocity jumps causes an impact that steps do not
see. Between two samples its row is evaluated at the first position, so that only its dependence on
time shows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from inloop.plant import Array, BarePlant
from inloop.simulate.judging.drive_jumps import NOTICED, finite, jumps_within
from inloop.simulate.results.samples import Samples


def row_jump_notes(plant: BarePlant, found: Samples) -> list[str]:
    """Notes on constraints that jump.

    Args:
        plant: the compiled mechanism.
        found: samples of a run, or of one of its modes.
    """
    if not plant.mechanism.constraints or not plant.formulation.rows.moves_with_time:
        return []
    if len(found.t) < 2:
        return []
    begin, end = (_motions(plant, found.q[:-1], t) for t in (found.t[:-1], found.t[1:]))
    names, notes = plant.formulation.rows.names, []
    for k in np.flatnonzero(np.any(begin != 0.0, axis=(0, 2)) | np.any(end != 0.0, axis=(0, 2))):
        notes += _told(plant, found, int(k), np.array([begin[:, k], end[:, k]]), names[int(k)])
    return notes


@dataclass(frozen=True)
class _Row:
    """One row as a function of time, at a fixed position."""

    plant: BarePlant
    row: int
    q: Array

    def at(self, t: float) -> Array:
        """Value, and first and second time derivatives."""
        return _motions(self.plant, self.q[None], np.array([t]))[:, self.row, 0]


def _motions(plant: BarePlant, q: Array, t: Array) -> Array:
    """h, ∂h/∂t and ∂²h/∂t² of all rows, shape (3, rows, N); nonholonomic rows have no h."""
    rows = plant.formulation.rows.constraints(q, np.zeros((len(q), plant.n)), t, lanes=False)
    return finite(np.array([rows[key].T for key in ("h", "nu", "gamma")]))


def _told(plant: BarePlant, found: Samples, row: int, ends: Array, name: str) -> list[str]:
    """Notes on one row; ends: its motion at both ends of all intervals, shape (2, 3, N)."""
    way = np.diff(ends[:, 0], axis=0)[0]
    # rows that do not move cannot jump
    sizes = np.array([np.ptp(np.cumsum(way)), np.abs(ends[:, 1]).max()])
    sizes[~(sizes > 0.0)] = math.inf
    if not plant.formulation.rows.holonomic[row]:
        sizes[0] = math.inf
    dt = np.diff(found.t)
    changes = np.diff(ends[:, :2], axis=0)[0] - dt * ends[:, 1:].mean(axis=0)
    jumps = jumps_within(found.t, changes, sizes, lambda i: _Row(plant, row, found.q[i]))
    if not jumps:
        return []
    t, (step, speed) = jumps[0]
    steps = abs(step) > NOTICED * sizes[0]
    size = f"by {abs(step):.4g}" if steps else f"in velocity by {abs(speed):.4g} per second"
    again = ", and again later" if len(jumps) > 1 else ""
    return [
        f"t = {t:.6g} s: constraint '{name}' jumps {size}{again}; the resulting impact "
        "on the joints is not computed. Use a function of time without jumps, or an "
        "event with impact= that starts a mode with the new motion."
    ]
