"""Parameters of force laws, friction with states among them, from measured motion and efforts.

    tau = tau_model(q, qd, qdd, z; p) + Y_b (b - b_model)

Base parameters b enter linearly and p does not change Y_b: they are eliminated (variable
projection, Golub & Pereyra 1973), the search goes over p alone, and b follows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import scipy

from inloop.analysis.fitting.fitted import Comparison, Fitted
from inloop.analysis.fitting.notes import residual_notes, unidentified_in
from inloop.analysis.fitting.residual_tests import judge_residuals
from inloop.analysis.fitting.unknowns import Unknowns, by_channel, choose_unknowns
from inloop.analysis.identify.along_motion import AlongMotion
from inloop.analysis.identify.base_parameters import BaseParameters
from inloop.analysis.identify.filtering import ZeroPhaseFilter
from inloop.analysis.identify.fit import Samples, read_samples, regressor_rows, with_motion
from inloop.errors import InputError
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import name_list, real
from inloop.plant.keywords import checked_call
from inloop.simulate.progress import searching

ROUNDS = 2  # of the search, with noise levels of the one before
TOLERANCE = 1e-7  # relative change of the sum of squares, and of parameters, that ends it
DRAWS = 16  # of position errors, from which their part of the covariance is found
DERIVATIVES = "differences of laws, carried through the linear system of their states"
INSIDE = 1e-9  # how far within bounds a search begins, in sizes of parameters


@checked_call
def fit_laws(
    plant: BarePlant,
    t: Sequence[float] | Array,
    q: Array,
    tau: Array,
    fit: str | Sequence[str],
    *,
    cutoff: float,
    inputs: Mapping[str, Array] | None = None,
    base: BaseParameters | None = None,
    noise: Mapping[str, float] | None = None,
    resolution: Mapping[str, float] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    refuse: bool = True,
) -> Fitted:
    """Find parameters of force laws with which efforts are those that were measured.

    The motion counts as known: positions pass a filter without delay, which gives velocities and
    accelerations. States of laws are followed along it from their values at the start of a run.
    Errors count as white noise of the efforts.

    Args:
        plant: a mechanism without loops; its parameters are where the search begins.
        t: times at equal steps [s], shape (N,).
        q: measured positions, shape (N, n).
        tau: measured efforts of all joints [N·m or N], shape (N, n).
        fit: names of live parameters, or patterns such as "friction_*".
        cutoff: of the filter that the positions pass [Hz]: above five times the highest frequency
            of the motion.
        inputs: measured inputs of the plant, by name; their initial values by default.
        base: base parameters that are identified together with them; else inertias are known.
        noise: standard deviations of efforts, by "<joint>.tau"; else found from the residuals.
        resolution: steps of the position sensors, by joint [rad or m]; what these add to standard
            deviations is then counted: much where a law is as stiff as bristles are.
        bounds: (low, high) of parameters, by name.
        refuse: raise an error if most of the residuals are not noise.

    Raises:
        InputError: an argument is of no use.
        ResidualError: the model does not explain the efforts, whatever its parameters.
    """
    if plant.formulation.partition.rows or plant.formulation.partition.driven or plant.by_mode:
        raise InputError(
            f"model '{plant.name}' has loops, drives or modes", fix="Use il.fit for its recordings."
        )
    outputs = tuple(f"{name}.tau" for name in plant.coordinates)
    samples = read_samples(plant, t, {"q": q, "tau": tau, "qd": None, "qdd": None}, inputs)
    low_pass = ZeroPhaseFilter.for_samples(samples.t, real(cutoff, "cutoff"))
    moved = with_motion(plant, samples, low_pass, False, False)
    unknowns = choose_unknowns(plant, name_list(fit, "fit"), (), low_pass.step, {}, bounds)
    known = by_channel(noise, "noise", outputs)
    kept = slice(low_pass.settling, len(samples.t) - low_pass.settling)
    W = np.zeros((len(samples.t), plant.n, 0)) if base is None else _rows(base, moved)
    problem = _Projected(AlongMotion(plant, moved, unknowns.names), unknowns, W[kept], tau, kept)
    levels = np.array([known.get(name, 0.0) for name in outputs])
    with searching("fitting"):
        found = problem.solve(levels)
    steps = by_channel(resolution, "resolution", plant.coordinates)

    def read_again(zeros: Array) -> Samples:
        """The motion as sensors with these steps might have told it as well."""
        q_read = moved.q.copy()
        for (name, size), zero in zip(steps.items(), zeros, strict=True):
            k = plant.coordinates.index(name)
            q_read[:, k] = (np.round(moved.q[:, k] / size + zero) - zero) * size
        return with_motion(plant, replace(moved, q=q_read), low_pass, False, False)

    draws = [read_again(zeros) for zeros in _zeros(len(steps))] if steps else []
    return _fitted(plant, problem, found, base, known, samples.t[kept], draws, refuse)


def _zeros(count: int) -> Array:
    """Where steps of position sensors may begin, of each: all parts of a step come equally often.

    What is found depends much on it in a small part of the step, where a joint turns round: draws
    that are independent of each other miss it too often.

    Returns:
        Parts of a step, shape (draws, sensors).
    """
    random = np.random.default_rng(0)
    columns = [random.permutation(DRAWS) + random.uniform() for _ in range(count)]
    return np.stack(columns, axis=1) / DRAWS


def _rows(base: BaseParameters, s: Samples) -> Array:
    return regressor_rows(base, base.regressor.closing.complete(s.q, s.qd, s.qdd))[0]


class _Projected:
    """Residuals of efforts as a function of the parameters of laws, base parameters eliminated."""

    def __init__(
        self, model: AlongMotion, unknowns: Unknowns, W: Array, tau: Array, kept: slice
    ) -> None:
        self.model, self.unknowns, self.W, self.kept = model, unknowns, W, kept
        self.tau = np.asarray(tau, dtype=np.float64)[kept]
        self.evaluations = 0
        self._last = np.zeros(0), np.zeros(0)  # unknowns, and the residuals with them
        self.weigh(np.ones(self.tau.shape[1]))

    def weigh(self, noise: Array) -> None:
        """Take other noise levels."""
        self.noise = noise
        rows = (self.W / noise[:, None]).reshape(self.tau.size, -1)
        self.columns = rows / np.linalg.norm(rows, axis=0)
        self._factor = np.linalg.cholesky(self.columns.T @ self.columns)

    def left(self, x: Array) -> Array:
        """Measured less predicted efforts over noise, base parameters as in the model."""
        self.evaluations += 1
        predicted = self.model.predict(x * self.unknowns.scale)[self.kept]
        return np.asarray(((self.tau - predicted) / self.noise).ravel())

    def slopes(self, x: Array) -> Array:
        """Derivatives of predicted efforts over noise."""
        values = x * self.unknowns.scale
        found = self.model.derivatives(values, self.unknowns.scale)[self.kept]
        found *= self.unknowns.scale / self.noise[:, None]
        return found.reshape(self.tau.size, -1)

    def outside(self, rows: Array) -> Array:
        """What base parameters cannot explain of rows."""
        share = scipy.linalg.cho_solve((self._factor, True), self.columns.T @ rows)
        return np.asarray(rows - self.columns @ share)

    def solve(self, given: Array) -> Array:
        """Search the parameters; noise that is not given is found from the residuals."""
        x = self.unknowns.first / self.unknowns.scale
        spread = self.tau.std(axis=0)
        self.weigh(np.where(given > 0.0, given, 0.1 * np.where(spread > 0.0, spread, 1.0)))
        for _ in range(ROUNDS):
            x = self._descend(x)
            left = self.outside(self.left(x)).reshape(self.tau.shape) * self.noise
            count = len(left) - (len(x) + self.W.shape[2]) / left.shape[1]
            self.weigh(np.where(given > 0.0, given, np.sqrt(np.sum(left**2, axis=0) / count)))
        return x

    def _turned(self, x: Array) -> Array:
        """Residuals in axes of which the last one lies along them: |r| there, 0 elsewhere.

        The search reads lengths and angles of residuals and slopes only, which are the same in
        all axes. In these, as many rows as unknowns and one more hold all of them.
        """
        self._last = x.copy(), self.outside(self.left(x))
        found = np.zeros(len(x) + 1)
        found[-1] = np.linalg.norm(self._last[1])
        return found

    def _turned_slopes(self, x: Array) -> Array:
        """Derivatives of the residuals in the same axes."""
        if not np.array_equal(self._last[0], x):
            self._turned(x)
        J, r = -self.outside(self.slopes(x)), self._last[1]
        along = J.T @ (r / max(float(np.linalg.norm(r)), np.finfo(float).tiny))
        power, axes = np.linalg.eigh(J.T @ J - np.outer(along, along))
        return np.vstack([np.sqrt(power.clip(0.0))[:, None] * axes.T, along])

    def _descend(self, x: Array) -> Array:
        """Gauss and Newton's method in a trust region, each parameter in units of its own size.

        In units of slopes one without effect would run away: a Stribeck velocity, as long as
        static friction is that of sliding.
        """
        u = self.unknowns
        bounds = u.lower / u.scale, u.upper / u.scale
        found = scipy.optimize.least_squares(
            self._turned,
            np.clip(x, bounds[0] + INSIDE, bounds[1] - INSIDE),
            self._turned_slopes,
            bounds=bounds,
            x_scale=1.0,
            ftol=TOLERANCE,
            xtol=TOLERANCE,
            gtol=TOLERANCE,
        )
        return np.asarray(found.x)


def _fitted(
    plant: BarePlant,
    problem: _Projected,
    x: Array,
    base: BaseParameters | None,
    known: Mapping[str, float],
    t: Array,
    draws: Sequence[Samples],
    refuse: bool,
) -> Fitted:
    unknowns = problem.unknowns
    left, slopes = problem.left(x), problem.slopes(x)
    weighted = (problem.W / problem.noise[:, None]).reshape(problem.tau.size, -1)
    b = np.linalg.lstsq(weighted, left, rcond=None)[0] if weighted.shape[1] else np.zeros(0)
    J = np.hstack([slopes, weighted])
    size = np.linalg.norm(J, axis=0).clip(np.finfo(float).tiny)
    inverse = np.linalg.pinv((J / size).T @ (J / size), rcond=1e-13, hermitian=True)
    scale = np.concatenate([unknowns.scale, np.ones(len(b))]) / size
    covariance = np.asarray(inverse * np.outer(scale, scale), np.float64)
    covariance += _of_positions(problem, x, J / size, inverse, scale, draws)
    first = np.zeros(0) if base is None else base.values
    residuals = (left - weighted @ b).reshape(problem.tau.shape) * problem.noise
    outputs = tuple(f"{name}.tau" for name in plant.coordinates)
    rest = problem.outside(slopes)
    lost = unidentified_in(unknowns.labels, rest.T @ rest)
    tests = tuple(
        judge_residuals(
            residuals[:, c], problem.tau[:, c], "recording 1", name, float(problem.noise[c]),
            name in known,
        )
        for c, name in enumerate(outputs)
    )  # fmt: skip
    notes = [note for each in tests for note in residual_notes(each)]
    notes += [
        f"residuals of {each.channel} are not white noise" for each in tests if not each.white
    ]
    units = (body.joint.kind.dimension.effort for body in plant.mechanism.bodies)
    found = Fitted(
        plant.name,
        (*unknowns.names, *(() if base is None else base.names)),
        (*unknowns.units, *(() if base is None else base.units)),
        np.concatenate([unknowns.first, first]),
        np.concatenate([x * unknowns.scale, first + b]),
        covariance,
        lost, outputs, problem.noise, tests, (),
        (Comparison("recording 1", t, problem.tau, problem.tau - residuals, False),),
        tuple(notes), problem.evaluations, DERIVATIVES, tuple(units),
    )  # fmt: skip
    if refuse:
        found.check()
    return found


def _of_positions(
    problem: _Projected,
    x: Array,
    J: Array,
    inverse: Array,
    scale: Array,
    draws: Sequence[Samples],
) -> Array:
    """Covariance that errors of the positions add, by what each of some draws would change."""
    found = np.zeros((len(scale), len(scale)))
    values, model = x * problem.unknowns.scale, problem.model
    here = model.predict(values)[problem.kept]
    for drawn in draws:
        there = model.along(drawn).predict(values)[problem.kept]
        change = ((there - here) / problem.noise).ravel()
        moved = scale * (inverse @ (J.T @ change))
        found += np.outer(moved, moved) / len(draws)
    return found
