"""The least-squares problem over parameters, delays and starts, and its solution.

    minimize  Σ ((y_predicted - y) / noise)²  +  w² Σ ((x_end - x_begin) / size)²

The second sum closes the gaps between segments (multiple shooting, Bock 1983). w grows in stages:
at first segments hang together loosely, so that nothing can diverge over a long run; in the end
the gaps are far below what noise could tell. Each unknown is held where the search began, so weakly
that this counts only for what the recordings do not tell, which would wander about else.
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

CLOSING = (1e2, 1e4, 1e6)  # w, stage after stage
NOISE_ROUNDS = 4  # at most, in which noise levels are found from residuals
SETTLED = 0.02  # relative change of noise levels that ends these rounds
FIRST_NOISE = 0.05  # of the spread of a channel, where nothing is known of it
LEAST_NOISE = 1e-12  # of the size of a channel: no residual is smaller than rounding
TOLERANCE = 1e-10
HELD = 1e-4  # standard deviations of noise that a change of an unknown by its size counts as

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Solution:
    """Where the search ended.

    Attributes:
        values: of the unknowns.
        nodes: states at the begins of segments.
        covariance: of the unknowns.
        information: inverse of it, in units of `Unknowns.scale`, starts projected out.
        noise: of each channel.
        residuals: measured less predicted, one array (samples, channels) per segment.
        gap: the largest one between segments, in the sizes of states.
        evaluations: how often all recordings were predicted.
        converged: whether the search came to rest.
        derivatives: how they were found.
        slopes: of the samples in their own deviations by the unknowns, starts projected out.
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
        """How far small changes of all predictions, one array per segment, move the values."""
        rows = np.concatenate([(each / self.noise).ravel() for each in changes])
        return np.asarray(np.linalg.lstsq(self.slopes, rows, rcond=1e-7)[0])


class Problem:
    """Residuals and their derivatives as functions of one vector.

    The vector holds unknowns in units of their scales, then free entries of nodes in their sizes.
    """

    def __init__(
        self, shooting: Shooting, derivatives: Derivatives, noise: Array, closing: float
    ) -> None:
        self.shooting, self.derivatives = shooting, derivatives
        self.noise, self.closing = noise, closing
        unknowns = shooting.unknowns
        self.count = len(unknowns)
        self.free = shooting.free
        sizes = np.broadcast_to(shooting.sizes, self.free.shape)[self.free]
        self.units = np.concatenate([unknowns.scale, sizes])
        open_ended = np.full(len(sizes), np.inf)
        self.lower = np.concatenate([unknowns.lower, -open_ended]) / self.units
        self.upper = np.concatenate([unknowns.upper, open_ended]) / self.units
        # where the free entries of a node are in the vector
        self.places = np.full(self.free.shape, -1)
        self.places[self.free] = self.count + np.arange(len(sizes))
        self.evaluations = 0

    def vector(self, values: Array, nodes: Array) -> Array:
        """Unknowns and nodes as one vector, within bounds."""
        found = np.concatenate([values, nodes[self.free]]) / self.units
        return np.asarray(np.clip(found, self.lower, self.upper))

    def parts(self, x: Array) -> tuple[Array, Array]:
        """Values of the unknowns, and nodes."""
        nodes = self.shooting.nodes.copy()
        nodes[self.free] = (x * self.units)[self.count :]
        return (x * self.units)[: self.count], nodes

    def misses(self, x: Array) -> tuple[list[Array], Array]:
        """Predicted less measured per segment, and gaps at handovers, by segment."""
        values, nodes = self.parts(x)
        self.evaluations += 1
        seen, ends = self.shooting.predict(values, nodes)
        found = []
        for each, y in zip(self.shooting.segments, seen, strict=True):
            run = self.shooting.recordings[each.recording]
            found.append(y - run.y[each.first : each.stop])
        joined = self.joined
        return found, (ends[joined] - nodes[joined + 1]) / self.shooting.sizes

    @property
    def joined(self) -> Array:
        """Numbers of the segments that are followed by another one."""
        segments = self.shooting.segments
        return np.array([k for k, each in enumerate(segments) if each.handover is not None], int)

    def residuals(self, x: Array) -> Array:
        """All of them, in their own standard deviations."""
        missed, gaps = self.misses(x)
        rows = [(each / self.noise).ravel() for each in missed]
        held = HELD * (x - self.vector(self.shooting.unknowns.first, self.shooting.nodes))
        return np.concatenate([*rows, self.closing * gaps.ravel(), held[: self.count]])

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
        held = HELD * np.eye(self.count, len(self.units))
        return np.vstack([np.vstack(blocks) * self.units, held])

    def _spread(self, rows: Array, segment: int) -> Array:
        """Columns of one segment's derivatives where they are in the vector, before units."""
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
) -> Solution:
    """Find the unknowns; noise levels that are not given are found from the residuals.

    Args:
        shooting: predictions.
        noise: known standard deviations of channels, by name.
        outputs: names of all channels.
        most: evaluations in each stage.
        tell: told what the search is at.
        exact: take exact derivatives where there are any.

    Raises:
        InputError: runs cannot start with the values the search begins with.
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
        problem = Problem(shooting, derivatives, levels, closing)
        x, converged = _minimize(problem, values, nodes, most, tell)
        values, nodes = problem.parts(x)
        used += problem.evaluations
        before, levels = levels, _levels(problem, x, known, spread)
        change = np.abs(levels / before - 1.0).max(initial=0.0)
        if number >= len(stages) - 1 and change < SETTLED:
            break
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
        found = problem.jacobian(x)
        if np.all(np.isfinite(found)):
            return found
        raise SimulationError(
            f"runs of model '{problem.shooting.plant.name}' fail near the values that the "
            "search has reached",
            fix="Cut the recording into shorter segments (segments=), or set bounds.",
        )

    room = problem.upper - problem.lower
    inside = np.clip(first, problem.lower + 1e-9 * np.minimum(room, 1.0),
                     problem.upper - 1e-9 * np.minimum(room, 1.0))  # fmt: skip
    found = scipy.optimize.least_squares(
        problem.residuals, inside, jacobian, bounds=(problem.lower, problem.upper), x_scale="jac",
        ftol=TOLERANCE, xtol=TOLERANCE, gtol=TOLERANCE, max_nfev=most,
    )  # fmt: skip
    return np.asarray(found.x), found.status > 0


def _levels(problem: Problem, x: Array, known: Array, spread: Array) -> Array:
    """Noise of each channel from what is left, unknowns counted."""
    rows = np.vstack(problem.misses(x)[0])
    share = 1.0 - (len(x) - len(problem.joined) * problem.shooting.nodes.shape[1]) / max(
        rows.size, 1
    )
    found = np.sqrt(np.mean(rows**2, axis=0) / max(share, 0.1))
    size = np.where(spread > 0.0, spread, 1.0)
    return np.where(known > 0.0, known, np.maximum(found, LEAST_NOISE * size))


def _solution(problem: Problem, x: Array, evaluations: int, converged: bool) -> Solution:
    values, nodes = problem.parts(x)
    missed, gaps = problem.misses(x)
    J = problem.jacobian(x)
    # starts projected out: what is left tells of the unknowns alone
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
