"""Base parameters from measured motion and efforts, by weighted least squares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from inloop.analysis.identify.base_parameters import BaseParameters, chosen_base, seen_in
from inloop.analysis.identify.closing import Closing, Motion
from inloop.analysis.identify.filtering import ZeroPhaseFilter
from inloop.analysis.identify.identified import Identified
from inloop.analysis.identify.least_squares import solve
from inloop.errors import InputError, name_hint
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import by_name, real, reals
from inloop.plant.keywords import checked_call

CORRELATED = 0.3  # correlation of successive residuals above which deviations are too small

PORTION = 4096  # samples per block: the full regressor of a block is in memory


@dataclass(frozen=True)
class Samples:
    """Measured motion and efforts, one row per time.

    Columns of q, qd and qdd are the measured coordinates; those of tau, these or all joints.
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    u: Array | None


@checked_call
def fit(
    plant: BarePlant,
    t: Sequence[float] | Array,
    q: Array,
    tau: Array,
    *,
    qd: Array | None = None,
    qdd: Array | None = None,
    inputs: Mapping[str, Array] | None = None,
    cutoff: float | None = None,
    friction: str | Sequence[str] = ("viscous", "coulomb"),
    armature: bool = True,
    base: BaseParameters | None = None,
) -> Identified:
    """Identify the base parameters of a mechanism from measured motion and efforts.

    Force laws of the model are treated as known; friction is identified in addition to them. In a
    mechanism with loops, the measured coordinates are the independent and driven ones.

    Args:
        plant: the mechanism: its geometry is exact, its inertias are an initial guess.
        t: times [s], shape (N,).
        q: measured positions, shape (N, nq); with loops, or of the measured coordinates only.
        tau: measured efforts of all joints [N·m or N], shape (N, n), 0 without a motor; with loops,
            or of the measured coordinates only.
        qd: measured velocities; default: from q, which requires a cut-off.
        qdd: measured accelerations; default: from qd or q, which requires a cut-off.
        inputs: measured inputs of the plant, by name; default: their initial values.
        cutoff: cut-off frequency of the zero-phase filter for q, efforts and the regressor [Hz]:
            about five times the highest frequency of the motion.
        friction: see `regressor`.
        armature: see `regressor`.
        base: base parameters computed before; they then determine friction and armature.
    """
    given = chosen_base(plant, base, armature, friction)
    closing = given.regressor.closing
    table = {"q": q, "tau": tau, "qd": qd, "qdd": qdd}
    samples = read_samples(plant, t, table, inputs, closing)
    filtered = None
    if cutoff is not None:
        filtered = ZeroPhaseFilter.for_samples(samples.t, real(cutoff, "cutoff"))
    moved = with_motion(plant, samples, filtered, qd is not None, qdd is not None)
    motion = closing.complete(moved.q, moved.qd, moved.qdd)
    W, of_model = regressor_rows(given, motion)
    target, time = _efforts(closing, motion, moved.tau), moved.t
    target = target - _known(given, of_model, motion, moved)
    if filtered is not None:
        edge = filtered.settling
        kept = slice(edge, max(len(W) - edge, edge), filtered.stride)
        # joint by joint, to save memory
        W = np.stack([filtered(W[:, j])[kept] for j in range(W.shape[1])], axis=1)
        target, time = filtered(target)[kept], time[kept]
    if W.shape[0] * W.shape[1] <= 2 * W.shape[2]:
        raise InputError(
            f"{W.shape[0]} samples are too few for {W.shape[2]} base parameters",
            fix="Record a longer run, or raise the cut-off.",
        )
    if not np.any(target):
        raise InputError(
            "all efforts are zero: nothing can be identified from them",
            fix='Give measured efforts; of a run, name their signals: efforts={"joint": "signal"}.',
        )
    told = seen_in(given, W.reshape(-1, W.shape[2]))
    W = W[..., [given.kept.index(k) for k in told.kept]]
    found = solve(W, target)
    return Identified(
        told, found.b, found.covariance, _unidentified(told), found.noise, found.condition,
        time, target, found.residuals, _notes(given, told, found.residuals),
    )  # fmt: skip


def read_samples(
    plant: BarePlant,
    t: Sequence[float] | Array,
    given: Mapping[str, Array | None],
    inputs: Mapping[str, Array] | None,
    closing: Closing | None = None,
) -> Samples:
    """Check measured columns; those that are None become zero."""
    time = reals(t, "t")
    if time.ndim != 1 or len(time) < 2 or not np.all(np.diff(time) > 0.0):
        raise InputError(
            "t must be increasing", fix="Give times [s] in increasing order, shape (N,)."
        )
    tables: dict[str, Array] = {}
    for what, values in given.items():
        shape = (len(time), plant.nq if what == "q" else plant.n)
        table = np.zeros(shape) if values is None else reals(values, what)
        few = shape if closing is None else (len(time), len(closing.places))
        if closing is not None and what != "tau":
            table = closing.picked(table)
        if table.shape not in (shape, few) or not np.all(np.isfinite(table)):
            needs = f"{shape}" if few == shape else f"{shape} or {few}"
            names = "" if closing is None or closing.is_tree else f": {', '.join(closing.names)}"
            raise InputError(
                f"{what} has shape {table.shape} or holds NaN, model '{plant.name}' needs {needs}",
                fix=f"Give one row per time and one column per coordinate{names}.",
            )
        tables[what] = table
    return Samples(time, **tables, u=_inputs(plant, inputs, len(time)))


