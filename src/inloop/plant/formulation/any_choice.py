"""Loops with independent coordinates for which there is no code: Newton's step and the motion.

The same numbers as the generated functions "newton" and "constrained" have for a choice that is
compiled, from terms that hold for every choice. Runs do not come here: an instance of the plant
solves with the same terms in C (`native/runtime/il_reduction.h`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from inloop.formalisms.loops.partition import Partition
from inloop.formalisms.loops.terms import CommonTerms
from inloop.plant.engine import Array
from inloop.plant.formulation.terms import MOTION, STATES

if TYPE_CHECKING:
    from inloop.plant.equations import Equations


def newton(plant: Equations, parts: Partition, q: Array, t: float) -> dict[str, Array]:
    """Corrections of the dependent coordinates, and reciprocals of the pivots.

    Args:
        plant: has the constraints.
        parts: roles of coordinates and rows.
        q: all coordinates.
        t: time [s].
    """
    found = plant.evaluate("constraints", q=q, qd=np.zeros(plant.n), **_known(plant, {"t": t}))
    rows, dependent = list(parts.rows), list(parts.dependent)
    J = found["J"][np.ix_(rows, dependent)]
    # at a singular position there is no step, and pivots vanish: as in generated code
    with np.errstate(divide="ignore", invalid="ignore"):
        reciprocals = np.asarray(1.0 / _pivots(J))
    if not np.all(np.isfinite(reciprocals)):
        return {"step": np.full(len(rows), np.nan), "pivots": reciprocals}
    return {"step": np.asarray(np.linalg.solve(J, -found["h"][rows])), "pivots": reciprocals}


def _pivots(J: Array) -> Array:
    """Pivots of an elimination without row exchange."""
    left = np.array(J)
    for k in range(len(left) - 1):
        left[k + 1 :, k:] -= np.outer(left[k + 1 :, k] / left[k, k], left[k, k:])
    return left.diagonal().copy()


def motion(
    plant: Equations, common: CommonTerms, parts: Partition, **state: Any
) -> dict[str, Array]:
    """v, a, lam of the rows in use, efforts, and rates zd of laws that have states.

    Args:
        plant: has the functions of the terms.
        common: where the terms belong.
        parts: roles of coordinates and rows.
        state: q at a closed position, qd, tau, qdd of driven joints; u, t, z.
    """
    n, rows, driven = plant.n, list(parts.rows), list(parts.driven)
    state["qd"] = v = _velocities(plant, parts, state)
    closing = plant.evaluate("constraints", q=state["q"], qd=v, **_known(plant, state))
    names = {block.name for block in plant.program(MOTION).inputs[1:]}
    terms = plant.evaluate(MOTION, **{k: x for k, x in state.items() if k in names})
    J, M, m, nd = closing["J"][rows], mass_matrix(common, n, terms["M"]), len(rows), len(driven)
    # M a - Jᵀ lam - effort = tau - c, J a = -gamma, a of driven joints as given
    pushed = np.eye(n)[driven]
    forces = np.vstack([J, pushed])
    A = np.block([[M, -forces.T], [forces, np.zeros((m + nd, m + nd))]])
    right = [state["tau"] - terms["c"], -closing["gamma"][rows], np.asarray(state["qdd"])[driven]]
    a, lam, effort = np.split(np.linalg.solve(A, np.concatenate(right)), [n, n + m])
    found = {"v": v, "a": a, "lam": lam, "effort": effort}
    if plant.is_built(STATES):
        every = np.zeros(len(closing["h"]))
        every[rows] = lam
        names = {block.name for block in plant.program(STATES).inputs[1:]}
        moving = {**state, "qdd": a, "lam": every}
        found |= plant.evaluate(STATES, **{k: x for k, x in moving.items() if k in names})
    return found


def impulses(plant: Equations, parts: Partition, q: Array, qd: Array, t: float, e: Array) -> Array:
    """Impulses of the rows in use when the constraints grip.

    Args:
        plant: has the terms.
        parts: roles of coordinates and rows.
        q: a closed position.
        qd: velocities before.
        t: time [s].
        e: restitution of all rows.
    """
    n, rows, driven = plant.n, list(parts.rows), list(parts.driven)
    found = plant.evaluate("constraints", q=q, qd=qd, **_known(plant, {"t": t}))
    J, M, m = found["J"][rows], plant.evaluate("mass_matrix", ready=True, q=q)["M"], len(rows)
    # M d - Jᵀ lam - effort = 0, J d = -(1 + e) (J qd + nu), driven joints move on
    forces = np.vstack([J, np.eye(n)[driven]])
    A = np.block([[M, -forces.T], [forces, np.zeros((len(forces), len(forces)))]])
    met = (1.0 + e[rows]) * (J @ qd + found["nu"][rows])
    right = np.concatenate([np.zeros(n), -met, np.zeros(len(driven))])
    return np.asarray(np.linalg.solve(A, right)[n : n + m])


def _velocities(plant: Equations, parts: Partition, state: dict[str, Any]) -> Array:
    """All velocities from those of independent and driven coordinates."""
    rows, dependent = list(parts.rows), list(parts.dependent)
    v = np.array(state["qd"], dtype=np.float64)
    v[dependent] = 0.0
    found = plant.evaluate("constraints", q=state["q"], qd=v, **_known(plant, state))
    J = found["J"][rows]
    v[dependent] = np.linalg.solve(J[:, dependent], -(J @ v + found["nu"][rows]))
    return v


def _known(plant: Equations, state: dict[str, Any]) -> dict[str, Any]:
    """Time, where the constraints depend on it."""
    names = {block.name for block in plant.program("constraints").inputs}
    return {"t": state["t"]} if "t" in names and "t" in state else {}


def mass_matrix(common: CommonTerms, n: int, entries: Array) -> Array:
    """The whole matrix from the entries of its lower half."""
    places = np.array(list(common.M))
    M = np.zeros((n, n))
    M[places[:, 0], places[:, 1]] = M[places[:, 1], places[:, 0]] = entries
    return M
