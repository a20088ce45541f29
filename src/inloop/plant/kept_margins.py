"""Formulas of live parameters keep to their bounds when parameters are written."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from inloop.errors import InputError
from inloop.formalisms.kept_formulas import KeptFormulas
from inloop.plant.engine import Array
from inloop.symbolic import interpret


class KeptMargins:
    """What looks at new values of parameters before they are taken."""

    def __init__(self, formulas: KeptFormulas, names: Collection[str]) -> None:
        self.formulas = formulas
        self._names = tuple(names)
        self._program = formulas.program()

    def __bool__(self) -> bool:
        return bool(self.formulas.formulas)

    @property
    def in_words(self) -> str:
        """What has bounds, and which."""
        return "; ".join(item.what for item in self.formulas.formulas)

    def refuse(self, names: Collection[str], values: Array) -> None:
        """Look at values of all parameters, in their order.

        Args:
            names: of those that change.
            values: shape (parameters,).

        Raises:
            InputError: a formula leaves its bound; says which.
        """
        broken = self.broken(values[None])
        if broken is not None:
            given = {name: values[self._names.index(name)] for name in names}
            shown = ", ".join(f"'{name}' = {value:.6g}" for name, value in given.items())
            raise InputError(
                f"{broken[1]}, which it is not with parameter {shown}",
                fix="Nothing was changed. Set values that depend on each other together: "
                "plant.parameters.update(...).",
            )

    def broken(self, rows: Array) -> tuple[int, str] | None:
        """The first row of values with a formula out of its bound, and what it must be."""
        if not self:
            return None
        margins = interpret(self._program, par=np.asarray(rows, dtype=np.float64))["margin"]
        bad = np.argwhere(~(margins >= 0.0))
        if not len(bad):
            return None
        row, margin = (int(k) for k in bad[0])
        owners = [item for item in self.formulas.formulas for _ in item.margins]
        return row, owners[margin].what
