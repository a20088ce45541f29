"""Estimation over a moving horizon: the run of the last samples that fits best, within bounds.

Unknown are the state at the begin of the horizon and the noise w of each period in it:

    x(i+1) = f(x(i), u(i+1)) + G w(i),   y(i) = h(x(i)) + v(i)

Their weighted squares are least, found by Gauss-Newton with the slopes of the observer in C. What
was before the horizon is told by an extended Kalman filter at its begin. Without bounds and with a
linear plant this is the Kalman filter. It runs in Python: some milliseconds per sample.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

from inloop.errors import InputError
from inloop.native.running.follower import FollowerTable
from inloop.observers.estimate import Estimate
from inloop.observers.observer import Observer
from inloop.observers.setup import Setup
from inloop.plant import Array

MOST_TURNS = 5  # of Gauss-Newton
SETTLED = 1e-3  # deviations: a smaller change ends them
NOTHING = 1e-14  # of the largest eigenvalue of Q: no noise


@dataclass
class _Node:
    """A state on the horizon."""

    t: float
    x: Array
    extra: Array


class HorizonObserver(Observer):
    """An observer that looks back on the last samples; see `Observer`.

    NIS is that of the Kalman filter at the begin of the horizon.
    """

    def __init__(self, setup: Setup) -> None:
        if max(setup.late):
            raise InputError("method 'mhe' does not support delays", fix="Use 'ekf' or 'ukf'.")
        if setup.table.gate:
            raise InputError("method 'mhe' does not support gate=", fix="Use 'ekf' or 'ukf'.")
        self._length = 1
        self._bounds: dict[str, tuple[float, float]] = {}
        super().__init__(setup)

    def look_back(self, samples: int, bounds: Mapping[str, tuple[float, float]]) -> None:
        """Set the length of the horizon and bounds of states; begins anew."""
        if samples < 1:
            raise InputError(f"a horizon of {samples} samples", fix="Give 1 or more.")
        self._length, self._bounds = samples, dict(bounds)
        self.reset()

    def follower(self) -> FollowerTable:
        """It cannot be run in C."""
        raise InputError(
            "method 'mhe' needs Python at each sample",
            fix="Use 'ekf' or 'ukf', or run it in a separate process: inloop observe.",
        )

    def reset(self) -> None:
        """Begin anew."""
        super().reset()
        self._window: list[tuple[Array, Array]] = []
        self._nodes: list[_Node] = []
        self._now: tuple[_Node, Array] | None = None
        self._bridging = False

    def _bridge(self, lost: int, inputs: Array) -> None:
        # the sample after them finds the run that fits best
        self._bridging = True
        try:
            super()._bridge(lost, inputs)
        finally:
            self._bridging = False

    def _filter(self) -> None:
        y, u = self._queue[-1]
        if not self._nodes:
            self._nodes = [self._present()]
        else:
            self._nodes.append(self._carried(self._nodes[-1], u))
        self._window.append((y, u))
        if len(self._window) > self._length + 1:
            # the filter at the begin of the horizon takes in what leaves it
            self._good(self._native.correct(self._window[0][0]), "corrected")
            self._account.correct(self._native.nis, self._native.used)
            self._advance(self._window[1][1])
            del self._window[0], self._nodes[0]
        self._away = [n for n, v in zip(self.measured, y, strict=True) if not math.isfinite(v)]
        self._account.leave_out(self._away, y)
        if not self._bridging:
            self._solve()

    # states on the horizon

    def _present(self) -> _Node:
        native = self._native
        return _Node(native.t, native.x.copy(), native.extra.copy())

    def _put(self, node: _Node) -> None:
        native = self._native
        native.t, native.x[:], native.extra[:] = node.t, node.x, node.extra

    def _carried(self, node: _Node, u: Array) -> _Node:
        native, before = self._native, self._native.t
        x, extra = node.x.copy(), node.extra.copy()
        native.t = node.t
        status = native.carry(u, x, extra)
        native.t = before
        self._good(status, "carried to the next sample")
        return _Node(node.t + self.period, x, extra)

    def _apart(self, a: _Node, b: _Node) -> Array:
        """The change from a to b."""
        found = self._native.apart(a.x, b.x)
        found[len(found) - len(a.extra) :] = b.extra - a.extra
        return found

    def _moved(self, node: _Node, delta: Array) -> _Node:
        self._put(node)
        status, x, extra = self._native.moved(delta)
        self._good(status, "moved")
        return _Node(node.t, x, extra)

    # the fit

    def _solve(self) -> None:
        tail, P = self._present(), self._native.P.copy()
        try:
            for _ in range(MOST_TURNS):
                change, covariance = self._turn(tail, P)
                if change <= SETTLED:
                    break
        finally:
            self._put(tail)
        self._now = self._nodes[-1], covariance

    def _turn(self, tail: _Node, P: Array) -> tuple[float, Array]:
        """One step of Gauss-Newton: the change of the last state, in deviations; its covariance."""
        roots, maps, offsets, rows, right = _root(P), [], [], [], []
        # δ(i) = maps[i] ξ + offsets[i], with ξ = (unit noise at the begin, noise of each period)
        first = self._apart(self._nodes[0], tail)
        maps.append(roots)
        offsets.append(first)
        for i, (y, _) in enumerate(self._window):
            self._put(self._nodes[i])
            status, H, expected = self._native.sight()
            self._good(status, "seen")
            seen = np.isfinite(y)
            weight = 1.0 / np.sqrt(self._setup.table.noise[seen])
            rows.append(weight[:, None] * (H[seen] @ maps[i]))
            right.append(weight * (y[seen] - expected[seen] - H[seen] @ offsets[i]))
            if i + 1 < len(self._window):
                u = self._window[i + 1][1]
                status, F, Q = self._native.slopes(u)
                self._good(status, "carried to the next sample")
                G = _root(Q)
                maps.append(np.hstack([F @ maps[i], G]))
                off = self._apart(self._nodes[i + 1], self._carried(self._nodes[i], u))
                offsets.append(F @ offsets[i] + off)
        size = maps[-1].shape[1]
        A = np.vstack([np.eye(size), *(_padded(block, size) for block in rows)])
        b = np.concatenate([np.zeros(size), *right])
        xi, R = _least_squares(A, b, *self._limits(maps, offsets, size))
        self._nodes = [
            self._moved(node, offset + block @ xi[: block.shape[1]])
            for node, block, offset in zip(self._nodes, maps, offsets, strict=True)
        ]
        half = solve_triangular(R, maps[-1].T, trans="T")
        covariance = half.T @ half
        deviation = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
        return float(np.abs((offsets[-1] + maps[-1] @ xi) / deviation).max()), covariance

    def _limits(self, maps: list[Array], offsets: list[Array], size: int) -> tuple[Array, Array]:
        """C ξ >= d, from bounds of states."""
        C, d = [np.zeros((0, size))], []
        names = self.states
        for name, (low, high) in self._bounds.items():
            k = names.index(name)
            for node, block, offset in zip(self._nodes, maps, offsets, strict=True):
                own = len(node.extra)
                behind = k - (len(names) - own)
                value = node.extra[behind] if behind >= 0 else node.x[k]
                for side, bound in ((1.0, low), (-1.0, high)):
                    if math.isfinite(bound):
                        C.append(_padded(side * block[k : k + 1], size))
                        d.append(side * (bound - value - offset[k]))
        return np.vstack(C), np.array(d)

    def _told(self) -> Estimate:
        if self._now is None:
            return super()._told()
        kept, P = self._present(), self._native.P.copy()
        self._put(self._now[0])
        self._native.P[:] = self._now[1]
        told = super()._told()
        self._put(kept)
        self._native.P[:] = P
        return told


def _root(P: Array) -> Array:
    """G with P = G Gᵀ, as many columns as there is noise."""
    size = np.sqrt(np.maximum(np.diag(P), 0.0))
    unit = np.where(size > 0.0, size, 1.0)
    values, vectors = np.linalg.eigh(P / np.outer(unit, unit))
    kept = values > NOTHING * max(values.max(initial=0.0), 0.0)
    return np.asarray(unit[:, None] * vectors[:, kept] * np.sqrt(values[kept]))


def _padded(block: Array, width: int) -> Array:
    return np.hstack([block, np.zeros((len(block), width - block.shape[1]))])


def _least_squares(A: Array, b: Array, C: Array, d: Array) -> tuple[Array, Array]:
    """ξ with the least |A ξ - b| among those with C ξ >= d, and R of A = Q R.

    Lawson & Hanson, Solving Least Squares Problems (1974), chapter 23: in z = R ξ - Qᵀ b it is the
    point nearest to the origin that the inequalities allow, which non-negative least squares finds.
    """
    Q, R = np.linalg.qr(A)
    best = Q.T @ b
    if not len(d) or np.all(C @ solve_triangular(R, best) >= d):
        return solve_triangular(R, best), R
    G = solve_triangular(R, C.T, trans="T").T
    h = d - G @ best
    E = np.vstack([G.T, h])
    target = np.zeros(len(E))
    target[-1] = 1.0
    rest = E @ nnls(E, target)[0] - target
    if rest[-1] == 0.0:
        raise InputError("no state on the horizon is within all bounds", fix="Widen the bounds.")
    z = -rest[:-1] / rest[-1]
    return solve_triangular(R, z + best), R
