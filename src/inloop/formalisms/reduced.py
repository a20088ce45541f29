"""Constrained dynamics in independent coordinates, fully explicit: Eq. 16 of the ROBOTRAN paper.

With u independent, v dependent, d driven coordinates and J partitioned alike:

    J_v qd_v  = -(J_u qd_u + J_d qd_d + nu)
    J_v qdd_v = -(J_u qdd_u + J_d qdd_d + gamma)
    A = ∂(u, v)/∂u,  Aᵀ M A qdd_u = Aᵀ (tau - tau0)
    J_vᵀ lam = (M qdd + c - tau)_v,  tau_d = (M qdd + c - Jᵀ lam)_d

where tau0 = M qdd0 + c is the inverse dynamics with qdd_u = 0. Everything is written with symbolic
scalars, so the sparsity of loops and tree folds the products down.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from inloop.formalisms import crb, lu, rne
from inloop.formalisms.constraints import Row, build_rows
from inloop.formalisms.forces import Loads, build_loads
from inloop.formalisms.frames import Skeleton
from inloop.formalisms.partition import Partition
from inloop.formalisms.reactions import complete_rates
from inloop.formalisms.regroup import regroup
from inloop.formalisms.symbols import Selection
from inloop.model import Mechanism
from inloop.symbolic import Expr, Graph

Rows = Sequence[Sequence[Expr]]


@dataclass(frozen=True)
class Newton:
    """One Newton step towards closed loops.

    Attributes:
        step: corrections of the dependent coordinates, in the order of the partition.
        h: constraint values of the rows in use.
        reciprocals: of the pivots; they grow when the partition becomes bad.
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
        rates: of the states of force laws.
    """

    qd: list[Expr]
    qdd: list[Expr]
    lam: list[Expr]
    effort: list[Expr]
    rates: list[Expr]


def newton(rows: Sequence[Row], partition: Partition, graph: Graph) -> Newton:
    """J_v step = -h."""
    used = [rows[k] for k in partition.rows]
    factors = factor(used, partition, graph)
    h = [row.h for row in used]
    return Newton(factors.solve([-value for value in h]), h, factors.reciprocals)


def factor(used: Sequence[Row], partition: Partition, graph: Graph) -> lu.LU:
    """Factors of J_v, the columns of the dependent coordinates."""
    place = {column: k for k, column in enumerate(partition.dependent)}
    entries = {
        (i, place[column]): entry
        for i, row in enumerate(used)
        for column, entry in row.J.items()
        if column in place
    }
    return lu.factorize(entries, len(used), graph, "Jv")


def reduced(
    mechanism: Mechanism, skeleton: Skeleton, partition: Partition, external_forces: Selection = ()
) -> Reduced:
    """The motion of the whole mechanism from that of its independent and driven coordinates."""
    graph = skeleton.graph
    rows = build_rows(mechanism, skeleton)
    used = [rows[k] for k in partition.rows]
    factors = factor(used, partition, graph)
    known = (*partition.independent, *partition.driven)
    # velocities of the dependent coordinates
    qd = list(skeleton.symbols.qd)
    right = [-(times(row.J, known, qd, graph) + row.nu) for row in used]
    for column, value in zip(partition.dependent, factors.solve(right), strict=True):
        qd[column] = graph.label(value, f"qd_{column + 1}")
    moving = _with_velocities(skeleton, qd)
    loads = build_loads(mechanism, moving, external_forces)
    base = regroup(moving)
    # accelerations without those of the independent coordinates
    qdd0 = [graph.zero] * len(qd)
    for column in partition.driven:
        qdd0[column] = skeleton.symbols.qdd[column]
    rows = build_rows(mechanism, moving)
    used = [rows[k] for k in partition.rows]
    right = [-(times(row.J, partition.driven, qdd0, graph) + row.gamma) for row in used]
    for column, value in zip(partition.dependent, factors.solve(right), strict=True):
        qdd0[column] = value
    tau0 = _minus_laws(rne.inverse_dynamics(base, qdd0, loads.wrenches), loads)
    found = _solve(base, partition, factors, used, qd, qdd0, tau0)
    return replace(found, rates=complete_rates(moving, loads, found.qdd, used, found.lam))


def times(J: dict[int, Expr], columns: Sequence[int], values: Sequence[Expr], graph: Graph) -> Expr:
    """Some columns of a row of J times their values."""
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


def _solve(
    base: Skeleton,
    partition: Partition,
    factors: lu.LU,
    used: Sequence[Row],
    qd: list[Expr],
    qdd0: list[Expr],
    tau0: list[Expr],
) -> Reduced:
    graph, tau = base.graph, base.symbols.tau
    u, v = partition.independent, partition.dependent
    M = crb.mass_matrix(base).rows(graph.zero)
    B, MA, Mr = reduce_mass(M, partition, factors, used, graph)
    free = [t - t0 for t, t0 in zip(tau, tau0, strict=True)]
    qdd_u = solve_symmetric(graph, Mr, gather(free, partition, B))
    qdd = list(qdd0)
    for c, j in enumerate(u):
        qdd[j] = graph.label(qdd_u[c], f"qdd_{j + 1}")
    for k, i in enumerate(v):
        qdd[i] = add_products(qdd0[i], ((B[c][k], qdd_u[c]) for c in range(len(u))))
    # what the joints would have to supply without loops
    need = [
        add_products(tau0[i], ((MA[i][c], qdd_u[c]) for c in range(len(u)))) for i in range(len(qd))
    ]
    lam = factors.solve_transposed([need[i] - tau[i] for i in v])
    effort = []
    for i in partition.driven:
        pulls = ((row.J.get(i, graph.zero), force) for row, force in zip(used, lam, strict=True))
        effort.append(need[i] - add_products(graph.zero, pulls))
    return Reduced(qd, qdd, lam, effort, [])


def reduce_mass(
    M: Rows, partition: Partition, factors: lu.LU, used: Sequence[Row], graph: Graph
) -> tuple[Rows, Rows, dict[tuple[int, int], Expr]]:
    """B = ∂v/∂u by columns, M A by rows, and the lower half of Aᵀ M A."""
    u, v = partition.independent, partition.dependent
    # columns of A: what the dependent coordinates do for each independent one
    B = []
    for j in u:
        column = factors.solve([-row.J.get(j, graph.zero) for row in used])
        for k, entry in enumerate(column):
            graph.label(entry, f"B_{v[k] + 1}_{j + 1}")
        B.append(column)
    MA = [
        [
            add_products(row[j], ((row[v[k]], B[c][k]) for k in range(len(v))))
            for c, j in enumerate(u)
        ]
        for row in M
    ]
    Mr = {
        (c, l): add_products(MA[j][l], ((B[c][k], MA[v[k]][l]) for k in range(len(v))))
        for c, j in enumerate(u)
        for l in range(c + 1)
    }
    return B, MA, Mr


def gather(values: Sequence[Expr], partition: Partition, B: Rows) -> list[Expr]:
    """Aᵀ values."""
    v = partition.dependent
    return [
        add_products(values[j], ((B[c][k], values[v[k]]) for k in range(len(v))))
        for c, j in enumerate(partition.independent)
    ]


def add_products(start: Expr, products: Iterable[tuple[Expr, Expr]]) -> Expr:
    """start + Σ a b."""
    total = start
    for a, b in products:
        total = total + a * b
    return total


def solve_symmetric(
    graph: Graph, lower: dict[tuple[int, int], Expr], right: list[Expr]
) -> list[Expr]:
    """x with S x = right, S symmetric positive definite, by LDLᵀ."""
    n = len(right)
    entries = {
        (i, j): lower[max(i, j), min(i, j)]
        for i in range(n)
        for j in range(n)
        if lower[max(i, j), min(i, j)] is not graph.zero
    }
    return lu.factorize(entries, n, graph, "Mr").solve(right)
