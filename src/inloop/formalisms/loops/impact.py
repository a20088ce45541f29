"""Impulse balance: velocities after constraints engage instantaneously.

With qd = A qd_u + b on the constraints, qd⁻ before, and M (qd - qd⁻) = Jᵀ Λ:

    Aᵀ M A qd_u = Aᵀ M (qd⁻ - b),  J_vᵀ Λ = (M (qd - qd⁻))_v

Of all velocities that satisfy the constraints, qd is nearest to qd⁻ in the kinetic-energy norm.
With a restitution e per row, J qd + nu = -e (J qd⁻ + nu), and b includes that term.
"""

from __future__ import annotations

from collections.abc import Sequence

from inloop.formalisms.frames import Skeleton
from inloop.formalisms.loops import lu
from inloop.formalisms.loops.partition import Partition
from inloop.formalisms.loops.reduced import constrained
from inloop.formalisms.recursions import crb
from inloop.model import Mechanism
from inloop.symbolic import Expr, Graph


def project(
    mechanism: Mechanism,
    skeleton: Skeleton,
    partition: Partition,
    restitution: Sequence[Expr] | None = None,
) -> tuple[list[Expr], list[Expr]]:
    """Velocities after the constraints engage, and the impulses of the rows in use.

    The velocities of driven coordinates are kept.

    Args:
        mechanism: the model.
        skeleton: its links.
        partition: roles of coordinates and rows.
        restitution: restitution of each row in use; default: none.
    """
    graph = skeleton.graph
    found = constrained(mechanism, skeleton, partition)
    u, v = partition.independent, partition.dependent
    before = skeleton.symbols.qd
    M = crb.mass_matrix(found.base).rows(graph.zero)
    left = None
    if restitution is not None:
        approach = (row.rate(before) for row in found.used)
        left = [-e * v for e, v in zip(restitution, approach, strict=True)]
    # b: contribution of driven coordinates, time and restitution
    b = found.velocities({k: before[k] for k in partition.driven}, left)
    B = found.columns()
    _, Mr = found.mass(B)
    right = found.projected(B, _times(M, _minus(before, b), graph))
    qd_u = lu.solve_symmetric(Mr, right, "Mr")
    known = dict(zip(u, qd_u, strict=True)) | {k: before[k] for k in partition.driven}
    qd = found.velocities(known, left)
    impulse = _times([M[i] for i in v], _minus(qd, before), graph)
    return qd, found.factors.solve_transposed(impulse)


def _minus(a: Sequence[Expr], b: Sequence[Expr]) -> list[Expr]:
    return [x - y for x, y in zip(a, b, strict=True)]


def _times(rows: Sequence[Sequence[Expr]], x: Sequence[Expr], graph: Graph) -> list[Expr]:
    return [sum((a * b for a, b in zip(row, x, strict=True)), graph.zero) for row in rows]
