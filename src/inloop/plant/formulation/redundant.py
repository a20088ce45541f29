"""Mechanisms whose bodies have six coordinates each, held together by unknown forces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from inloop.errors import InputError, ModelError
from inloop.formalisms.loops.partition import Partition
from inloop.model import Mechanism
from inloop.plant.arguments import real, whole
from inloop.plant.engine import Array
from inloop.plant.formulation.reduced_loops import ReducedLoops
from inloop.plant.formulation.redundant_code import RedundantCode
from inloop.plant.formulation.redundant_motion import body_motion
from inloop.plant.formulation.single_choice import SingleChoice
from inloop.plant.formulation.tree import Tree

if TYPE_CHECKING:
    from inloop.plant.equations import Equations

DAMPING = 0.2  # what is much faster than the steps loses so much in each
MOST_SOLVES = 10  # of one step


class Redundant(SingleChoice):
    """Bodies by themselves, with the wrenches in all joints and the multipliers as unknowns.

    A run carries all coordinates that are not driven; steps are those of the generalized-alpha
    method in the motions of the bodies (`native/runtime/il_alpha.c`), and constraints hold at the
    end of each. No coordinates are chosen, so that none becomes a bad choice, and singular
    positions are passed.

    Where the mechanism starts, which rows follow from others, and which coordinates are independent
    for whoever asks, is found by the reduced formulation.

    Attributes:
        reduced: the same mechanism in independent coordinates.
    """

    name = "redundant"
    core = ("inverse_dynamics", "mass_matrix", "bias", "energy")
    core_of_large = "inverse_dynamics"
    method = "alpha"

    def __init__(self, equations: Equations, damping: float = DAMPING, solves: int = 0) -> None:
        """Derive and build.

        Args:
            equations: of the mechanism.
            damping: what is much faster than the steps loses this part of it in each.
            solves: of each step of Newton's method; 0 for as many as it takes.

        Raises:
            ModelError: the mechanism has something that is not covered.
        """
        super().__init__(equations)
        self._damping, self._solves = damping, solves
        refuse(equations.mechanism)
        kind = ReducedLoops if equations.mechanism.closed else Tree
        self.reduced: ReducedLoops | Tree = kind(equations)
        self.partition, self.notes = self.reduced.partition, self.reduced.notes
        self.rows, self.positions = self.reduced.rows, self.reduced.positions
        sizes, home = self.rows.first_sizes, self.positions.home()
        self._code = RedundantCode(equations, self.partition, sizes, home, 1.0 - damping, solves)

    @classmethod
    def made(
        cls, equations: Equations, damping: float | None = None, solves: int | None = None
    ) -> Redundant:
        """See `Formulation`; a part between 0 and 1 of what is much faster than the steps."""
        part = DAMPING if damping is None else real(damping, "damping")
        if not 0.0 <= part <= 1.0:
            raise InputError(f"damping is {part:g}", fix="Use a number from 0 to 1.")
        count = 0 if solves is None else whole(solves, "solves")
        if solves is not None and not 1 <= count <= MOST_SOLVES:
            raise InputError(f"solves is {count}", fix=f"Use 1 to {MOST_SOLVES}, or leave it out.")
        return cls(equations, part, count)

    @property
    def facts(self) -> dict[str, str]:
        """See `Formulation`."""
        solves = {"solves": str(self._solves)} if self._solves else {}
        return {**super().facts, "damping": repr(self._damping), **solves}

    @property
    def unknowns(self) -> int:
        """See `Formulation`."""
        return self._code.about.layout.size

    @property
    def carried(self) -> Partition:
        """See `Formulation`: all that is not driven."""
        return replace(self.partition, independent=self._code.about.free, dependent=())

    # motion

    def motion(self, q: Array, qd: Array, tau: Array, **others: Any) -> dict[str, Array]:
        """See `Formulation`; with the wrench in each joint, about the origin of its body.

        Takes one state.
        """
        closed = self.close(q, float(others.get("t", 0.0)))
        return {"q": closed, **self._motion_of_one({"q": closed, "qd": qd, "tau": tau, **others})}

    def _motion_of_one(self, state: Mapping[str, Any]) -> dict[str, Array]:
        given = {k: v for k, v in state.items() if k in ("q", "qd", "tau", "qdd", "u", "t", "z")}
        given["qd"] = self._fitting_velocities(given["q"], given["qd"], given.get("t", 0.0))
        return body_motion(self._equations, self._code.about, self._code.epsilon, **given)

    def _fitting_velocities(self, q: Array, qd: Array, t: float) -> Array:
        """Velocities of dependent coordinates from those of the others, at one state."""
        rows, dependent = list(self.partition.rows), list(self.partition.dependent)
        velocities = np.array(qd, dtype=np.float64)
        if dependent:
            found = self.rows.constraints(q, velocities, float(t), lanes=False)
            J = found["J"][rows]
            missing = J @ velocities + found["nu"][rows]
            # at a singular position, those that fit are not changed
            units = self._equations.coordinate_sizes[dependent]
            change = np.linalg.lstsq(J[:, dependent] * units, -missing, rcond=1e-12)[0]
            velocities[dependent] += change * units
        return velocities

    def motion_at(self, q: Array, qd: Array, tau: Array, **others: Any) -> dict[str, Array]:
        """See `Formulation`."""
        state = {"q": q, "qd": qd, "tau": tau, **others}
        state = {k: np.asarray(v) for k, v in state.items() if k != "lanes" and v is not None}
        if q.ndim == 1:
            return self._motion_of_one(state)
        # t is a number of each state, all else a row of it; or the same for all
        own = {k: v for k, v in state.items() if v.ndim == (1 if k == "t" else 2)}
        rows = [
            self._motion_of_one({**state, **{k: v[i] for k, v in own.items()}})
            for i in range(len(q))
        ]
        return {name: np.stack([row[name] for row in rows]) for name in rows[0]}

    @property
    def code(self) -> RedundantCode:
        """See `Formulation`."""
        return self._code

    # as the reduced formulation has it

    def close(self, q: Array, t: float = 0.0) -> Array:
        """See `Formulation`."""
        return self.reduced.close(q, t)

    def locked_at(self, q: Array) -> str:
        """See `Formulation`."""
        return self.reduced.locked_at(q)

    def accelerations(self, q: Any, qd: Any, tau: Any, **others: Any) -> Array:
        """See `Formulation`."""
        return self.reduced.accelerations(q, qd, tau, **others)

    def reduced_equations(self, q: Array, qd: Array, **others: Any) -> dict[str, Array]:
        """See `Formulation`."""
        return self.reduced.reduced_equations(q, qd, **others)

    def impulses(self, q: Array, qd: Array, t: float, e: Array) -> Array:
        """See `Formulation`."""
        return self.reduced.impulses(q, qd, t, e)


def refuse(mechanism: Mechanism) -> None:
    """Name what bodies by themselves do not cover.

    Raises:
        ModelError: there is something of that kind.
    """
    pile = mechanism.pile
    if pile is not None:
        raise ModelError(
            f"pile '{pile.name}': formulation='redundant' does not support piles",
            pile.where,
            "Compile it without formulation=; docs/redundant.md lists what is supported.",
        )
