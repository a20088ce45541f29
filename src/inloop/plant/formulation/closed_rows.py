"""Constraint rows of a mechanism with loops or drives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inloop.formalisms.loops.closed import ClosedLoops
from inloop.formalisms.loops.cut_forces import CARRY_MOMENTS
from inloop.plant.engine import Array
from inloop.plant.formulation.positions import ClosedPositions
from inloop.plant.formulation.rows import Rows

if TYPE_CHECKING:
    from inloop.plant.equations import Equations


class ClosedRows(Rows):
    """The rows of loops, couplings and constraints, by the functions that are built of them."""

    def __init__(
        self, equations: Equations, closed: ClosedLoops, positions: ClosedPositions
    ) -> None:
        """Name the rows.

        Args:
            equations: have the functions "constraints" and "cut_forces".
            closed: the rows as expressions.
            positions: where they are closed, which has their units.
        """
        super().__init__(closed.rows, positions.row_sizes)
        self._equations, self._positions = equations, positions

    @property
    def sizes(self) -> Array:
        """See `Rows`."""
        return self._positions.closure.row_sizes

    @property
    def moves_with_time(self) -> bool:
        """See `Rows`."""
        inputs = self._equations.program("constraints").inputs
        return any(block.name == "t" for block in inputs)

    def constraints(
        self, q: Array, qd: Array, t: float | Array = 0.0, lanes: bool = True
    ) -> dict[str, Array]:
        """See `Rows`."""
        return self._equations.evaluate("constraints", q=q, qd=qd, t=t, lanes=lanes)

    def scaled(self, q: Array, t: float = 0.0) -> tuple[Array, Array]:
        """See `Rows`."""
        return self._positions.closure.at(t)(q)

    def cut_forces(self, q: Array, lam: Array, lanes: bool = True) -> dict[str, Array]:
        """See `Rows`."""
        mechanism = self._equations.mechanism
        found = self._equations.evaluate("cut_forces", q=q, lam=lam, lanes=lanes)
        signals: dict[str, Array] = {}
        for k, loop in enumerate(mechanism.loops):
            signals[f"{loop.name}.force"] = found["force"][..., k, :]
            if loop.kind in CARRY_MOMENTS:
                signals[f"{loop.name}.torque"] = found["torque"][..., k, :]
            if loop.kind == "rod":
                signals[f"{loop.name}.tension"] = found["tension"][..., k]
        for k, name in enumerate(mechanism.coupled_efforts):
            signals[name] = found["effort"][..., k]
        return signals
