"""The passes between derivation and text, with operation counts before and after each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inloop.symbolic import Input, Program, hoist
from inloop.symbolic.factor import factor


@dataclass(frozen=True)
class PassReport:
    """Operation counts of one function after each pass.

    Attributes:
        function: name of the function.
        totals: name of the pass → operations that the step still does.
    """

    function: str
    totals: dict[str, int]


def run_passes(
    programs: Sequence[Program], parameters: Input
) -> tuple[Program, list[Program], list[PassReport]]:
    """Factor and hoist; dead code is never reached from the outputs, so it is gone already."""
    totals = [{"derived": p.operations()["total"]} for p in programs]
    factored = [factor(p) for p in programs]
    for entry, program in zip(totals, factored, strict=True):
        entry["factor"] = program.operations()["total"]
    prepare, done = hoist(factored, parameters)
    for entry, program in zip(totals, done, strict=True):
        entry["hoist"] = program.operations()["total"]
    reports = [PassReport(p.name, entry) for p, entry in zip(programs, totals, strict=True)]
    return prepare, done, reports
