"""Notes on joints that leave their limits during a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from inloop.plant import Array, BarePlant

ROUNDING = 1e-9  # relative: less beyond a limit is rounding
Run = tuple[Array, Array]  # times [s] and positions
Piece = tuple[BarePlant, Array, Array]  # plant of a mode, times, all coordinates, shape (N, n)


def limit_notes(pieces: Sequence[Piece]) -> list[str]:
    """Notes on joints that leave limits without stops.

    Limits alone do not act: only a `joint_stop` does. An elastic stop yields a little, so joints
    with stops are not reported in the modes in which they have them.

    Args:
        pieces: a run, mode by mode.
    """
    found: dict[str, tuple[BarePlant, int, list[Run]]] = {}
    for plant, t, q in pieces:
        stopped = {law.body for law in plant.mechanism.joint_forces if law.stop}
        for k, body in enumerate(plant.mechanism.bodies):
            if body.joint.limits is not None and k not in stopped:
                known = found.setdefault(body.joint.name, (plant, k, []))
                known[2].append((t, q[:, k]))
    return [
        note
        for plant, k, runs in found.values()
        for note in _told(plant, k, (np.concatenate(part) for part in zip(*runs, strict=True)))
    ]


def _told(plant: BarePlant, index: int, run: Iterable[Array]) -> list[str]:
    joint, (t, q) = plant.mechanism.bodies[index].joint, run
    assert joint.limits is not None
    low, high = joint.limits
    beyond = np.maximum(low - q, q - high)
    size = plant.coordinate_sizes[index]
    outside = np.flatnonzero(beyond > ROUNDING * (size + np.abs(q)))
    if not len(outside):
        return []
    most, unit = int(np.argmax(beyond)), joint.kind.dimension.unit
    driven = index in {drive.body for drive in plant.mechanism.drives}
    why = "its drive moves it there" if driven else "it has no joint_stop"
    return [
        f"t = {t[outside[0]]:.6g} s: joint '{joint.name}' leaves its limits ({low:g}, {high:g}) "
        f"{unit}, by {beyond[most]:.4g} {unit} at t = {t[most]:.6g} s; {why}"
    ]
