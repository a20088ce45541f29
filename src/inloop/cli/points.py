"""Positions of the named points of a mechanism, without compiling code for each of them."""

from __future__ import annotations

import numpy as np

import inloop as il
from inloop.formalisms import Derivation
from inloop.plant import Array
from inloop.symbolic import Expr, evaluate


def point_positions(plant: il.Plant, q: Array) -> dict[str, tuple[float, ...]]:
    """Positions p_WQ of moving named points [m], for the plant's current parameters."""
    mechanism = plant.mechanism
    derivation = Derivation(mechanism)
    symbols = derivation.symbols
    values: dict[Expr, float] = dict(zip(symbols.q, (float(x) for x in q), strict=True))
    for parameter, symbol in zip(symbols.parameters, symbols.symbols, strict=True):
        values[symbol] = plant.parameters[parameter.name]
    found = {}
    for path in _paths(mechanism):
        pose, _, _ = derivation.sensor(path)
        with np.errstate(all="ignore"):
            entries = evaluate(pose.outputs[0].exprs, values)
        found[path] = tuple(float(x) for x in entries)
    return found


def _paths(mechanism: il.Mechanism) -> list[str]:
    """All named points, or the origins of the outermost bodies if no point is named."""
    named = [point.path for body in mechanism.bodies for point in body.points]
    outermost = [body for body in mechanism.bodies if not mechanism.children(body.index)]
    return named or [part.name for body in outermost for part in body.parts]
