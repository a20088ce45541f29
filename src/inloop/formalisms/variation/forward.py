"""Forward mode: derivatives of the rates along directions of state, inputs and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inloop.formalisms.tangents import attitude_rates
from inloop.formalisms.variation.balance import Balance
from inloop.symbolic import Expr, directional


@dataclass(frozen=True)
class Change:
    """Derivatives of a motion along a direction.

    Attributes:
        q: of all entries of q.
        qd, qdd: of all velocities and accelerations.
        lam, effort: of the multipliers of the rows in use and of the efforts of drives.
        zd: of the rates of states of laws.
        pd: of the rates of components of quaternions.
        observed: of the outputs of the laws, by name.
        watched: of further expressions.
    """

    q: list[Expr]
    qd: list[Expr]
    qdd: list[Expr]
    lam: list[Expr]
    effort: list[Expr]
    zd: list[Expr]
    pd: list[Expr]
    observed: dict[str, Expr]
    watched: list[Expr]


def change(balance: Balance, seeds: Mapping[Expr, Expr], watched: Sequence[Expr] = ()) -> Change:
    """Derivatives of the whole motion.

    Args:
        balance: the motion.
        seeds: by symbol, its derivative: of q and qd of independent coordinates, led positions,
            quaternions, states, inputs, efforts, parameters and time; others are 0.
        watched: further expressions to differentiate, in symbols of the balance.
    """
    d, roles = balance.derivation, balance.roles
    symbols, zero = d.symbols, d.graph.zero
    parts = roles.velocities
    along = dict(seeds)
    # driven joints follow time, inputs and states
    for k, motion in balance.drives.items():
        motion_symbols = (symbols.q[k], balance.qd[k], balance.qdd[k])
        along |= dict(zip(motion_symbols, directional(motion, along), strict=True))
    # J_v δq_v = -δh, at fixed q_v
    by_closing = balance.close(_negative(directional(balance.closing, along)))
    along |= {symbols.q[k]: x for k, x in zip(roles.positions.dependent, by_closing, strict=True)}
    # J_v δqd_v = -δ(J qd + nu), at fixed qd_v
    by_speed = balance.solve_velocities(_negative(directional(balance.velocities, along)))
    along |= {balance.qd[k]: x for k, x in zip(parts.dependent, by_speed, strict=True)}
    # M δqdd - Jᵀ δlam = -δ(M qdd + c - tau - Jᵀ lam), J δqdd = -δ(J qdd + gamma)
    left = directional(balance.efforts, along)
    qdd, lam = balance.solve_motion(
        _negative(left), _negative(directional(balance.accelerations, along))
    )
    along |= {
        a: x
        for k, (a, x) in enumerate(zip(balance.qdd, qdd, strict=True))
        if k not in set(parts.driven)
    }
    along |= dict(zip(balance.lam, lam, strict=True))
    effort = [directional([balance.efforts[k]], along)[0] for k in parts.driven]
    along |= dict(zip(balance.effort, effort, strict=True))
    observed = balance.observed
    result = Change(
        q=[along.get(x, zero) for x in symbols.q],
        qd=[along.get(x, zero) for x in balance.qd],
        qdd=[along.get(x, zero) for x in balance.qdd],
        lam=lam,
        effort=effort,
        zd=directional(balance.rates, along),
        pd=directional(attitude_rates(d.mechanism, symbols, balance.qd), along),
        observed=dict(zip(observed, directional(list(observed.values()), along), strict=True)),
        watched=directional(watched, along),
    )
    return _with_solution(result, balance)


def _with_solution(result: Change, balance: Balance) -> Change:
    of = balance.with_solution
    observed = zip(result.observed, of(list(result.observed.values())), strict=True)
    return Change(
        of(result.q), of(result.qd), of(result.qdd), of(result.lam), of(result.effort),
        of(result.zd), of(result.pd), dict(observed), of(result.watched),
    )  # fmt: skip


def _negative(exprs: Sequence[Expr]) -> list[Expr]:
    return [-e for e in exprs]
