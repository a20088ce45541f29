"""Rotations as short products of planar rotations, so that rotating a vector stays cheap.

A planar rotation about a coordinate axis changes two components: 4 products and 2 sums, and
none for multiples of π/2, whose zeros and ones fold away.
"""

from __future__ import annotations

from dataclasses import dataclass

from inloop.formalisms.vectors import (
    Matrix,
    Tensor,
    Vector,
    matrix_times,
    product,
    transpose,
)
from inloop.symbolic import Expr, Graph


@dataclass(frozen=True)
class Planar:
    """Rotation about coordinate axis 0, 1 or 2 by an angle with cosine c and sine s."""

    axis: int
    c: Expr
    s: Expr

    def to_parent(self, v: Vector) -> Vector:
        """R v."""
        i, j = (self.axis + 1) % 3, (self.axis + 2) % 3
        out = list(v)
        out[i] = self.c * v[i] - self.s * v[j]
        out[j] = self.s * v[i] + self.c * v[j]
        return out[0], out[1], out[2]

    def to_child(self, v: Vector) -> Vector:
        """Rᵀ v."""
        i, j = (self.axis + 1) % 3, (self.axis + 2) % 3
        out = list(v)
        out[i] = self.c * v[i] + self.s * v[j]
        out[j] = self.c * v[j] - self.s * v[i]
        return out[0], out[1], out[2]

    def tensor_to_parent(self, t: Tensor) -> Tensor:
        """R T Rᵀ, with e = s (T_ii - T_jj) + 2 c T_ij shared by the three in-plane entries."""
        i, j, k = (self.axis + 1) % 3, (self.axis + 2) % 3, self.axis
        c, s = self.c, self.s
        t_ii, t_jj, t_ij = t[i], t[j], t[_mixed(i, j)]
        t_ik, t_jk = t[_mixed(i, k)], t[_mixed(j, k)]
        out = list(t)
        e = s * (t_ii - t_jj) + c * (2.0 * t_ij)
        turned = s * e
        out[i] = t_ii - turned
        out[j] = t_jj + turned
        out[_mixed(i, j)] = c * e - t_ij
        out[_mixed(i, k)] = c * t_ik - s * t_jk
        out[_mixed(j, k)] = s * t_ik + c * t_jk
        return out[0], out[1], out[2], out[3], out[4], out[5]

    def matrix(self) -> Matrix:
        """R as nine entries."""
        graph = self.c.graph
        rows = [[graph.one if a == b else graph.zero for b in range(3)] for a in range(3)]
        i, j = (self.axis + 1) % 3, (self.axis + 2) % 3
        rows[i][i], rows[i][j] = self.c, -self.s
        rows[j][i], rows[j][j] = self.s, self.c
        return _as_matrix(rows)


@dataclass(frozen=True)
class General:
    """Rotation by nine entries; for fixed rotations that depend on parameters."""

    m: Matrix

    def to_parent(self, v: Vector) -> Vector:
        """R v."""
        return matrix_times(self.m, v)

    def to_child(self, v: Vector) -> Vector:
        """Rᵀ v."""
        return matrix_times(transpose(self.m), v)

    def tensor_to_parent(self, t: Tensor) -> Tensor:
        """R T Rᵀ."""
        xx, yy, zz, xy, xz, yz = t
        full: Matrix = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
        r = product(product(self.m, full), transpose(self.m))
        return r[0][0], r[1][1], r[2][2], r[0][1], r[0][2], r[1][2]

    def matrix(self) -> Matrix:
        """R as nine entries."""
        return self.m


@dataclass(frozen=True)
class Rotation:
    """R_PC = step_1 step_2 …, from the child's axes C to the parent's axes P."""

    steps: tuple[Planar | General, ...]

    def to_parent(self, v_C: Vector) -> Vector:
        """v_P = R_PC v_C."""
        for step in reversed(self.steps):
            v_C = step.to_parent(v_C)
        return v_C

    def to_child(self, v_P: Vector) -> Vector:
        """v_C = R_PCᵀ v_P."""
        for step in self.steps:
            v_P = step.to_child(v_P)
        return v_P

    def tensor_to_parent(self, t_C: Tensor) -> Tensor:
        """T_P = R_PC T_C R_PCᵀ."""
        for step in reversed(self.steps):
            t_C = step.tensor_to_parent(t_C)
        return t_C

    def matrix(self, graph: Graph) -> Matrix:
        """R_PC as nine entries."""
        one, zero = graph.one, graph.zero
        total: Matrix = ((one, zero, zero), (zero, one, zero), (zero, zero, one))
        for step in self.steps:
            total = product(total, step.matrix())
        return total


def _mixed(i: int, j: int) -> int:
    """Position of T_ij, i ≠ j, in (xx, yy, zz, xy, xz, yz)."""
    return 2 + i + j


def _as_matrix(rows: list[list[Expr]]) -> Matrix:
    r = [(row[0], row[1], row[2]) for row in rows]
    return r[0], r[1], r[2]
