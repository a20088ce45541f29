"""Driven joints that follow signals from outside: their inputs, and the filter behind them.

A filtered drive follows its input q_u through a critically damped low-pass of third order,

    (1 + s/p)³ q = q_u,   p = 2π cutoff / √(2^(1/3) - 1),

so that |q / q_u| is 1/√2 at the cutoff. Position, velocity and acceleration are its three states:
they fit each other exactly, the acceleration is continuous even where the input jumps, and a step
is followed without overshoot. Slow inputs are followed with a delay of 3/p.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from inloop.model.constraints.elements import Derivatives
from inloop.model.elements import Joint
from inloop.model.laws.effects import LawState
from inloop.model.parameters import Input
from inloop.symbolic import Expr, Graph

KINDS = ("q", "qd", "qdd")


@dataclass(frozen=True)
class LiveMotion:
    """Motion of a joint that follows inputs.

    Attributes:
        q, qd, qdd: position, velocity and acceleration, as expressions of inputs and states.
        inputs: signals from outside.
        states: of the filter.
    """

    q: Expr
    qd: Expr
    qdd: Expr
    inputs: tuple[Input, ...]
    states: tuple[LawState, ...] = ()


def live_motion(
    joint: Joint, derivatives: Derivatives, cutoff: float, graph: Graph, where: str
) -> LiveMotion:
    """Return how a joint follows its inputs.

    Args:
        joint: the driven joint; its initial position is the default of the input.
        derivatives: "given", velocity and acceleration are inputs too; "filtered", the inputs
            are the position alone.
        cutoff: of the filter [Hz].
        graph: owner of the symbols.
        where: file and line of the drive.
    """
    unit = joint.kind.dimension.unit
    units = (unit, f"{unit}/s", f"{unit}/s^2")
    defaults = (float(joint.initial[0]), 0.0, 0.0)
    inputs = tuple(
        Input(f"{joint.name}.{kind}", unit, "drive", _symbol(graph, joint, kind), where, default)
        for kind, unit, default in zip(KINDS, units, defaults, strict=True)
    )
    if derivatives == "given":
        q, qd, qdd = (item.symbol for item in inputs)
        return LiveMotion(q, qd, qdd, inputs)
    q, qd, qdd = (_symbol(graph, joint, f"filtered.{kind}") for kind in KINDS)
    p = 2.0 * math.pi * cutoff / math.sqrt(2.0 ** (1.0 / 3.0) - 1.0)
    jerk = p**3 * (inputs[0].symbol - q) - 3.0 * p**2 * qd - 3.0 * p * qdd
    states = tuple(
        LawState(f"{joint.name}.filtered.{kind}", symbol, default, rate)
        for kind, symbol, default, rate in zip(
            KINDS, (q, qd, qdd), defaults, (qd, qdd, jerk), strict=True
        )
    )
    return LiveMotion(q, qd, qdd, inputs[:1], states)


def _symbol(graph: Graph, joint: Joint, kind: str) -> Expr:
    # three parts: no law or constraint has such a placeholder
    return graph.symbol(f"drive.{joint.name}.{kind}")
