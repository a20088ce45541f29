"""User-written constraints, differentiated symbolically.

On positions, h(q, t) = 0: J and nu are derivatives of h along the joint motions. On velocities,
A(q, t) qd + b(q, t) = 0: J = A and nu = b are extracted directly.
"""

from __future__ import annotations

from collections.abc import Sequence

from inloop.formalisms.frames import Skeleton
from inloop.formalisms.laws.ports import Tangent
from inloop.formalisms.loops.rows import Row
from inloop.model import Constraint
from inloop.symbolic import Expr, directional, forward, rebuild


def user_rows(constraint: Constraint, skeleton: Skeleton, tangents: Sequence[Tangent]) -> list[Row]:
    """The rows of one constraint, with the velocities held by the links.

    Args:
        constraint: as the user wrote it.
        skeleton: the links.
        tangents: by joint, the derivatives of q (`tangents.tangents`).
    """
    symbols, graph = skeleton.symbols, skeleton.graph
    at = {placeholder: symbols.q[place] for place, placeholder in constraint.positions}
    speeds = {k: symbols.qd[k] for k, _ in constraint.velocities}
    known = {**at, **{placeholder: speeds[k] for k, placeholder in constraint.velocities}}
    exprs = symbols.substitute(constraint.rows, {**known, constraint.t: symbols.t})
    used = set(at.values())
    motions = {k: tangent for k, tangent in enumerate(tangents) if not used.isdisjoint(tangent)}

    def rate(expr: Expr) -> Expr:
        """Time derivative of an expression of q and t along the motion."""
        total = forward([expr], symbols.t)[0]
        for k, motion in motions.items():
            total = total + directional([expr], motion)[0] * skeleton.links[k].qd
        return total

    rows = []
    for number, value in enumerate(exprs, start=1):
        if constraint.on_velocities:
            slopes = {k: forward([value], speed)[0] for k, speed in speeds.items()}
            (nu,) = rebuild([value], graph, dict.fromkeys(speeds.values(), graph.zero))
        else:
            slopes = {k: directional([value], motion)[0] for k, motion in motions.items()}
            nu = forward([value], symbols.t)[0]
        J = {k: slope for k, slope in slopes.items() if slope is not graph.zero}
        # gamma = d/dt (J qd + nu) at constant qd, which may be expressions of q themselves
        gamma = sum((rate(slope) * skeleton.links[k].qd for k, slope in J.items()), rate(nu))
        rows.append(
            Row(
                element=constraint.name,
                direction=f"row {number}",
                unit="",
                h=graph.zero if constraint.on_velocities else value,
                J=J,
                nu=nu,
                gamma=gamma,
                holonomic=not constraint.on_velocities,
            )
        )
    return rows
