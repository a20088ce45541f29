"""Inertia of flexible links: finite elements about the frame at the root of each link.

The root's frame E moves with the tree and replaces the equivalent rigid link; ordinary coordinates
displace the nodes relative to it. A point of the beam at r in E accelerates, with acc, om and beta
the motion of E (gravity subtracted), by

    a = acc + beta r + 2 om × rd + rdd

The virtual work ∫ δr · a dm = 0 gives the efforts of the nodal coordinates and the wrench on the
body that carries E: the blocks M, MS, SᵀM, SᵀMS, M_G of Giovagnoni 1994, Gasparetto 2004, here with
the terms of second order in the displacements, so that energy is conserved. Mass-proportional
damping enters as rdd + α rd, also in the rows of the rigid motion, as in their equations.

In the mass matrix the nodes of a link are coupled although none is the parent of another. The
elimination tree therefore treats them as a chain with the tip next to the carrying body: from the
root to the tip all pivots depend on parameters only and move to `prepare`, and bodies attached to
the tip change only the tip's pivots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inloop.formalisms.flexible_links.beam import Beam
from inloop.formalisms.flexible_links.elements import Entries, inner, times, times_transposed
from inloop.formalisms.flexible_links.shortening import loaded, shortening
from inloop.formalisms.inertia import Inertia
from inloop.formalisms.rotation import General, Rotation
from inloop.formalisms.vectors import (
    Matrix,
    Vector,
    add,
    cross,
    dot,
    matrix_times,
    product,
    scale,
    transpose,
)
from inloop.symbolic import Expr

if TYPE_CHECKING:
    from inloop.formalisms.frames import Skeleton
    from inloop.formalisms.recursions.motion import Motion


class BentBeam:
    """A beam in its deformed state: mass moments shared by the equations."""

    def __init__(self, beam: Beam, skeleton: Skeleton) -> None:
        self.beam = beam
        self.graph = graph = skeleton.graph
        graph.section = beam.name
        I, n = beam.inertia, len(beam.x)
        q, qd = ([getattr(link, name) for link in skeleton.links] for name in ("q", "qd"))
        self.ey, self.eyd = beam.across(q), beam.across(qd)
        along, self.exd = beam.along(q, graph), beam.along(qd, graph)
        self.short = shortening(beam, self.ey, self.eyd) if beam.shortens else None
        if self.short is not None:
            along, self.exd = self.short.u, self.short.ud
        self.ex = [a + b for a, b in zip(beam.x, along, strict=True)]
        # ∫ N x dm, ∫ N y dm, ∫ H x dm, ∫ H y dm
        self.Nx = times(I.Mxx, self.ex, n)
        self.Ny = times(I.Mxy, self.ey, n)
        self.Hx = times_transposed(I.Mxy, self.ex, 2 * n)
        self.Hy = times(I.Myy, self.ey, 2 * n)

    def rigid(self) -> Inertia:
        """Inertia of the deformed beam, about the root in its own axes."""
        graph, I = self.graph, self.beam.inertia
        zero = graph.zero
        xx, yy = inner(self.ex, self.Nx, graph), inner(self.ey, self.Hy, graph)
        xy = inner(self.ex, self.Ny, graph)
        mc = (inner(I.Sx, self.ex, graph), inner(I.Sy, self.ey, graph), zero)
        return Inertia(I.m, mc, (yy, xx, xx + yy, -xy, zero, zero))

    def inertia(self) -> Inertia:
        """The same in the frame of the carrying link."""
        return self.rigid().to_parent(Rotation((General(self.beam.R_CE),)), self.beam.p_CE)

    def to_link(self, f_E: Vector, n_E: Vector) -> tuple[Vector, Vector]:
        """Force and moment about the root, in the frame of the carrying link."""
        f = matrix_times(self.beam.R_CE, f_E)
        n = add(matrix_times(self.beam.R_CE, n_E), cross(self.beam.p_CE, f))
        return f, n

    def columns(self) -> dict[int, tuple[Vector, Vector]]:
        """By coordinate, force and moment on the carrying link for a unit acceleration."""
        zero, I, beam = self.graph.zero, self.beam.inertia, self.beam
        found = {}
        for i, k in enumerate(beam.axial):
            found[k] = self.to_link((I.Sx[i], zero, zero), (zero, zero, -self.Ny[i]))
        for j, k in enumerate(beam.lateral):
            f, n = I.Sy[j], self.Hx[j]
            fx = zero
            for (i, column), entry in self._jacobian.items():
                if column == j:
                    fx, n = fx + entry * I.Sx[i], n - entry * self.Ny[i]
            found[k] = self.to_link((fx, f, zero), (zero, zero, n))
        return found

    def masses(self) -> dict[tuple[int, int], Expr]:
        """Entries of the mass matrix between coordinates of the beam, lower half."""
        I, found = self.beam.inertia, {}
        for indices, block in ((self.beam.axial, I.Mxx), (self.beam.lateral, I.Myy)):
            for (i, j), entry in block.items() if indices else ():
                if indices[i] >= indices[j]:
                    found[indices[i], indices[j]] = entry
        for (i, j), entry in self._carried().items():
            key = (self.beam.lateral[i], self.beam.lateral[j])
            if key[0] >= key[1]:
                found[key] = found[key] + entry if key in found else entry
        return found

    @property
    def _jacobian(self) -> Entries:
        return self.short.J if self.short is not None else {}

    def _carried(self) -> Entries:
        """Jᵀ Mxx J: axial inertia of lateral displacements."""
        MJ: Entries = {}
        for (i, l), mass in self.beam.inertia.Mxx.items():
            for (row, j), entry in self._jacobian.items():
                if row == l:
                    part = mass * entry
                    MJ[i, j] = MJ[i, j] + part if (i, j) in MJ else part
        found: Entries = {}
        for (i, j), entry in self._jacobian.items():
            for (row, l), value in MJ.items():
                if row == i:
                    part = entry * value
                    found[j, l] = found[j, l] + part if (j, l) in found else part
        return found

    def needs(self, motion: Motion, qdd: Sequence[Expr]) -> BeamNeeds:
        """Inertial loads of the beam's motion: efforts of its coordinates, a wrench on its link."""
        beam, graph, I = self.beam, self.graph, self.beam.inertia
        graph.section = beam.name
        n, R_EC = len(beam.x), transpose(beam.R_CE)
        om, omd = matrix_times(R_EC, motion.om), matrix_times(R_EC, motion.omd)
        beta = product(product(R_EC, motion.beta), beam.R_CE)
        lift = matrix_times(motion.beta, beam.p_CE)
        acc = matrix_times(R_EC, add(motion.acc, lift))
        # rdd + α rd: mass-proportional damping adds to the accelerations
        along = beam.along(qdd, graph)
        if self.short is not None:
            along = self.short.second_rates(beam.across(qdd))
        gx = [a + beam.alpha * v for a, v in zip(along, self.exd, strict=True)]
        gy = [a + beam.alpha * v for a, v in zip(beam.across(qdd), self.eyd, strict=True)]
        Ny_d, Hx_d = times(I.Mxy, self.eyd, n), times_transposed(I.Mxy, self.exd, 2 * n)
        Ngx, Hgy = times(I.Mxx, gx, n), times(I.Myy, gy, 2 * n)
        spin = 2.0 * om[2]
        # ∫ N a_x dm
        pushes = []
        for i in range(n):
            carried = I.Sx[i] * acc[0] + beta[0][0] * self.Nx[i] + beta[0][1] * self.Ny[i]
            pushes.append(carried - spin * Ny_d[i] + Ngx[i])
        efforts = dict(zip(beam.axial, pushes, strict=False))
        # ∫ H a_y dm
        for j, k in enumerate(beam.lateral):
            carried = I.Sy[j] * acc[1] + beta[1][0] * self.Hx[j] + beta[1][1] * self.Hy[j]
            efforts[k] = carried + spin * Hx_d[j] + Hgy[j]
        for (i, j), entry in self._jacobian.items():
            k = beam.lateral[j]
            efforts[k] = efforts[k] + entry * pushes[i]
        rigid = self.rigid()
        # ∫ a dm
        relative = (inner(I.Sx, gx, graph), inner(I.Sy, gy, graph), graph.zero)
        f = add(scale(I.m, acc), matrix_times(beta, rigid.mc))
        f = add(f, add(scale(graph.constant(2.0), cross(om, self._momentum())), relative))
        # ∫ r × a dm, where r × (2 om × rd) = 2 (om (r · rd) - rd (r · om))
        n_E = add(_euler(rigid, om, omd, beta), cross(rigid.mc, acc))
        n_E = add(n_E, self._coriolis(om))
        turn = inner(self.Hx, gy, graph) - inner(self.Ny, gx, graph)
        n_E = (n_E[0], n_E[1], n_E[2] + turn)
        return BeamNeeds(beam.link, efforts, *self.to_link(f, n_E))

    def _coriolis(self, om: Vector) -> Vector:
        graph = self.graph
        # ∫ r_a rd_b dm
        xx, yy = inner(self.Nx, self.exd, graph), inner(self.Hy, self.eyd, graph)
        xy, yx = inner(self.Hx, self.eyd, graph), inner(self.Ny, self.exd, graph)
        x, y, z = om
        half = (x * yy - y * yx, y * xx - x * xy, z * (xx + yy))
        return scale(graph.constant(2.0), half)

    def _momentum(self) -> Vector:
        """∫ rd dm."""
        graph, I = self.graph, self.beam.inertia
        return (inner(I.Sx, self.exd, graph), inner(I.Sy, self.eyd, graph), graph.zero)

    def _root_motion(self, om_C: Vector, v_C: Vector) -> tuple[Vector, Vector]:
        """Angular velocity and velocity of the root, in its own axes."""
        R_EC = transpose(self.beam.R_CE)
        v = add(v_C, cross(om_C, self.beam.p_CE))
        return matrix_times(R_EC, om_C), matrix_times(R_EC, v)

    def damping_power(self, om_C: Vector, v_C: Vector) -> Expr:
        """Power lost by mass-proportional damping, ∫ α rd · v dm, from the carrier's motion [W]."""
        graph, I, n = self.graph, self.beam.inertia, len(self.beam.x)
        if self.beam.alpha is graph.zero:
            return graph.zero
        om, v = self._root_motion(om_C, v_C)
        spin = inner(self.Hx, self.eyd, graph) - inner(self.Ny, self.exd, graph)
        own = inner(self.exd, times(I.Mxx, self.exd, n), graph)
        own = own + inner(self.eyd, times(I.Myy, self.eyd, 2 * n), graph)
        return self.beam.alpha * (dot(v, self._momentum()) + om[2] * spin + own)

    def kinetic_energy(self, om_C: Vector, v_C: Vector) -> Expr:
        """Kinetic energy for the motion of the carrying link [J]."""
        graph, I, n = self.graph, self.beam.inertia, len(self.beam.x)
        om, v = self._root_motion(om_C, v_C)
        rigid = self.rigid()
        xx, yy, zz, xy, xz, yz = rigid.J
        J = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
        spin = inner(self.Hx, self.eyd, graph) - inner(self.Ny, self.exd, graph)
        twice = I.m * dot(v, v) + dot(om, matrix_times(J, om))
        twice = twice + 2.0 * (dot(v, add(cross(om, rigid.mc), self._momentum())) + om[2] * spin)
        twice = twice + inner(self.exd, times(I.Mxx, self.exd, n), graph)
        return 0.5 * (twice + inner(self.eyd, times(I.Myy, self.eyd, 2 * n), graph))


