"""Notes on trajectories that contradict themselves, whose efforts would be wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from inloop.plant import Array, BarePlant

NOTHING = 1e-6  # relative to the size of a motion: smaller changes are rounding errors
CONTRADICTS = 0.2  # relative to the travel of a joint: more than noise adds to an integral


def contradictions(
    plant: BarePlant,
    t: Array,
    joints: Sequence[int],
    motion: tuple[Array, Array, Array],
    given: Collection[str],
) -> Iterator[str]:
    """Joints whose velocities do not integrate to their positions, or accelerations likewise.

    Args:
        plant: the compiled mechanism.
        t: times [s].
        joints: joints whose motion was given.
        motion: positions, velocities and accelerations.
        given: which of "qd" and "qdd" were given by the user, not derived.
    """
    if len(t) < 2:
        return
    # velocities of ball joints are not derivatives of coordinates
    turned = {k for each in plant.mechanism.attitudes for k in each.bodies}
    for order, (what, rate) in enumerate((("q", "qd"), ("qd", "qdd"))):
        if rate not in given:
            continue
        lower, higher = motion[order], motion[order + 1]
        units = plant.coordinate_sizes / (t[-1] - t[0]) ** order
        for k in (joint for joint in joints if joint not in turned):
            mean = 0.5 * np.diff(t) * (higher[1:, k] + higher[:-1, k])
            way = np.concatenate([[0.0], np.cumsum(mean)])
            apart = np.abs(lower[:, k] - lower[0, k] - way)
            size = max(float(np.ptp(lower[:, k])), float(np.ptp(way)))
            least = NOTHING * (float(np.abs(lower[:, k]).max()) + units[k])
            worst = int(np.argmax(apart))
            if apart[worst] > max(CONTRADICTS * size, least):
                yield (
                    f"{what} and {rate} of '{plant.coordinates[k]}' contradict each other: at t = "
                    f"{t[worst]:.6g} s the integral of {rate} is {way[worst]:.4g}, and {what} has "
                    f"changed by {lower[worst, k] - lower[0, k]:.4g}. Check their units, or leave "
                    f"{rate} out."
                )


def branch_changes(t: Array, J_dependent: Array) -> Iterator[str]:
    """Notes on loops that change their assembly branch between two times.

    Args:
        t: times [s].
        J_dependent: constraint Jacobian of the dependent coordinates, shape (N, rows, rows).
    """
    signs = np.linalg.slogdet(J_dependent)[0] if J_dependent.shape[1] else np.ones(len(t))
    changes = np.flatnonzero(signs[1:] != signs[:-1])
    if len(changes):
        k = int(changes[0])
        yield (
            f"between t = {t[k]:.6g} s and {t[k + 1]:.6g} s the loops pass a singular "
            "position or change to their other branch. Give more times, or start on the "
            "intended branch."
        )
