"""Positions that close the loops of a mechanism: the first one, and others that are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np

from inloop.errors import InputError, ModelError
from inloop.formalisms.loops.closed import ClosedLoops
from inloop.formalisms.size import Size, size_of
from inloop.plant.arguments import reals
from inloop.plant.engine import Array
from inloop.plant.formulation.positions.assembly import Assembly, assemble, descend
from inloop.plant.formulation.positions.closure import Closure, Gap, free_of
from inloop.plant.formulation.positions.following import follow
from inloop.plant.formulation.positions.kept_values import (
    KeptPositions,
    KeptVelocities,
    contradiction,
    declared_positions,
    in_words,
    keep_positions,
    keep_velocities,
    moved,
)
from inloop.plant.formulation.positions.mobility import (
    blamed_row,
    explore,
    is_singular,
    rank_at,
)
from inloop.plant.formulation.positions.positions import Positions, check_finite
from inloop.symbolic import reachable

if TYPE_CHECKING:
    from inloop.plant.equations import Equations


class ClosedPositions(Positions):
    """The loops of a mechanism, closed; no choice of independent coordinates is involved.

    Attributes:
        row_sizes: one unit of each row, with the parameters at first.
    """

    def __init__(self, equations: Equations, closed: ClosedLoops, strict: bool = True) -> None:
        """Assemble the loops.

        Args:
            equations: have the functions of the constraints.
            closed: the rows.
            strict: declared initial values that contradict each other are an error. Modes other
                than the first one begin where the mechanism then is.
        """
        self._equations, self._closed = equations, closed
        guess = self._guess()
        closure = Closure(equations, closed, guess)
        self.row_sizes: Array = closure.row_sizes
        try:
            kept = keep_positions(closure, guess, closed.driven, self.declared, equations.name)
        except ModelError as error:
            raise self._driven_apart(error, guess) from error
        # what a run was given later is kept, and what was declared in the model yields to it
        firm = set(equations.mechanism.started) or set(self.declared)
        if strict and firm.intersection(kept.changed):
            said = [*closed.driven, *(k for k in self.declared if k in firm)]
            raise contradiction(equations, closure, guess, kept, said)
        self.first = kept.found
        # measured at home, as after every change of parameters: runs do not depend on the past
        self._measured = equations.parameters.version, Closure(equations, closed, self.home())
        self.mobility = explore(closure, kept.found)
        self.notes = moved(equations, guess, kept.found.q, kept.changed)

    def _guess(self) -> Array:
        """Initial values of the joints, driven ones where their drives start."""
        mechanism = self._equations.mechanism
        guess = np.array(mechanism.first_q)
        if self._closed.driven:
            found = self._equations.evaluate("drives", t=0.0)["qs"]
            for drive, value in zip(mechanism.drives, found, strict=True):
                guess[drive.body] = float(value)
        return guess

    def _driven_apart(self, error: ModelError, guess: Array) -> ModelError:
        """The error of loops that cannot close, with the drives that hold them open."""
        driven = in_words(self._equations, guess, self._closed.driven)
        if not driven:
            return error
        shown = ", ".join(f"'{name}' driven to {value}" for name, value in driven.items())
        return ModelError(
            f"{error.mistakes[0].what}, with {shown} at t = 0",
            fix="Let drives start where the loops can close, and no more of them than there are "
            "degrees of freedom; or check lengths and points.",
        )

    @property
    def declared(self) -> tuple[int, ...]:
        """See `Positions`."""
        return declared_positions(self._equations.mechanism, self._closed.driven)

    @cached_property
    def geometric_parameters(self) -> frozenset[str]:
        """Names of the live parameters that the constraints depend on."""
        symbols = self._closed.derivation.symbols
        used = reachable([row.h for row in self._closed.rows])
        pairs = zip(symbols.parameters, symbols.symbols, strict=True)
        return frozenset(parameter.name for parameter, symbol in pairs if symbol in used)

    def home(self, values: Array | None = None) -> Array:
        """See `Positions`: the first one, its lengths grown with the size of the mechanism."""
        now = self._equations.size_with(values)
        q = self.first.q.copy()
        q[: len(now.units)] *= now.units / self._declared_size.units
        return q

    @cached_property
    def _declared_size(self) -> Size:
        return size_of(self._equations.mechanism)

    @property
    def closure(self) -> Closure:
        """The loops as numbers without units, measured with the parameters of the plant."""
        version = self._equations.parameters.version
        if self._measured[0] != version:
            self._measured = version, Closure(self._equations, self._closed, self.home())
        return self._measured[1]

    def closure_with(self, values: Array, t: float = 0.0) -> Closure:
        """The same for other values of the live parameters."""
        return Closure(self._equations, self._closed, self.home(values), values, t)

    def assemble(self, guess: Array, held: Sequence[int] = ()) -> Assembly:
        """See `Positions`."""
        equations, q = self._equations, reals(guess, "q")
        if q.shape != (equations.nq,):
            raise equations.wrong_size("q", q.shape, equations.nq)
        if not all(isinstance(k, Integral) and 0 <= k < equations.n for k in held):
            raise InputError(
                f"held is {list(held)}",
                fix="Give indices of coordinates; plant.coordinates.index(...) finds them.",
            )
        check_finite(q)
        return assemble(self.closure, q, held, equations.name)

    def lead(
        self,
        goal: Array,
        led: Sequence[int],
        values: Array | None = None,
        start: Array | None = None,
        t: float = 0.0,
    ) -> Array | None:
        """See `Positions`; by the algorithm of `follow`."""
        check_finite(goal)
        closure = self._closure_for(values).at(t)
        near = self.home(values) if start is None else start
        begin = descend(closure, near, free_of(closure.count, self._closed.driven))
        return follow(closure, begin.q, goal, led) if begin.closed else None

    def keep(
        self,
        wish: Array,
        must: Sequence[int],
        wanted: Sequence[int] | None = None,
        values: Array | None = None,
        near: Array | None = None,
    ) -> KeptPositions:
        """See `Positions`."""
        check_finite(wish)
        shall = self.declared if wanted is None else wanted
        shall = [k for k in shall if k not in must]
        closure, model = self._closure_for(values), self._equations.name
        return keep_positions(closure, wish, must, shall, model, near)

    def _closure_for(self, values: Array | None) -> Closure:
        return self.closure if values is None else self.closure_with(values)

    def keep_velocities(
        self,
        q: Array,
        must: Mapping[int, float],
        wanted: Mapping[int, float],
        rest: Sequence[int],
        values: Array | None = None,
    ) -> KeptVelocities:
        """See `Positions`."""
        closure = self._closure_for(values)
        return keep_velocities(closure, q, closure.rates_at_rest(q), must, wanted, rest)

    def gap(self, q: Array, tolerance: float, t: float = 0.0) -> Gap | None:
        """See `Positions`."""
        closure = self.closure.at(t)
        if np.all(np.abs(closure(q)[0]) <= tolerance):
            return None
        return closure.gap(q)

    def weakest_loop(self, q: Array, t: float = 0.0) -> str:
        """See `Positions`."""
        J = self.closure.at(t)(q)[1]
        return self._closed.rows[blamed_row(J, self.mobility.rank)].element

    def singular_at(self, q: Array) -> str:
        """See `Positions`."""
        if not is_singular(self.closure(q)[1], self.mobility.rank):
            return ""
        return (
            f"a singular position, where rows of loop '{self.weakest_loop(q)}' depend on others "
            "and branches meet"
        )

    def rows_missing_at(self, q: Array) -> int:
        """See `Positions`."""
        return max(0, rank_at(self.closure(q)[1]) - self.mobility.rank)