def _inputs(plant: BarePlant, given: Mapping[str, Array] | None, count: int) -> Array | None:
    u = np.tile(plant.first_inputs, (count, 1))
    for name, values in by_name(given, "inputs").items():
        if name not in plant.inputs:
            raise InputError(
                f"model '{plant.name}' has no input '{name}'", fix=name_hint(name, plant.inputs)
            )
        column = reals(values, name)
        if column.shape not in ((), (count,)):
            raise InputError(
                f"input '{name}' has shape {column.shape}", fix=f"Give {count} values."
            )
        u[:, plant.inputs.index(name)] = column
    return u if plant.inputs else None


def with_motion(
    plant: BarePlant, s: Samples, low_pass: ZeroPhaseFilter | None, has_qd: bool, has_qdd: bool
) -> Samples:
    """Samples with velocities and accelerations."""
    if has_qd and has_qdd:
        return s
    if low_pass is None:
        raise InputError(
            "velocities and accelerations cannot be found from q without a filter",
            fix="Give cutoff= [Hz], about five times the highest frequency of the motion, or qd "
            "and qdd.",
        )
    if plant.nq > plant.n:
        raise InputError(
            f"model '{plant.name}' has ball joints: their motion is not found from q",
            fix="Give qd and qdd.",
        )
    q = low_pass(s.q)
    if has_qd:
        return replace(s, q=q, qd=low_pass(s.qd), qdd=low_pass(s.qd, 1))
    return replace(s, q=q, qd=low_pass(s.q, 1), qdd=low_pass(s.q, 2))


def regressor_rows(base: BaseParameters, motion: Motion) -> tuple[Array, Array]:
    """Y_kept at all samples, and the efforts Y π of the current model."""
    regressor = base.regressor
    rows = len(motion.q), len(regressor.coordinates)
    W, of_model = np.empty((*rows, len(base))), np.empty(rows)
    for first in range(0, len(motion.q), PORTION):
        part = slice(first, first + PORTION)
        Y = regressor.along(motion.cut(part))
        W[part], of_model[part] = Y[..., list(base.kept)], Y @ regressor.values
    return W, of_model


def _efforts(closing: Closing, motion: Motion, tau: Array) -> Array:
    """Measured efforts along the measured coordinates."""
    if tau.shape[1] == len(closing.places):
        return tau
    return motion.along(tau)


def _known(base: BaseParameters, of_model: Array, motion: Motion, s: Samples) -> Array:
    """Known efforts, not in the columns: armatures of the model, force laws and inputs."""
    regressor = base.regressor
    plant = regressor.plant
    armature = 0.0 if "armature" in regressor.kinds else regressor.inertial.armature
    known = motion.along(motion.qdd * armature)
    if plant.mechanism.laws or plant.inputs:
        state = {"q": motion.q, "qd": motion.qd, "qdd": motion.qdd, "u": s.u, "t": s.t}
        full = motion.along(plant.evaluate("inverse_dynamics", **state)["tau"])
        known = known + (full - known - of_model)
    return known


def _unidentified(base: BaseParameters) -> tuple[str, ...]:
    """Parameters that are part of no base parameter."""
    pairs = zip(base.regressor.names, np.any(base.grouping != 0.0, axis=0).tolist(), strict=True)
    return tuple(name for name, known in pairs if not known)


def _notes(given: BaseParameters, told: BaseParameters, residuals: Array) -> tuple[str, ...]:
    plant = given.regressor.plant
    notes = []
    if len(told) < len(given):
        lost = ", ".join(name for name in given.names if name not in told.names)
        notes.append(
            f"the motion does not separate {lost} from other parameters: use more excitation"
        )
    laws = [law.name for law in plant.mechanism.laws]
    if laws:
        notes.append("taken as known: force laws " + ", ".join(laws))
    if "armature" not in given.regressor.kinds and np.any(given.regressor.inertial.armature):
        notes.append("taken as known: armatures of the model")
    power = np.sum(residuals**2, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = np.sum(residuals[1:] * residuals[:-1], axis=0) / power
    for name, value in zip(given.regressor.coordinates, correlation, strict=True):
        if value > CORRELATED:
            notes.append(
                f"residuals of {name} are correlated ({value:.2f}): the model lacks something, "
                "and true errors are larger than the standard deviations"
            )
    return tuple(notes)
