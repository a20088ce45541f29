"""Impulses of contacts with dry friction: `il_contact_solver.h` from Python."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inloop.errors import InputError
from inloop.native.library import COUNT, POINTER, Reals
from inloop.native.mirror import constant, mirror
from inloop.native.running.schedule import Status
from inloop.native.runtime_library import load_runtime

TOLERANCE = 1e-8
SWEEPS, NEWTONS = 3000, 200
MOST_ROWS = 3000  # the matrix of Newton's method is dense


@dataclass(frozen=True)
class ContactSolution:
    """Result of `solve_contacts`.

    Attributes:
        impulses: r, by row [N·s].
        velocities: u = (W + R) r + q, by row [m/s].
        residual: largest deviation of a contact from its conditions, relative to max |q|.
        status: "OK", or "CONTACT_INEXACT": the impulses are the best ones found.
        sweeps: number of Gauss-Seidel sweeps.
        newtons: number of Newton steps.
        softened: number of proximal points, 0 for most problems.
    """

    impulses: Reals
    velocities: Reals
    residual: float
    status: str
    sweeps: int
    newtons: int
    softened: int


def solve_contacts(
    W: Reals,
    q: Reals,
    mu: Reals | Sequence[float] | float,
    *,
    rows: Sequence[int] | int = 3,
    compliance: Reals | float = 0.0,
    turning: Sequence[tuple[int, int]] | None = None,
    start: Reals | None = None,
    tolerance: float = TOLERANCE,
    sweeps: int = SWEEPS,
    newtons: int = NEWTONS,
) -> ContactSolution:
    """Find the impulses of contacts with Coulomb friction.

    For each contact, with r = (normal, tangents) and u = (W + R) r + q: it opens (u_n >= 0, r = 0),
    sticks (u = 0, |r_t| <= mu r_n), or slips (u_n = 0, |r_t| = mu r_n, u_t opposite to r_t).

    Args:
        W: coupling of the contacts [1/kg], shape (N, N); may be singular, need not be symmetric.
        q: velocities of the contacts without impulses [m/s], shape (N,): normal and tangents of
            one contact after the other.
        mu: friction coefficients, one per contact or one for all.
        rows: number of rows, one per contact or one for all: 1 frictionless, 2 planar, 3 spatial.
        turning: for each contact, the number of its last rows for rolling (0 to 2) and for
            drilling (0 or 1), included in rows=: angular velocities times the length of that
            resistance [m/s], whose impulses are moments divided by it, |r_j| <= r_n each.
        compliance: R, diagonal by row or one number for all [1/kg].
        start: initial impulses, such as those of the previous step.
        tolerance: tolerance of the residual.
        sweeps: maximum number of Gauss-Seidel sweeps.
        newtons: maximum number of Newton steps.

    Raises:
        InputError: a shape or a value is invalid.
        BuildError: there is no compiler.
    """
    q = _finite("q", q)
    N = len(q)
    first = _first_rows(rows, N, constant("IL_CONE_ROWS" if turning is None else "IL_ROLLING_ROWS"))
    count = len(first) - 1
    W = _finite("W", W, (N, N))
    turns = None if turning is None else _turning_rows(turning, np.diff(first))
    mu = _finite("mu", mu, (count,))
    R = _finite("compliance", compliance, (N,))
    for name, values in (("mu", mu), ("compliance", R)):
        if values.min(initial=0.0) < 0.0:
            raise InputError(f"{name} has {values.min():g}", fix="Use numbers >= 0.")
    if not tolerance > 0.0 or sweeps < 0 or newtons < 0:
        raise InputError(
            f"tolerance={tolerance}, sweeps={sweeps}, newtons={newtons}",
            fix="Use a tolerance > 0 and counts >= 0.",
        )
    r = np.zeros(N) if start is None else _finite("start", start, (N,)).copy()
    addresses = {"first": first, "mu": mu, "W": W, "R": R, "q": q}
    if turns is not None:
        addresses["turning"] = turns
    problem = mirror("il_contact_problem")(
        count=count, stride=N, **{name: array.ctypes.data for name, array in addresses.items()}
    )
    effort = mirror("il_contact_effort")(tolerance=tolerance, sweeps=sweeps, newtons=newtons)
    report = mirror("il_contact_report")()
    runtime = load_runtime()
    size = runtime.function("il_contact_work_size", COUNT, COUNT, returns=COUNT)
    work = np.zeros(size(count, N))
    solve = runtime.function("il_contact_solve", *[POINTER] * 5)
    structures = [ctypes.addressof(each) for each in (problem, effort, report)]
    status = solve(structures[0], structures[1], r.ctypes.data, work.ctypes.data, structures[2])
    return ContactSolution(
        impulses=r,
        velocities=W @ r + R * r + q,
        residual=report.residual,
        status=Status(status).name,
        sweeps=report.sweeps,
        newtons=report.newtons,
        softened=report.softened,
    )


def _finite(name: str, values: object, shape: tuple[int, ...] | None = None) -> Reals:
    """An array of finite numbers of this shape; a single number is broadcast."""
    try:
        array = np.asarray(values, dtype=np.float64)
        if shape is not None and array.ndim == 0:
            array = np.broadcast_to(array, shape)
    except (TypeError, ValueError):
        raise InputError(f"{name} is not an array of numbers", fix="Give real numbers.") from None
    if array.ndim != 1 if shape is None else array.shape != shape:
        needed = "one number for each row" if shape is None else f"shape {shape}"
        raise InputError(f"{name} has shape {array.shape}", fix=f"It needs {needed}.")
    if not np.isfinite(array).all():
        raise InputError(f"{name} has a number that is not finite", fix="Give finite numbers.")
    return np.ascontiguousarray(array)


def _turning_rows(turning: Sequence[tuple[int, int]], rows: np.ndarray) -> np.ndarray:
    """Rows of rolling and of drilling, by contact; the others are normal and tangents."""
    counts = np.asarray(turning)
    if counts.shape == (len(rows), 2) and counts.dtype.kind == "i":
        left = rows - counts.sum(axis=1)
        good = (counts >= 0) & (counts <= (2, 1))
        if good.all() and left.min(initial=1) >= 1 and left.max(initial=1) <= 3:
            return np.ascontiguousarray(counts, dtype=np.int64)
    raise InputError(
        f"turning={turning!r} does not match the rows of {len(rows)} contacts",
        fix="Give (0 to 2, 0 or 1) for each contact, behind 1 to 3 rows of normal and tangents.",
    )


def _first_rows(rows: Sequence[int] | int, N: int, most: int) -> np.ndarray:
    """The first row of each contact, then N."""
    if N > MOST_ROWS:
        raise InputError(f"q has {N} rows", fix=f"Give at most {MOST_ROWS}.")
    if isinstance(rows, int) and not isinstance(rows, bool) and 1 <= rows <= most:
        rows = [rows] * (N // rows)
    counts = np.asarray(rows)
    good = counts.ndim == 1 and (counts.size == 0 or counts.dtype.kind == "i")
    if not good or counts.min(initial=1) < 1 or counts.max(initial=1) > most or counts.sum() != N:
        raise InputError(
            f"rows={rows!r} do not make up the {N} rows of q",
            fix=f"Give 1 to {most} for each contact, or one number for all.",
        )
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
