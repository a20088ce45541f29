"""Unrolled factorization of a sparse square matrix of expressions, in a fixed pivot order.

No search and no branches: the order comes from the partition, or from the pattern where all orders
    are stable. Zeros fold away, so the work follows the sparsity of the loops. One reciprocal per
    pivot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inloop.symbolic import Expr, Graph
from inloop.symbolic.sparsity import minimum_degree

Entries = dict[tuple[int, int], Expr]


@dataclass(frozen=True)
class LU:
    """A = L U with unit L; entries by (row, column) in pivot order."""

    n: int
    L: Entries
    U: Entries
    reciprocals: list[Expr]
    graph: Graph

    def solve(self, b: Sequence[Expr]) -> list[Expr]:
        """x with A x = b."""
        x = list(b)
        for i in range(self.n):
            for k in range(i):
                if (i, k) in self.L:
                    x[i] = x[i] - self.L[i, k] * x[k]
        for i in reversed(range(self.n)):
            for k in range(i + 1, self.n):
                if (i, k) in self.U:
                    x[i] = x[i] - self.U[i, k] * x[k]
            x[i] = x[i] * self.reciprocals[i]
        return x

    def solve_transposed(self, b: Sequence[Expr]) -> list[Expr]:
        """x with Aᵀ x = b."""
        x = list(b)
        for i in range(self.n):
            for k in range(i):
                if (k, i) in self.U:
                    x[i] = x[i] - self.U[k, i] * x[k]
            x[i] = x[i] * self.reciprocals[i]
        for i in reversed(range(self.n)):
            for k in range(i + 1, self.n):
                if (k, i) in self.L:
                    x[i] = x[i] - self.L[k, i] * x[k]
        return x


def factorize(entries: Mapping[tuple[int, int], Expr], n: int, graph: Graph, name: str) -> LU:
    """Factor a matrix given by its non-zero entries, rows and columns already in pivot order."""
    A: Entries = dict(entries)
    L: Entries = {}
    reciprocals: list[Expr] = []
    for k in range(n):
        reciprocals.append(graph.label(graph.one / A[k, k], f"i{name}_{k + 1}"))
        below = [i for i in range(k + 1, n) if (i, k) in A]
        right = [j for j in range(k + 1, n) if (k, j) in A]
        for i in below:
            factor = graph.label(A[i, k] * reciprocals[k], f"{name}_{i + 1}_{k + 1}")
            L[i, k] = factor
            for j in right:
                value = A.get((i, j), graph.zero) - factor * A[k, j]
                if value is graph.zero:
                    A.pop((i, j), None)
                else:
                    A[i, j] = value
    U = {(i, j): e for (i, j), e in A.items() if j > i}
    return LU(n, L, U, reciprocals, graph)


def solve_symmetric(
    lower: Mapping[tuple[int, int], Expr], b: Sequence[Expr], name: str
) -> list[Expr]:
    """x with S x = b by LDLᵀ, S symmetric and positive definite, given by its lower half."""
    n = len(b)
    if n == 0:
        return []
    graph = b[0].graph
    zero = graph.zero
    places = [place for place, entry in lower.items() if entry is not zero]
    # any order is stable: take a low-fill one
    order = minimum_degree(n, places)
    turn = {k: i for i, k in enumerate(order)}
    A: Entries = {}
    for i, j in places:
        a, c = turn[i], turn[j]
        A[max(a, c), min(a, c)] = lower[i, j]
    L: Entries = {}
    reciprocals: list[Expr] = []
    for k in range(n):
        number = order[k] + 1
        reciprocals.append(graph.label(graph.one / A[k, k], f"i{name}_{number}"))
        below = [i for i in range(k + 1, n) if (i, k) in A]
        for i in below:
            factor = A[i, k] * reciprocals[k]
            L[i, k] = graph.label(factor, f"{name}_{order[i] + 1}_{number}")
            for j in (j for j in below if j <= i):
                A[i, j] = A.get((i, j), zero) - L[i, k] * A[j, k]
    x = [b[k] for k in order]
    for i, k in sorted(L):
        x[i] = x[i] - L[i, k] * x[k]
    x = [value * reciprocal for value, reciprocal in zip(x, reciprocals, strict=True)]
    for i, k in sorted(L, reverse=True):
        x[k] = x[k] - L[i, k] * x[i]
    return [x[turn[k]] for k in range(n)]
