"""Mechanisms without loops and drives: all coordinates are independent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from inloop.codegen.c_formulas import emit_formulas
from inloop.formalisms.events import ModeEvents
from inloop.formalisms.loops.partition import Partition
from inloop.plant.engine import Array
from inloop.plant.formulation.positions import TreePositions
from inloop.plant.formulation.rows import NoRows
from inloop.plant.formulation.single_choice import SingleChoice
from inloop.plant.formulation.tree_code import TreeCode

if TYPE_CHECKING:
    from inloop.plant.equations import Equations


class Tree(SingleChoice):
    """The equations of a tree as they are: M qdd + c = tau.

    There is one partition, and no constraint row. Every position fits.
    """

    core = ("inverse_dynamics", "direct_dynamics", "mass_matrix", "bias", "energy")
    core_of_large = "direct_dynamics"

    def __init__(self, equations: Equations) -> None:
        """Build the programs of events, where there are some."""
        super().__init__(equations)
        self.partition = Partition(tuple(range(equations.n)), (), (), (), ())
        self.notes = ()
        self.rows, self.positions = NoRows(equations.n), TreePositions(equations.mechanism)
        self._code = TreeCode(equations)
        if equations.modes is not None:
            events = ModeEvents(equations.derivation, [], None)
            equations.add(events.programs(equations.modes), emit_formulas)

    def close(self, q: Array, t: float = 0.0) -> Array:
        """See `Formulation`."""
        return np.array(q, dtype=np.float64)

    @property
    def code(self) -> TreeCode:
        """See `Formulation`."""
        return self._code

    # motion

    def motion(self, q: Array, qd: Array, tau: Array, **others: Any) -> dict[str, Array]:
        """See `Formulation`; takes many states too."""
        return {"q": q, **self.motion_at(q, qd, tau, **others)}

    def motion_at(self, q: Array, qd: Array, tau: Array, **others: Any) -> dict[str, Array]:
        """See `Formulation`."""
        given = {key: value for key, value in others.items() if key != "qdd"}
        found = self._equations.evaluate("direct_dynamics", q=q, qd=qd, tau=tau, **given)
        a = found.pop("qdd")
        none = np.zeros((*a.shape[:-1], 0))
        return {**found, "v": np.broadcast_to(qd, a.shape), "a": a, "lam": none, "effort": none}

    def accelerations(self, q: Any, qd: Any, tau: Any, **others: Any) -> Array:
        """See `Formulation`."""
        return self._equations.evaluate("direct_dynamics", q=q, qd=qd, tau=tau, **others)["qdd"]

    def reduced_equations(self, q: Array, qd: Array, **others: Any) -> dict[str, Array]:
        """See `Formulation`."""
        M = self._equations.evaluate("mass_matrix", ready=True, q=q)["M"]
        c = self._equations.evaluate("bias", ready=True, q=q, qd=qd, **others)["c"]
        return {"M": M, "c": c, "T": np.eye(self._equations.n)}

    def impulses(self, q: Array, qd: Array, t: float, e: Array) -> Array:
        """See `Formulation`."""
        return np.zeros(0)
