"""Events with derivatives: indicators, and the state after an event.

Events are rare: their programs are differentiated symbolically and evaluated by the interpreter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from inloop.formalisms.events import ModeEvents
from inloop.formalisms.loops.closed import ClosedLoops
from inloop.formalisms.variation.balance import Roles
from inloop.model import Event
from inloop.plant.bare_plant import BarePlant
from inloop.plant.engine import Array
from inloop.symbolic import Expr, Input, Program, directional, evaluate


@dataclass(frozen=True)
class Varying:
    """Numbers with their derivatives along directions.

    Attributes:
        value: shape (n,).
        change: shape (n, directions).
    """

    value: Array
    change: Array


class LinearizedProgram:
    """A program and its derivatives along directions."""

    def __init__(self, program: Program, parameters: Input) -> None:
        self._program = program
        self._blocks = [*program.inputs, parameters]
        graph = program.graph
        self._seeds: dict[Expr, Expr] = {
            s: graph.symbol(f"change.{block.name}.{k}")
            for block in self._blocks
            for k, s in enumerate(block.symbols)
        }
        self._changes = directional(program.exprs, self._seeds)

    def __call__(self, given: Mapping[str, Varying]) -> dict[str, Varying]:
        """Results by name, from arguments by name; parameters are called "par"."""
        values: dict[Expr, float | Array] = {}
        directions = next(iter(given.values())).change.shape[1]
        for block in self._blocks:
            argument = given[block.name]
            values |= zip(block.symbols, map(float, argument.value), strict=True)
            seeds = (self._seeds[s] for s in block.symbols)
            values |= zip(seeds, argument.change, strict=True)
        evaluated = evaluate([*self._program.exprs, *self._changes], values)
        count, first, results = len(self._program.exprs), 0, {}
        for out in self._program.outputs:
            part = slice(first, first + len(out.exprs))
            changes = [np.broadcast_to(c, (directions,)) for c in evaluated[count:][part]]
            results[out.name] = Varying(
                np.array([float(v) for v in evaluated[:count][part]]),
                np.array(changes, dtype=np.float64).reshape(len(out.exprs), directions),
            )
            first = part.stop
        return results


class ModeJumps:
    """Events of one mode of a plant.

    Attributes:
        plant: of the mode.
    """

    def __init__(self, plant: BarePlant, roles: Roles, modes: Mapping[str, BarePlant]) -> None:
        self.plant = plant
        self._derivation = plant.equations.fresh_derivation()
        loops = ClosedLoops(self._derivation, plant.equations.external_forces)
        self._rows = loops.rows
        self._partition = None if roles.unconstrained else roles.velocities
        self._events = ModeEvents(self._derivation, loops.rows, self._partition)
        self._targets = {name: each.mechanism for name, each in modes.items()}

    @classmethod
    def of(cls, plant: BarePlant, roles: Roles, modes: Mapping[str, BarePlant]) -> ModeJumps:
        """Events of a plant, derived at the first request."""
        with plant.equations.building:
            if roles not in plant.jumps:
                plant.jumps[roles] = cls(plant, roles, modes)
        return plant.jumps[roles]

    def event(self, name: str) -> Event:
        """An event by name."""
        return next(e for e in self.plant.mechanism.events if e.name == name)

    @property
    def row_names(self) -> list[str]:
        """Names of all constraint rows, in the order of multipliers and restitutions."""
        return [row.name for row in self._rows]

    @property
    def row_elements(self) -> list[str]:
        """Names of their elements."""
        return [row.element for row in self._rows]

    @cached_property
    def _programs(self) -> dict[str, LinearizedProgram]:
        programs = self._events.programs(self._targets)
        return {p.name: LinearizedProgram(p, self._derivation.parameters) for p in programs}

    def watched(self, given: Mapping[str, Varying]) -> dict[str, Varying]:
        """Indicators g and restitutions e of all events."""
        return self._programs["indicators"](given)

    def handed_over(
        self, event: str, settled: bool, given: Mapping[str, Varying]
    ) -> dict[str, Varying]:
        """q_next, qd_next and z_next, in the numbering of the next mode."""
        return self._programs[f"{'settle' if settled else 'to'}_{event}"](given)

    def gripped(self, given: Mapping[str, Varying]) -> Varying:
        """Velocities after an impact on the constraints of this mode, with restitutions e."""
        if self._partition is None:
            return given["qd"]
        return self._programs["project"](given)["qd_next"]
