"""Stiffness and damping of single force laws, as numbers, to tell which one is to blame.

This is evaluated by the interpreter, once, when a run went wrong: nothing is compiled for it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from inloop.formalisms.ports import Entries, Port, jacobian_entries, slopes
from inloop.formalisms.reactions import reactions
from inloop.plant.engine import Array
from inloop.symbolic import Expr, evaluate

if TYPE_CHECKING:
    from inloop.plant.bare_plant import BarePlant


def law_stiffness(
    plant: BarePlant, q: Array, qd: Array, z: Array, u: Array, t: float
) -> dict[str, tuple[Array, Array]]:
    """-∂Q/∂q and -∂Q/∂qd of the generalized efforts Q of each law, shape (n, n), by name.

    States of a law follow its motion as they do when it is fast: their rates by velocities count as
    stiffness.

    Args:
        plant: the compiled mechanism.
        q: coordinates.
        qd: velocities.
        z: states of force laws.
        u: inputs.
        t: time [s].
    """
    d = plant._derivation
    values: dict[Expr, float] = {d.symbols.t: t}
    for block in d.load_blocks():
        values |= zip(block.symbols, u if block.name == "u" else z, strict=True)
    given = (plant.parameters.values_array, q, qd)
    for symbols, numbers in zip((d.symbols.symbols, d.symbols.q, d.symbols.qd), given, strict=True):
        values |= zip(symbols, numbers, strict=True)
    # of reactions, the part without accelerations and without forces in loops
    at_rest: dict[Expr, Expr] = {}
    if d.loads.reactions:
        at_rest = reactions(d.skeleton, d.loads, [d.graph.zero] * d.n)
    found: dict[str, tuple[Array, Array]] = {}
    for port in d.loads.ports:
        known = {key: at_rest.get(e, e) for key, e in port.known.items()}
        found[port.name] = _stiffness(plant, port, known, values)
    return found


def _stiffness(
    plant: BarePlant, port: Port, known: dict[Expr, Expr], values: dict[Expr, float]
) -> tuple[Array, Array]:
    symbols = plant._derivation.symbols
    slope = slopes(replace(port, known=known), symbols)
    rates = [feel.rate for feel in port.feels]
    r, s, m, n = len(port.work), len(rates), len(port.states), plant.n
    J_work = _numbers(jacobian_entries(port.work, symbols.qd), (r, n), values)
    J_feel = _numbers(jacobian_entries(rates, symbols.qd), (s, n), values)
    e_s, e_v = (_numbers(block, (r, s), values) for block in (slope.e_s, slope.e_v))
    e_z, z_v = _numbers(slope.e_z, (r, m), values), _numbers(slope.z_v, (m, s), values)
    return -J_work.T @ (e_s + e_z @ z_v) @ J_feel, -J_work.T @ e_v @ J_feel


def _numbers(entries: Entries, shape: tuple[int, int], values: dict[Expr, float]) -> Array:
    """A sparse matrix of expressions as numbers."""
    matrix = np.zeros(shape)
    with np.errstate(all="ignore"):
        for key, value in zip(entries, evaluate(entries.values(), values), strict=True):
            matrix[key] = value
    return matrix
