"""Whether a position is one of rest: nothing swings about any other one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inloop.analysis.reduction import Reduction, effort_unit
from inloop.analysis.unknowns import Setting
from inloop.plant import Array

# forces beyond this part of those that one unit of motion changes are told
NOTICED = 1e-3
# forces below this part of the largest ones of the mechanism are none
ROUNDING = 1e-9


def not_at_rest(reduction: Reduction, at: Setting, free: Sequence[int], M: Array, K: Array) -> str:
    """What to tell about a position that the mechanism leaves by itself; empty at rest.

    Args:
        reduction: the plant.
        at: closed position and all that acts there.
        free: independent coordinates that may move.
        M: mass matrix over these.
        K: stiffness matrix over these.
    """
    still = np.zeros((1, reduction.plant.n))
    forces, _ = reduction.pull(at.q[None], still, at.tau, z=at.z, u=at.u, t=at.t)
    kept = [reduction.independent.index(k) for k in free]
    units = reduction.sizes[list(free)]
    # work in one unit of motion, so that forces and torques compare
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
    """Work in one unit of motion that is negligible, for each free coordinate."""
    stiffness = np.abs(K * np.outer(units, units))
    largest = max(float(stiffness.max(initial=0.0)), acting)
    own = NOTICED * stiffness.max(axis=1, initial=0.0)
    return np.asarray(np.maximum(own, ROUNDING * largest))
