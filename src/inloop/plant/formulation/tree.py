"""Mechanisms without loops and drives: all coordinates are independent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from inloop.codegen.c_formulas import emit_formulas
from inloop.errors import InputError
from inloop.formalisms.events import ModeEvents
from inloop.formalisms.loops.partition import Partition
from inloop.plant.engine import Array
from inloop.plant.formulation.assembly import Assembly
from inloop.plant.formulation.closure import Gap
from inloop.plant.formulation.kept_values import KeptPositions, KeptVelocities, declared_positions
from inloop.plant.formulation.single_choice import SingleChoice
from inloop.plant.formulation.tree_code import TreeCode

if TYPE_CHECKING:
    from inloop.plant.equations import Equations

NONE = np.zeros(0)


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
        self._code = TreeCode(equations)
        self._first = np.array(equations.mechanism.first_q, dtype=np.float64)
        if equations.modes is not None:
            events = ModeEvents(equations.derivation, [], None)
            equations.add(events.programs(equations.modes), emit_formulas)

    @property
    def unconstrained(self) -> bool:
        """See `Formulation`."""
        return True

    # constraint rows: there are none

    @property
    def all_row_names(self) -> tuple[str, ...]:
        """See `Formulation`."""
        return ()

    @property
    def row_sizes(self) -> Array:
        """See `Formulation`."""
        return NONE

    @property
    def first_row_sizes(self) -> Array:
        """See `Formulation`."""
        return NONE

    @property
    def holonomic(self) -> NDArray[np.bool_]:
        """See `Formulation`."""
        return np.zeros(0, dtype=bool)

    @property
    def as_found(self) -> NDArray[np.bool_]:
        """See `Formulation`."""
        return np.zeros(0, dtype=bool)

    def loop_of(self, row: int) -> str:
        """See `Formulation`."""
        return ""

    def constraints(
        self, q: Array, qd: Array, t: float | Array = 0.0, lanes: bool = True
    ) -> dict[str, Array]:
        """See `Formulation`."""
        shape = np.shape(q)[:-1]
        rows = {name: np.zeros((*shape, 0)) for name in ("h", "nu", "gamma")}
        return {**rows, "J": np.zeros((*shape, 0, self._equations.n))}

    @property
    def moves_with_time(self) -> bool:
        """See `Formulation`."""
        return False

    def scaled_rows(self, q: Array, t: float = 0.0) -> tuple[Array, Array]:
        """See `Formulation`."""
        found = self.constraints(q, q, t)
        return found["h"], found["J"]

    # positions and velocities: all fit

    def _as_given(self, q: Array) -> Assembly:
        if not np.all(np.isfinite(q)):
            raise InputError("q holds NaN or infinity", fix="Give finite numbers.")
        return Assembly(np.array(q, dtype=np.float64), self.scaled_rows(q)[1], 0, 0.0, True)

    @property
    def position(self) -> Assembly:
        """See `Formulation`."""
        return self._as_given(self._first)

    def home(self, values: Array | None = None) -> Array:
        """See `Formulation`; initial values do not depend on parameters."""
        return self._first.copy()

    @property
    def declared(self) -> tuple[int, ...]:
        """See `Formulation`."""
        return declared_positions(self._equations.mechanism, ())

    def assemble(self, guess: Array, held: Sequence[int] = ()) -> Assembly:
        """See `Formulation`."""
        return self._as_given(guess)

    def lead(
        self,
        goal: Array,
        led: Sequence[int],
        values: Array | None = None,
        start: Array | None = None,
        t: float = 0.0,
    ) -> Array | None:
        """See `Formulation`."""
        return np.array(goal, dtype=np.float64)

    def keep(
        self,
        wish: Array,
        must: Sequence[int],
        wanted: Sequence[int] | None = None,
        values: Array | None = None,
        near: Array | None = None,
    ) -> KeptPositions:
        """See `Formulation`."""
        return KeptPositions(self._as_given(wish), ())

    def keep_velocities(
        self,
        q: Array,
        must: Mapping[int, float],
        wanted: Mapping[int, float],
        values: Array | None = None,
    ) -> KeptVelocities:
        """See `Formulation`."""
        qd = np.zeros(self._equations.n)
        for k, speed in {**wanted, **must}.items():
            qd[k] = speed
        return KeptVelocities(qd, (), ())

    def close(self, q: Array, t: float = 0.0) -> Array:
        """See `Formulation`."""
        return np.array(q, dtype=np.float64)

    def gap(self, q: Array, tolerance: float, t: float = 0.0) -> Gap | None:
        """See `Formulation`."""
        return None

    def singular_at(self, q: Array) -> str:
        """See `Formulation`."""
        return ""

    def locked_at(self, q: Array) -> str:
        """See `Formulation`."""
        return ""

    def weakest_loop(self, q: Array, t: float = 0.0) -> str:
        """See `Formulation`."""
        return ""

    @property
    def regular_position(self) -> Array:
        """See `Formulation`."""
        return self.home()

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
        return NONE

    def cut_forces_of_all(self, q: Array, lam: Array, lanes: bool = True) -> dict[str, Array]:
        """See `Formulation`."""
        return {}

    def signals(self, qdd: Array, lam: Array, effort: Array) -> dict[str, Array]:
        """See `Formulation`; runs do not tell accelerations, which `plant` finds from q and qd."""
        return {}

    @property
    def signal_places(self) -> dict[str, tuple[str, int]]:
        """See `Formulation`."""
        return {}
