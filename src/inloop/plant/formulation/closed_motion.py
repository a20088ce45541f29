"""Accelerations of a mechanism with loops and drives, at any position that closes them.

    [ M  -Jᵀ ] [ qdd ]   [ tau - c ]
    [ J   0  ] [ lam ] = [ -gamma  ]

with one more row, qdd = its prescribed value, for each driven joint. No choice of independent
coordinates is involved: what is bad for one of them may be good for the mechanism. Rows that follow
from others leave the accelerations as they are; the multipliers are then the smallest that do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from inloop.errors import InputError
from inloop.joints import ANGLE
from inloop.plant.arguments import reals
from inloop.plant.engine import Array

if TYPE_CHECKING:
    from inloop.plant.equations import Equations
    from inloop.plant.formulation.formulation import Formulation

STATE = ("q", "qd", "tau")
FITS = 1e-6  # of the largest term: what positions and velocities may be off by
ROUNDING = 1e-14  # of a unit, or of one per second: zeros that were computed
REDUNDANT = 1e-10  # of the largest singular value: below it a row follows from the others


def accelerations(
    equations: Equations, formulation: Formulation, q: Any, qd: Any, tau: Any, **others: Any
) -> Array:
    """Accelerations of the whole mechanism, shape (n,) or (N, n).

    Args:
        equations: of the mechanism.
        formulation: its rows, and which joints are driven.
        q: positions that close the loops, driven joints where their drives put them.
        qd: velocities that fit the loops and the drives.
        tau: efforts on all joints.
        others: z, u, t.

    Raises:
        InputError: position or velocities do not fit.
    """
    arrays = {"q": q, "qd": qd, "tau": tau, **others}
    for name in STATE:
        if arrays[name] is None:
            raise InputError(f"direct_dynamics needs {name}", fix=f"Give {', '.join(STATE)}.")
    rows = {name: _rows(equations, name, a) for name, a in arrays.items() if a is not None}
    count = max(len(a) for a in rows.values())
    for name, a in rows.items():
        if len(a) not in (1, count):
            raise InputError(
                f"{name} has {len(a)} rows, another argument has {count}",
                fix="Give all arguments the same number of rows, or one row for all.",
            )
    wide = {name: np.broadcast_to(a, (count, *a.shape[1:])) for name, a in rows.items()}
    states = [{k: a[i] for k, a in wide.items()} for i in range(count)]
    found = np.stack([_at(equations, formulation, state) for state in states])
    return found if any(np.ndim(a) == 2 for a in arrays.values()) else found[0]


def _rows(equations: Equations, name: str, array: Any) -> Array:
    """Rows of states; time may be a number or one per row."""
    values = reals(array, name)
    if name == "t" and values.ndim <= 1 and values.size:
        return np.atleast_1d(values)
    sizes = {"u": len(equations.inputs), "z": len(equations.mechanism.states), "t": 1}
    sizes["q"] = equations.nq
    size = sizes.get(name, equations.n)
    if values.ndim not in (1, 2) or not len(values) or values.shape[-1] != size:
        raise equations.wrong_size(name, values.shape, size)
    return np.atleast_2d(values)


def reduced_equations(
    equations: Equations, formulation: Formulation, q: Any, qd: Any, **others: Any
) -> dict[str, Array]:
    """M qdd_u + c = Tᵀ tau in the independent coordinates, and T = ∂q/∂q_u, at one state.

    Args:
        equations: of the mechanism.
        formulation: roles of coordinates and rows.
        q: a closed position.
        qd: velocities that fit the loops and the drives.
        others: z, u, t.
    """
    q, qd = np.asarray(q, dtype=np.float64), np.asarray(qd, dtype=np.float64)
    M = equations.evaluate("mass_matrix", ready=True, q=q)["M"]
    c = equations.evaluate("bias", ready=True, q=q, qd=qd, **others)["c"]
    parts = formulation.partition
    u, v, rows = list(parts.independent), list(parts.dependent), list(parts.rows)
    found = _fitting_rows(equations, formulation, q, qd, others)
    J, gamma = found["J"][rows], found["gamma"][rows]
    T, a = np.zeros((equations.n, len(u))), np.zeros(equations.n)  # qdd = T qdd_u + a
    T[u, range(len(u))] = 1.0
    a[list(parts.driven)] = _drive_accelerations(equations, parts.driven, q, qd, others)
    T[v] = np.linalg.solve(J[:, v], -J[:, u])
    a[v] = np.linalg.solve(J[:, v], -(gamma + J @ a))
    return {"M": T.T @ M @ T, "c": T.T @ (M @ a + c), "T": T}


def _at(equations: Equations, formulation: Formulation, state: dict[str, Any]) -> Array:
    """Accelerations at one state."""
    n, driven = equations.n, list(formulation.partition.driven)
    q, qd, tau = state["q"], state["qd"], state["tau"]
    more: dict[str, Any] = {key: state[key] for key in ("z", "u", "t") if key in state}
    rows = _fitting_rows(equations, formulation, q, qd, more)
    prescribed = _drive_accelerations(equations, driven, q, qd, more)
    c = equations.evaluate("bias", ready=True, q=q, qd=qd, **more)["c"]
    M = equations.evaluate("mass_matrix", ready=True, q=q)["M"]
    A = np.vstack([rows["J"], np.eye(n)[driven]])
    K = np.block([[M, -A.T], [A, np.zeros((len(A), len(A)))]])
    right = np.concatenate([tau - c, -rows["gamma"], prescribed])
    # rows and columns of one size: lengths and masses of any unit
    size = 1.0 / np.sqrt(np.maximum(np.abs(K).max(axis=1), np.finfo(float).tiny))
    balanced = size[:, None] * K * size
    solved = np.linalg.lstsq(balanced, size * right, rcond=REDUNDANT)[0]
    return np.asarray((size * solved)[:n])


def _drive_accelerations(
    equations: Equations, driven: Sequence[int], q: Array, qd: Array, more: dict[str, Any]
) -> Array:
    """Accelerations of the driven joints; position and velocity must be those of their drives."""
    if not driven:
        return np.zeros(0)
    motion = equations.evaluate("drives", **more)
    for given, kind, wanted in ((q, "q", motion["qs"]), (qd, "qd", motion["qds"])):
        for k, value in zip(driven, wanted, strict=True):
            zero = ROUNDING * equations.coordinate_sizes[k]
            if abs(given[k] - value) > FITS * max(abs(given[k]), abs(value)) + zero:
                raise InputError(
                    f"model '{equations.name}': {kind} of '{equations.coordinates[k]}' is "
                    f"{given[k]:.6g}, but its drive prescribes {value:.6g}",
                    fix="Give the time t and the inputs u that belong to this state.",
                )
    return np.asarray(motion["qdds"])


def _fitting_rows(
    equations: Equations, formulation: Formulation, q: Array, qd: Array, more: dict[str, Any]
) -> dict[str, Array]:
    """The constraints; the loops must be closed, and stay so."""
    rows = formulation.rows.constraints(q, qd, more.get("t", 0.0))
    J, nu = rows["J"], rows["nu"]
    # what a row changes by when coordinates change by a radian, or by as much as they are
    far = np.where(_turns(equations), 1.0, np.abs(q[: equations.n]))
    reach = np.abs(J * far).max(axis=1, initial=0.0)
    speed = np.abs(J * qd).max(axis=1, initial=0.0) + np.abs(nu)
    zero = ROUNDING * np.abs(J * equations.coordinate_sizes).max(axis=1, initial=0.0)
    gaps = np.abs(rows["h"]) - FITS * reach - zero
    slips = np.abs(J @ qd + nu) - FITS * speed - zero
    for off, what, fix in (
        (gaps, "is not satisfied at q", "Close it first: plant.formulation.assemble(q).q."),
        (
            slips,
            "is not satisfied by qd",
            "The velocities of all joints must be consistent with the loops.",
        ),
    ):
        if np.any(off > 0.0):
            name = formulation.rows.names[int(np.argmax(off))]
            raise InputError(f"model '{equations.name}': row '{name}' {what}", fix=fix)
    return rows


def _turns(equations: Equations) -> Array:
    """Which coordinates are angles."""
    return np.array([body.joint.kind.dimension is ANGLE for body in equations.mechanism.bodies])
