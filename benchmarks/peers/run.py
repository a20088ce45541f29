"""Measures the peers, in turn with any other contestants.

python benchmarks/peers/run.py [--models ur5 ...] [--functions rnea ...] [--cold] [--json]
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.machine import machine_facts, run_alone
from benchmarks.peers.build import (
    VARIANTS,
    casadi_program,
    casadi_source,
    model_files,
    pinocchio_native,
)
from benchmarks.peers.models import MODELS
from benchmarks.peers.toolchain import C_COMPILERS, CompileTimeoutError

Figures = dict[str, Any]
MAX_ERROR = 1e-9
KINDS = ("hot", "sleep", "swept")
ROUNDS = 5


@dataclass(frozen=True)
class Contestant:
    """A program that times one function.

    Attributes:
        name: name of the contestant; the fastest of several programs with the same name counts.
        variant: variant of the program.
        command: program and arguments; the kinds of `timing.h` are appended.
        operations: operation counts, where known.
    """

    name: str
    variant: str
    command: tuple[str | Path, ...]
    operations: Mapping[str, float] | None = None


def peers_of(model: str, function: str) -> list[Contestant]:
    """Pinocchio and CasADi's generated C, in every variant that could be built.

    Where snapping constants changes nothing, the snapped variants are left out.
    """
    files = model_files(model)
    command = (pinocchio_native(), files.flat, files.peer_states)
    variants = VARIANTS[function]
    contestants = [Contestant("pinocchio", variant, (*command, variant)) for variant in variants]
    for variant, compiler, snap in product(variants, C_COMPILERS, (False, True)):
        contestants += _casadi(model, variant, compiler, snap)
    unique = {contestant.command: contestant for contestant in reversed(contestants)}
    return list(reversed(unique.values()))


def _casadi(model: str, variant: str, compiler: str, snap: bool) -> list[Contestant]:
    name = f"casadi-{'snapped-' * snap}{compiler}"
    try:
        program = casadi_program(model, variant, compiler, snap)
    except CompileTimeoutError:
        return []
    operations = casadi_source(model, variant, snap).operations
    return [Contestant(name, variant, (program, model_files(model).peer_states), operations)]


def measure(
    model: str,
    functions: Iterable[str] = tuple(VARIANTS),
    kinds: Sequence[str] = KINDS[:1],
    others: Mapping[str, Sequence[Contestant]] | None = None,
    rounds: int = ROUNDS,
) -> dict[str, dict[str, Figures]]:
    """Figures in nanoseconds: function → contestant → figures.

    Contestants run in turn (A, B, C, A, B, C, …), so that all have the same machine conditions.

    Args:
        model: a key of `MODELS`.
        functions: some of rnea, aba, crba.
        kinds: what to measure, some of KINDS: "hot", one call after 1 ms of "sleep", one call after
            the caches were "swept".
        others: more contestants by function, for instance inloop's own.
        rounds: number of runs of each contestant.

    Returns:
        Per contestant and kind `best`, `median`, `p99`; `error` (largest
        relative error against the reference results), `variant`, and `operations` where known.
    """
    table = {}
    for function in functions:
        contestants = [*peers_of(model, function), *(others or {}).get(function, ())]
        table[function] = _fastest_by_name(race(contestants, kinds, rounds))
    return table


def race(
    contestants: Sequence[Contestant], kinds: Sequence[str] = KINDS[:1], rounds: int = ROUNDS
) -> list[tuple[Contestant, Figures]]:
    """Figures of each contestant, run in turn."""
    lines: list[list[dict[str, Any]]] = [[] for _ in contestants]
    for _ in range(rounds):
        for own, contestant in zip(lines, contestants, strict=True):
            own += run_alone([*contestant.command, *kinds])
    return [(c, _figures(c, own, kinds)) for c, own in zip(contestants, lines, strict=True)]


def _figures(contestant: Contestant, lines: list[dict[str, Any]], kinds: Sequence[str]) -> Figures:
    errors = [line["value"] for line in lines if line["kind"] == "error"]
    if errors and not max(errors) < MAX_ERROR:
        who = f"{contestant.name} ({contestant.variant})"
        raise RuntimeError(f"{who}: results are wrong, relative error {max(errors):.1e}")
    figures: Figures = {"variant": contestant.variant, "error": max(errors, default=None)}
    if contestant.operations is not None:
        figures["operations"] = dict(contestant.operations)
    for kind in kinds:
        figures[kind] = _summary([line for line in lines if line["kind"] == kind])
    return figures


def _summary(lines: list[dict[str, Any]]) -> dict[str, float]:
    """Best of all rounds; median and p99 of the median round."""
    best = min(line["best"] for line in lines)
    rest = {key: statistics.median(line[key] for line in lines) for key in ("median", "p99")}
    return {"best": best, **rest}


def _fastest_by_name(results: list[tuple[Contestant, Figures]]) -> dict[str, Figures]:
    table: dict[str, Figures] = {}
    for contestant, figures in results:
        known = table.get(contestant.name)
        if known is None or figures["hot"]["best"] < known["hot"]["best"]:
            table[contestant.name] = figures
    return table


def fastest(figures: Mapping[str, Figures], prefix: str) -> Figures | None:
    """The fastest contestant whose name starts with a prefix, or None."""
    own = [value for name, value in figures.items() if name.startswith(prefix)]
    return min(own, key=lambda value: value["hot"]["best"], default=None)


def print_table(model: str, table: Mapping[str, Mapping[str, Figures]]) -> None:
    """One line per function and contestant."""
    for function, contestants in table.items():
        for name, figures in contestants.items():
            head = f"{model:9s} {function:5s} {name:20s} {figures['variant']:11s}"
            times = [f"{kind} {_times(figures[kind])}" for kind in KINDS if kind in figures]
            print(head, *times, _counts(figures))


def _times(summary: Mapping[str, float]) -> str:
    return f"{summary['best']:8.0f} {summary['median']:8.0f}"


def _counts(figures: Figures) -> str:
    operations = figures.get("operations")
    if not operations:
        return ""
    return " ".join(f"{operations[k]} {k}" for k in ("add", "mul", "div", "sincos"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--functions", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--cold", action="store_true", help="also single calls, caches cold")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    options = parser.parse_args()
    result: dict[str, Any] = {"machine": machine_facts()}
    if not options.json:
        print(json.dumps(result["machine"]), "\nnanoseconds per call: best, median", flush=True)
    for model in options.models:
        kinds = KINDS if options.cold else KINDS[:1]
        result[model] = measure(model, options.functions, kinds, rounds=options.rounds)
        if not options.json:
            print_table(model, result[model])
            sys.stdout.flush()
    if options.json:
        print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
