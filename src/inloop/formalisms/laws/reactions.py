"""Joint reaction forces and moments, by a backward sweep over the bodies (inertias not regrouped).

The wrench in a joint is what the bodies beyond it need for their motion, minus the loads on them:
force laws, inputs, and the forces where loops were cut. Regrouped inertias would give wrong
results.

A law may need the reaction of its own joint, the multiplier of a constraint or the effort of a
drive, as friction does. Its force must not depend on them directly: that would be an algebraic
loop, because they depend on the accelerations and these on the force. The rate of one of its states
may. It is written with a placeholder, which is replaced by the reaction once the accelerations are
known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from inloop.formalisms.frames import Link, Skeleton
from inloop.formalisms.laws.law_quantities import multipliers
from inloop.formalisms.laws.loads import Loads
from inloop.formalisms.loops.constraints import build_rows
from inloop.formalisms.loops.rows import Row
from inloop.formalisms.recursions.kinematics import Pose, poses
from inloop.formalisms.recursions.rne import Wrench, inverse_dynamics, transmitted
from inloop.formalisms.vectors import (
    Vector,
    add,
    cross,
    dot,
    length,
    matrix_times,
    scale,
    sub,
    transpose,
)
from inloop.symbolic import Expr, Input, Output, Program, rebuild

if TYPE_CHECKING:
    from inloop.formalisms.derive import Derivation

NAMES = ("fj", "nj")


def complete_rates(
    skeleton: Skeleton,
    loads: Loads,
    qdd: Sequence[Expr],
    rows: Sequence[Row] = (),
    lam: Sequence[Expr] = (),
) -> list[Expr]:
    """Rates of the laws' states, with placeholders replaced by reactions.

    Args:
        skeleton: the links, with inertias as given.
        loads: loads on them.
        qdd: the resulting accelerations.
        rows: loop constraints in use.
        lam: their multipliers.
    """
    if not loads.reactions:
        return loads.rates
    return rebuild(loads.rates, skeleton.graph, reactions(skeleton, loads, qdd, rows, lam))


def reactions(
    skeleton: Skeleton,
    loads: Loads,
    qdd: Sequence[Expr],
    rows: Sequence[Row] = (),
    lam: Sequence[Expr] = (),
) -> dict[Expr, Expr]:
    """Reactions that laws need, by placeholder; arguments as for `complete_rates`."""
    graph = skeleton.graph
    at = {**multipliers(loads, rows, lam), **_drive_efforts(skeleton, loads, qdd, rows, lam)}
    if not loads.radial:
        return at
    wrenches = transmitted(skeleton, qdd, with_cuts(loads, rows, lam), NAMES)
    for index, placeholder in loads.radial.items():
        at[placeholder] = length(across(skeleton.links[index], wrenches[index].f))
        graph.label(at[placeholder], f"radial_{index + 1}")
    return at


def across(link: Link, f: Vector) -> Vector:
    """Force component across the direction in which a joint slides, else across its axis."""
    zero, motion = f[0].graph.zero, link.motion
    way = motion.angular if all(e is zero for e in motion.linear) else motion.linear
    if way[0] is zero and way[1] is zero:
        return f[0], f[1], zero
    return sub(f, scale(dot(f, way) / dot(way, way), way))


def _drive_efforts(
    skeleton: Skeleton,
    loads: Loads,
    qdd: Sequence[Expr],
    rows: Sequence[Row],
    lam: Sequence[Expr],
) -> dict[Expr, Expr]:
    """Efforts of driven joints that laws need: (M qdd + c - Jᵀ lam) there."""
    if not loads.drive_efforts:
        return {}
    graph = skeleton.graph
    need = inverse_dynamics(skeleton, qdd, loads.wrenches)
    at: dict[Expr, Expr] = {}
    for index, placeholder in loads.drive_efforts.items():
        effort = need[index] - loads.efforts.get(index, graph.zero)
        for row, force in zip(rows, lam, strict=True):
            effort = effort - row.J.get(index, graph.zero) * force
        at[placeholder] = effort
    return at


def with_cuts(loads: Loads, rows: Sequence[Row], lam: Sequence[Expr]) -> Mapping[int, Wrench]:
    """Wrenches of all loads and of the loop multipliers, by link index."""
    total = Loads(wrenches=dict(loads.wrenches))
    for row, multiplier in zip(rows, lam, strict=True):
        if row.cut is None:
            continue  # internal to the joints
        for end, sign in ((row.cut.a, 1.0), (row.cut.b, -1.0)):
            R_CW = transpose(end.pose.R_WC)
            force, torque = (
                matrix_times(R_CW, scale(sign * multiplier, v))
                for v in (row.cut.force, row.cut.torque)
            )
            total.apply(end.link, end.p_CQ, force, torque)
    return total.wrenches


def joint_reactions(d: Derivation) -> Program:
    """Program of all reactions from q, qd, qdd, and lam of all rows if there are loops."""
    rows = build_rows(d.mechanism, d.skeleton)
    lam = [d.graph.symbol(f"lam_{k + 1}") for k in range(len(rows))]
    wrenches = transmitted(d.skeleton, d.symbols.qdd, with_cuts(d.loads, rows, lam), NAMES)
    placed = [
        _about_body_origin(link, pose, wrench)
        for link, pose, wrench in zip(d.skeleton.links, poses(d.skeleton), wrenches, strict=True)
    ]
    about = "on the body, world axes"
    outputs = (
        Output.matrix("force", [f for f, _ in placed], f"force [N] {about}"),
        Output.matrix("moment", [n for _, n in placed], f"moment [N·m] about its origin {about}"),
    )
    doc = "Force and moment that each joint transmits to its body, drives and laws included."
    program = d.make("joint_reactions", "q qd qdd loads", outputs, doc, "recursive Newton-Euler")
    if not rows:
        return program
    multipliers = Input("lam", tuple(lam), "multipliers of all rows [N or N·m]")
    return replace(program, inputs=(*program.inputs, multipliers))


def _about_body_origin(link: Link, pose: Pose, wrench: Wrench) -> tuple[Vector, Vector]:
    """Force and moment about the origin of the user's body frame B, in world axes."""
    n = add(wrench.n, cross(link.to_internal(link.p_BC), wrench.f))
    return matrix_times(pose.R_WC, wrench.f), matrix_times(pose.R_WC, n)
