"""Derives the equations of a mechanism without compiling them, with counts and times."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from inloop.formalisms import PROGRAMS, Derivation, LiveParameter
from inloop.formalisms.loops.closed import ClosedLoops
from inloop.model import Mechanism
from inloop.plant import BarePlant
from inloop.plant.passes import PassReport, run_passes
from inloop.plant.progress import deriving, simplifying
from inloop.symbolic import Program

SMALL = ("mass_matrix", "bias", "energy")
LARGE = 60  # coordinates from which the functions of SMALL are derived only on request
CLOSED = ("constraints", "newton", "constrained")  # of mechanisms with loops or drives
DRIVES = "drives"


@dataclass(frozen=True)
class DerivationReport:
    """Derived programs with their statistics.

    Attributes:
        mechanism: the mechanism.
        parameters: live parameters.
        inputs: names of the entries of u.
        prepare: the program that runs when a parameter changes.
        programs: the functions after all passes.
        passes: operations of each function after each pass.
        times: seconds by step, as in `plant.times`.
    """

    mechanism: Mechanism
    parameters: tuple[LiveParameter, ...]
    inputs: tuple[str, ...]
    prepare: Program
    programs: tuple[Program, ...]
    passes: tuple[PassReport, ...]
    times: dict[str, float]

    @property
    def operations(self) -> dict[str, dict[str, int]]:
        """Operation counts by function after all passes, including `prepare`."""
        return {p.name: p.operations() for p in (*self.programs, self.prepare)}

    @property
    def formalisms(self) -> dict[str, str]:
        """The algorithm of each function."""
        return {p.name: p.formalism for p in self.programs}

    @property
    def seconds(self) -> float:
        """Total time [s]."""
        return sum(self.times.values())

    def data(self) -> dict[str, Any]:
        """Data printed by `--json`."""
        return {
            "model": self.mechanism.name,
            "coordinates": list(self.mechanism.coordinates),
            "parameters": len(self.parameters),
            "inputs": len(self.inputs),
            "operations": self.operations,
            "passes": {entry.function: entry.totals for entry in self.passes},
            "formalisms": self.formalisms,
            "times": self.times,
            "seconds": self.seconds,
        }


def function_names(mechanism: Mechanism) -> tuple[str, ...]:
    """Names of the functions that can be requested."""
    if not mechanism.closed:
        return tuple(PROGRAMS)
    return (*PROGRAMS, *CLOSED, *((DRIVES,) if mechanism.drives else ()))


def all_functions(mechanism: Mechanism) -> tuple[str, ...]:
    """Names of all functions, without those that the open tree of a closed mechanism may lack."""
    names = function_names(mechanism)
    if not mechanism.closed:
        return names
    # massless tips are possible: the open tree may have no forward dynamics
    return tuple(name for name in names if not name.startswith("direct_dynamics"))


def usual_functions(mechanism: Mechanism) -> tuple[str, ...]:
    """Names of the functions that a plant builds, without costly ones of large mechanisms."""
    small = SMALL if len(mechanism.coordinates) <= LARGE else ()
    if not mechanism.closed:
        return ("inverse_dynamics", "direct_dynamics", "mass_matrix_and_bias", *small)
    drives = (DRIVES,) if mechanism.drives else ()
    return ("inverse_dynamics", "mass_matrix_and_bias", *small, *drives, *CLOSED)


def _closed_programs(
    derivation: Derivation, external: str | Sequence[str]
) -> dict[str, Callable[[], Program]]:
    """The programs of loops and drives, for the independent coordinates that a plant chooses.

    The choice needs a closed position, found by a plant that runs as Python.
    """
    partition = BarePlant(derivation.mechanism, backend="python").formulation.partition
    closed = ClosedLoops(derivation, external)
    return {
        "constraints": closed.constraints,
        "newton": partial(closed.newton, partition),
        "constrained": partial(closed.constrained, partition),
        DRIVES: closed.drives,
    }


def derive(
    mechanism: Mechanism,
    functions: Sequence[str],
    *,
    live: str | Sequence[str] = (),
    external: str | Sequence[str] = (),
) -> DerivationReport:
    """Derive functions and run the passes on them.

    Args:
        mechanism: the frozen model.
        functions: function names, see `function_names`.
        live: numbers to keep as parameters: "all" or names.
        external: bodies with force and torque inputs: "all" or names.
    """
    times: dict[str, float] = {}
    start = time.perf_counter()
    derivation = Derivation(mechanism, live, external)
    times["frames"] = time.perf_counter() - start
    makers: dict[str, Callable[[], Program]] = {
        name: partial(derivation.program, name) for name in PROGRAMS
    }
    if any(name not in makers for name in functions):
        start = time.perf_counter()
        makers |= _closed_programs(derivation, external)
        times["assemble"] = time.perf_counter() - start
    programs = []
    for number, name in enumerate(functions, start=1):
        start = time.perf_counter()
        with deriving(name, mechanism.name, number, len(functions)):
            programs.append(makers[name]())
        times[f"derive {name}"] = time.perf_counter() - start
    start = time.perf_counter()
    with simplifying(len(programs), mechanism.name):
        prepare, done, reports = run_passes(programs, derivation.parameters)
    times["passes"] = time.perf_counter() - start
    return DerivationReport(
        mechanism,
        tuple(derivation.symbols.parameters),
        derivation.input_names,
        prepare,
        tuple(done),
        tuple(reports),
        times,
    )
