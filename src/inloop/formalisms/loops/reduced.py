"""Constrained dynamics in independent coordinates, fully explicit: Eq. 16 of the ROBOTRAN paper.

With u independent, v dependent, d driven coordinates and J partitioned accordingly:

    J_v qd_v  = -(J_u qd_u + J_d qd_d + nu)
    J_v qdd_v = -(J_u qdd_u + J_d qdd_d + gamma)
    A = ∂(u, v)/∂u,  Aᵀ M A qdd_u = Aᵀ (tau - tau0)
    J_vᵀ lam = (M qdd + c - tau)_v,  tau_d = (M qdd + c - Jᵀ lam)_d

where tau0 = M qdd0 + c is the inverse dynamics with qdd_u = 0. Everything is written with symbolic
scalars, so the sparsity of loops and tree simplifies the products.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from inloop.errors import ModelError
from inloop.formalisms.frames import Skeleton
from inloop.formalisms.laws.forces import build_loads
from inloop.formalisms.laws.loads import Loads
from inloop.formalisms.laws.reactions import complete_rates, reactions
from inloop.formalisms.loops import lu
from inloop.formalisms.loops.constraints import build_rows
from inloop.formalisms.loops.partition import Partition
from inloop.formalisms.loops.rows import Row
from inloop.formalisms.recursions import crb, rne
from inloop.formalisms.recursions.regroup import regroup
from inloop.formalisms.symbols import Selection
from inloop.model import Mechanism
from inloop.symbolic import Expr, Graph


@dataclass(frozen=True)
class Newton:
    """One Newton step towards closed loops.

    Attributes:
        step: corrections of the dependent coordinates, in the order of the partition.
        h: constraint values of the rows in use.
        reciprocals: reciprocals of the pivots; they grow when the partition becomes singular.
    """

    step: list[Expr]
    h: list[Expr]
    reciprocals: list[Expr]


@dataclass(frozen=True)
class Reduced:
    """Constrained motion at a closed position.

    Attributes:
        qd, qdd: all velocities and accelerations.
        lam: multipliers of the rows in use, in the order of the partition.
        effort: efforts of the driven joints.
        rates: rates of the states of force laws.
    """

    qd: list[Expr]
    qdd: list[Expr]
    lam: list[Expr]
    effort: list[Expr]
    rates: list[Expr]


def newton(rows: Sequence[Row], partition: Partition, graph: Graph) -> Newton:
    """J_v step = -h."""
    used = [rows[k] for k in partition.rows]
    factors = factorize_rows(used, partition, graph)
    h = [row.h for row in used]
    return Newton(factors.solve([-value for value in h]), h, factors.reciprocals)


def factorize_rows(used: Sequence[Row], partition: Partition, graph: Graph) -> lu.LU:
    """Factors of J_v, the columns of the dependent coordinates."""
    place = {column: k for k, column in enumerate(partition.dependent)}
    entries = {
        (i, place[column]): entry
        for i, row in enumerate(used)
        for column, entry in row.J.items()
        if column in place
    }
    return lu.factorize(entries, len(used), graph, "Jv")


@dataclass(frozen=True)
class Constrained:
    """A mechanism at a closed position, with known dependent velocities.

    Attributes:
        partition: roles of coordinates and rows.
        moving: the links with all velocities.
        base: the same, with regrouped inertias.
        factors: factors of J_v.
        used: the constraint rows in use, with velocity terms.
        qd: all velocities.
        loads: loads on the mechanism.
    """

    partition: Partition
    moving: Skeleton
    base: Skeleton
    factors: lu.LU
    used: list[Row]
    qd: list[Expr]
    loads: Loads

    def velocities(
        self, known: Mapping[int, Expr], rates: Sequence[Expr] | None = None
    ) -> list[Expr]:
        """All qd that keep the loops closed, from independent and driven ones; zero if absent.

        Args:
            known: independent and driven velocities.
            rates: J qd + nu of the rows in use, if not zero.
        """
        graph = self.base.graph
        qd = [known.get(k, graph.zero) for k in range(len(self.qd))]
        right = [-(_times(row.J, tuple(known), qd, graph) + row.nu) for row in self.used]
        if rates is not None:
            right = [a + b for a, b in zip(right, rates, strict=True)]
        for column, value in zip(self.partition.dependent, self.factors.solve(right), strict=True):
            qd[column] = value
        return qd

    def accelerations(self, known: Mapping[int, Expr]) -> list[Expr]:
        """All qdd that keep the loops closed, from independent and driven ones; zero if absent."""
        graph = self.base.graph
        qdd = [known.get(k, graph.zero) for k in range(len(self.qd))]
        right = [-(_times(row.J, tuple(known), qdd, graph) + row.gamma) for row in self.used]
        for column, value in zip(self.partition.dependent, self.factors.solve(right), strict=True):
            qdd[column] = value
        return qdd

    def driven(self) -> dict[int, Expr]:
        """Symbols of the accelerations of driven joints."""
        return {k: self.base.symbols.qdd[k] for k in self.partition.driven}

    def efforts(self, qdd: Sequence[Expr]) -> list[Expr]:
        """M qdd + c, without loops."""
        tau = rne.inverse_dynamics(self.base, qdd, self.loads.wrenches)
        return _minus_laws(tau, self.loads)

    def residual(self, qdd_u: Sequence[Expr]) -> list[Expr]:
        """Aᵀ (tau - M qdd - c) for accelerations of the independent coordinates."""
        parts, graph = self.partition, self.base.graph
        known = {**dict(zip(parts.independent, qdd_u, strict=True)), **self.driven()}
        free, lam = self._unbalanced(self.accelerations(known))
        # Bᵀ free_v = -J_uᵀ J_v⁻ᵀ free_v = J_uᵀ lam
        rows = list(zip(self.used, lam, strict=True))
        return [
            _sum(free[j], ((row.J.get(j, graph.zero), force) for row, force in rows))
            for j in parts.independent
        ]

    def reactions(self, qdd_u: Sequence[Expr]) -> dict[Expr, Expr]:
        """Joint reactions that laws need, by placeholder."""
        if not self.loads.reactions:
            return {}
        known = {**dict(zip(self.partition.independent, qdd_u, strict=True)), **self.driven()}
        qdd = self.accelerations(known)
        _, lam = self._unbalanced(qdd)
        return reactions(self.moving, self.loads, qdd, self.used, lam)

    def _unbalanced(self, qdd: Sequence[Expr]) -> tuple[list[Expr], list[Expr]]:
        """tau - M qdd - c, and the multipliers that balance its dependent part."""
        need = self.efforts(qdd)
        free = [t - n for t, n in zip(self.base.symbols.tau, need, strict=True)]
        lam = self.factors.solve_transposed([-free[i] for i in self.partition.dependent])
        return free, lam

    def columns(self) -> list[list[Expr]]:
        """B = ∂q_v/∂q_u, one list per independent coordinate."""
        graph, v = self.base.graph, self.partition.dependent
        B = []
        for j in self.partition.independent:
            column = self.factors.solve([-row.J.get(j, graph.zero) for row in self.used])
            for k, entry in enumerate(column):
                graph.label(entry, f"B_{v[k] + 1}_{j + 1}")
            B.append(column)
        return B

    def mass(self, B: list[list[Expr]]) -> tuple[list[list[Expr]], dict[tuple[int, int], Expr]]:
        """M A, and all entries of Aᵀ M A."""
        graph, u, v = self.base.graph, self.partition.independent, self.partition.dependent
        M = crb.mass_matrix(self.base).rows(graph.zero)
        MA = [
            [_sum(M[i][j], ((M[i][v[k]], B[c][k]) for k in range(len(v)))) for c, j in enumerate(u)]
            for i in range(len(self.qd))
        ]
        lower = {
            (c, l): _sum(MA[j][l], ((B[c][k], MA[v[k]][l]) for k in range(len(v))))
            for c, j in enumerate(u)
            for l in range(c + 1)
        }
        places = ((c, l) for c in range(len(u)) for l in range(len(u)))
        whole = {(c, l): lower[max(c, l), min(c, l)] for c, l in places}
        return MA, {key: entry for key, entry in whole.items() if entry is not graph.zero}

    def projected(self, B: list[list[Expr]], free: Sequence[Expr]) -> list[Expr]:
        """Aᵀ free."""
        u, v = self.partition.independent, self.partition.dependent
        return [
            _sum(free[j], ((B[c][k], free[v[k]]) for k in range(len(v)))) for c, j in enumerate(u)
        ]


def constrained(
    mechanism: Mechanism, skeleton: Skeleton, partition: Partition, external_forces: Selection = ()
) -> Constrained:
    """Velocities of the dependent coordinates, and all that follows from them."""
    graph = skeleton.graph
    rows = build_rows(mechanism, skeleton)
    used = [rows[k] for k in partition.rows]
    factors = factorize_rows(used, partition, graph)
    known = (*partition.independent, *partition.driven)
    qd = list(skeleton.symbols.qd)
    right = [-(_times(row.J, known, qd, graph) + row.nu) for row in used]
    for column, value in zip(partition.dependent, factors.solve(right), strict=True):
        qd[column] = graph.label(value, f"qd_{column + 1}")
    return at_velocities(mechanism, skeleton, partition, factors, qd, external_forces)


def at_velocities(
    mechanism: Mechanism,
    skeleton: Skeleton,
    partition: Partition,
    factors: lu.LU,
    qd: Sequence[Expr],
    external_forces: Selection = (),
) -> Constrained:
    """All that follows from the velocities of all coordinates and the factors of J_v."""
    moving = _with_velocities(skeleton, qd)
    loads = build_loads(mechanism, moving, external_forces)
    base = regroup(moving)
    rows = build_rows(mechanism, moving)
    used = [rows[k] for k in partition.rows]
    return Constrained(partition, moving, base, factors, used, list(qd), loads)


def _refuse_massless(
    mechanism: Mechanism, independent: Sequence[int], Mr: Mapping[tuple[int, int], Expr]
) -> None:
    """Name an independent coordinate that moves nothing.

    Raises:
        ModelError: there is one.
    """
    for c, k in enumerate(independent):
        if (c, c) not in Mr or Mr[c, c] is Mr[c, c].graph.zero:
            joint = mechanism.bodies[k].joint
            raise ModelError(
                f"joint '{joint.name}' and what follows it in its loops move nothing with inertia",
                mechanism.bodies[k].where,
                "Give one of the bodies mass and inertia, or give the joint an armature.",
            )


def reduced(
    mechanism: Mechanism, skeleton: Skeleton, partition: Partition, external_forces: Selection = ()
) -> Reduced:
    """The motion of the whole mechanism from that of its independent and driven coordinates."""
    found = constrained(mechanism, skeleton, partition, external_forces)
    graph, tau = found.base.graph, found.base.symbols.tau
    u, v = partition.independent, partition.dependent
    # accelerations for qdd_u = 0
    qdd0 = found.accelerations(found.driven())
    tau0 = found.efforts(qdd0)
    B = found.columns()
    MA, Mr = found.mass(B)
    _refuse_massless(mechanism, u, Mr)
    right = found.projected(B, [t - t0 for t, t0 in zip(tau, tau0, strict=True)])
    qdd_u = lu.solve_symmetric(Mr, right, "Mr")
    qdd = list(qdd0)
    for c, j in enumerate(u):
        qdd[j] = graph.label(qdd_u[c], f"qdd_{j + 1}")
    for k, i in enumerate(v):
        qdd[i] = _sum(qdd0[i], ((B[c][k], qdd_u[c]) for c in range(len(u))))
    # required efforts without loops
    need = [_sum(tau0[i], ((MA[i][c], qdd_u[c]) for c in range(len(u)))) for i in range(len(qdd))]
    lam = found.factors.solve_transposed([need[i] - tau[i] for i in v])
    effort = []
    for i in partition.driven:
        rows = zip(found.used, lam, strict=True)
        pulls = ((row.J.get(i, graph.zero), force) for row, force in rows)
        effort.append(need[i] - _sum(graph.zero, pulls))
    rates = complete_rates(found.moving, found.loads, qdd, found.used, lam)
    return Reduced(found.qd, qdd, lam, effort, rates)


def _times(
    J: dict[int, Expr], columns: Sequence[int], values: Sequence[Expr], graph: Graph
) -> Expr:
    total = graph.zero
    for column in columns:
        if column in J:
            total = total + J[column] * values[column]
    return total


def _with_velocities(skeleton: Skeleton, qd: Sequence[Expr]) -> Skeleton:
    links = tuple(replace(link, qd=value) for link, value in zip(skeleton.links, qd, strict=True))
    return replace(skeleton, links=links)


def _minus_laws(tau: list[Expr], loads: Loads) -> list[Expr]:
    return [t - loads.efforts[k] if k in loads.efforts else t for k, t in enumerate(tau)]


def _sum(start: Expr, products: Iterable[tuple[Expr, Expr]]) -> Expr:
    """start + Σ a b."""
    total = start
    for a, b in products:
        total = total + a * b
    return total
