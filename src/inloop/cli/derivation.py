"""Derive the equations of a mechanism without building them, with counts and times."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inloop.formalisms import Derivation, LiveParameter
from inloop.model import Mechanism
from inloop.plant.passes import PassReport, run_passes
from inloop.symbolic import Program


@dataclass(frozen=True)
class DerivationReport:
    """Programs with their history.

    Attributes:
        mechanism: what was derived.
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
        """Operation counts by function after all passes, `prepare` among them."""
        return {p.name: p.operations() for p in (*self.programs, self.prepare)}

    @property
    def formalisms(self) -> dict[str, str]:
        """The algorithm of each function."""
        return {p.name: p.formalism for p in self.programs}

    @property
    def seconds(self) -> float:
        """Time spent, all together."""
        return sum(self.times.values())

    def data(self) -> dict[str, Any]:
        """What `--json` prints."""
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
        functions: names, see `inloop.formalisms.PROGRAMS`.
        live: numbers to keep as parameters: "all" or names.
        external: bodies with force and torque inputs: "all" or names.
    """
    times: dict[str, float] = {}
    start = time.perf_counter()
    derivation = Derivation(mechanism, live, external)
    times["frames"] = time.perf_counter() - start
    programs = []
    for name in functions:
        start = time.perf_counter()
        programs.append(derivation.program(name))
        times[f"derive {name}"] = time.perf_counter() - start
    start = time.perf_counter()
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
