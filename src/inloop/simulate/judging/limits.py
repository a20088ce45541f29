"""Joints that leave their limits during a run, in words."""

from __future__ import annotations

import numpy as np

from inloop.plant import Array, BarePlant

ROUNDING = 1e-9  # relative; less beyond a limit is none


def limit_notes(plant: BarePlant, t: Array, q: Array) -> list[str]:
    """What to tell about joints with limits that have no stops.

    Limits alone hold nothing: only a `joint_stop` does. An elastic stop gives way a little, so
    joints that have one are not told.

    Args:
        plant: the compiled mechanism.
        t: times of the samples [s].
        q: all coordinates, shape (N, n).
    """
    mechanism = plant.mechanism
    stopped = {law.body for law in mechanism.joint_forces if law.stop}
    driven = {drive.body for drive in mechanism.drives}
    notes = []
    for k, body in enumerate(mechanism.bodies):
        if body.joint.limits is not None and k not in stopped:
            why = "its drive takes it there" if k in driven else "no joint_stop holds it"
            notes += _told(plant, k, (t, q[:, k]), why)
    return notes


def _told(plant: BarePlant, index: int, run: tuple[Array, Array], why: str) -> list[str]:
    joint, (t, q) = plant.mechanism.bodies[index].joint, run
    assert joint.limits is not None
    low, high = joint.limits
    beyond = np.maximum(low - q, q - high)
    size = plant.coordinate_sizes[index]
    outside = np.flatnonzero(beyond > ROUNDING * (size + np.abs(q)))
    if not len(outside):
        return []
    most, unit = int(np.argmax(beyond)), joint.kind.dimension.unit
    return [
        f"t = {t[outside[0]]:.6g} s: joint '{joint.name}' leaves its limits ({low:g}, {high:g}) "
        f"{unit}, by {beyond[most]:.4g} {unit} at t = {t[most]:.6g} s; {why}"
    ]
