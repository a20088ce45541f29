"""Check whether a position is an equilibrium: only then do small motions vibrate about it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inloop.analysis.reduction import Reduction, effort_unit
from inloop.analysis.unknowns import Setting
from inloop.plant import Array

# forces above this fraction of the change over one unit of motion are reported
NOTICED = 1e-3
# forces below this fraction of the largest ones of the mechanism count as zero
ROUNDING = 1e-9


def not_at_rest(reduction: Reduction, at: Setting, free: Sequence[int], M: Array, K: Array) -> str:
    """A note on a position that is not an equilibrium; empty at rest.

    Args:
        reduction: the plant.
        at: closed position, and the loads there.
        free: independent coordinates that may move.
        M: mass matrix in these coordinates.
        K: stiffness matrix in these coordinates.
    """
    still = np.zeros((1, reduction.plant.n))
    forces, _ = reduction.pull(at.q[None], still, at.tau, z=at.z, u=at.u, t=at.t)
    kept = [reduction.independent.index(k) for k in free]
    units = reduction.sizes[list(free)]
    # work over one unit of motion, so that forces and torques are commensurable
    work = np.abs(forces[0, kept]) * units
    bias, _ = reduction.bias(at.q[None], still, at.z, at.u, at.t)
    acting = np.abs(np.concatenate([at.tau, bias[0]]) * np.tile(reduction.sizes, 2))
    if not np.any(work > _allowed(K, units, float(acting.max(initial=0.0)))):
        return ""
    qdd = np.linalg.lstsq(M, forces[0, kept], rcond=None)[0]
    worst = int(np.argmax(np.abs(qdd) / units))
    joint, how = free[worst], abs(float(qdd[worst]))
    unit = reduction.plant.mechanism.bodies[joint].joint.kind.dimension.unit
    what = f"accelerates with {how:.4g} {unit}/s²"
    if not how > 0.0:
        worst = int(np.argmax(work))
        joint, how = free[worst], abs(float(forces[0, kept[worst]]))
        what = f"is pulled with {how:.4g} {effort_unit(reduction.plant, joint)}"
    return (
        f"the position is not an equilibrium: '{reduction.plant.coordinates[joint]}' {what} there"
    )


def _allowed(K: Array, units: Array, acting: float) -> Array:
    """Negligible work over one unit of motion, for each free coordinate."""
    stiffness = np.abs(K * np.outer(units, units))
    largest = max(float(stiffness.max(initial=0.0)), acting)
    own = NOTICED * stiffness.max(axis=1, initial=0.0)
    return np.asarray(np.maximum(own, ROUNDING * largest))
