"""The least-squares problem over parameters, delays and initial states, and its solution.

    minimize  Σ ((y_predicted - y) / noise)²  +  w² Σ ((x_end - x_begin) / size)²

The second sum closes the gaps between segments (multiple shooting, Bock 1983). w grows in stages:
at first segments are loosely coupled, so that nothing diverges over a long run; in the end the gaps
are far below the noise. A weak regularization pulls each unknown to its initial value: it matters
only in directions that the recordings do not determine, which would drift otherwise. On the way to
the solution it may be stronger, and pull initial states, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from inloop.analysis.fitting.derivatives import Derivatives
from inloop.analysis.fitting.shooting import Shooting
from inloop.errors import SimulationError
from inloop.plant import Array

CLOSING = (1e2, 1e4, 1e6)  # w, stage by stage
NOISE_ROUNDS = 4  # maximum rounds that estimate noise levels from residuals
SETTLED = 0.02  # relative change of noise levels that ends these rounds
FIRST_NOISE = 0.05  # initial noise level, relative to the standard deviation of a channel
LEAST_NOISE = 1e-12  # minimum noise level, relative to the size of a channel: rounding
TOLERANCE = 1e-10
# regularization: residuals of an unknown, and of an initial state, that change by their sizes
HELD = (1e-4, 0.0)
GUESSED = (1.0, 1.0)  # the guess counts as known within its size

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Solution:
    """The result of the search.

    Attributes:
        values: values of the unknowns.
        nodes: initial states of the segments.
        covariance: covariance of the unknowns.
        information: its inverse, in units of `Unknowns.scale`, initial states projected out.
        noise: standard deviation of each channel.
        residuals: measured minus predicted, one array (samples, channels) per segment.
        gap: the largest gap between segments, in sizes of states.
        evaluations: how often all recordings were predicted.
        converged: whether the search converged.
        derivatives: how derivatives were computed.
        slopes: derivatives of the samples, in standard deviations, by the unknowns, with initial
            states projected out.
    """

    values: Array
    nodes: Array
    covariance: Array
    information: Array
    noise: Array
    residuals: list[Array]
    gap: float
    evaluations: int
    converged: bool
    derivatives: str
    slopes: Array

    def led_by(self, changes: Sequence[Array]) -> Array:
        """Change of the values due to small changes of the predictions, one array per segment."""
        rows = np.concatenate([(each / self.noise).ravel() for each in changes])
        return np.asarray(np.linalg.lstsq(self.slopes, rows, rcond=1e-7)[0])


class Problem:
    """Residuals and their Jacobian as functions of one vector.

    The vector contains the unknowns in units of their scales, then the free entries of the nodes in
    their sizes.
    """

    def __init__(
        self, shooting: Shooting, derivatives: Derivatives, noise: Array, closing: float,
        held: tuple[float, float] = HELD,
    ) -> None:  # fmt: skip
        self.shooting, self.derivatives = shooting, derivatives
        self.noise, self.closing = noise, closing
        unknowns = shooting.unknowns
        self.count = len(unknowns)
        self.free = shooting.free
        sizes = np.broadcast_to(shooting.sizes, self.free.shape)[self.free]
        self.units = np.concatenate([unknowns.scale, sizes])
        self.held = np.repeat(held, [self.count, len(sizes)])
        open_ended = np.full(len(sizes), np.inf)
        self.lower = np.concatenate([unknowns.lower, -open_ended]) / self.units
        self.upper = np.concatenate([unknowns.upper, open_ended]) / self.units
        # indices of the free entries of the nodes in the vector
        self.places = np.full(self.free.shape, -1)
        self.places[self.free] = self.count + np.arange(len(sizes))
        self.evaluations = 0

    def vector(self, values: Array, nodes: Array) -> Array:
        """Unknowns and nodes as one vector, within bounds."""
        scaled = np.concatenate([values, nodes[self.free]]) / self.units
        return np.asarray(np.clip(scaled, self.lower, self.upper))

    def parts(self, x: Array) -> tuple[Array, Array]:
        """Values of the unknowns, and nodes."""
        nodes = self.shooting.nodes.copy()
        nodes[self.free] = (x * self.units)[self.count :]
        return (x * self.units)[: self.count], nodes

    def misses(self, x: Array) -> tuple[list[Array], Array]:
        """Predicted minus measured outputs per segment, and gaps at handovers."""
        values, nodes = self.parts(x)
        self.evaluations += 1
        seen, ends = self.shooting.predict(values, nodes)
        errors = []
        for each, y in zip(self.shooting.segments, seen, strict=True):
            run = self.shooting.recordings[each.recording]
            errors.append(y - run.y[each.first : each.stop])
        joined = self.joined
        return errors, (ends[joined] - nodes[joined + 1]) / self.shooting.sizes

    @property
    def joined(self) -> Array:
        """Indices of the segments that are followed by another one."""
        segments = self.shooting.segments
        return np.array([k for k, each in enumerate(segments) if each.handover is not None], int)

    def residuals(self, x: Array) -> Array:
        """All residuals, in standard deviations."""
        missed, gaps = self.misses(x)
        rows = [(each / self.noise).ravel() for each in missed]
        held = self.held * (x - self.vector(self.shooting.unknowns.first, self.shooting.nodes))
        return np.concatenate([*rows, self.closing * gaps.ravel(), held[self.held > 0.0]])

    def jacobian(self, x: Array) -> Array:
        """Derivatives of `residuals`."""
        values, nodes = self.parts(x)
        seen, ends = self.derivatives(values, nodes)
        n = nodes.shape[1]
        blocks = []
        for k, each in enumerate(seen):
            weighted = each / self.noise[:, None]
            blocks.append(self._spread(weighted.reshape(-1, self.count + n), k))
        for k in self.joined:
            rows = self._spread(ends[k], k)
            for i in range(n):
                if self.places[k + 1, i] >= 0:
                    rows[i, self.places[k + 1, i]] -= 1.0
            blocks.append(self.closing * rows / self.shooting.sizes[:, None])
        held = np.diag(self.held)[self.held > 0.0]
        return np.vstack([np.vstack(blocks) * self.units, held])

    def _spread(self, rows: Array, segment: int) -> Array:
        """Scatter the columns of a segment's derivatives into the vector's columns, unscaled."""
        wide = np.zeros((len(rows), len(self.units)))
        wide[:, : self.count] = rows[:, : self.count]
        places, free = self.places[segment], self.free[segment]
        wide[:, places[free]] = rows[:, self.count :][:, free]
        return wide


def solve(
    shooting: Shooting,
    noise: Mapping[str, float],
    outputs: Sequence[str],
    most: int,
    tell: Tell,
    *,
    exact: bool = True,
    held: tuple[float, float] = HELD,
) -> Solution:
    """Solve for the unknowns; noise levels that are not given are estimated from the residuals.

    Args:
        shooting: predictions.
        noise: known standard deviations of channels, by name.
        outputs: names of all channels.
        most: maximum number of evaluations in each stage.
        tell: called with progress messages.
        exact: use exact derivatives if available.
        held: weights of the regularization of unknowns and of initial states.

    Raises:
        InputError: runs cannot start with the initial values of the search.
        SimulationError: the plant cannot be run with these values.
    """
    known = np.array([noise.get(name, 0.0) for name in outputs])
    spread = np.vstack([each.y for each in shooting.recordings]).std(axis=0)
    levels = np.where(known > 0.0, known, np.where(spread > 0.0, FIRST_NOISE * spread, 1.0))
    values, nodes = shooting.first, shooting.nodes
    joined = any(each.handover is not None for each in shooting.segments)
    stages = [*(CLOSING if joined else CLOSING[:1])]
    derivatives, used = Derivatives(shooting, exact=exact), 0
    for number in range(len(stages) + NOISE_ROUNDS):
        closing = stages[min(number, len(stages) - 1)]
        problem = Problem(shooting, derivatives, levels, closing, held)
        x, converged = _minimize(problem, values, nodes, most, tell)
        values, nodes = problem.parts(x)
        used += problem.evaluations
        before, levels = levels, _levels(problem, x, known, spread)
        change = np.abs(levels / before - 1.0).max(initial=0.0)
        if number >= len(stages) - 1 and change < SETTLED:
            break
    # what recordings tell, without the guess
    return _solution(Problem(shooting, derivatives, levels, closing), x, used, converged)


def _minimize(
    problem: Problem, values: Array, nodes: Array, most: int, tell: Tell
) -> tuple[Array, bool]:
    first = problem.vector(values, nodes)
    if not np.all(np.isfinite(problem.residuals(first))):
        problem.shooting.refuse_starts(*problem.parts(first))
        raise SimulationError(
            f"model '{problem.shooting.plant.name}' cannot follow the recording with the "
            "initial values of the search",
            fix="Start with better parameters, use smaller steps (step=), or cut the recording "
            "into segments (segments=, in seconds).",
        )

    if not len(first):
        return first, True

    def jacobian(x: Array) -> Array:
        tell(f"fitting: {problem.evaluations} evaluations")
        slopes = problem.jacobian(x)
        if np.all(np.isfinite(slopes)):
            return slopes
        raise SimulationError(
            f"runs of model '{problem.shooting.plant.name}' fail near the values that the "
            "search has reached",
            fix="Cut the recording into shorter segments (segments=), or set bounds.",
        )

    room = problem.upper - problem.lower
    inside = np.clip(first, problem.lower + 1e-9 * np.minimum(room, 1.0),
                     problem.upper - 1e-9 * np.minimum(room, 1.0))  # fmt: skip
    result = scipy.optimize.least_squares(
        problem.residuals, inside, jacobian, bounds=(problem.lower, problem.upper), x_scale="jac",
        ftol=TOLERANCE, xtol=TOLERANCE, gtol=TOLERANCE, max_nfev=most,
    )  # fmt: skip
    return np.asarray(result.x), result.status > 0


def _levels(problem: Problem, x: Array, known: Array, spread: Array) -> Array:
    """Noise of each channel from the residuals, corrected for the number of unknowns."""
    rows = np.vstack(problem.misses(x)[0])
    share = 1.0 - (len(x) - len(problem.joined) * problem.shooting.nodes.shape[1]) / max(
        rows.size, 1
    )
    levels = np.sqrt(np.mean(rows**2, axis=0) / max(share, 0.1))
    size = np.where(spread > 0.0, spread, 1.0)
    return np.where(known > 0.0, known, np.maximum(levels, LEAST_NOISE * size))


def _solution(problem: Problem, x: Array, evaluations: int, converged: bool) -> Solution:
    values, nodes = problem.parts(x)
    missed, gaps = problem.misses(x)
    J = problem.jacobian(x)
    # project out the initial states: the rest is information on the unknowns alone
    parameters, starts = J[:, : problem.count], J[:, problem.count :]
    if starts.shape[1]:
        basis = scipy.linalg.orth(starts / np.linalg.norm(starts, axis=0).clip(1e-300))
        parameters = parameters - basis @ (basis.T @ parameters)
    information = parameters.T @ parameters
    scale = problem.units[: problem.count]
    size = np.sqrt(np.diag(information))
    inverse = np.linalg.pinv(information / np.outer(size, size), rcond=1e-14, hermitian=True)
    covariance = np.asarray(inverse * np.outer(scale / size, scale / size), np.float64)
    return Solution(
        values, nodes, covariance, information, problem.noise, [-each for each in missed],
        float(np.abs(gaps).max(initial=0.0)), evaluations, converged, problem.derivatives.how,
        parameters[: sum(each.size for each in missed)] / scale,
    )  # fmt: skip
