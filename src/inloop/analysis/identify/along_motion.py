"""Efforts along a measured motion, with states of force laws, and their derivatives.

With q(t) known, states z of force laws (the bristles of friction) follow zd = f(z, t). They are
found at all samples at once: Newton's method on the implicit steps

    z_(k+1) = z_k + h ((1 - θ) f_k + θ f_(k+1)),    θ = 1/(1 - exp(-x)) - 1/x,  x = -h ∂f/∂z,

which are exact for a linear law whose rate is constant (exponential fitting, Liniger & Willoughby
1970): the trapezoidal rule where the state is slow, the backward Euler method where it is fast. One
iteration evaluates f for all samples in compiled code and solves one banded system. Derivatives by
parameters solve the same system once more.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np
import scipy
from numpy.typing import NDArray

from inloop.analysis.identify.fit import Samples
from inloop.errors import SimulationError
from inloop.plant import Array, BarePlant
from inloop.plant.trying import with_parameters
from inloop.simulate.refused_methods import refuse_hard_contacts

PART = 1e-6  # of the size of a parameter or a state, over which differences are taken
MOST_ITERATIONS = 60
CONVERGED = 1e-8  # change of a state, in its size, that ends Newton's method
LOOKED_AT = 400  # samples at which the pattern of derivatives is found
Parts = Sequence[list[int]]
SLOW = 1e-3  # x below which θ is its series


class AlongMotion:
    """A tree that follows a measured motion, as a function of parameters of its force laws."""

    def __init__(self, plant: BarePlant, samples: Samples, names: Sequence[str]) -> None:
        """See a plant so.

        Args:
            plant: the compiled mechanism.
            samples: its motion at equal steps, with velocities and accelerations.
            names: of the parameters.
        """
        self.plant, self.samples, self.names = plant, samples, tuple(names)
        refuse_hard_contacts(plant)
        self._step = float(samples.t[-1] - samples.t[0]) / (len(samples.t) - 1)
        self._z = np.tile(plant.first_states, (len(samples.t), 1))
        self._find_pattern()

    def _rates(self, values: Array, z: Array, rows: slice = slice(None)) -> Array:
        return self._evaluate("bias", values, z, rows).get("zd", np.zeros_like(z))

    def _efforts(self, values: Array, z: Array, rows: slice = slice(None)) -> Array:
        qdd = self.samples.qdd[rows]
        return self._evaluate("inverse_dynamics", values, z, rows, qdd=qdd)["tau"]

    def _evaluate(
        self, function: str, values: Array, z: Array, rows: slice, **more: Array
    ) -> dict[str, Array]:
        """A function of the plant at all rows, in one call."""
        s = self.samples
        given = {"q": s.q[rows], "qd": s.qd[rows], "t": s.t[rows], **more}
        given |= {} if s.u is None else {"u": s.u[rows]}
        given |= {"z": z} if z.shape[1] else {}
        with with_parameters(self.plant, self.names, values):
            return self.plant.evaluate(function, ready=True, lanes=False, **given)

    def along(self, samples: Samples) -> AlongMotion:
        """The same along another motion with as many samples."""
        other = copy.copy(self)
        other.samples, other._z = samples, self._z.copy()
        return other

    def predict(self, values: Array) -> Array:
        """Efforts at all samples [N·m or N], shape (N, n)."""
        self._z = self._follow(values, self._z)
        return self._efforts(values, self._z)

    def derivatives(self, values: Array, sizes: Array) -> Array:
        """Of `predict`, which was called with the same values, shape (N, n, parameters).

        Args:
            values: of the parameters.
            sizes: of them.
        """
        z = self._z
        found = np.zeros((*self.samples.qd.shape, len(self.names)))
        factors = self._factors(values, z) if z.shape[1] else None
        for group in self._groups:
            width = np.zeros(len(self.names))
            width[group] = PART * sizes[group]
            slope = np.zeros_like(z)
            if factors is not None:
                rates = (self._rates(values + width, z) - self._rates(values - width, z)) / 2.0
                slope = self._carried(factors, rates)
            # along this direction, parameters and states together
            up = self._efforts(values + width, z + slope)
            change = (up - self._efforts(values - width, z - slope)) / 2.0
            for k in group:
                found[:, self._pattern[:, k], k] = change[:, self._pattern[:, k]] / width[k]
        return found

    # states

    def _follow(self, values: Array, z: Array) -> Array:
        """States at all samples, near given ones."""
        if not z.shape[1]:
            return z
        for _ in range(MOST_ITERATIONS):
            rates, slopes = self._rates(values, z), self._slopes(values, z)
            weight = _theta(-self._step * np.diagonal(slopes, axis1=1, axis2=2))
            miss = np.zeros_like(z)
            step = self._step * ((1.0 - weight[1:]) * rates[:-1] + weight[1:] * rates[1:])
            miss[1:] = z[1:] - z[:-1] - step
            change = _solved(self._step, weight, slopes, miss, self._parts)
            z = z - change
            if not np.all(np.isfinite(z)):
                break
            if np.abs(change).max() <= CONVERGED * np.abs(z).max():
                return z
        raise SimulationError(
            f"model '{self.plant.name}': states of force laws cannot be followed along the motion",
            fix="Begin the search with other values, or set bounds.",
        )

    def _slopes(self, values: Array, z: Array) -> Array:
        """∂f/∂z at all samples, shape (N, states, states)."""
        width = PART * np.maximum(np.abs(z).max(axis=0), PART)
        found = np.zeros((*z.shape, z.shape[1]))
        for group in self._state_groups:
            shift = np.zeros(z.shape[1])
            shift[group] = width[group]
            change = (self._rates(values, z + shift) - self._rates(values, z - shift)) / 2.0
            for k in group:
                found[:, self._coupled[:, k], k] = change[:, self._coupled[:, k]] / width[k]
        return found

    def _factors(self, values: Array, z: Array) -> tuple[Array, Array]:
        slopes = self._slopes(values, z)
        return _theta(-self._step * np.diagonal(slopes, axis1=1, axis2=2)), slopes

    def _carried(self, factors: tuple[Array, Array], rates: Array) -> Array:
        """How states change with a parameter, from how their rates do."""
        weight, slopes = factors
        change = np.zeros_like(rates)
        change[1:] = self._step * ((1.0 - weight[1:]) * rates[:-1] + weight[1:] * rates[1:])
        return _solved(self._step, weight, slopes, change, self._parts)

    # what acts on what: whatever is not a number makes all that depends on it none

    def _find_pattern(self) -> None:
        """Which rates each state changes, which efforts each parameter, and what goes together."""
        values = np.array([self.plant.parameters[name] for name in self.names])
        rows = slice(0, None, max(1, len(self.samples.t) // LOOKED_AT))
        z, m = self._z[rows], self._z.shape[1]
        on_rates, on_efforts = np.zeros((m, m), bool), np.zeros((self.plant.n, m), bool)
        for k in range(m):
            lost = z.copy()
            lost[:, k] = np.nan
            on_rates[:, k] = np.isnan(self._rates(values, lost, rows)).any(axis=0)
            on_efforts[:, k] = np.isnan(self._efforts(values, lost, rows)).any(axis=0)
        reached = on_rates | np.eye(m, dtype=bool)
        for _ in range(m):
            reached = reached @ reached
        self._coupled = on_rates | np.eye(m, dtype=bool)
        self._state_groups = _apart(self._coupled)
        _, part_of = scipy.sparse.csgraph.connected_components(self._coupled)
        self._parts = [np.flatnonzero(part_of == k).tolist() for k in range(m) if k in part_of]
        self._pattern = np.zeros((self.plant.n, len(self.names)), bool)
        for k in range(len(self.names)):
            lost = values.copy()
            lost[k] = np.nan
            rates = np.isnan(self._rates(lost, z, rows)).any(axis=0)
            tau = np.isnan(self._efforts(lost, z, rows)).any(axis=0)
            self._pattern[:, k] = tau | (on_efforts @ reached @ rates)
        self._groups = _apart(self._pattern)


def _apart(pattern: NDArray[np.bool_]) -> list[list[int]]:
    """Columns in groups within which no two have an entry in the same row."""
    groups: list[list[int]] = []
    for k in range(pattern.shape[1]):
        room = (g for g in groups if not (pattern[:, g].any(axis=1) & pattern[:, k]).any())
        chosen = next(room, None)
        if chosen is None:
            groups.append([k])
        else:
            chosen.append(k)
    return groups


def _theta(x: Array) -> Array:
    """Weight of the end of a step, for a state that decays by exp(-x) in it."""
    big = np.abs(x) > SLOW
    safe = np.where(big, x, 1.0)
    with np.errstate(over="ignore"):
        exact = -1.0 / np.expm1(-safe) - 1.0 / safe
    return np.asarray(np.where(big, exact, 0.5 + x / 12.0))


def _solved(step: float, weight: Array, slopes: Array, right: Array, parts: Parts) -> Array:
    """x of (1 - hθ A_k) x_k - (1 + h(1 - θ) A_(k-1)) x_(k-1) = right_k, with x_0 = right_0.

    Args:
        step: h.
        weight: θ of each state at the end of each step, shape (N, states).
        slopes: A at all samples, shape (N, states, states).
        right: shape (N, states).
        parts: states that have to do with each other.
    """
    found = np.empty_like(right)
    for part in parts:
        A = slopes[:, part][:, :, part]
        found[:, part] = _solved_part(step, weight[:, part], A, right[:, part])
    return found


def _solved_part(step: float, weight: Array, A: Array, right: Array) -> Array:
    """The same for states that all have to do with each other, by one banded system."""
    count, m = right.shape
    one = np.eye(m)
    own = one - step * weight[:, :, None] * A
    own[0] = one
    before = -(one + step * (1.0 - weight[1:, :, None]) * A[:-1])
    band = np.zeros((3 * m - 1, count * m))
    for i in range(m):
        for j in range(m):
            band[m - 1 + i - j, j::m] = own[:, i, j]
            band[2 * m - 1 + i - j, j : (count - 1) * m : m] = before[:, i, j]
    found = scipy.linalg.solve_banded((2 * m - 1, m - 1), band, right.reshape(-1))
    return np.asarray(found.reshape(count, m))
