"""Estimation over a moving horizon as one dense problem of least squares, for tests.

Unknown are the state at the begin of the horizon and the noise of each period in it, as one vector
of unit noise; QR and SciPy's non-negative least squares solve what C solves node by node. Steps and
slopes are those of the observer in C.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

import inloop as il
from inloop.native import Status

MOST_TURNS, SETTLED = 5, 1e-3
Array = np.ndarray
Bounds = dict[str, tuple[float, float]]


@dataclass
class Node:
    """A state on the horizon."""

    t: float
    x: Array
    extra: Array


class DenseHorizon:
    """Around an extended filter, which stays at the begin of the horizon."""

    def __init__(self, tail: il.observers.Observer, length: int, bounds: Bounds) -> None:
        self.tail, self.native, self.length, self.bounds = tail, tail._native, length, bounds
        self.window: list[tuple[Array, Array]] = []
        self.nodes: list[Node] = []

    def update(self, y: Array, u: Array) -> tuple[Array, Array, Array]:
        """x, extra states and covariance after a sample."""
        if not self.nodes:
            self.nodes = [self._present()]
        else:
            self.nodes.append(self._carried(self.nodes[-1], u))
        self.window.append((y, u))
        if len(self.window) > self.length + 1:
            self._carried(self._present(), self.window[0][1])  # holds the inputs of that sample
            assert self.native.correct(self.window[0][0]) == Status.OK
            assert self.native.predict(self.window[1][1]) == Status.OK
            del self.window[0], self.nodes[0]
        before, P = self._present(), self.native.P.copy()
        for _ in range(MOST_TURNS):
            change, covariance = self._turn(before, P)
            if change <= SETTLED:
                break
        self._put(before)
        return self.nodes[-1].x, self.nodes[-1].extra, covariance

    def _present(self) -> Node:
        return Node(self.native.t, self.native.x.copy(), self.native.extra.copy())

    def _put(self, node: Node) -> None:
        self.native.t, self.native.x[:], self.native.extra[:] = node.t, node.x, node.extra

    def _carried(self, node: Node, u: Array) -> Node:
        x, extra, before = node.x.copy(), node.extra.copy(), self.native.t
        self.native.t = node.t
        assert self.native.carry(u, x, extra) == Status.OK
        self.native.t = before
        return Node(node.t + self.tail.period, x, extra)

    def _apart(self, a: Node, b: Node) -> Array:
        found = self.native.apart(a.x, b.x)
        found[len(found) - len(a.extra) :] = b.extra - a.extra
        return found

    def _turn(self, tail: Node, P: Array) -> tuple[float, Array]:
        """One turn: the change of the last state, in deviations; its covariance."""
        maps, offsets = [root(P)], [self._apart(self.nodes[0], tail)]
        rows, right = [], []
        noise = np.asarray(self.tail.setup.table.noise)
        for i, (y, held) in enumerate(self.window):
            self._put(self.nodes[i])
            self._carried(self.nodes[i], held)
            status, H, expected = self.native.sight()
            assert status == Status.OK
            seen = np.isfinite(y)
            weight = 1.0 / np.sqrt(noise[seen])
            rows.append(weight[:, None] * (H[seen] @ maps[i]))
            right.append(weight * (y[seen] - expected[seen] - H[seen] @ offsets[i]))
            if i + 1 < len(self.window):
                u = self.window[i + 1][1]
                status, F, Q = self.native.slopes(u)
                assert status == Status.OK
                maps.append(np.hstack([F @ maps[i], root(Q)]))
                off = self._apart(self.nodes[i + 1], self._carried(self.nodes[i], u))
                offsets.append(F @ offsets[i] + off)
        size = maps[-1].shape[1]
        A = np.vstack([np.eye(size), *(padded(block, size) for block in rows)])
        b = np.concatenate([np.zeros(size), *right])
        xi, R = least_squares(A, b, *self._limits(maps, offsets, size))
        moved = []
        for node, block, offset in zip(self.nodes, maps, offsets, strict=True):
            self._put(node)
            status, x, extra = self.native.moved(offset + block @ xi[: block.shape[1]])
            assert status == Status.OK
            moved.append(Node(node.t, x, extra))
        self.nodes = moved
        half = solve_triangular(R, maps[-1].T, trans="T")
        covariance = half.T @ half
        last = (offsets[-1] + maps[-1] @ xi) / np.sqrt(np.diag(covariance)).clip(1e-300)
        return float(np.abs(last).max()), covariance

    def _limits(self, maps: list[Array], offsets: list[Array], size: int) -> tuple[Array, Array]:
        """C ξ >= d, from bounds of states."""
        C, d, names = [np.zeros((0, size))], [], self.tail.states
        for name, (low, high) in self.bounds.items():
            k = names.index(name)
            for node, block, offset in zip(self.nodes, maps, offsets, strict=True):
                behind = k - (len(names) - len(node.extra))
                value = node.extra[behind] if behind >= 0 else node.x[k]
                for side, bound in ((1.0, low), (-1.0, high)):
                    if math.isfinite(bound):
                        C.append(padded(side * block[k : k + 1], size))
                        d.append(side * (bound - value - offset[k]))
        return np.vstack(C), np.array(d)


def root(P: Array) -> Array:
    """G with P = G Gᵀ, as many columns as there is noise."""
    size = np.sqrt(np.maximum(np.diag(P), 0.0))
    unit = np.where(size > 0.0, size, 1.0)
    values, vectors = np.linalg.eigh(P / np.outer(unit, unit))
    kept = values > 1e-14 * max(values.max(initial=0.0), 0.0)
    return np.asarray(unit[:, None] * vectors[:, kept] * np.sqrt(values[kept]))


def padded(block: Array, width: int) -> Array:
    """With columns of zeros behind."""
    return np.hstack([block, np.zeros((len(block), width - block.shape[1]))])


def least_squares(A: Array, b: Array, C: Array, d: Array) -> tuple[Array, Array]:
    """ξ with the least |A ξ - b| among those with C ξ >= d, and R of A = Q R.

    Lawson & Hanson (1974), chapter 23.
    """
    Q, R = np.linalg.qr(A)
    best = Q.T @ b
    if not len(d) or np.all(C @ solve_triangular(R, best) >= d):
        return solve_triangular(R, best), R
    G = solve_triangular(R, C.T, trans="T").T
    E = np.vstack([G.T, d - G @ best])
    target = np.zeros(len(E))
    target[-1] = 1.0
    rest = E @ nnls(E, target)[0] - target
    return solve_triangular(R, best - rest[:-1] / rest[-1]), R
