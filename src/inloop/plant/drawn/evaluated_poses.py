"""Where all bodies are, without a compiler: for pictures of a few positions, or of many at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from inloop.formalisms import Derivation
from inloop.model import Mechanism
from inloop.model.geometry import Matrix3, Vector3
from inloop.plant.drawn.poses import body_pose, fixed_points
from inloop.plant.engine import Array
from inloop.symbolic import Expr, evaluate


class EvaluatedPoses:
    """The poses of all bodies, evaluated expression by expression for all positions together.

    Args:
        mechanism: the frozen model.
        points: vectors in body axes that may follow from parameters [m].
        turns: rotations that may follow from parameters; each gives three more points, its columns.
        parameters: values by name, in place of the declared ones.

    Attributes:
        points: p_BQ of the fixed points [m], shape (points, 3).
    """

    def __init__(
        self,
        mechanism: Mechanism,
        points: Sequence[Vector3] = (),
        turns: Sequence[Matrix3] = (),
        parameters: Mapping[str, float] | None = None,
    ) -> None:
        derivation = Derivation(mechanism)
        symbols, given = derivation.symbols, parameters or {}
        self._q = symbols.q
        self._values: dict[Expr, Any] = {
            symbol: given.get(parameter.name, parameter.default)
            for parameter, symbol in zip(symbols.parameters, symbols.symbols, strict=True)
        }
        self._rows = [e for k in range(derivation.n) for e in body_pose(derivation, k)]
        fixed = [e for p in fixed_points(derivation, points, turns) for e in p]
        self.points: Array = np.array(evaluate(fixed, self._values), dtype=np.float64)
        self.points = self.points.reshape(-1, 3)

    def over(self, positions: Array) -> Array:
        """Poses at many positions: p_WB [m] and the rows of R_WB, shape (N, bodies, 12).

        Args:
            positions: coordinates [rad or m], shape (N, n).
        """
        values = {**self._values, **dict(zip(self._q, positions.T, strict=True))}
        found = np.empty((len(positions), len(self._rows)))
        for k, column in enumerate(evaluate(self._rows, values)):
            found[:, k] = column
        return found.reshape(len(positions), -1, 12)