@dataclass(frozen=True)
class BeamNeeds:
    """Inertial loads of a beam.

    Attributes:
        link: index of the carrying link, or GROUND.
        efforts: by coordinate.
        f, n: force and moment on the carrying link, about its internal origin in its axes.
    """

    link: int
    efforts: dict[int, Expr]
    f: Vector
    n: Vector


def _euler(rigid: Inertia, om: Vector, omd: Vector, beta: Matrix) -> Vector:
    """J omd + om × J om of a planar body (z = 0), by entries of J and beta = omd~ + om~ om~."""
    yy, xx, _, minus_xy, _, _ = rigid.J  # ∫ y², ∫ x², …, -∫ xy
    xy = -minus_xy
    # ∫ r × (beta r): x = y a_z, y = -x a_z, z = x a_y - y a_x with a = beta r
    return (
        beta[2][0] * xy + beta[2][1] * yy,
        -(beta[2][0] * xx + beta[2][1] * xy),
        beta[1][0] * xx - beta[0][1] * yy + (beta[1][1] - beta[0][0]) * xy,
    )


def bend(skeleton: Skeleton) -> list[BentBeam]:
    """All flexible links in their deformed state, with the masses that their shortening moves."""
    every = [item for beam in skeleton.beams for item in (beam, *loaded(beam))]
    return [BentBeam(beam, skeleton) for beam in every]


def chained(skeleton: Skeleton) -> tuple[int, ...]:
    """Parents of all coordinates in the elimination tree of the mass matrix."""
    parents = [link.parent for link in skeleton.links]
    for beam in skeleton.beams:
        # from root to tip, each is the child of the next; the last one of the carrying link
        order = beam.coordinates
        for k, above in zip(order, (*order[1:], beam.link), strict=True):
            parents[k] = above
    return tuple(parents)
