"""Accelerations and forces at a state, by the equations of bodies with six coordinates each.

One linear system, no choice of coordinates: a second way to what the reduced equations give. See
`native/runtime/il_redundant.c`, which does the same while a plant runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from inloop.formalisms.redundant.programs import (
    GAPS,
    MATRIX,
    PLACE,
    RESIDUAL,
    RedundantPrograms,
)
from inloop.plant.engine import Array

if TYPE_CHECKING:
    from inloop.plant.equations import Equations

SOLUTIONS = 3  # the first, and those that take ε back


def body_motion(
    equations: Equations, about: RedundantPrograms, epsilon: float, **state: Any
) -> dict[str, Array]:
    """Accelerations, multipliers, wrenches in joints, efforts of drives and rates of states.

    Args:
        equations: where the functions are built.
        about: what their results mean.
        epsilon: of the rows of constraints.
        state: q, qd, tau, qdd of driven joints, and z, u, t; of one state that fits.
    """
    sizes, n = about.layout, equations.n
    free, b6, states = list(about.free), 6 * about.layout.bodies, about.layout.states
    qdd = np.array(state.pop("qdd", np.zeros(n)), dtype=np.float64)
    qdd[free] = 0.0
    at: dict[str, Any] = {**state, "qdd": qdd, "accel": np.zeros(b6), "lam": np.zeros(b6)}
    at |= {"mu": np.zeros(sizes.rows), "zd": np.zeros(states), "scales": [0.0, 0.0, 0.0, epsilon]}
    at |= equations.evaluate(PLACE, q=at["q"], qd=at["qd"])

    def call(name: str) -> dict[str, Array]:
        known = [block.name for block in equations.program(name).inputs]
        return equations.evaluate(name, **{k: v for k, v in at.items() if k in known})

    A = np.zeros((sizes.size, sizes.size))
    rows, columns = np.array(about.places).T
    A[rows, columns] = call(MATRIX)["A"]
    right = -np.concatenate([call(RESIDUAL)["r"][: sizes.moving], call(GAPS)["g"]])
    held: Array = np.zeros(sizes.size)
    y: Array = np.zeros(sizes.size)
    for _ in range(SOLUTIONS if sizes.rows else 1):
        held[sizes.size - sizes.rows :] = epsilon * y[sizes.size - sizes.rows :]
        y = np.asarray(np.linalg.solve(A, right - held), dtype=np.float64)
    qdd[free] = y[b6 : b6 + sizes.free]
    at["lam"], at["mu"] = y[sizes.moving : sizes.moving + b6], y[sizes.moving + b6 :]
    # wrenches and efforts do not depend on the accelerations of bodies by themselves
    left = call(RESIDUAL)
    effort = left.get("effort", np.zeros(0))
    found = {"v": np.array(at["qd"]), "a": qdd, "lam": at["mu"], "effort": effort}
    found["wrench"] = at["lam"].reshape(-1, 6)
    if states:
        found["zd"] = -left["r"][sizes.moving - states : sizes.moving]
    return found
