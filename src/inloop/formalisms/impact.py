"""Impulse balance: the velocities that are left when constraints grip all at once.

With qd = A qd_u + b on the constraints, qd⁻ before, and M (qd - qd⁻) = Jᵀ Λ:

    Aᵀ M A qd_u = Aᵀ M (qd⁻ - b),  J_vᵀ Λ = (M (qd - qd⁻))_v

Of all velocities that the constraints allow, qd is nearest to qd⁻ in kinetic energy. An impact
with restitution e takes qd⁻ + (1 + e) (qd - qd⁻).
"""

from __future__ import annotations

from inloop.formalisms import crb
from inloop.formalisms.constraints import build_rows
from inloop.formalisms.frames import Skeleton
from inloop.formalisms.partition import Partition
from inloop.formalisms.reduced import (
    add_products,
    factor,
    gather,
    reduce_mass,
    solve_symmetric,
    times,
)
from inloop.formalisms.regroup import regroup
from inloop.model import Mechanism
from inloop.symbolic import Expr


def project(
    mechanism: Mechanism, skeleton: Skeleton, partition: Partition
) -> tuple[list[Expr], list[Expr]]:
    """Velocities after the constraints have gripped, and the impulses of the rows in use.

    The velocities of driven coordinates are kept.
    """
    graph = skeleton.graph
    rows = build_rows(mechanism, skeleton)
    used = [rows[k] for k in partition.rows]
    factors = factor(used, partition, graph)
    u, v = partition.independent, partition.dependent
    before = skeleton.symbols.qd
    M = crb.mass_matrix(regroup(skeleton)).rows(graph.zero)
    B, _, Mr = reduce_mass(M, partition, factors, used, graph)
    # b: what the driven coordinates and time alone do
    b = [graph.zero] * len(before)
    for k in partition.driven:
        b[k] = before[k]
    right = [-(times(row.J, partition.driven, b, graph) + row.nu) for row in used]
    for column, value in zip(v, factors.solve(right), strict=True):
        b[column] = value
    excess = [x - y for x, y in zip(before, b, strict=True)]
    momentum = [add_products(graph.zero, zip(row, excess, strict=True)) for row in M]
    qd_u = solve_symmetric(graph, Mr, gather(momentum, partition, B))
    qd = list(b)
    for c, j in enumerate(u):
        qd[j] = qd_u[c]
    for k, i in enumerate(v):
        qd[i] = add_products(b[i], ((B[c][k], qd_u[c]) for c in range(len(u))))
    jump = [x - y for x, y in zip(qd, before, strict=True)]
    impulse = [add_products(graph.zero, zip(M[i], jump, strict=True)) for i in v]
    return qd, factors.solve_transposed(impulse)
