"""Hold a mechanism where it starts, and stop its joints elastically at their limits.

The law of the hold, for the joints that are held,

    tau = hold (tau_0 + M_0 (ω² (q_0 - q) - 2 ω qd)),

has the efforts tau_0 that keep them at rest at the start q_0, and their mass matrix M_0 there. So
the start is an equilibrium, whatever the weight, and small motions about it have poles near -ω: the
law adds nothing stiff. It is passive wherever the mechanism goes, as M_0 is positive definite.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from inloop.formalisms import Derivation
from inloop.model import Mechanism, ModelBuilder
from inloop.model.starting import start_at
from inloop.plant.engine import Array
from inloop.symbolic import Expr, evaluate

HOLD = "hold"  # name of the parameter, and of the law
HELD_AT = 60.0  # ω [rad/s]
STOPPED_AT = 60.0  # natural frequency of a joint at its stop, the others at rest [rad/s]
STOP_DAMPING = 0.5  # part of the critical one

# a coordinate that follows another, q = ratio * q_leader + offset: (leader, ratio, offset)
Following = tuple[str, float, float]


class Rest(NamedTuple):
    """What joints need to stay where they start; others are loose, or follow them.

    Attributes:
        joints: names of their coordinates.
        q: where they start [rad or m], shape (n,).
        tau: efforts that keep them at rest [N·m or N], shape (n,).
        M: mass matrix that they feel [kg·m² or kg], shape (n, n).
    """

    joints: tuple[str, ...]
    q: Array
    tau: Array
    M: Array


def hold(model: ModelBuilder, rest: Rest) -> None:
    """Hold joints where they start, by a law with the parameter "hold": 1 holds, 0 lets go."""
    # what follows them must not move them when it is put together
    start_at(model, dict(zip(rest.joints, map(float, rest.q), strict=True)))
    grip = model.parameter(
        HOLD,
        1.0,
        range=(0.0, 1.0),
        doc="1 holds the joints at their initial positions, 0 releases them",
    )

    def efforts(q: Sequence[Expr], qd: Sequence[Expr]) -> tuple[Any, ...]:
        wanted = [
            HELD_AT**2 * (float(start) - x) - 2.0 * HELD_AT * v
            for start, x, v in zip(rest.q, q, qd, strict=True)
        ]
        rows = (
            sum((float(m) * a for m, a in zip(row, wanted, strict=True) if m), start=float(tau))
            for row, tau in zip(rest.M, rest.tau, strict=True)
        )
        return tuple(grip * row for row in rows)

    if len(rest.joints) == 1:
        model.joint_force(rest.joints[0], lambda q, qd: efforts((q,), (qd,))[0], name=HOLD)
    else:
        model.coupled_force(rest.joints, efforts, name=HOLD)


def stop(model: ModelBuilder, rest: Rest) -> int:
    """Put elastic stops at the limits of joints, as stiff as the masses that they carry ask for.

    Returns:
        How many joints have stops now.
    """
    limits = {body.joint.name: body.joint.limits for body in model.build().bodies}
    inertias = dict(zip(rest.joints, map(float, np.diag(rest.M)), strict=True))
    limited = [name for name in rest.joints if limits[name] is not None]
    for name in limited:
        model.joint_stop(
            name,
            stiffness=STOPPED_AT**2 * inertias[name],
            damping=2.0 * STOP_DAMPING * STOPPED_AT * inertias[name],
        )
    return len(limited)


def rest_of(
    mechanism: Mechanism, joints: Sequence[str], following: Mapping[str, Following]
) -> Rest:
    """Evaluate mass matrix and weight at the start, without a compiler.

    Args:
        mechanism: the frozen model.
        joints: names of coordinates that follow no others; all others but those are loose.
        following: how coordinates follow others, by name.
    """
    names = list(mechanism.coordinates)
    ways, q = _ways(mechanism, following)
    M, c = _terms(mechanism, q)
    M, c = ways.T @ M @ ways, ways.T @ c
    free = [name for name in names if name not in following]
    held = [free.index(name) for name in joints]
    loose = [k for k in range(len(free)) if k not in held]
    # what is loose accelerates so that nothing acts on it: Schur's complement
    carried = np.linalg.solve(M[np.ix_(loose, loose)], np.c_[M[np.ix_(loose, held)], c[loose]])
    M_0 = M[np.ix_(held, held)] - M[np.ix_(held, loose)] @ carried[:, :-1]
    tau_0 = c[held] - M[np.ix_(held, loose)] @ carried[:, -1]
    return Rest(tuple(joints), q[[names.index(name) for name in joints]], tau_0, M_0)


def _ways(mechanism: Mechanism, following: Mapping[str, Following]) -> tuple[Array, Array]:
    """How all coordinates follow those that follow none, and where they start."""
    names = list(mechanism.coordinates)
    q = np.array(mechanism.first_q[: len(names)], dtype=np.float64)
    free = [name for name in names if name not in following]
    ways = np.zeros((len(names), len(free)))
    for k, name in enumerate(names):
        ratio, offset, leader = 1.0, 0.0, name
        while leader in following:  # a leader may follow another
            leader, factor, more = following[leader]
            ratio, offset = ratio * factor, offset + ratio * more
        ways[k, free.index(leader)] = ratio
        q[k] = ratio * q[names.index(leader)] + offset
    return ways, q


def _terms(mechanism: Mechanism, q: Array) -> tuple[Array, Array]:
    """The mass matrix of the tree, and its efforts at rest."""
    derivation = Derivation(mechanism)
    symbols = derivation.symbols
    turns = mechanism.first_q[len(q) :]
    values: dict[Expr, Any] = dict(zip(symbols.q, (*q, *turns), strict=True))
    values |= dict.fromkeys((*symbols.qd, *symbols.inputs, symbols.t), 0.0)
    values |= {
        symbol: state.initial
        for symbol, state in zip(symbols.states, mechanism.states, strict=True)
    }
    values |= {
        symbol: parameter.default
        for parameter, symbol in zip(symbols.parameters, symbols.symbols, strict=True)
    }
    n = derivation.n
    rows = derivation.mass.rows(derivation.graph.zero)
    found = evaluate([*(e for row in rows for e in row), *derivation.c], values)
    numbers = np.array(found, dtype=np.float64)
    return numbers[: n * n].reshape(n, n), numbers[n * n :]
