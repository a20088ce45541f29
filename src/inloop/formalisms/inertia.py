"""Mass, first moment and second moment of a rigid body about the origin of its frame."""

from __future__ import annotations

from dataclasses import dataclass

from inloop.formalisms.rotation import Rotation
from inloop.formalisms.vectors import (
    Tensor,
    Vector,
    add,
    add_tensors,
    scale,
    zero_tensor,
    zero_vector,
)
from inloop.symbolic import Expr, Graph


@dataclass(frozen=True)
class Inertia:
    """Inertia of a body about the origin of the axes it is written in.

    Attributes:
        m: mass [kg].
        mc: first moment, mass times position of the center of mass [kg·m].
        J: moment of inertia about the origin (xx, yy, zz, xy, xz, yz) [kg·m²].
    """

    m: Expr
    mc: Vector
    J: Tensor

    def __add__(self, other: Inertia) -> Inertia:
        return Inertia(self.m + other.m, add(self.mc, other.mc), add_tensors(self.J, other.J))

    @property
    def is_zero(self) -> bool:
        """True if all entries are zero."""
        zero = self.m.graph.zero
        return all(e is zero for e in (self.m, *self.mc, *self.J))

    def to_parent(self, R_PC: Rotation, p_PC: Vector) -> Inertia:
        """The same body in the parent's frame: rotated, then shifted."""
        return Inertia(self.m, R_PC.to_parent(self.mc), R_PC.tensor_to_parent(self.J)).shifted(p_PC)

    def shifted(self, p: Vector) -> Inertia:
        """About an origin that lies at -p.

        With g = mc + mc' and mc' = mc + m p: J'_ii = J_ii + Σ_{k≠i} p_k g_k and
        J'_ij = J_ij - (p_i g_j + p_j g_i)/2.
        """
        moved = add(self.mc, scale(self.m, p))
        g = add(self.mc, moved)
        x, y, z = (p[k] * g[k] for k in range(3))
        xx, yy, zz, xy, xz, yz = self.J
        half = tuple(0.5 * p[k] for k in range(3))
        J = (
            xx + (y + z),
            yy + (x + z),
            zz + (x + y),
            xy - (half[0] * g[1] + half[1] * g[0]),
            xz - (half[0] * g[2] + half[2] * g[0]),
            yz - (half[1] * g[2] + half[2] * g[1]),
        )
        return Inertia(self.m, moved, J)


def no_inertia(graph: Graph) -> Inertia:
    """A massless body."""
    return Inertia(graph.zero, zero_vector(graph), zero_tensor(graph))


def about_origin(m: Expr, c: Vector, I_com: Tensor) -> Inertia:
    """Inertia about the origin from mass, center of mass c and inertia about it."""
    graph = m.graph
    at_center = Inertia(m, zero_vector(graph), I_com)
    return at_center.shifted(c)
