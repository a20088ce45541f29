"""Notes on driven joints whose motion jumps.

If the velocity of a drive jumps, the impact changes the velocities of everything connected to it.
Integration steps do not see it: the other joints continue as if nothing had happened, and if the
energy is unchanged nothing else would reveal it.

A jump shows between two samples, where the velocity changes by more than the accelerations at both
ends explain. So does a smooth motion that is fast compared to the samples; but bisecting the
interval then explains it, while a jump keeps its size.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from inloop.plant import Array, BarePlant
from inloop.simulate.drives import Drives
from inloop.simulate.inputs import Inputs
from inloop.simulate.results.samples import Samples

NOTICED = 1e-3  # relative to the largest velocity, or the range, of a drive in the run
SUSPECTS = 8  # intervals examined per drive, those with the largest changes
HALVINGS = 16


def jump_notes(
    plant: BarePlant, found: Samples, drives: Drives | None, inputs: Inputs
) -> list[str]:
    """Notes on drives that jump; filtered ones do not.

    Args:
        plant: the compiled mechanism.
        found: samples of the run.
        drives: motion of the driven joints.
        inputs: the vector u.
    """
    if drives is None or found.qdd is None or len(found.t) < 2:
        return []
    filtered = {plant.coordinates[d.body] for d in plant.mechanism.drives if d.states}
    notes = []
    for place, joint in enumerate(plant.formulation.driven):
        if joint not in filtered:
            notes += _told(_Drive(plant, drives, inputs, place), joint, found)
    return notes


class Moving(Protocol):
    """A motion over time."""

    def at(self, t: float) -> Array:
        """Position, velocity and acceleration."""


@dataclass(frozen=True)
class _Drive:
    """The motion of one driven joint; `place` is its index among them."""

    plant: BarePlant
    drives: Drives
    inputs: Inputs
    place: int

    def at(self, t: float) -> Array:
        """Position, velocity and acceleration."""
        return finite(self.drives.at(self.plant, t, self.inputs.at(t))[:, self.place])


def finite(motion: Array) -> Array:
    """The motion with 0 where a corner has no derivative."""
    return np.asarray(np.nan_to_num(motion, nan=0.0, posinf=0.0, neginf=0.0))


def _told(drive: _Drive, joint: str, found: Samples) -> list[str]:
    k = drive.plant.coordinates.index(joint)
    assert found.qdd is not None
    motion = finite(np.array([found.q[:, k], found.qd[:, k], found.qdd[:, k]]))
    # joints that do not move cannot jump
    sizes = np.array([np.ptp(motion[0]), np.abs(motion[1]).max()])
    sizes[~(sizes > 0.0)] = math.inf
    jumps = jumps_within(found.t, _unexplained(found.t, motion), sizes, lambda _: drive)
    if not jumps:
        return []
    t, (way, speed) = jumps[0]
    unit = drive.plant.mechanism.bodies[k].joint.kind.dimension.unit
    steps = abs(way) > NOTICED * sizes[0]
    size = f"by {abs(way):.4g} {unit}" if steps else f"in velocity by {abs(speed):.4g} {unit}/s"
    again = ", and again later" if len(jumps) > 1 else ""
    return [
        f"t = {t:.6g} s: the drive of '{joint}' jumps {size}{again}; the resulting "
        "impact on other joints is not computed. Give it a motion without jumps, or "
        'declare it with derivatives="filtered".'
    ]


def _unexplained(t: Array, motion: Array) -> Array:
    """Changes of position and velocity that velocity and acceleration do not explain.

    Args:
        t: times, shape (N,).
        motion: position, velocity and acceleration, shape (3, N).
    """
    mean = 0.5 * (motion[1:, 1:] + motion[1:, :-1])
    return np.asarray(np.diff(motion[:2], axis=1) - np.diff(t) * mean)


def jumps_within(
    t: Array, changes: Array, sizes: Array, moved: Callable[[int], Moving]
) -> list[tuple[float, Array]]:
    """Times of jumps between samples, and their size in position and velocity.

    Args:
        t: times of the samples, shape (N,).
        changes: unexplained changes between samples, shape (2, N - 1).
        sizes: scales of positions and velocities.
        moved: the motion, by index of the interval.
    """
    share = np.abs(changes / sizes[:, None]).max(axis=0)
    suspects = sorted(int(i) for i in np.argsort(-share)[:SUSPECTS] if share[i] > NOTICED)
    found = [_closed_in(moved(i), (float(t[i]), float(t[i + 1])), sizes) for i in suspects]
    return [(at, jump) for at, jump in found if np.any(np.abs(jump / sizes) > NOTICED)]


def _closed_in(moved: Moving, span: tuple[float, float], sizes: Array) -> tuple[float, Array]:
    """Time and size of a jump, by bisection; for smooth motion the size tends to 0."""
    t = np.array([span[0], 0.5 * (span[0] + span[1]), span[1]])
    motion = np.array([moved.at(time) for time in t]).T
    for _ in range(HALVINGS):
        left, right = np.abs(_unexplained(t, motion) / sizes[:, None]).max(axis=0)
        keep = [0, 1] if left >= right else [1, 2]
        t, motion = t[keep], motion[:, keep]
        middle = 0.5 * (t[0] + t[1])
        if not t[0] < middle < t[1]:
            break
        t = np.insert(t, 1, middle)
        motion = np.insert(motion, 1, moved.at(middle), axis=1)
    return float(t[-1]), _unexplained(t[[0, -1]], motion[:, [0, -1]])[:, 0]
