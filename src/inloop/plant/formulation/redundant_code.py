"""Code of mechanisms whose bodies have six coordinates each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from inloop.codegen.c_steps import emit_settled_contacts
from inloop.codegen.redundant.table import RUNTIME, RedundantTable, emit_redundant
from inloop.formalisms import Derivation
from inloop.formalisms.loops.partition import Partition
from inloop.formalisms.redundant.programs import (
    MATRIX,
    PLACE,
    RESIDUAL,
    RedundantPrograms,
    redundant_programs,
)
from inloop.formalisms.redundant.system import BodySystem
from inloop.formalisms.stepping.contact_rows import first_rows, joint_contact_rows
from inloop.native import runtime_sources
from inloop.plant.engine import Array
from inloop.plant.formulation.code import Code, Files
from inloop.plant.parameters import value_now
from inloop.plant.progress import deriving
from inloop.symbolic import Program, interpret
from inloop.symbolic.elimination import THOROUGH_UP_TO, Elimination, eliminate
from inloop.symbolic.pivot_order import THRESHOLD
from inloop.symbolic.repeated.elimination import StepwiseElimination, eliminate_in_blocks

if TYPE_CHECKING:
    from inloop.plant.equations import Equations

EPSILON = 1e-10  # of the rows of constraints, times the reciprocal of a mean mass
OPEN = 1e-5  # of one unit of a row: more is not closed
STEPS = (1e-5, 1e-4, 1e-3, 1e-2)  # [s] for which pivots are chosen
SAMPLES = 3  # states for each of them


class RedundantCode(Code):
    """Residual and matrix of Newton's method, and pivots chosen from samples of it.

    Attributes:
        about: what the results of the functions mean.
        epsilon: of the rows of constraints.
    """

    suffix = ""
    motion = RESIDUAL
    beside_rates = ("expand", "redundant")
    implicit = False
    why_not_implicit = "accelerations of the redundant formulation have no generated Jacobian"

    def __init__(
        self,
        equations: Equations,
        partition: Partition,
        row_sizes: Array,
        home: Array,
        radius: float,
        solves: int,
    ) -> None:
        """Derive and build.

        Args:
            equations: where it is built.
            partition: which rows are in use.
            row_sizes: one unit of each of all rows.
            home: where the mechanism starts.
            radius: spectral radius of the step at infinity.
            solves: of each step of Newton's method; 0 for as many as it takes.
        """
        self._equations, self._home, self._radius = equations, home, radius
        self._solves = solves
        self._used = partition.rows
        self._row_sizes = row_sizes[list(partition.rows)]
        derivation = equations.fresh_derivation()
        with deriving("the equations of all bodies", equations.name):
            system = BodySystem(derivation, equations.external_forces, partition.rows)
            self.about: RedundantPrograms = redundant_programs(system)
        self.driven = system.driven
        self.epsilon = EPSILON / _mean_mass(equations)
        self._derivation = derivation
        equations.add(self.about.programs, self._sources, None, derivation)

    @property
    def autonomous(self) -> bool:
        """See `Code`; never judged."""
        return False

    # C

    def _sources(self, programs: Sequence[Program], prefix: str, about: Sequence[str]) -> Files:
        mechanism, free = self._equations.mechanism, self.about.free
        table = RedundantTable(
            n=self._equations.n,
            bodies=self.about.layout.bodies,
            free=free,
            driven=self.driven,
            states=self.about.layout.states,
            inputs=len(self._equations.first_inputs),
            turned=tuple(free.index(first) for first in mechanism.turned),
            used=self._used,
            on_velocities=self.about.on_velocities,
            open=tuple(float(OPEN * size) for size in self._row_sizes),
            units=tuple(float(self._equations.coordinate_sizes[k]) for k in free),
            length=float(self._equations.size.length),
            epsilon=self.epsilon,
            radius=self._radius,
            solves=self._solves,
            elimination=self._elimination(),
        )
        runtime = {name: runtime_sources()[name] for name in RUNTIME}
        return {**emit_redundant(table, programs, prefix, about), **runtime}

    def contact_rows(self, derivation: Derivation) -> Program:
        """See `Code`."""
        return joint_contact_rows(derivation, self.about.free)

    def emit_contact_rows(
        self, programs: Sequence[Program], prefix: str, about: Sequence[str]
    ) -> Files:
        """See `Code`."""
        rows = first_rows(self._equations.mechanism)[-1]
        return emit_settled_contacts(programs, prefix, about, len(self.about.free), rows)

    def _elimination(self) -> Elimination | StepwiseElimination:
        """Pivots that are good at states around the start, for steps of any length.

        Where there are many bodies, and many of them alike, they are eliminated one after the
        other: the cheapest pivots of all are dear to look for, and need code for each body.
        """
        states = self._states()
        known = {block: np.array([state[block] for state in states]) for block in states[0]}
        known |= self._sampled(PLACE, known)
        samples = self._sampled(MATRIX, known)["A"]
        kept = np.array([sample for sample in samples if np.all(np.isfinite(sample))])
        size, places = self.about.layout.size, self.about.places
        if size > THOROUGH_UP_TO:
            by_body = eliminate_in_blocks(size, places, kept, THRESHOLD, self.about.bodies)
            if by_body.repeats and by_body.weakest >= 0.1 * THRESHOLD:
                return by_body
        return eliminate(size, places, kept)

    def _sampled(self, name: str, known: Mapping[str, Array]) -> dict[str, Array]:
        """Results at rows of arguments, node by node: sooner than a function would be made."""
        (program,) = (program for program in self.about.programs if program.name == name)
        parameters = self._derivation.parameters
        program = replace(program, inputs=(parameters, *program.inputs))
        at = {**known, parameters.name: self._equations.parameters.values_array}
        return interpret(program, **{block.name: at[block.name] for block in program.inputs})

    def _states(self) -> list[dict[str, Array]]:
        """States as different as those that a run may meet; the same in every session."""
        e, sizes = self._equations, self.about.layout
        random = np.random.default_rng(17)
        found = []
        for h in (0.0, *STEPS):
            for k in range(SAMPLES):
                motion = 0.3 * k * random.standard_normal(e.n) * e.coordinate_sizes
                scales = [h * h / 4.0, h / 2.0, h / 2.0, self.epsilon]
                found.append(
                    {
                        "q": e.configuration.moved(self._home, motion),
                        "qd": random.standard_normal(e.n) * e.coordinate_sizes,
                        "qdd": random.standard_normal(e.n) * e.coordinate_sizes,
                        "accel": 10.0 * random.standard_normal(6 * sizes.bodies),
                        "lam": 10.0
                        * random.standard_normal(6 * sizes.bodies)
                        / self.epsilon
                        * EPSILON,
                        "mu": 10.0 * random.standard_normal(sizes.rows) / self.epsilon * EPSILON,
                        "zd": random.standard_normal(sizes.states),
                        "tau": np.zeros(e.n),
                        "u": e.first_inputs,
                        "z": e.first_states,
                        "t": np.zeros(1),
                        "scales": np.array(scales),
                    }
                )
        return found


def _mean_mass(equations: Equations) -> float:
    """Of the bodies that have one [kg]; 1 where none has."""
    mechanism, parameters = equations.mechanism, equations.parameters
    masses = [value_now(body.mass, mechanism, parameters) for body in mechanism.bodies]
    some = [mass for mass in masses if mass > 0.0]
    return float(np.exp(np.mean(np.log(some)))) if some else 1.0
