"""All benchmarks, section by section: `make bench`.

python -m benchmarks [SECTION ...] [--all] [--rounds N] [--walkman FILE] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import inloop as il
from benchmarks.machine import machine_facts
from benchmarks.peers.toolchain import BENCHMARKS, BuildError
from benchmarks.report import Findings, Row, note, show, title

WALKMAN = BENCHMARKS.parents[1] / "shared" / "data" / "walkman.mbs"
ROUNDS = 5
# sections whose contestants run in turn, in rounds
ROUNDED = (
    "batch", "cluster", "loops", "judged", "many", "reduction", "warm", "friction", "page",
    "rover", "sensitivities",
)  # fmt: skip
# in the order of printing; sections that need a calm machine least are first
SECTIONS = {
    "operations": "Operation counts",
    "derivation": "Time of derivation",
    "scaling": "Growth of derivation with size",
    "compile_time": "Time of compilation",
    "speed": "One evaluation, one core",
    "batch": "Many states at once",
    "loops": "Closed mechanisms",
    "loops_large": "Large closed mechanisms",
    "judged": "Runs that are judged",
    "many": "Many runs on all cores",
    "cluster": "Many runs on a cluster",
    "environments": "Environments of gymnasium",
    "sensitivities": "Derivatives of runs",
    "reduction": "Any choice of independent coordinates",
    "observers": "Observers",
    "realtime": "Real time",
    "warm": "From inputs to outputs",
    "friction": "Friction in real time",
    "car": "A car on its tyres",
    "redundant": "Bodies with six coordinates each",
    "contact": "Contacts with dry friction",
    "collision": "Collision with terrain",
    "rover": "A rover on terrain",
    "sparse": "Sparse linear systems",
    "flexible": "Flexible links",
    "links": "Links",
    "studio": "Studio",
    "hands": "Thrown over by hand",
    "page": "A page that carries its plant",
}


def main() -> None:
    options = _options()
    results: Row = {"machine": _machine()}
    found: list[Findings] = []
    for name in options.sections or SECTIONS:
        title(SECTIONS[name])
        findings = _attempt(name, options)
        if findings is not None:
            found.append(findings)
            results[name] = findings.as_json()
    _show_bars(found)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument(
        "--all",
        action="store_true",
        help="also the generic chains and what takes minutes to compile",
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="runs of each contestant")
    parser.add_argument("--walkman", type=Path, default=WALKMAN, help="ROBOTRAN model of WALK-MAN")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there too")
    options = parser.parse_args()
    unknown = [name for name in options.sections if name not in SECTIONS]
    if unknown:
        parser.error(f"no section '{unknown[0]}'; there are: {', '.join(SECTIONS)}")
    return options


def _machine() -> Row:
    """Print and return facts about the machine."""
    try:
        facts = machine_facts()
    except BuildError as error:
        note(f"The clock of this machine is not known: {_first_line(error)}")
        return {}
    load = ", ".join(str(value) for value in facts["load"])
    note(f"{facts['cpu']}, {facts['cores']} cores at {facts['ghz']:.2f} GHz, load {load}")
    return facts


def _attempt(name: str, options: argparse.Namespace) -> Findings | None:
    """Run a section, or print in one sentence what is missing for it."""
    try:
        run: Callable[..., Findings] = import_module(f"benchmarks.{name}").run
        return run(**_arguments(name, options))
    except ImportError as error:
        note(f"Left out: the package '{error.name}' is missing (pip install inloop[bench]).")
    except (BuildError, il.BuildError, FileNotFoundError) as error:
        note(f"Left out: {_first_line(error)}")
    return None


def _arguments(name: str, options: argparse.Namespace) -> Row:
    if name == "speed":
        return {"every_model": options.all, "rounds": options.rounds}
    if name == "loops_large":
        return {"every_size": options.all, "rounds": options.rounds}
    if name in ROUNDED:
        return {"rounds": options.rounds}
    return {"walkman": options.walkman} if name in ("operations", "derivation") else {}


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]


def _show_bars(found: list[Findings]) -> None:
    bars = [bar for findings in found for bar in findings.bars]
    if bars:
        title("Bars")
        show(["figure", "measured", "bar", ""], [bar.cells() for bar in bars])
        missed = sum(not bar.met for bar in bars)
        note(f"{len(bars) - missed} of {len(bars)} met")


if __name__ == "__main__":
    main()
