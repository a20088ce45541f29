"""Solve M x = b by the factorization M = LᵀDL, which keeps the tree's sparsity.

Featherstone 2008, table 6.3: L has the sparsity of M, and rows are eliminated starting at the tips,
so that branches do not fill each other. One reciprocal per coordinate, no other division.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inloop.errors import ModelError
from inloop.formalisms.recursions.crb import MassMatrix
from inloop.symbolic import Expr


@dataclass(frozen=True)
class Factors:
    """M = LᵀDL: unit lower-triangular L by its entries, reciprocals of D."""

    matrix: MassMatrix
    L: dict[tuple[int, int], Expr]
    inverse_D: list[Expr]

    def solve(self, b: Sequence[Expr]) -> list[Expr]:
        """x with M x = b."""
        x = list(b)
        n = self.matrix.n
        # Lᵀ y = b, tips first
        for i in reversed(range(n)):
            for j in self.matrix.ancestors(i):
                x[j] = x[j] - self.L[i, j] * x[i]
        # D z = y, then L x = z, base first
        for i in range(n):
            x[i] = x[i] * self.inverse_D[i]
            for j in self.matrix.ancestors(i):
                x[i] = x[i] - self.L[i, j] * x[j]
        return x


def reciprocal(pivot: Expr, body: str) -> Expr:
    """1 / pivot; a zero pivot means that the joint has no inertia."""
    if pivot is pivot.graph.zero:
        raise ModelError(
            f"body '{body}': its joint moves no mass, so the mass matrix is singular",
            fix="Give the body, or those attached to it, inertia about the joint, or give the "
            "joint an armature.",
        )
    return pivot.graph.one / pivot


def factorize(matrix: MassMatrix) -> Factors:
    """Factor a mass matrix with branch-induced sparsity."""
    H = dict(matrix.entries)
    L: dict[tuple[int, int], Expr] = {}
    inverse_D: list[Expr] = [H[i, i] for i in range(matrix.n)]
    for k in reversed(range(matrix.n)):
        graph = H[k, k].graph
        inverse_D[k] = graph.label(reciprocal(H[k, k], matrix.names[k]), f"iD_{k + 1}")
        above = matrix.ancestors(k)
        for i in above:
            a = graph.label(H[k, i] * inverse_D[k], f"L_{k + 1}_{i + 1}")
            for j in (i, *matrix.ancestors(i)):
                H[i, j] = H[i, j] - a * H[k, j]
            L[k, i] = a
    return Factors(matrix, L, inverse_D)


def estimate(parents: Sequence[int]) -> int:
    """Rough operation count of composite bodies, bias, factorization and solve."""
    depth: list[int] = []
    total = 0
    for parent in parents:
        depth.append(depth[parent] + 1 if parent >= 0 else 0)
        d = depth[-1]
        # 18 per entry of M, d(d+1) for the elimination of one row, 4 per entry for the solve
        total += 160 + 23 * d + d * (d + 1)
    return total
