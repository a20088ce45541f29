"""Stiffness and damping of single force laws, as numbers, to tell which one is to blame.

This is evaluated by the interpreter, once, when a run went wrong: nothing is compiled for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from inloop.formalisms.laws.ports import Entries, Port, jacobian_entries, slopes
from inloop.formalisms.laws.reactions import reactions
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
    d = plant.equations.derivation
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
    blocks = [_blocks(plant, port, at_rest) for port in d.loads.ports]
    # all at once: laws share most of what they read
    wanted = [entry for block in blocks for part in block for entry in part.entries.values()]
    with np.errstate(all="ignore"):
        found = iter(evaluate(wanted, values))
    return {
        port.name: _stiffness(*(part.filled(found) for part in block))
        for port, block in zip(d.loads.ports, blocks, strict=True)
    }


@dataclass(frozen=True)
class _Block:
    """A sparse matrix of expressions."""

    entries: Entries
    shape: tuple[int, int]

    def filled(self, numbers: Iterator[float]) -> Array:
        """The matrix with the next numbers."""
        matrix = np.zeros(self.shape)
        for key in self.entries:
            matrix[key] = next(numbers)
        return matrix


def _blocks(plant: BarePlant, port: Port, at_rest: dict[Expr, Expr]) -> list[_Block]:
    """What the stiffness of a law is made of."""
    symbols = plant.equations.derivation.symbols
    known = {key: at_rest.get(e, e) for key, e in port.known.items()}
    slope = slopes(replace(port, known=known), symbols)
    rates = [feel.rate for feel in port.feels]
    r, s, m, n = len(port.work), len(rates), len(port.states), plant.n
    return [
        _Block(jacobian_entries(port.work, symbols.qd), (r, n)),
        _Block(jacobian_entries(rates, symbols.qd), (s, n)),
        _Block(slope.e_s, (r, s)),
        _Block(slope.e_v, (r, s)),
        _Block(slope.e_z, (r, m)),
        _Block(slope.z_v, (m, s)),
    ]


def _stiffness(
    J_work: Array, J_feel: Array, e_s: Array, e_v: Array, e_z: Array, z_v: Array
) -> tuple[Array, Array]:
    return -J_work.T @ (e_s + e_z @ z_v) @ J_feel, -J_work.T @ e_v @ J_feel
